"""ProbeReport -> which criteria have a test that notices broken code, and what to say about the rest.

Only probes that change a value count for a criterion: a function that raises kills tests that assert nothing, too.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.values.case_names import about_test, function_of
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.notation import applying, counted, listed
from dualgate.core.values.probes import (
    STUBS,
    VALUE_PROBES,
    ApartResult,
    Probe,
    ProbeGroup,
    ProbeKind,
    ProbeReport,
    ProbeState,
    UnrunLines,
    WeakCriterion,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import PROVEN_BY_TESTS, CriterionResult, CriterionStatus, Kind
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import FailureKind, short_id

SURVIVORS_NAMED = 5
LINES_NAMED = 5
LEAST_SECONDS = 60.0
SUITE_RUNS = 2
"""All probes together may take as long as so many runs of the suite, or LEAST_SECONDS if that is more."""


MOST_IN_BUILD = 50
CONSTANTS = frozenset({ProbeKind.VALUE_STUB, ProbeKind.GUESSED_STUB})
UNTELLING = frozenset({ProbeKind.NONE_STUB, ProbeKind.RAISE_STUB})
"""Probes that tests without an assertion on values kill too."""


class Standing(StrEnum):
    PROVEN = "proven"
    WEAK = "weak"
    UNMEASURED = "unmeasured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The result of the probes for one criterion; `reason` is empty if it is proven."""

    standing: Standing
    reason: str = ""


_PROVEN = Sensitivity(standing=Standing.PROVEN)


def probe_groups(observed: Observed, proof: Proof) -> tuple[ProbeGroup, ...]:
    """The tests of each criterion that is proven by tests; tests without a name stand for those without any."""
    nameless = _nameless(observed.criteria, proof)
    found = (_group(each, nameless) for each in observed.criteria if each.kind in PROVEN_BY_TESTS)
    return tuple(group for group in found if group.tests)


def build_groups(observed: Observed) -> tuple[ProbeGroup, ...]:
    """In BUILD, which has no criteria: each new or newly passing test for itself."""
    return tuple(ProbeGroup(id=name, tests=(name,)) for name in observed.fresh[:MOST_IN_BUILD])


def seconds_for_probes(state: LoopState) -> float:
    allowed = state.limits.sensitivity_time
    return max(LEAST_SECONDS, SUITE_RUNS * state.proof.seconds) if allowed is None else allowed


def with_probes(
    facts: Facts,
    report: ProbeReport | None,
    state: LoopState,
    other: Mapping[str, str],
    asked: Mapping[str, Collection[str]] | None = None,
) -> Facts:
    """Add the report of the probes, the criteria that are weak by it or for `other` reasons, and notes on it.

    `asked` holds, by criterion, the names of the functions that it asks for.
    """
    if report is None:
        return facts
    observed = facts.observed
    groups = probe_groups(observed, state.proof)
    names = asked or {}
    found = [
        (
            group,
            _weak(other[group.id])
            if group.id in other
            else sensitivity_of(group, report, state.proof, observed, names.get(group.id, ())),
        )
        for group in groups
    ]
    weak = [
        WeakCriterion(id=group.id, reason=each.reason, tests=group.tests)
        for group, each in found
        if each.standing is Standing.WEAK
    ]
    unmeasured = [f"{group.id} ({each.reason})" for group, each in found if each.standing is Standing.UNMEASURED]
    notes = (*notes_on(report), *applying((unmeasured, f"sensitivity not measured: {listed(unmeasured)}")))
    shown = tuple(group.id for group, each in found if each.standing is Standing.PROVEN)
    observed = replace(observed, probes=report, weak=tuple(weak), sensitive=shown, notes=(*observed.notes, *notes))
    return replace(facts, observed=observed)


def sensitivity_of(
    group: ProbeGroup, report: ProbeReport, proof: Proof, observed: Observed, asked: Collection[str] = ()
) -> Sensitivity:
    """The rule: a changed value that one of the tests notices proves it; without one, see what else was noticed."""
    tests = frozenset(group.tests)
    own = [probe for probe in report.probes if tests & {*probe.killed_by, *probe.survived}]
    noticed = _functions_noticed(own, tests)
    if tests <= {*report.unasserted}:
        return _weak(f"{_test(group.tests[0], proof)} passes without reaching any of its assertions")
    if tests <= {*report.unexpecting}:
        return _weak(f"{_test(group.tests[0], proof)} passes whatever result it expects")
    if unasked := _not_asked_for(noticed, report, asked):
        return _weak(f"it asks for `{unasked}()`, and its tests notice no changed value of that")
    if noticed and (error := _any_error_will_do(own, tests, noticed)):
        return _weak(f"{_test(group.tests[0], proof)} also passes when {_break(error)}")
    if noticed:
        return _PROVEN
    hollow = [about_test(name, observed.hollow) for name in group.tests]
    if all(hollow):
        return _weak(hollow[0])
    if tests.isdisjoint(report.ran):
        return _apart(group, report, proof)
    return _without_values(group, own, report, proof, observed)


