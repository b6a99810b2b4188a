"""Events of measuring -> lines for people: test runs, checks, probes and trials on other trees."""

from collections.abc import Callable
from typing import Any

from dualgate.core.evidence.sensitivity import notes_on
from dualgate.core.values import events
from dualgate.core.values.amendments import AmendmentTried
from dualgate.core.values.checks import CheckEnded, ChecksFailed, CheckStarted
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.events import Event
from dualgate.core.values.probes import ProbesEnded, ProbesStarted
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Counts, TrialEnded, TrialStarted
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.display.lines import Line, Tone, place_in_run

REUSED = "tree unchanged, result reused"


def counted(counts: Counts) -> str:
    """3 passed, 1 failed; kinds without tests are left out."""
    kinds = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    return ", ".join(f"{getattr(counts, kind)} {kind}" for kind in kinds if getattr(counts, kind)) or "no tests"


def _suite_ended(event: events.SuiteEnded, state: LoopState) -> list[Line]:
    report = event.report
    if not state.proof.start_tree or not report.command:
        return []
    said = "; ".join(report.problems) if report.problems else counted(report.counts)
    when = REUSED if event.known else f"{report.seconds:.1f} s"
    tree = f" on {event.trial}" if event.trial else ""
    return [Line(text=f"{here(state)} tests{tree}: {said} ({when})", tone=Tone.QUIET)]


def _check_ended(event: CheckEnded, state: LoopState) -> list[Line]:
    run = event.check
    said = run.problem or f"exit code {run.exit_code}"
    last = f", {run.last_line}" if run.output.strip() and run.exit_code else ""
    when = REUSED if event.known else f"{run.seconds:.1f} s"
    name = next((f" {check.name}" for check in state.checks if check.command == run.command), "")
    return [Line(text=f"{here(state)} check{name}: `{run.command}` {said}{last} ({when})", tone=Tone.QUIET)]


def _probes_started(event: ProbesStarted, state: LoopState) -> list[Line]:
    text = f"breaking changed code in memory, to see whether the tests notice (at most {event.seconds:.0f} s)"
    return [Line(text=f"{here(state)} {text}", tone=Tone.QUIET)]


def _probes_ended(event: ProbesEnded, state: LoopState) -> list[Line]:
    report = event.report
    when = REUSED if event.known else f"{report.seconds:.1f} s"
    return [Line(text=f"{here(state)} {text} ({when})", tone=Tone.QUIET) for text in notes_on(report)]


def _held_back(event: ChecksFailed, _: LoopState) -> list[Line]:
    place = place_in_run(Phase.QA, 1)
    told = [Line(text=f"{place} {result.sentence}", tone=Tone.BAD) for result in event.results]
    move = event.move
    follows = f" → {move.phase}" if move.status is Status.RUNNING else f"; halted: {move.halt_reason}"
    return [*told, Line(text=f"{place} no review while checks fail{follows}", tone=Tone.BAD)]


def _tried(event: AmendmentTried, state: LoopState) -> list[Line]:
    text = f"{here(state)} running the tests on the tree of RED with {event.test_id} amended"
    return [Line(text=text, tone=Tone.QUIET)]


def _configured(event: ConfigurationDecided, state: LoopState) -> list[Line]:
    if event.is_accepted:
        return [Line(text=f"{here(state)} {event.note}")]
    text = f"configuration change reverted: {', '.join(event.proposed.paths)}; {'; '.join(event.reasons)}"
    return [Line(text=f"{here(state)} {text}", tone=Tone.BAD)]


def nothing(event: Event, state: LoopState) -> list[Line]:
    del event, state
    return []


def here(state: LoopState) -> str:
    return place_in_run(state.phase, state.iteration + 1)


MEASURING_WRITERS: dict[type, Callable[[Any, LoopState], list[Line]]] = {
    events.SuiteStarted: nothing,
    events.SuiteEnded: _suite_ended,
    CheckStarted: nothing,
    CheckEnded: _check_ended,
    ChecksFailed: _held_back,
    ProbesStarted: _probes_started,
    ProbesEnded: _probes_ended,
    AmendmentTried: _tried,
    ConfigurationDecided: _configured,
    TrialStarted: nothing,
    TrialEnded: nothing,
}
