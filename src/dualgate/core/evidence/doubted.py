"""Criteria, Proof -> the tests of the baseline that RED removed, skipped, cut or changed, for a reviewer to answer."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from dualgate.core.evidence.comparison import Comparison, FlakyTests, compare
from dualgate.core.values.case_names import function_of, names, stable
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult

MOST = 20
"""More tests than this are answered for by file, more files all together."""


class Doubt(StrEnum):
    """The ways to weaken a test, the worst first."""

    REMOVED = "removed"
    SKIPPED = "skipped"
    FEWER = "fewer cases"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtedTest:
    """Tests of the baseline to answer for under one id, such as T-1."""

    id: str
    how: Doubt
    functions: tuple[str, ...]
    """Test ids without their parameters."""
    before: tuple[CaseResult, ...]
    after: tuple[CaseResult, ...] = ()

    @property
    def file(self) -> str:
        return self.before[0].file


def doubted_tests(criteria: Sequence[Criterion], proof: Proof) -> tuple[DoubtedTest, ...]:
    """The tests that need an answer, in the order of the baseline. A person who skipped RED answers for all."""
    doubts, settled = _doubts(proof), {*changed_requirements(criteria, proof), *upheld_tests(proof)}
    doubts = {name: how for name, how in doubts.items() if name not in settled}
    before, after = by_function(proof.baseline), by_function(proof.red)
    groups = _grouped(doubts, {name: cases[0].file for name, cases in before.items()})
    return tuple(
        DoubtedTest(
            id=f"T-{number}",
            how=how,
            functions=tuple(found),
            before=tuple(chain.from_iterable(before[name] for name in found)),
            after=tuple(chain.from_iterable(after.get(name, ()) for name in found)),
        )
        for number, (how, found) in enumerate(groups, start=1)
    )


def changed_requirements(criteria: Sequence[Criterion], proof: Proof) -> tuple[str, ...]:
    """Changed tests of the baseline that were red in RED and name a criterion: they need no answer."""
    failing = by_function(result for result in proof.red if result.failed)
    changed = (name for name, how in _doubts(proof).items() if how is Doubt.CHANGED)
    return tuple(
        name for name in changed if any(names(result, c) for result in failing.get(name, ()) for c in criteria)
    )


def upheld_tests(proof: Proof) -> tuple[str, ...]:
    """Changed tests of the baseline that still pass as they were before the run: they need no answer."""
    doubts = _doubts(proof)
    return tuple(name for name in proof.upheld if doubts.get(name) is Doubt.CHANGED)


def _doubts(proof: Proof) -> dict[str, Doubt]:
    return doubts_since(proof, proof.red) if proof.red else {}


def doubts_since(proof: Proof, results: Sequence[CaseResult]) -> dict[str, Doubt]:
    """The way each function of the baseline was weakened until a run of all tests, in the order of the baseline."""
    since = compare(proof.baseline, results, FlakyTests(unstable=proof.unstable, unstable_ids=proof.unstable_ids))
    before, after = by_function(proof.baseline), by_function(results)
    found: dict[str, Doubt] = {}
    for how, tests in _kinds(since, before, after):
        for name in map(_function, tests):
            found.setdefault(name, how)
    return {name: found[name] for name in before if name in found}


def _kinds(
    since: Comparison, before: Mapping[str, Sequence[CaseResult]], after: Mapping[str, Sequence[CaseResult]]
) -> Iterator[tuple[Doubt, Iterable[str]]]:
    renamed = {old for old, _ in since.renamed}
    gone = [name for name in since.vanished if name not in renamed]
    yield Doubt.REMOVED, (name for name in gone if _function(name) not in after)
    yield Doubt.SKIPPED, (*since.newly_skipped, *since.newly_xfailed)
    yield Doubt.FEWER, (name for name in gone if len(after.get(_function(name), ())) < len(before[_function(name)]))
    yield Doubt.CHANGED, since.altered


def _grouped(doubts: Mapping[str, Doubt], files: Mapping[str, str]) -> list[tuple[Doubt, list[str]]]:
    """By test; if these are too many, by file; if there are too many files, by what was done."""
    keys: tuple[Callable[[str], str], ...] = (lambda name: name, lambda name: files[name], lambda _: "")
    groupings = [_by_key(doubts, key) for key in keys]
    groups = next((each for each in groupings if len(each) <= MOST), groupings[-1])
    return [(how, found) for (how, _), found in groups.items()]


def _by_key(doubts: Mapping[str, Doubt], key: Callable[[str], str]) -> dict[tuple[Doubt, str], list[str]]:
    groups: dict[tuple[Doubt, str], list[str]] = defaultdict(list)
    for name, how in doubts.items():
        groups[how, key(name)].append(name)
    return groups


def by_function(results: Iterable[CaseResult]) -> dict[str, list[CaseResult]]:
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        found[_function(result.id)].append(result)
    return dict(found)


def _function(name: str) -> str:
    return function_of(stable(name))
