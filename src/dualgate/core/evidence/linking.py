"""Red tests, criteria -> which criteria have a test. A function counts for one criterion, equal bodies count once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dualgate.core.values.case_names import Named, function_of, names, stable
from dualgate.core.values.suite import CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTest:
    """All results that count as one test: its parameters, and tests with the same body."""

    results: tuple[CaseResult, ...]

    def names(self, criterion: Named) -> bool:
        return any(names(result, criterion) for result in self.results)


def counted_tests(results: Iterable[CaseResult]) -> tuple[CountedTest, ...]:
    groups: dict[str, list[CaseResult]] = {}
    bodies: dict[str, str] = {}
    for result in results:
        function = function_of(stable(result.id))
        key = bodies.setdefault(result.body, function) if result.body else function
        groups.setdefault(key, []).append(result)
    return tuple(CountedTest(results=tuple(group)) for group in groups.values())


def covered_criteria(criteria: Sequence[Named], red: Iterable[CaseResult]) -> frozenset[str]:
    """The ids of the criteria that have a test. A test that names several counts for one that needs it."""
    tests = counted_tests(red)
    linked = {c.id: [place for place, test in enumerate(tests) if test.names(c)] for c in criteria}
    taken: dict[int, str] = {}

    def takes(criterion: str, tried: set[int]) -> bool:
        for place in linked[criterion]:
            if place not in tried:
                tried.add(place)
                if place not in taken or takes(taken[place], tried):
                    taken[place] = criterion
                    return True
        return False

    return frozenset(c.id for c in criteria if takes(c.id, set()))
