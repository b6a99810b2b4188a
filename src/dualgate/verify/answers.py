"""Verifications of earlier calls, found again by trees, options and surroundings. Looking one up runs only git."""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from dualgate import __version__
from dualgate.core.values.verification import Finding, Rule, Standing, Verification, standing_of
from dualgate.errors import DualgateError
from dualgate.verify.request import Request
from dualgate.verify.sides import Sides, resolve
from dualgate.workspace.git import outside_of_hooks

ANSWERS = "verifications"
FORMAT = 2
KEPT = 50
FLEETING = re.compile(
    r"PWD|OLDPWD|SHLVL|_|COLUMNS|LINES|WINDOWID"
    r"|(TERM|SSH|TMUX|VSCODE|ITERM|CLAUDE|CODEX|GEMINI|COPILOT|DBUS|XDG_SESSION)(_.*)?"
)
"""Variables that differ between two terminals, or sessions of an agent, and steer no test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Paths besides both trees that a verification depends on: their change makes it invalid."""

    paths: tuple[str, ...] = ()

    def stamps(self) -> list[list[object]]:
        return [[path, *_stamp(path)] for path in self.paths]


class Answers:
    """Kept verifications in a folder. Never raises: what cannot be read or written is not known.

    Findings that the base's settings accept are kept as accepted; those that a call accepts are not.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, request: Request, sides: Sides, environment: Mapping[str, str]) -> Verification | None:
        """The verification of the same trees in the same surroundings; None if there is none."""
        from dualgate.store.verifications import decode_verification

        path = self._folder / _key(request, sides, environment)
        try:
            head, _, document = path.read_bytes().partition(b"\n")
            kept = json.loads(head)
            if kept["format"] != FORMAT or any(_stamp(name) != tuple(was) for name, *was in kept["stamps"]):
                return None
            found = decode_verification(document)
            os.utime(path)
        except (OSError, ValueError, KeyError, TypeError, DualgateError):
            return None
        return replace(found, base=replace(found.base, reused=True), head=replace(found.head, reused=True))

    def keep(
        self,
        request: Request,
        sides: Sides,
        environment: Mapping[str, str],
        found: Verification,
        surroundings: Surroundings,
    ) -> None:
        """Keep a verification that was made to its end, without what this call accepted."""
        from dualgate.core.record.verification.document import verification_document
        from dualgate.processes.private import make_private, open_private

        if not _is_whole(found):
            return
        head = {"format": FORMAT, "stamps": surroundings.stamps()}
        content = f"{json.dumps(head)}\n{json.dumps(verification_document(found))}"
        with suppress(OSError, UnicodeEncodeError):
            make_private(self._folder)
            path = self._folder / _key(request, sides, environment)
            part = path.with_name(f".{path.name}.{os.getpid()}")
            with open(part, "wb", opener=open_private) as file:
                file.write(content.encode())
            part.replace(path)
            self._make_room()

    def _make_room(self) -> None:
        entries = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in entries[KEPT:]:
            path.unlink()


def known_answer(request: Request, environment: Mapping[str, str], store: Path) -> Verification | None:
    """The kept answer to a request, or None. Only git is run, and little is imported."""
    with tempfile.TemporaryDirectory(prefix="dualgate-known-") as scratch:
        sides = resolve(request, Path(scratch) / "git")
        found = Answers(store / ANSWERS).find(request, sides, environment)
    return with_accepted(found, request.allow) if found else None


def with_accepted(found: Verification, accepted: Mapping[str, str]) -> Verification:
    """The verification with the reasons for which a person accepts findings; its standing follows from the others."""
    marked = tuple(_marked(each, accepted) for each in found.findings)
    return replace(found, findings=marked, standing=standing_of(marked))


def _marked(finding: Finding, accepted: Mapping[str, str]) -> Finding:
    return replace(finding, accepted=accepted[finding.id]) if finding.id in accepted else finding


def _is_whole(found: Verification) -> bool:
    """Whether another call would come to the same: nothing ran out of time or could not be run."""
    is_late = any(finding.rule is Rule.BUDGET for finding in found.findings)
    return found.standing is not Standing.UNUSABLE and not is_late


def _key(request: Request, sides: Sides, environment: Mapping[str, str]) -> str:
    spec = sha256(request.spec.read_bytes()).hexdigest() if request.spec else ""
    words = (
        *(__version__, _rules(), str(FORMAT), str(sides.revisions.root), sides.folder),
        *(sides.base.tree, sides.head.tree, sides.base.ref, sides.head.ref, sides.base_commit, sides.head_commit),
        *(request.test_command or "", request.runner or "", spec, str(request.session)),
        *_variables(environment),
    )
    return sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()


def _rules() -> str:
    """When the rules of this installation last changed: an answer by other rules does not count."""
    places = (Path(__file__).parent, Path(__file__).parents[1] / "core" / "verification")
    return str(max(entry.stat().st_mtime_ns for place in places for entry in os.scandir(place) if entry.is_file()))


def _variables(environment: Mapping[str, str]) -> Iterable[str]:
    steering = sorted(outside_of_hooks(environment).items())
    return (f"{name}={value}" for name, value in steering if not FLEETING.fullmatch(name))


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for every call; a path object costs more than the call
    except OSError:
        return (0, -1)
    return (found.st_mtime_ns, found.st_size)
