"""Compare the specification of a session with its file: a person who edits it decides which of the two counts."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

from dualgate.core.machine.resuming import CutOff
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.spec.edits import changes_between, is_same_text, text_digest
from dualgate.core.spec.identity import keep_ids
from dualgate.core.values.specification import NOT_A_FILE, Criterion, Plan, Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SpecChanged
from dualgate.store.atomic import read_whole

ADOPT, DECLINE = "dualgate resume --respec", "dualgate resume --keep-spec"
_Mark = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFile:
    """The specification in force, and the file that it was read from."""

    redactor: Redactor
    project: Path
    text: str
    state: LoopState
    criteria_headings: tuple[str, ...] = ()
    """The session's own words for headings of criteria."""

    @property
    def path(self) -> Path:
        return self.project / self.state.prp_file

    @property
    def name(self) -> str:
        return self.state.prp_file

    @property
    def is_watched(self) -> bool:
        """Whether a change of the file is a change of the specification; a task list changes as the work goes on."""
        return not _is_plan(self.project, self.name, self.state.plan) and not self.name.startswith(NOT_A_FILE)

    def edited(self) -> str | None:
        """The text of the file if it changed, unless a person declined it; None if the file cannot be read."""
        now = read_spec_file(self.path) if self.is_watched else None
        if now is None or is_same_spec(now, self.text, self.redactor):
            return None
        return None if self.digest_of(now) == self.state.declined_spec else now

    def changes(self) -> tuple[str, ...]:
        """The changes in words; empty if nothing changed."""
        now = self.edited()
        if now is None:
            return ()
        known, after = self.in_force(), self._read(now)
        return changes_between(known, keep_ids(known.criteria, after, self.state.retired_ids))

    def in_force(self) -> Specification:
        """The specification of the session with its ids; a session without states has them by position."""
        read, states = self._read(self.text), self.state.criteria_states
        return keep_ids(states, read, self.state.retired_ids) if states else read

    def _read(self, text: str) -> Specification:
        """A prompt of BUILD has no criteria to compare, only lines."""
        text = self.redactor.text(text)
        if self.state.workflow is Workflow.RALPH:
            return Specification(title="", goal="", criteria=(), text=text)
        from dualgate.session.document import Document  # reading is needed only if the file changed

        document = Document(name=self.name, text=text, answers=self.state.answers)
        return document.read_as(self.state.workflow, self.criteria_headings)

    def digest_of(self, text: str) -> str:
        return text_digest(self.redactor.text(text))


def spec_of(found: CutOff, redactor: Redactor) -> SpecFile:
    words = found.started.settings.get("spec", {}).get("criteria_headings", ())
    return spec_file(Path(found.started.project), found.spec, found.state, redactor, words)


def spec_file(
    project: Path, text: str, state: LoopState, redactor: Redactor, criteria_headings: Iterable[str] = ()
) -> SpecFile:
    words = tuple(criteria_headings)
    return SpecFile(redactor=redactor, project=project, text=text, state=state, criteria_headings=words)


def spec_paths(project: Path, name: str, plan: Plan | None) -> frozenset[str]:
    """The paths of a specification inside the project, which only a person edits: its own and that of a link to it."""
    if name.startswith(NOT_A_FILE) or _is_plan(project, name, plan):
        return frozenset()
    root = _real(project)
    given, real = Path(os.path.normpath(Path(root) / name)), Path(_real(project / name))
    return frozenset(path.relative_to(root).as_posix() for path in (given, real) if path.is_relative_to(root))


def is_same_spec(now: str, before: str, redactor: Redactor) -> bool:
    """Compare with secrets redacted, since the journal does not hold them; ticks and line ends do not count."""
    return is_same_text(redactor.text(now), redactor.text(before))


def read_spec_file(path: Path) -> str | None:
    """The text of a specification; None if there is none. A pipe in its place is not waited for."""
    try:
        with TextIOWrapper(BytesIO(read_whole(path)), encoding="utf-8-sig") as text:
            return text.read()
    except (OSError, UnicodeDecodeError):
        return None


def spec_note(name: str, changes: tuple[str, ...]) -> str:
    return f"{name} was changed: {'; '.join(changes)}" if changes else ""


def require_unchanged(file: SpecFile) -> None:
    """Raise SpecChanged, with the commands for both specifications, if a person edited the file."""
    if changes := file.changes():
        raise SpecChanged(
            f"{spec_note(file.name, changes)}. Nothing was started.",
            f"Continue with the new specification: {ADOPT}. With the old one: {DECLINE}.",
        )


def known_criteria(found: CutOff, redactor: Redactor) -> tuple[Criterion, ...]:
    """The criteria in force as they are written, with their ids, redacted; old sessions gave ids by position."""
    return spec_of(found, redactor).in_force().criteria


class SpecCheck:
    """Looks for a person's edit before each call. The file is read only if its time, size or inode changed."""

    def __init__(self, file: SpecFile) -> None:
        self._file = file
        self._mark: _Mark | None = None
        self._changes: tuple[str, ...] = ()

    def __call__(self) -> tuple[str, ...]:
        mark = _mark(self._file.path)
        if mark != self._mark:
            self._mark, self._changes = mark, self._file.changes()
        return self._changes


def _mark(path: Path) -> _Mark:
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _is_plan(project: Path, name: str, plan: Plan | None) -> bool:
    return plan is not None and _real(project / plan.file) == _real(project / name)


def _real(path: Path) -> str:
    return os.path.realpath(path)
