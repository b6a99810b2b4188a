"""The work to do: criteria, tasks, and the effect of a changed specification."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One acceptance criterion; `line` is its line in the specification."""

    id: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """A specification; `text` is its whole text when the run began."""

    title: str
    goal: str
    criteria: tuple[Criterion, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The tasks of a list, by their text. A list without checkboxes does not show what is done."""

    open: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    stories: bool = False
    """Whether the tasks are the stories of a prd.json."""
    file: str = ""
    is_gone: bool = False
    """Whether the file or all its tasks are missing now; `open` and `done` are then the last known tasks."""

    @property
    def is_known(self) -> bool:
        return bool(self.open or self.done)

    @property
    def is_done(self) -> bool:
        return self.is_known and not self.open

    @property
    def summary(self) -> str:
        return f"{self.file}: {len(self.done)} done, {len(self.open)} open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Respec:
    """The effect of an adopted specification, as ids of criteria and tests."""

    reopened: tuple[str, ...] = ()
    """Criteria to prove red: those that are new or changed, or have no kept test."""
    kept: tuple[str, ...] = ()
    """Criteria unchanged since RED was proven."""
    kept_tests: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
