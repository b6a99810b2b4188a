"""Event, LoopState -> PRP_PHASE_STATUS records: the measured state, recorded at every event that changes it.

A record describes one iteration of one phase, even if the state has changed since.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dualgate.core.gates.progress import NOT_QUITE, is_share_of_tests, phase_progress, share_passing
from dualgate.core.machine.approving import APPROVE_COMMAND
from dualgate.core.machine.phases import phase_after
from dualgate.core.said.blocks import one_line
from dualgate.core.values import events
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.changes import Changes, is_output
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.control import WaitSkipped
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.notation import listed
from dualgate.core.values.phase_status import CaseCounts, FileCounts, PhaseStatus, case_counts
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Counts, SuiteReport, short_id
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.verdict import Breaker, Outcome, is_no_iteration
from dualgate.core.values.vocabulary import BreakerState, Decision, Phase, Status, WorkStatus

_BLOCKERS_KEPT = 20
_BEGINNINGS: Mapping[Phase, str] = {
    Phase.RED: "Write failing tests for {criteria}",
    Phase.GREEN: "Write the code that makes the failing tests pass",
    Phase.REFACTOR: "Improve the code and keep the tests green",
    Phase.DOCUMENT: "Document the work, with a decision record",
    Phase.QA: "Review the work against the acceptance criteria",
    Phase.BUILD: "Do the most important open task",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The current phase as the last events left it; the next record starts from it."""

    phase: Phase
    iteration: int = 1
    progress: int = 0
    tests: CaseCounts = field(default_factory=CaseCounts)
    files: FileCounts = field(default_factory=FileCounts)
    breaker: BreakerState = BreakerState.CLOSED
    no_progress: int = 0
    gate_1: bool = False
    gate_2: bool = False
    blockers: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    """The failing tests that count, as last measured; those that failed before any work do not."""

    def entering(self, phase: Phase) -> "View":
        entered = View(phase=phase, tests=self.tests, files=self.files, failing=self.failing)
        return replace(entered, blockers=_failures(entered))

    def with_breaker(self, breaker: Breaker) -> "View":
        return replace(self, breaker=breaker.state, no_progress=breaker.no_progress)


_Halting = events.SessionFailed | events.SessionHalted | events.SessionAborted
Recorded = tuple[View, tuple[PhaseStatus, ...]]


def records_after(view: View, event: Event, before: LoopState, after: LoopState) -> Recorded:
    """The view after an event, and the event's records."""
    if sentence := _SENTENCES.get(type(event)):
        return view, (_record(view, event.at, sentence(event)),)
    handler = _HANDLERS.get(type(event))
    return handler(view, event, before, after) if handler else (view, ())


def first_record(event: events.SessionStarted, state: LoopState) -> Recorded:
    view = View(phase=state.phase)
    return view, (_begun(view, event.at, state),)


def _called(view: View, event: events.CallStarted, _before: LoopState, _after: LoopState) -> Recorded:
    """An iteration begins with both gates shut; no gate is remembered from the previous one."""
    return replace(view, iteration=event.iteration, gate_1=False, gate_2=False), ()


def _settled(view: View, event: events.TreeSettled, before: LoopState, _after: LoopState) -> Recorded:
    view = replace(view, files=_files(event.changes, before.proof.outputs))
    if not event.changes.paths:
        return view, ()
    paths = event.changes.paths
    files = "1 changed file" if len(paths) == 1 else f"{len(paths)} changed files"
    return view, (_record(view, event.at, f"Wait for the test results on {files}: {listed(paths)}"),)


def _ran(view: View, event: events.SuiteEnded, before: LoopState, _after: LoopState) -> Recorded:
    """A run replaces what the last turn said of the tests: counts, failures, blockers, and the percent made of them."""
    if event.trial:
        return view, ()  # a run of another tree
    report = event.report
    view = replace(view, tests=_tests(view.tests, report.counts, bool(report.only)), failing=_counted(report, before))
    untrusted = tuple(f"the test run is not trusted: {problem}" for problem in report.problems)
    view = replace(view, blockers=untrusted or _failures(view))
    if before.proof.start_tree and not untrusted and is_share_of_tests(view.phase, before.plan):
        view = replace(view, progress=share_passing(view.tests))
    return view, (_record(view, event.at, _after_run(view, report, before)),)