def _functions_noticed(own: Iterable[Probe], tests: frozenset[str]) -> frozenset[tuple[str, str]]:
    """Functions of which the tests notice a changed value, each with its file."""
    own = list(own)
    telling = (p for p in own if p.kind in VALUE_PROBES - {ProbeKind.GUESSED_STUB} and tests & p.noticed_by)
    guessed = (place for test in sorted(tests) for place in _guesses_noticed(own, test))
    return frozenset({*map(_place, telling), *guessed})


def _guesses_noticed(own: Sequence[Probe], test: str) -> frozenset[tuple[str, str]]:
    """Functions of which one test notices guessed constants.

    It may notice one for its type alone, so no other constant of the function may go unnoticed by it. That an
    initializer does nothing is noticed by any use of its object, so no break of its values may.
    """
    unnoticed = {_place(probe) for probe in own if _is_constant(probe) and test in probe.survived}
    guessed = (probe for probe in own if probe.kind is ProbeKind.GUESSED_STUB and test in probe.noticed_by)
    return frozenset({_place(probe) for probe in guessed} - unnoticed)


def _is_constant(probe: Probe) -> bool:
    is_initializer = probe.function.endswith("__init__")
    return probe.kind in (VALUE_PROBES if is_initializer else CONSTANTS)


def _not_asked_for(noticed: Iterable[tuple[str, str]], report: ProbeReport, asked: Collection[str]) -> str:
    """A changed function that the criterion asks for by name, if the tests notice others only."""
    changed = {each.name.rpartition(".")[2] for each in report.functions if each.can_be_probed and each.name}
    wanted = [name for name in asked if name in changed]
    names = {function.rpartition(".")[2] for _, function in noticed}
    return wanted[0] if names and wanted and names.isdisjoint(wanted) else ""


def _any_error_will_do(
    own: Iterable[Probe], tests: frozenset[str], noticed: frozenset[tuple[str, str]]
) -> Probe | None:
    """A function that may raise any error, if that holds for all of which the tests notice something."""
    raising = [probe for probe in own if probe.kind is ProbeKind.RAISE_STUB and tests & {*probe.survived}]
    return raising[0] if noticed <= {_place(probe) for probe in raising} else None


def _without_values(
    group: ProbeGroup, own: Sequence[Probe], report: ProbeReport, proof: Proof, observed: Observed
) -> Sensitivity:
    """The rule for tests that run changed code and notice no changed value of it."""
    tests = frozenset(group.tests)
    survivors = [probe for probe in own if probe.kind in VALUE_PROBES and tests & {*probe.survived}]
    is_noticed = any(tests & {*probe.killed_by} for probe in own if probe.kind not in UNTELLING)
    if not survivors:
        return _PROVEN if is_noticed else _unmeasured(_why_unknown(report))
    was_wrong = FailureKind.ASSERTION in _kinds_of_red(group, proof)
    if was_wrong and (is_noticed or changes_more_than_code(observed)):
        return _PROVEN
    if _is_shown_by_red(group, own, proof):
        return _PROVEN
    test = next(name for name in group.tests if name in survivors[0].survived)
    return _weak(f"{_test(test, proof)} also passes when {_break(survivors[0])}")


def _is_shown_by_red(group: ProbeGroup, own: Sequence[Probe], proof: Proof) -> bool:
    """Whether the tests crashed in RED and run the code now, or failed in RED and other tests notice all the rest."""
    tests, kinds = frozenset(group.tests), _kinds_of_red(group, proof)
    if proof.stubs:
        return False
    is_crash_fixed = FailureKind.OTHER in kinds and any(tests & {*probe.killed_by} for probe in own)
    return is_crash_fixed or (FailureKind.ASSERTION in kinds and _is_noticed_by_others(own, tests))


def _is_noticed_by_others(own: Iterable[Probe], tests: frozenset[str]) -> bool:
    """Whether other tests notice each changed value of the code that the tests run, and the tests that it is run.

    Two presses leave a switch as it was: a test of two passes if a press does nothing, which a test of one notices.
    """
    own = list(own)
    is_run = any(tests & {*probe.killed_by} for probe in own)
    return is_run and all(probe.noticed_by - tests for probe in own if probe.kind in VALUE_PROBES)


def _place(probe: Probe) -> tuple[str, str]:
    return probe.file, probe.function


def changes_more_than_code(observed: Observed) -> bool:
    """Whether the work is also in files that no probe breaks: data, templates, another language."""
    return any(not path.endswith(".py") for path in observed.changes.sources)


