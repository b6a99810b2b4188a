"""Two runs of the tests -> Comparison: which tests are new, changed or gone, and which outcomes differ.

Tests are paired by id, those whose id is a place by their content first, then by the id without times, addresses and
places. Remaining cases of a function with unstable ids are paired by function and number.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from dualgate.core.evidence.examples import only_adds_examples
from dualgate.core.evidence.rows import only_adds_rows
from dualgate.core.values.case_names import function_of, functions, is_placed, stable
from dualgate.core.values.suite import IDLE, CaseOutcome, CaseResult, SuiteReport


@dataclass(frozen=True, slots=True, kw_only=True)
class FlakyTests:
    """Flaky tests and unstable ids of a project, learned from runs of one tree."""

    unstable: Collection[str] = ()
    """Ids or functions whose outcome differs between runs of one tree."""
    unstable_ids: Collection[str] = ()
    """Functions whose cases have different ids in every run."""

    def is_unstable(self, result: CaseResult) -> bool:
        return result.id in self.unstable or function_of(stable(result.id)) in self.unstable


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Ids are those of the later run; vanished tests keep their earlier id."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """The same test with changed code."""
    extended: tuple[str, ...] = ()
    """Of these, doctests with more examples and tests with more parameters, while the earlier ones are as before."""
    fixed: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    """Failing as before with the same code, or flaky before: not caused by this work."""
    vanished: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """A vanished test and a new one with the same code: probably a rename."""
    newly_skipped: tuple[str, ...] = ()
    newly_xfailed: tuple[str, ...] = ()
    newly_xpassed: tuple[str, ...] = ()

    @property
    def altered(self) -> tuple[str, ...]:
        """Tests whose earlier code is changed or missing."""
        return tuple(name for name in self.changed if name not in self.extended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Results of two runs of one tree, and what differs between them."""

    results: tuple[CaseResult, ...] = ()
    unstable: tuple[str, ...] = ()
    unstable_ids: tuple[str, ...] = ()
    unstable_keys: tuple[str, ...] = ()
    """Keys of the configuration whose values differ from run to run."""
    configuration: tuple[tuple[str, str], ...] = ()
    environment: str = ""
    """Empty if the two runs disagree."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Pairing:
    pairs: list[tuple[CaseResult, CaseResult]] = field(default_factory=list)
    gone: list[CaseResult] = field(default_factory=list)
    new: list[CaseResult] = field(default_factory=list)


def compare(before: Iterable[CaseResult], after: Iterable[CaseResult], known: FlakyTests | None = None) -> Comparison:
    known = known or FlakyTests()
    pairing = _pair(before, after, known.unstable_ids)
    missed = (old for old in pairing.gone if not (old.is_broken_file or old.checks_file or known.is_unstable(old)))
    gone, new = sorted(missed, key=_by_id), sorted(pairing.new, key=_by_id)

    def where(holds: Callable[[CaseResult, CaseResult], bool]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(new.id for old, new in pairing.pairs if holds(old, new)))

    def turned(outcome: CaseOutcome) -> tuple[str, ...]:
        return where(lambda old, new: new.outcome is outcome and _ran(old) and not _is_excused(old, new, known))

    return Comparison(
        new=tuple(result.id for result in new),
        changed=where(_has_other_code),
        extended=where(_is_extended),
        fixed=where(lambda old, new: old.failed and not new.failed and new.outcome not in IDLE),
        regressed=where(lambda old, new: new.failed and not old.failed and not _is_excused(old, new, known)),
        still_failing=where(
            lambda old, new: new.failed and (_is_excused(old, new, known) or (old.failed and _has_same_code(old, new)))
        ),
        vanished=tuple(result.id for result in gone),
        renamed=_renamed(gone, new),
        newly_skipped=turned(CaseOutcome.SKIPPED),
        newly_xfailed=turned(CaseOutcome.XFAILED),
        newly_xpassed=where(lambda old, new: new.outcome is CaseOutcome.XPASSED and old.outcome is not new.outcome),
    )


def learn(first: SuiteReport, second: SuiteReport) -> Learned:
    """Find flaky tests, unstable ids and unstable configuration keys from two runs of one tree."""
    unstable_ids = differing_functions([first, second])
    pairing = _pair(first.results, second.results, unstable_ids)
    lone = [*pairing.gone, *pairing.new]
    wavering = [new.id for old, new in pairing.pairs if old.outcome is not new.outcome]
    blurred = {new.id for old, new in pairing.pairs if _has_other_code(old, new)}
    results = (replace(r, digest="") if r.id in blurred else r for r in (*second.results, *pairing.gone))
    before, after = dict(first.configuration), dict(second.configuration)
    return Learned(
        results=tuple(results),
        # if even the number of cases differs, every case of that function is unstable
        unstable=tuple(sorted({*wavering, *(r.id for r in lone), *(functions(r.id for r in lone) & unstable_ids)})),
        unstable_ids=tuple(sorted(unstable_ids)),
        unstable_keys=tuple(sorted(key for key in before | after if before.get(key) != after.get(key))),
        configuration=second.configuration,
        environment=second.environment if first.environment == second.environment else "",
        seconds=second.seconds,
    )


def differing_functions(runs: Sequence[SuiteReport]) -> frozenset[str]:
    """Functions whose case ids differ between two runs of one tree."""
    found: set[str] = set()
    for first, second in pairwise(runs):
        pairing = _pair(first.results, second.results)
        found |= functions(r.id for r in pairing.gone) & functions(r.id for r in pairing.new)
    return frozenset(found)


def flaky(runs: Sequence[SuiteReport]) -> tuple[str, ...]:
    """Tests whose outcome differs between runs of one tree."""
    outcomes: dict[str, set[CaseOutcome]] = defaultdict(set)
    for result in (result for run in runs for result in run.results):
        outcomes[result.id].add(result.outcome)
    return tuple(sorted(name for name, seen in outcomes.items() if len(seen) > 1))


def _pair(before: Iterable[CaseResult], after: Iterable[CaseResult], unstable_ids: Collection[str] = ()) -> _Pairing:
    earlier, later = {result.id: result for result in before}, {result.id: result for result in after}
    same = {name for name in later if name in earlier and not is_placed(name)}
    found = _Pairing(
        [(earlier[name], result) for name, result in later.items() if name in same],
        [result for name, result in earlier.items() if name not in same],
        [result for name, result in later.items() if name not in same],
    )
    for key in (_content, _by_id, _stable_id, lambda result: _function_with_unstable_ids(result.id, unstable_ids)):
        found = _matched(found, key)
    return _with_uncollected(found)


def unfolded(results: Iterable[CaseResult], cases: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """Results in which a test whose file could not be collected has the ids of the cases that a later run has."""
    found = _by_function(cases)
    return tuple(
        replace(result, id=case.id)
        for result in results
        for case in ((found.get(_function(result.id)) or [result]) if result.uncollected else [result])
    )


def _with_uncollected(found: _Pairing) -> _Pairing:
    """Pair a test whose file could not be collected in one of the runs with the cases of its function in the other."""
    pairs, gone, new = found.pairs, found.gone, found.new
    if not any(result.uncollected for result in (*gone, *new)):
        return found
    was = _by_function([*(old for old, _ in pairs), *gone])
    now = _by_function([*(later for _, later in pairs), *new])
    known = {
        *(_function(r.id) for r in gone if r.uncollected and _function(r.id) in now),
        *(_function(r.id) for r in new if r.uncollected and _function(r.id) in was),
    }
    added = [(was[_function(r.id)][0], r) for r in new if _function(r.id) in known]
    added += [(r, now[_function(r.id)][0]) for r in gone if _function(r.id) in known]
    return _Pairing(
        [*pairs, *dict.fromkeys(added)],
        [r for r in gone if _function(r.id) not in known],
        [r for r in new if _function(r.id) not in known],
    )


def _by_function(results: Iterable[CaseResult]) -> dict[str, list[CaseResult]]:
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        found[_function(result.id)].append(result)
    return found


def _content(result: CaseResult) -> str:
    return f"{stable(result.id)} {result.digest}" if is_placed(result.id) else result.id


def _stable_id(result: CaseResult) -> str:
    return stable(result.id)


def _function(name: str) -> str:
    return function_of(stable(name))


def _function_with_unstable_ids(name: str, unstable_ids: Collection[str]) -> str:
    function = function_of(stable(name))
    return function if function in unstable_ids else name


def _matched(found: _Pairing, key: Callable[[CaseResult], str]) -> _Pairing:
    """Pair the remaining tests by a key; among several with one key, equal outcomes are paired."""
    waiting: dict[str, list[CaseResult]] = defaultdict(list)
    for result in sorted(found.gone, key=_by_outcome, reverse=True):
        waiting[key(result)].append(result)
    pairs, new = list(found.pairs), []
    for result in sorted(found.new, key=_by_outcome):
        candidates = waiting[key(result)]
        if candidates:
            pairs.append((candidates.pop(), result))
        else:
            new.append(result)
    return _Pairing(pairs, [result for group in waiting.values() for result in group], new)


def _by_id(result: CaseResult) -> str:
    return result.id


def _by_outcome(result: CaseResult) -> tuple[bool, bool, str]:
    return not result.failed, result.outcome in IDLE, result.id


def _ran(result: CaseResult) -> bool:
    return result.outcome not in IDLE


def _has_same_code(old: CaseResult, new: CaseResult) -> bool:
    """Without a digest from the runner, the code counts as unchanged."""
    return old.digest in ("", new.digest)


def _has_other_code(old: CaseResult, new: CaseResult) -> bool:
    return not _has_same_code(old, new)


def _is_extended(old: CaseResult, new: CaseResult) -> bool:
    return only_adds_examples(old.digest, new.digest) or only_adds_rows(old.digest, new.digest)


def _is_excused(old: CaseResult, new: CaseResult, known: FlakyTests) -> bool:
    return known.is_unstable(old) and _has_same_code(old, new)


def _renamed(gone: Iterable[CaseResult], new: Iterable[CaseResult]) -> tuple[tuple[str, str], ...]:
    candidates: dict[str, list[str]] = defaultdict(list)
    for result in new:
        candidates[result.digest].append(result.id)
    pairs = ((old.id, candidates[old.digest].pop(0)) for old in gone if old.digest and candidates[old.digest])
    return tuple(pairs)