def _counted(report: SuiteReport, before: LoopState) -> tuple[str, ...]:
    """The failing tests of a run, without those that failed before any work and did not change; BUILD counts all."""
    own = {(r.id, r.digest) for r in before.proof.baseline if r.failed and before.phase is not Phase.BUILD}
    counted = [result.id for result in report.results if result.failed and (result.id, result.digest) not in own]
    return tuple(short_id(name, before.proof.suites) for name in counted)


def _failures(view: View) -> tuple[str, ...]:
    """The failing tests as a blocker; in RED they are the aim."""
    if view.phase is Phase.RED or not view.failing:
        return ()
    return (f"{len(view.failing)} failing: {listed(view.failing)}",)


def _turned(view: View, turn: TurnEnded, before: LoopState, after: LoopState) -> Recorded:
    facts, verdict = turn.facts, turn.verdict
    seen, retried = facts.observed, is_no_iteration(turn.verdict, turn.move)
    if seen.counts.total:
        failing = tuple(short_id(result.id, facts.suites) for result in seen.failing)
        view = replace(view, tests=_with_failing(_tests(view.tests, seen.counts, seen.partial), failing))
        view = replace(view, failing=failing)
    view = replace(
        view.with_breaker(before.breaker if retried else turn.breaker),
        iteration=facts.iteration,
        files=_files(facts.observed.changes, before.proof.outputs),
        gate_1=verdict.gate_1,
        gate_2=verdict.gate_2,
        blockers=_failures(view) if retried else _blockers(turn),
    )
    if not retried:
        view = replace(view, progress=phase_progress(facts, verdict, view.tests, before.limits))
    record = _record(view, turn.at, _what_follows(turn), _status(turn))
    return (view, (record,)) if after.phase is facts.phase else _entered(view, turn.at, after, record)


def _blockers(turn: TurnEnded) -> tuple[str, ...]:
    """The reasons that keep gate 1 shut, and why the agent is blocked."""
    blocked = turn.breaker.blocked
    return (*turn.verdict.blockers, *((f"the agent says it is blocked: {blocked}",) if blocked else ()))


def _proven_again(view: View, event: events.ProvenAgain, before: LoopState, after: LoopState) -> Recorded:
    """A phase proven without a call is recorded like any passed phase, with the reason added."""
    view, (ended, *begun) = _turned(view, event.turn, before, after)
    return view, (replace(ended, recommendation=one_line(f"{ended.recommendation} ({event.reason})")), *begun)


def _held_back(view: View, event: ChecksFailed, _before: LoopState, after: LoopState) -> Recorded:
    """The review that broken checks hold back: the phase ends as after a rejection."""
    view = replace(view, gate_1=False, gate_2=False, blockers=event.verdict.blockers)
    reasons = "; ".join(event.verdict.reasons)
    if event.move.status is Status.HALTED:
        return view, (_record(view, event.at, f"Halted - {event.move.halt_reason}", WorkStatus.BLOCKED),)
    said = _record(view, event.at, f"Not reviewed - back to {event.move.phase}: {reasons}")
    return _entered(view, event.at, after, said)


def _entered(view: View, at: datetime, after: LoopState, *said: PhaseStatus) -> Recorded:
    view = view.entering(after.phase)
    return view, (*said, _begun(view, at, after))


def _resumed(view: View, event: events.SessionResumed, _before: LoopState, after: LoopState) -> Recorded:
    """Record a new phase if there is one: a changed specification can lead back to RED."""
    view = view.with_breaker(after.breaker)
    return (view, ()) if after.phase is view.phase else _entered(view, event.at, after)


def _halted(view: View, event: _Halting, _before: LoopState, after: LoopState) -> Recorded:
    reason = after.halt_reason or ""
    blocked = replace(view, blockers=view.blockers or (reason,))
    return view, (_record(blocked, event.at, f"Halted - {reason}", WorkStatus.BLOCKED),)


def _hurried(view: View, event: WaitSkipped, _before: LoopState, after: LoopState) -> Recorded:
    view = view.with_breaker(after.breaker)
    return view, (_record(view, event.at, f"Wait skipped by {event.by}"),)


def _reset(
    view: View, event: events.SessionReset | events.BreakerCooled, _before: LoopState, after: LoopState
) -> Recorded:
    view = view.with_breaker(after.breaker)
    who = f"Reset by {event.by}" if isinstance(event, events.SessionReset) else "Cool-down over, one iteration more"
    guided = f": {event.guidance}" if isinstance(event, events.SessionReset) and event.guidance else ""
    waits = "" if after.status is Status.RUNNING else "; continue with: dualgate resume"
    return view, (_record(view, event.at, who + guided + waits),)