def notes_on(report: ProbeReport) -> tuple[str, ...]:
    """The result of the probes for the whole change."""
    return applying(
        (report.problems, f"sensitivity not measured: {listed(report.problems, between='; ')}"),
        (report.probes, summary(report)),
        (report.unrun, f"changed lines that no test runs: {listed(map(_lines, report.unrun), LINES_NAMED)}"),
    )


def summary(report: ProbeReport) -> str:
    """How many probes were killed, and which survive: "12 of 14 probes killed; surviving: `fee.py:8` `<=` → `<`"."""
    made = [probe for probe in report.probes if probe.state in (ProbeState.KILLED, ProbeState.SURVIVING)]
    killed = [probe for probe in made if probe.state is ProbeState.KILLED]
    unknown = sum(probe.state is ProbeState.UNKNOWN for probe in report.probes)
    survivors = surviving(report)
    parts = (
        f"{len(killed)} of {counted(len(made), 'probe', 'probes')} killed",
        *applying(
            (survivors, f"surviving: {listed(survivors, SURVIVORS_NAMED)}"),
            (unknown, f"{unknown} without a result"),
            (report.left_out, f"{report.left_out} did not fit into the time"),
        ),
    )
    return "; ".join(parts)


def surviving(report: ProbeReport) -> tuple[str, ...]:
    """The probes that no test noticed, each with its place."""
    return tuple(
        f"`{probe.file}:{probe.line}` {probe.text}" for probe in report.probes if probe.state is ProbeState.SURVIVING
    )


def killed_share(report: ProbeReport) -> float | None:
    """The share of killed probes, in percent; None if none has a result."""
    states = [probe.state for probe in report.probes]
    killed, survived = states.count(ProbeState.KILLED), states.count(ProbeState.SURVIVING)
    return 100 * killed / (killed + survived) if killed or survived else None


def _nameless(criteria: Iterable[CriterionResult], proof: Proof) -> tuple[str, ...]:
    """Tests that were red in RED and that no criterion is proven by."""
    named = {test for each in criteria for test in each.proof}
    functions = {function_of(test) for test in named}
    return tuple(
        result.id
        for result in proof.red
        if result.failed and result.id not in named and not (result.uncollected and result.id in functions)
    )


def _group(criterion: CriterionResult, nameless: tuple[str, ...]) -> ProbeGroup:
    is_bare = criterion.kind is Kind.NEW and criterion.state is CriterionStatus.NO_TEST
    tests = nameless if is_bare else criterion.proof
    return ProbeGroup(id=criterion.id, tests=tests, breaks_unchanged=criterion.kind is Kind.KEEP)


def _apart(group: ProbeGroup, report: ProbeReport, proof: Proof) -> Sensitivity:
    """Tests that run no changed code in their process: what they notice in a copy that is broken."""
    results = [result for result in report.apart if result.test in group.tests]
    states = {result.state for result in results}
    if ProbeState.KILLED in states:
        return _PROVEN
    if states == {ProbeState.SURVIVING}:
        reason = results[0].reason.removeprefix("it ") or "also passes when every changed function returns a constant"
        return _weak(f"{_test(results[0].test, proof)} {reason}")
    unseen = "its tests run no changed code" if report.commands else "probes exist for Python only"
    return _unmeasured(_why_apart_unknown(results) or unseen)


def _why_apart_unknown(results: Iterable[ApartResult]) -> str:
    return next((result.reason for result in results if result.reason), "")


def _why_unknown(report: ProbeReport) -> str:
    return "the time for probes was over" if report.left_out else "no probe of its code has a result"


def _kinds_of_red(group: ProbeGroup, proof: Proof) -> frozenset[FailureKind | None]:
    """How the tests failed in RED. An error other than missing behaviour is that of code, if RED wrote no stub."""
    functions = {function_of(name) for name in group.tests}
    return frozenset(result.kind for result in proof.red if function_of(result.id) in functions)


def _weak(reason: str) -> Sensitivity:
    return Sensitivity(standing=Standing.WEAK, reason=reason)


def _unmeasured(reason: str) -> Sensitivity:
    return Sensitivity(standing=Standing.UNMEASURED, reason=reason)


def _test(name: str, proof: Proof) -> str:
    return f"`{short_id(name, proof.suites)}`"


def _break(probe: Probe) -> str:
    """The break as part of a sentence: "`fee()` returns 1", "`fee.py:8` has `<` for `<=`"."""
    if probe.kind in STUBS:
        return f"`{probe.function}()` {probe.text}"
    return f"`{probe.file}:{probe.line}` is changed ({probe.text})"


def _lines(found: UnrunLines) -> str:
    last = "" if found.first == found.last else f"-{found.last}"
    return f"`{found.file}:{found.first}{last}`"
