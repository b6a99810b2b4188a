"""Event, LoopState -> Moment: the lines of the timeline, in plain words. Most steps inside a turn have none."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dualgate.core.evidence.sensitivity import summary
from dualgate.core.report.values import Moment, MomentKind
from dualgate.core.values import events
from dualgate.core.values.amendments import AmendmentDecided, AmendmentOutcome
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.changes import REQUEST, Violation
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.notation import counted, listed, show_duration
from dualgate.core.values.phase_status import case_counts
from dualgate.core.values.probes import ProbesEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.verdict import Verdict
from dualgate.core.values.vocabulary import Decision, Status

Told = tuple[MomentKind, str]
_REASONS = 3


def moment_of(event: Event, before: LoopState) -> Moment | None:
    """The line of an event; None if it has none. `before` is the state before it."""
    teller = _TELLERS.get(type(event))
    told = teller(event) if teller else None
    if told is None:
        return None
    turn = event.turn if isinstance(event, events.ProvenAgain) else event
    iteration = turn.facts.iteration if isinstance(turn, TurnEnded) else before.iteration + 1
    return Moment(at=event.at, phase=before.phase, iteration=iteration, kind=told[0], text=told[1])


def _started(event: events.SessionStarted) -> Told:
    names = event.lineup.every or (event.agent,)
    return MomentKind.STEP, f"Session started: {event.prp_file} with {', then '.join(names)}"


def _baseline(event: events.BaselineTaken) -> Told:
    failing = sum(result.failed for result in event.results)
    own = f", {failing} failing before any work" if failing else ""
    return MomentKind.STEP, f"Baseline: {counted(len(event.results), 'test', 'tests')}{own}"


def _turned(event: TurnEnded) -> Told:
    verdict, move, violations = event.verdict, event.move, event.facts.observed.changes.violations
    reverted = "".join(f" {_reverted(each)}." for each in violations[:_REASONS])
    tests = _tests(event)
    match move.decision:
        case Decision.NEXT_PHASE | Decision.KEEP_TESTS:
            return MomentKind.PASSED, f"{tests}Both gates open → {move.phase}"
        case Decision.PROJECT_COMPLETE:
            return MomentKind.PASSED, f"{tests}Both gates open: the work is complete"
        case Decision.AWAIT_APPROVAL:
            return MomentKind.PASSED, f"{tests}Both gates open: the work waits for approval"
        case Decision.REJECTED:
            return MomentKind.CAUGHT, f"The review rejects → {move.phase}: {_why(verdict)}"
        case Decision.REWRITE_TESTS:
            weak = (f"{each.id} ({each.reason})" for each in event.facts.observed.weak)
            return MomentKind.CAUGHT, f"{tests}Tests miss broken code → {move.phase}: {listed(weak, _REASONS)}"
        case Decision.ESCALATE:
            return MomentKind.TROUBLE, f"{tests}{move.escalates_to} takes over: {move.why_escalated}"
        case _ if move.status is Status.HALTED:
            return MomentKind.TROUBLE, f"{tests}Halted: {move.halt_reason}{reverted}"
        case _ if reverted or (verdict.gate_2 and not verdict.gate_1):
            return MomentKind.CAUGHT, f"{tests}Gate 1 shut: {_why(verdict, violations)}.{reverted}"
        case _:
            gate = "Gate 2 shut" if verdict.gate_1 else "Gate 1 shut"
            return MomentKind.STEP, f"{tests}{gate}: {_why(verdict)}"


def _tests(event: TurnEnded) -> str:
    counts = case_counts(event.facts.observed.counts)
    return f"{counts.passing} of {counted(counts.total, 'test passes', 'tests pass')}. " if counts.total else ""


def _reverted(violation: Violation) -> str:
    if violation.path.startswith(REQUEST):
        return f"Refused: {violation.path.removeprefix(REQUEST).strip()}"
    return f"{'Reverted' if violation.reverted else 'Not reverted'}: {violation.path} ({violation.rule})"


def _why(verdict: Verdict, violations: Sequence[Violation] = ()) -> str:
    """The reasons of a gate, without the violations, which are told apart."""
    told = {f"{each.path}: {each.rule}" for each in violations}
    return listed((reason for reason in verdict.reasons if reason not in told), _REASONS, "; ") or "no other reason"


def _call_ended(event: events.CallEnded) -> Told | None:
    failure = event.answer.failure
    return (MomentKind.TROUBLE, f"Call {event.number} failed: {failure.sentence}") if failure else None


def _interrupted(event: events.CallInterrupted) -> Told:
    kept = f"; its changes stay: {listed(event.paths)}" if event.paths else ""
    return MomentKind.TROUBLE, f"Call {event.number} was interrupted{kept}"


def _delayed(event: events.CallDelayed) -> Told:
    left = show_duration(max(1, round((event.wait.until - event.at).total_seconds())))
    return MomentKind.TROUBLE, f"Waiting {left}: {event.wait.reason}"


def _amended(event: AmendmentDecided) -> Told:
    amendment = event.amendment
    named = f"Amendment of {amendment.request.test_id or 'a test'} {amendment.outcome}"
    why = "; ".join((*amendment.reasons, *amendment.notes))
    kind = MomentKind.STEP if amendment.outcome is AmendmentOutcome.ACCEPTED else MomentKind.CAUGHT
    return kind, f"{named}: {why}" if why else named


def _answered(event: AmendmentAnswered) -> Told:
    word, why = ("approved", "") if event.approved else ("rejected", f": {event.reason}")
    return MomentKind.PERSON, f"Amendment of {event.test_id} {word} by {event.by}{why}"


def _configured(event: ConfigurationDecided) -> Told:
    paths = listed(event.proposed.paths)
    if event.is_accepted:
        return MomentKind.STEP, f"Test configuration accepted: {paths}: {event.note}"
    return MomentKind.CAUGHT, f"Test configuration stays reverted: {paths}: {'; '.join(event.reasons)}"


def _paused(event: events.SessionPaused) -> Told:
    by = f" by {event.by}" if event.by else ""
    why = "; ".join((event.reason.replace("_", " "), *event.spec_changes))
    return MomentKind.PERSON, f"Paused{by}: {why}"


def _resumed(event: events.SessionResumed) -> Told:
    spec = ", with the edited specification" if event.prp_text is not None else ""
    reopened = f"; to prove again: {listed(event.respec.reopened)}" if event.respec and event.respec.reopened else ""
    return MomentKind.PERSON, f"Resumed by {event.by}{spec}{reopened}"


def _reset(event: events.SessionReset) -> Told:
    return MomentKind.PERSON, f"Reset by {event.by}: {event.guidance}" if event.guidance else f"Reset by {event.by}"


def _probed(event: ProbesEnded) -> Told | None:
    return (MomentKind.STEP, f"Probes: {summary(event.report)}") if event.report.probes and not event.known else None


_TELLERS: Mapping[type, Callable[[Any], Told | None]] = {
    events.SessionStarted: _started,
    events.BaselineTaken: _baseline,
    TurnEnded: _turned,
    events.ProvenAgain: lambda event: (MomentKind.PASSED, f"Proven again without a call: {event.reason}"),
    events.CallEnded: _call_ended,
    events.CallInterrupted: _interrupted,
    events.CallDelayed: _delayed,
    AgentSwitched: lambda event: (
        MomentKind.TROUBLE,
        f"{event.agent} takes over from {event.before}: {event.reason}",
    ),
    events.QuestionAsked: lambda event: (MomentKind.STEP, f"The agent asks: {listed(event.questions, _REASONS, '; ')}"),
    AmendmentDecided: _amended,
    ChecksFailed: lambda event: (MomentKind.CAUGHT, f"Checks failed → {event.move.phase}: {_why(event.verdict)}"),
    ConfigurationDecided: _configured,
    ProbesEnded: _probed,
    events.PersonEdited: lambda event: (MomentKind.PERSON, f"Edited by a person: {listed(event.edits.paths)}"),
    events.SessionPaused: _paused,
    events.SessionResumed: _resumed,
    events.SessionReset: _reset,
    events.PhaseSkipped: lambda event: (MomentKind.PERSON, f"{event.phase} skipped by {event.by}, not proven"),
    events.SessionAborted: lambda event: (MomentKind.PERSON, f"Aborted by {event.by}"),
    events.GuidanceGiven: lambda event: (MomentKind.PERSON, f"Guidance by {event.by}: {event.text}"),
    events.GuidanceWithdrawn: lambda event: (MomentKind.PERSON, f"Guidance withdrawn by {event.by}"),
    AmendmentAnswered: _answered,
    WorkApproved: lambda event: (MomentKind.PERSON, f"Approved by {event.by}"),
    WorkRejected: lambda event: (MomentKind.PERSON, f"Rejected by {event.by}: {event.reason}"),
    QuestionAnswered: lambda event: (MomentKind.PERSON, f"Answered by {event.by}: {event.text}"),
    events.SessionFailed: lambda event: (MomentKind.TROUBLE, f"Halted: {event.reason}"),
    events.SessionHalted: lambda event: (MomentKind.TROUBLE, f"Halted: {event.reason}"),
    events.BreakerCooled: lambda _: (MomentKind.STEP, "The breaker cooled down: one trial iteration"),
}