def _skipped(view: View, event: events.PhaseSkipped, _before: LoopState, after: LoopState) -> Recorded:
    said = _record(view, event.at, f"Skipped by {event.by}, not proven", WorkStatus.BLOCKED)
    return (view, (said,)) if after.status is Status.COMPLETED else _entered(view, event.at, after, said)


def _sent_back(view: View, event: WorkRejected, _before: LoopState, after: LoopState) -> Recorded:
    said = _record(view, event.at, f"Rejected by {event.by} - back to {after.phase}: {event.reason}")
    return _entered(view, event.at, after, said)


def _record(view: View, at: datetime, recommendation: str, status: WorkStatus = WorkStatus.IN_PROGRESS) -> PhaseStatus:
    return PhaseStatus(
        timestamp=at,
        phase=view.phase,
        status=status,
        iteration=max(1, view.iteration),
        progress_percent=view.progress if view.gate_1 else min(view.progress, NOT_QUITE),
        tests=view.tests,
        files=view.files,
        breaker=view.breaker,
        no_progress_count=view.no_progress,
        gate_1=view.gate_1,
        gate_2=view.gate_2,
        blockers=tuple(dict.fromkeys(map(one_line, view.blockers[:_BLOCKERS_KEPT]))),
        exit_signal=view.gate_2,
        recommendation=one_line(recommendation),
    )


def _begun(view: View, at: datetime, state: LoopState) -> PhaseStatus:
    return _record(view, at, _first_work(view, state))


def _first_work(view: View, state: LoopState) -> str:
    """The first work of a phase: the findings of a review, the tests that fail, or the work of the phase."""
    if (fixes := state.reviews.open) and view.phase in (Phase.GREEN, Phase.REFACTOR):
        first = f"{fixes[0].id} in {fixes[0].file}: {fixes[0].description}"
        return (
            f"Fix a finding of the review, {first}" if len(fixes) == 1 else f"Fix {len(fixes)} findings, first {first}"
        )
    if view.failing and view.phase is not Phase.RED:
        return _mend(view.failing)
    return _BEGINNINGS[view.phase].format(criteria=_to_prove(state))


def _to_prove(state: LoopState) -> str:
    count = state.criteria or sum(each.kind is Kind.NEW for each in state.criteria_states)
    return f"{count} criteria" if count > 1 else "1 criterion" if count else "every acceptance criterion"


def _mend(failing: Sequence[str]) -> str:
    if len(failing) == 1:
        return f"Make 1 failing test pass: {failing[0]}"
    return f"Make {len(failing)} failing tests pass, first: {failing[0]}"


def _files(changes: Changes, outputs: tuple[str, ...]) -> FileCounts:
    """Count the files this session changed since its start, without the files that test runs write."""
    added, rewritten, removed = (
        sum(not is_output(path, outputs) for path in paths) if paths else 0
        for paths in (changes.added, changes.rewritten, changes.removed)
    )
    return FileCounts(created=added, modified=rewritten - removed, deleted=removed)


def _tests(known: CaseCounts, counts: Counts, partial: bool) -> CaseCounts:
    """A partial run updates only the failures; the rest of the suite keeps its last known result."""
    now = case_counts(counts)
    if not partial or now.total >= known.total:
        return now
    failing = min(now.failing, known.total - known.skipped)
    return CaseCounts(passing=known.total - known.skipped - failing, failing=failing, skipped=known.skipped)


def _with_failing(tests: CaseCounts, failing: Sequence[str]) -> CaseCounts:
    """A test that failed in one of several runs counts as failing, though it passed in the last."""
    more = min(max(0, len(failing) - tests.failing), tests.passing)
    return replace(tests, passing=tests.passing - more, failing=tests.failing + more)


