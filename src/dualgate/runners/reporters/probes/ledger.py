"""The tests and probes of a run: which test runs which code, the next probe to try, the report at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import schemata

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PASSED = "passed"
KILLED, SURVIVING, UNKNOWN, LEFT_OUT = "killed", "surviving", "unknown", "left out"
VALUE_PROBES = (schemata.VALUE_STUB, schemata.GUESSED_STUB, schemata.MUTANT)
TELLING = (schemata.VALUE_STUB, schemata.MUTANT)
STUBS = (schemata.VALUE_STUB, schemata.GUESSED_STUB)
# what a mutant of a function is worth beside its stubs: the first ones tell most
PER_FUNCTION = 20
UNCHANGED_TRIED = 24
ORDER = {
    schemata.VALUE_STUB: 0,
    schemata.GUESSED_STUB: 0,
    schemata.MUTANT: 1,
    schemata.DELETION: 2,
    schemata.NONE_STUB: 3,
    schemata.RAISE_STUB: 4,
}


class Test:
    def __init__(self, name: str, reach: Iterable[str] = ()) -> None:
        self.name = name
        self.reach = frozenset(reach)
        self.outcome = ""
        self.seconds = 0.0
        self.cpu = 0.0
        self.hits: frozenset[int] = frozenset()
        self.asserted: bool | None = None
        self.unexpecting = False


class Ledger:
    def __init__(self, book: schemata.Book, groups: list[dict[str, Any]]) -> None:
        self.book = book
        self.groups = groups
        self.tests: list[Test] = []
        self.at_import: frozenset[int] = frozenset()
        self.is_whole = False
        """Whether every test was run once without a probe."""
        self.proven: set[int] = set()
        self.results: dict[int, dict[str, Any]] = {}
        self.of_test: dict[str, list[int]] = {}
        for number, group in enumerate(groups):
            for name in group["tests"]:
                self.of_test.setdefault(name, []).append(number)

    def hear(self, told: dict[str, Any]) -> None:
        """Take in a message of the process that collected the tests."""
        if "tests" in told:
            self.tests = [Test(name, reach) for name, reach in told["tests"]]
            self.at_import = frozenset(told["at_import"])
        elif "covered" in told:
            self.cover(told)
        elif "unexpecting" in told:
            self.tests[told["unexpecting"]].unexpecting = True
        elif "whole" in told:
            self.is_whole = told["whole"]
        elif "probe" in told:
            self.note(told)

    def cover(self, told: dict[str, Any]) -> None:
        test = self.tests[told["covered"]]
        test.outcome, test.seconds, test.cpu = told["outcome"], told["seconds"], told["cpu"]
        test.hits, test.asserted = frozenset(told["hits"]), told.get("asserted")

    def note(self, told: dict[str, Any]) -> None:
        """Record the result of a probe, and which groups it proves to be sensitive."""
        number = told["probe"]
        self.results[number] = told
        # the type of a guessed value may be what a test notices: other probes are tried too
        if self.book.probes.get(number) is None or self.book.probes[number].kind not in TELLING:
            return
        for name in told["killed"]:
            if name not in told["crashed"]:
                self.proven.update(self.of_test.get(name, ()))

    def order(self) -> list[int]:
        """The tests in the order of the first run: those of the groups first."""
        return sorted(range(len(self.tests)), key=lambda index: self.tests[index].name not in self.of_test)

    def candidates(self, number: int, early: bool) -> list[int]:
        """The tests that run the code of a probe, those that decide something first."""
        probe = self.book.probes[number]
        place = probe.place
        # code of a module runs for every test that imports it; a default only for those that call the function
        marks = {probe.entry, place.entry} if early and place.entry else {probe.entry}
        by_file = early and not place.entry
        found = [
            index
            for index, test in enumerate(self.tests)
            if test.outcome == PASSED
            and (not marks.isdisjoint(test.hits) or (by_file and place.file in test.reach))
            and (place.changed or self.breaks_unchanged(test.name))
        ]
        return sorted(found, key=lambda index: (not self.is_open(index), self.tests[index].seconds, index))

    def is_open(self, index: int) -> bool:
        """Whether a test belongs to a group that is not known to be sensitive."""
        return any(group not in self.proven for group in self.of_test.get(self.tests[index].name, ()))

    def breaks_unchanged(self, name: str) -> bool:
        return any(self.groups[group]["breaks_unchanged"] for group in self.of_test.get(name, ()))

    def plan(self, early: bool) -> list[int]:
        """The probes to try: the first of every function, then the second of every function, and so on."""
        rounds: list[tuple[int, int, int]] = []
        for position, place in enumerate(self.book.places):
            if place.changed:
                mine = [
                    number for number in place.probes if number in self.book.probes and self.is_early(number) is early
                ]
                rounds.extend((turn, position, number) for turn, number in enumerate(ranked(self.book, mine)))
        return [number for _, _, number in sorted(rounds)]

    def endless_last(self, planned: Iterable[int]) -> Iterator[int]:
        """Probes, each with a result before the next. Those of a function that did not end once come last.

        Each of them may take as long as many others, which would be left out.
        """
        endless, late = set(), []
        for number in planned:
            place = self.book.probes[number].place
            if place in endless:
                late.append(number)
                continue
            yield number
            if self.results.get(number, {}).get("state") == UNKNOWN:
                endless.add(place)
        yield from late

    def is_early(self, number: int) -> bool:
        """Whether a probe must be active before the tests are collected: its code runs only when it is imported."""
        probe = self.book.probes[number]
        if probe.early:
            return True
        return probe.entry in self.at_import and not any(probe.entry in test.hits for test in self.tests)

    def unchanged(self, group: int) -> list[int]:
        """Stubs of functions that did not change and that a group runs, those that fewest tests run first."""
        mine = [test for test in self.tests if group in self.of_test.get(test.name, ()) and test.outcome == PASSED]
        hits = frozenset().union(*(test.hits for test in mine)) if mine else frozenset()
        found = [place for place in self.book.places if not place.changed and place.entry in hits]
        counted = sorted(found, key=lambda place: sum(place.entry in test.hits for test in self.tests))
        return [
            number
            for place in counted[:UNCHANGED_TRIED]
            for number in place.probes
            if number in self.book.probes and self.book.probes[number].kind in STUBS
        ]

    def ran(self) -> Iterator[str]:
        """Tests of the groups that run code which can be probed for them."""
        changed = {place.entry for place in self.book.places if place.changed and place.entry and place.probes}
        changed.update(self.book.lines)
        changed.update(probe.entry for probe in self.book.probes.values() if probe.place.changed)
        every = {place.entry for place in self.book.places if place.entry}
        only_module = not any(place.changed and place.name for place in self.book.places)
        early = {probe.place.file for probe in self.book.probes.values() if probe.early}
        for test in self.tests:
            if test.name in self.of_test and test.outcome == PASSED:
                asked = changed | every if self.breaks_unchanged(test.name) else changed
                if asked & test.hits or (only_module and early & test.reach):
                    yield test.name

    def functions(self) -> Iterator[dict[str, Any]]:
        for place in self.book.places:
            if not place.changed:
                continue
            runs = [t for t in self.tests if (place.entry in t.hits if place.name else place.file in t.reach)]
            told = {"file": place.file, "line": place.line, "name": place.name}
            yield {**told, "tests": len(runs), "can_be_probed": bool(place.probes)}

    def unrun(self) -> Iterator[tuple[str, int, int]]:
        """Changed lines that no test runs; statements that follow each other are one range."""
        if not self.is_whole:
            return
        hit = self.at_import.union(*(test.hits for test in self.tests))
        last: tuple[str, int, int] | None = None
        for mark, (file, first, end) in sorted(self.book.lines.items(), key=lambda item: item[1]):
            if mark in hit:
                if last is not None:
                    yield last
                last = None
            elif last is not None and last[0] == file and first <= last[2] + 3:
                last = (file, last[1], max(end, last[2]))
            else:
                if last is not None:
                    yield last
                last = (file, first, end)
        if last is not None:
            yield last


def ranked(book: schemata.Book, numbers: list[int]) -> list[int]:
    """The probes of a function, most telling first: two stubs, then mutants of different statements in turn."""
    by_kind: dict[str, list[int]] = {}
    for number in numbers:
        by_kind.setdefault(book.probes[number].kind, []).append(number)
    mutants = spread(book, by_kind.get(schemata.MUTANT, []))
    stubs = [*by_kind.get(schemata.VALUE_STUB, []), *by_kind.get(schemata.GUESSED_STUB, [])]
    rest = [*spread(book, by_kind.get(schemata.DELETION, [])), *by_kind.get(schemata.NONE_STUB, [])]
    found = [*stubs, *mutants[: PER_FUNCTION - len(stubs)], *rest[:6], *by_kind.get(schemata.RAISE_STUB, [])]
    return sorted(found, key=lambda number: ORDER[book.probes[number].kind])


def spread(book: schemata.Book, numbers: list[int]) -> list[int]:
    """One of each line, then the second of each line, and so on."""
    turns: dict[int, int] = {}
    keyed = []
    for number in numbers:
        line = book.probes[number].line
        turns[line] = turns.get(line, -1) + 1
        keyed.append((turns[line], line, number))
    return [number for _, _, number in sorted(keyed)]
