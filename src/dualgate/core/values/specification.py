"""What is to be done: criteria, tasks, and what an adopted change of them means."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One acceptance criterion; `line` is where it stands in the specification."""

    id: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prp:
    """A specification; `text` is the whole of it, as it stood when the run began."""

    title: str
    goal: str
    criteria: tuple[Criterion, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Tasks by their words. A list without boxes says nothing about what is done."""

    open: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    stories: bool = False
    """Whether the tasks are the stories of a prd.json."""
    file: str = ""
    is_gone: bool = False
    """Whether the file, or every task in it, is not there any more; these are its tasks as they last stood."""

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
    """What an adopted specification means for the criteria; ids of criteria and of tests."""

    reopened: tuple[str, ...] = ()
    """New, or with another text: each needs a test that fails."""
    kept: tuple[str, ...] = ()
    """As they were when RED was proven."""
    kept_tests: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
