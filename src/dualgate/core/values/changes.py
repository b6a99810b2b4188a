"""What was done to a work tree, by whom, and what was reverted."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cache

from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A change that the phase does not allow, what it was, and whether it could be undone."""

    path: str
    rule: str
    phase: Phase | None = None
    diff: str = ""
    undone: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A changed file and its changed lines, first and last; no lines means all of it."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one call did to the work tree, after the guard; `tree` names the state that is judged."""

    tree: str
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Old and new path; they are among the deleted and the created too."""
    outputs: tuple[str, ...] = ()
    """What changed meanwhile and is known to be written by test runs, whoever started them."""
    violations: tuple[Violation, ...] = ()
    documents: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    """Files that were not there when the session began."""
    rewritten: tuple[str, ...] = ()
    """Files that existed then, and are changed or gone now."""
    removed: tuple[str, ...] = ()
    """Those of the rewritten that are gone now."""
    fixtures: tuple[str, ...] = ()
    """Those of the added and rewritten that hold fixtures for every test in their folder and below."""
    dependencies: tuple[str, ...] = ()
    """Those of the added and rewritten that name packages to install."""
    since_review: tuple[Rewritten, ...] = ()
    """In a review: what changed since the one before it."""
    disturbed: tuple[str, ...] = ()
    """Where a changed specification led back to RED: what its kept tests stand on and is another now."""

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """A change that broke tests and was taken back whole: the work tree is that of the last green run again."""

    tree: str
    """The state that was given back."""
    paths: tuple[str, ...] = ()
    """What is as it was."""
    left: tuple[str, ...] = ()
    """What could not be given back."""
    kept: str = ""
    """The snapshot that holds the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What a person changed while nothing of ours ran, and the trees of the proof with it: it is theirs and stays."""

    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    tree: str = ""
    """The state from which the agent's next changes are counted."""
    start_tree: str = ""
    proven_tree: str = ""
    green_tree: str = ""
    kept_tree: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Who changed which files of the project in this session. A file may be in more than one set, an edit never is."""

    agent: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    person: tuple[str, ...] = ()


# numbers, addresses, random names as uuid and tempfile make them
VOLATILE = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<=tmp)[a-z0-9_]{8}(?![a-z0-9_])|[0-9a-fA-F]{6,}|\d+"
)
ANY_NUMBER = "<n>"
"""Stands for one of these in a pattern; the rest of it is read as a shell does."""


def is_output(path: str, outputs: Iterable[str]) -> bool:
    return any(_matcher(pattern).fullmatch(path) for pattern in outputs)


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    volatile = f"(?:{VOLATILE.pattern})"
    return re.compile(volatile.join(_translated(part) for part in pattern.split(ANY_NUMBER)))


def _translated(part: str) -> str:
    """Without the end of the whole text that is put behind every pattern."""
    return translate(part)[:-2]