def _after_run(view: View, report: SuiteReport, before: LoopState) -> str:
    """The next step of the agent or a person, by a test run alone."""
    tests = view.tests
    own = f", {tests.failing} failed before any work" if tests.failing else ""
    if report.problems:
        return f"Fix the test run: {report.problems[0]}"
    if not before.proof.start_tree:
        own = f", {_tests_that(tests.failing, 'fail')}" if tests.failing else ""
        begins = _BEGINNINGS[view.phase].format(criteria=_to_prove(before))
        return f"Baseline: {_tests_that(tests.passing)}{own}; next: {begins[0].lower()}{begins[1:]}"
    if view.phase is Phase.RED:
        return f"Write failing tests for {_to_prove(before)}: {_tests_that(len(view.failing), 'fail')} now"
    if view.failing:
        return _mend(view.failing)
    following = phase_after(view.phase)
    way = f"proceed to {following}" if following else "complete the work"
    return f"{_tests_that(tests.passing)}{own}; {way} when both gates are open"


def _tests_that(count: int, do: str = "pass") -> str:
    does = f"{do}es" if do == "pass" else f"{do}s"
    return f"1 test {does}" if count == 1 else f"{count} tests {do}"


def _status(turn: TurnEnded) -> WorkStatus:
    if turn.verdict.outcome is Outcome.PASS:
        return WorkStatus.COMPLETE
    return WorkStatus.BLOCKED if turn.move.status is Status.HALTED else WorkStatus.IN_PROGRESS


def _what_follows(turn: TurnEnded) -> str:
    move, reasons = turn.move, turn.verdict.reasons
    match move.decision:
        case Decision.NEXT_PHASE:
            return f"Phase complete - proceed to {move.phase}"
        case Decision.PROJECT_COMPLETE:
            return "All phases complete"
        case Decision.AWAIT_APPROVAL:
            return f"All phases complete - waits for approval: {APPROVE_COMMAND}"
        case Decision.REJECTED:
            return f"Rejected - back to {move.phase}: {'; '.join(reasons)}"
        case Decision.REWRITE_TESTS:
            weak = "; ".join(f"{each.id}: {each.reason}" for each in turn.facts.observed.weak)
            return f"Back to {move.phase} to rewrite tests - {weak}"
        case Decision.KEEP_TESTS:
            return f"On to {move.phase} with the old tests: {'; '.join(reasons)}"
        case Decision.ESCALATE:
            return f"{move.escalates_to} takes over: {move.why_escalated}"
        case Decision.RETRY if turn.facts.claimed.failure:
            return f"Ask again: the call failed: {turn.facts.claimed.failure.sentence}"
        case Decision.CONTINUE | Decision.RETRY | Decision.RATE_LIMITED if move.status is not Status.HALTED:
            return f"Continue: {'; '.join(reasons)}"
        case _:
            if turn.breaker.blocked:
                return f"Blocked - {move.halt_reason}; give it, then: dualgate resume"
            opened = "Circuit breaker open" if turn.breaker.state is BreakerState.OPEN else "Halted"
            return f"{opened} - {move.halt_reason}"


def _pause_sentence(event: events.SessionPaused) -> str:
    by = f" by {event.by}" if event.by else ""
    return f"Paused{by} ({event.reason}) - continue with: dualgate resume"


_SENTENCES: Mapping[type, Callable[[Any], str]] = {
    AgentSwitched: lambda event: f"asking {event.agent} instead of {event.before}: {event.reason}",
    events.CallDelayed: lambda event: (
        f"Wait until {event.wait.until.isoformat(timespec='minutes')}: {event.wait.reason}"
    ),
    events.SessionPaused: _pause_sentence,
    AmendmentAnswered: lambda event: (
        f"Amendment of {event.test_id} {'approved' if event.approved else 'rejected'} by {event.by}"
    ),
    QuestionAnswered: lambda event: f"Answered by {event.by}: {event.text}",
    WorkApproved: lambda event: f"All phases complete - approved by {event.by}",
}
"""Events that do not change the view and add one record with this recommendation."""
_HANDLERS: Mapping[type, Callable[[View, Any, LoopState, LoopState], Recorded]] = {
    events.CallStarted: _called,
    events.TreeSettled: _settled,
    events.SuiteEnded: _ran,
    TurnEnded: _turned,
    ChecksFailed: _held_back,
    events.ProvenAgain: _proven_again,
    events.SessionResumed: _resumed,
    events.SessionFailed: _halted,
    events.SessionHalted: _halted,
    events.SessionReset: _reset,
    WaitSkipped: _hurried,
    events.BreakerCooled: _reset,
    events.PhaseSkipped: _skipped,
    WorkRejected: _sent_back,
    events.SessionAborted: _halted,
}
