"""Measured -> what happened to each test from base to head."""

from collections.abc import Iterable, Mapping

from dualgate.core.values.suite import CaseOutcome, CaseResult, SuiteReport, short_id
from dualgate.core.values.verification import CaseChange, CaseState
from dualgate.core.verification.measured import Measured, function


def case_changes(seen: Measured) -> tuple[CaseChange, ...]:
    """All tests of the head, then those of the base that are gone."""
    states = _states(seen)
    on_base, old = _by_function(seen.on_base), _by_function(seen.old.report)
    asked = {each.function for each in seen.old.asked}
    names = (*(r.id for r in seen.head.results), *(n for n in seen.since.vanished if n not in seen.renamed.values()))
    return tuple(_row(name, seen, states.get(name, ()), on_base, old, asked) for name in dict.fromkeys(names))


def _row(
    name: str,
    seen: Measured,
    states: Iterable[CaseState],
    on_base: Mapping[str, CaseOutcome],
    old: Mapping[str, CaseOutcome],
    asked: Iterable[str],
) -> CaseChange:
    before = seen.at_base.get(seen.renamed.get(name, name))
    now = seen.at_head.get(name)
    result = now or before
    assert result is not None
    own = function(name)
    return CaseChange(
        id=short_id(name, seen.suites),
        file=result.file,
        line=result.line,
        states=tuple(dict.fromkeys(states)),
        base=before.outcome if before else None,
        head=now.outcome if now else None,
        on_base=on_base.get(own),
        old_on_head=old.get(own) if own in asked else None,
        renamed_from=short_id(seen.renamed[name], seen.suites) if name in seen.renamed else "",
        message=now.message if now and now.failed else "",
        seconds=now.seconds if now else 0.0,
    )


def _states(seen: Measured) -> dict[str, list[CaseState]]:
    since, gone = seen.since, {*seen.renamed.values()}
    pairs = (
        (CaseState.NEW, (name for name in since.new if name not in seen.renamed)),
        (CaseState.RENAMED, seen.renamed),
        (CaseState.CHANGED, since.changed),
        (CaseState.FIXED, since.fixed),
        (CaseState.REGRESSED, since.regressed),
        (CaseState.STILL_FAILING, since.still_failing),
        (CaseState.VANISHED, (name for name in since.vanished if name not in gone)),
        (CaseState.SKIPPED, (*since.newly_skipped, *since.newly_xfailed)),
        (CaseState.FLAKY, seen.wavering),
    )
    found: dict[str, list[CaseState]] = {}
    for state, names in pairs:
        for name in names:
            found.setdefault(name, []).append(state)
    return found


def _by_function(report: SuiteReport | None) -> dict[str, CaseOutcome]:
    """The outcome of each function; a failure of one case is that of the function."""
    found: dict[str, CaseResult] = {}
    for result in report.results if report else ():
        own = function(result.id)
        if own not in found or (result.failed and not found[own].failed):
            found[own] = result
    return {name: result.outcome for name, result in found.items()}
