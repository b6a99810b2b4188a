"""Changes of a work tree, who made them, and which were reverted."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from functools import cache

from dualgate.core.values.configuring import Reconfiguration
from dualgate.core.values.vocabulary import Phase

REQUEST = "request:"
"""Begins the path of a violation that is a request, not a change of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A change that the phase does not allow, its diff, and whether it could be reverted."""

    path: str
    rule: str
    phase: Phase | None = None
    diff: str = ""
    reverted: bool = True
    kept: str = ""
    """The snapshot that holds the reverted version, if a person may want it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A changed file and its changed lines, first and last; no lines means all of it."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


class FileChange(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """One file that differs between two trees. `diff` is empty for a binary file and where it was not asked for."""

    path: str
    change: FileChange
    diff: str = ""
    added: int = 0
    """Number of added lines."""
    removed: int = 0


_IN_RECORDS = re.compile(r"(^|/)(adrs?|decisions)/[^/]+\.\w+$|(^|/)adr[-_]?\d+[^/]*$", re.IGNORECASE)
_BESIDE_RECORDS = re.compile(r"(^|/)(readme|index|toc|[^/]*template)\.\w+$", re.IGNORECASE)


def is_record_path(path: str) -> bool:
    """Whether a path says that a file is a decision record. The index and the template of a folder do not count."""
    return _IN_RECORDS.search(path) is not None and _BESIDE_RECORDS.search(path) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncounted:
    """A changed document that does not count, and why not."""

    path: str
    reason: str
    is_code: bool = False

    @property
    def sentence(self) -> str:
        return f"{self.path} does not count: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCount:
    """The documents that are new or changed since the session began."""

    counting: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    """Those of `counting` that are decision records."""
    others: tuple[Uncounted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Changes of one call, after the guard reverted violations; `tree` is the tree that is judged."""

    tree: str
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Old and new path; `deleted` and `created` contain them too."""
    outputs: tuple[str, ...] = ()
    """Changed paths that are known outputs of test runs, whoever started the run."""
    learned: tuple[str, ...] = ()
    """Patterns of new files that count as outputs from now on, since the ignore files of RED's end name them."""
    violations: tuple[Violation, ...] = ()
    documents: tuple[str, ...] = ()
    """New and changed documents that count."""
    decision_records: tuple[str, ...] | None = None
    """Those of `documents` that are decision records; None in sessions that saw this by the paths alone."""
    uncounted: tuple[Uncounted, ...] = ()
    """New and changed documents that do not count."""
    added: tuple[str, ...] = ()
    """Files created since the session began."""
    rewritten: tuple[str, ...] = ()
    """Files that existed when the session began, and are changed or deleted now."""
    removed: tuple[str, ...] = ()
    """Files of `rewritten` that are deleted now."""
    fixtures: tuple[str, ...] = ()
    """Files of `added` and `rewritten` with fixtures for every test in their folder and below."""
    support: tuple[str, ...] = ()
    """Files of `added` and `rewritten` that are helpers or data of tests; documents of a test folder too."""
    dependencies: tuple[str, ...] = ()
    """Files of `added` and `rewritten` that name packages to install."""
    code: tuple[str, ...] = ()
    """Files of `added` and `rewritten` that are neither tests and their support, nor documents."""
    sources: tuple[str, ...] = ()
    """In RED, GREEN and BUILD: existing files of both, without tests, their support and documents."""
    tests: tuple[str, ...] | None = None
    """In BUILD: files of `added` and `rewritten` that are tests or support them; None if that was not recorded."""
    cited: tuple[tuple[str, int], ...] = ()
    """In a review: the files that its answers cite and that exist, with the number of their lines."""
    unseen: tuple[str, ...] = ()
    """In a review: paths that a person changed meanwhile, so that the review has not seen them."""
    since_review: tuple[Rewritten, ...] = ()
    """In a review: the changes since the review before it."""
    notes: tuple[str, ...] = ()
    """Changes that are allowed and that the reviewer has to see."""
    proposed: Reconfiguration | None = None
    """Reverted edits of the test configuration that test runs may show to be harmless."""
    extended: tuple[str, ...] = ()
    """Proven files of tests to which tests were added since the last proven phase."""
    commits: tuple[str, ...] = ()
    """Commits that the call made."""
    disturbed: tuple[str, ...] = ()
    """After a return to RED for a changed specification: changed files that the kept tests depend on."""

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)

    @property
    def document_count(self) -> DocumentCount:
        records = self.decision_records
        if records is None:
            records = tuple(path for path in self.documents if is_record_path(path))
        return DocumentCount(counting=self.documents, records=records, others=self.uncounted)


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """A change that broke tests: the work tree was rolled back to the last green tree."""

    tree: str
    """The restored tree."""
    paths: tuple[str, ...] = ()
    """Restored paths."""
    left: tuple[str, ...] = ()
    """Paths that could not be restored."""
    kept: str = ""
    """The snapshot that contains the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """Tasks whose boxes dualgate ticked, and the work tree after it."""

    tasks: tuple[str, ...]
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """A person's changes while none of our processes ran; they are kept, and the trees of the proof include them."""

    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    tree: str = ""
    """The tree from which the agent's next changes are counted."""
    start_tree: str = ""
    proven_tree: str = ""
    green_tree: str = ""
    kept_tree: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Files changed in this session, by who changed them. A file may be in several sets, a single edit never is."""

    agent: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    """Commits that agents made: they may rewrite them."""


# numbers, addresses, and random names from uuid and tempfile
RUN_NUMBER = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<=tmp)[a-z0-9_]{8}(?![a-z0-9_])|[0-9a-fA-F]{6,}|\d+"
)
ANY_NUMBER = "<n>"
"""Matches RUN_NUMBER in a pattern; the rest of the pattern is a shell glob."""


def is_output(path: str, outputs: Iterable[str]) -> bool:
    return any(_matcher(pattern).fullmatch(path) for pattern in outputs)


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    number = f"(?:{RUN_NUMBER.pattern})"
    return re.compile(number.join(_translated(part) for part in pattern.split(ANY_NUMBER)))


def _translated(part: str) -> str:
    """Translate a glob to a regex, without the end-of-text anchor."""
    return translate(part)[:-2]
