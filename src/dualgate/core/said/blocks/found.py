"""The three answers to the question for a block. Expected outcomes are values: nothing here is raised."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from dualgate.core.values.problems import Problem, Severity

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[T]):
    """A block whose values are all legal; `problems` are what was tolerated."""

    fields: T
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed(Generic[T]):
    """A block whose words cannot be trusted, with the reasons; `fields` is what of it is legal, if that can be said."""

    problems: tuple[Problem, ...]
    fields: T | None = None

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    pass
