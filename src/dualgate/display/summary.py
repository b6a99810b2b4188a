"""LoopState -> what a person reads at the end of a run, or asks for in between."""

from dualgate.core.machine.controls import as_documented, ways_on
from dualgate.core.machine.reviewing import review_note
from dualgate.core.money.allowances import allowances
from dualgate.core.team.failures import failures_of
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.amendments import Amendment, accepted
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Decision, Phase, Status, WayOn, Workflow
from dualgate.display.lines import Line, shown
from dualgate.display.usage import budget_rows, usage_rows

HANG = 9
WHAT_HELPS = {
    Decision.BLOCKED: "It needs what is named there: give it, or mend it, and go on.",
    Decision.STUCK: "Look at 'dualgate log'; mend the specification or the code, or tell the agent what to change.",
    Decision.MAX_ITERATIONS: "A reset gives as many iterations again; a smaller specification needs fewer.",
    Decision.BUDGET_EXHAUSTED: "More of it lets the run go on from here; a smaller specification needs less.",
    Decision.RATE_LIMITED: "Go on when the limit has ended.",
}
GO_ON = "Go on with: dualgate resume. What you edit meanwhile is yours."
WAYS = {
    WayOn.RAISE: "go on with more",
    WayOn.RESUME: "go on, once that is mended",
    WayOn.RESET: "let it go on (with dualgate resume)",
    WayOn.GUIDE: "the same, and tell the agent TEXT",
    WayOn.SKIP: "let the phase through, not proven",
    WayOn.ABORT: "give it up",
}


def status_line(state: LoopState, tests: CaseCounts) -> str:
    """The one line of document 001: `[GREEN] Iteration 5/10 | 6/10 tests passing | Status: running`."""
    place = f"[{state.phase}] Iteration {state.iteration}/{state.max_iterations}"
    return f"{place} | {tests.passing}/{tests.total} tests passing | Status: {as_documented(state).status}"


def summary(state: LoopState) -> str:
    rows = [
        ("Session", f"{state.session_id[:8]}, begun {state.started_at:%Y-%m-%d %H:%M}"),
        ("Spec", state.prp_file),
        ("Phases", " → ".join(_phase(state, phase) for phase in PHASES[state.workflow])),
        *([("Tasks", _tasks(state.plan))] if state.plan else []),
        ("Calls", _calls(state)),
        *usage_rows(state),
        *budget_rows(allowances(state)),
        ("Status", _status(state)),
    ]
    if state.workflow is Workflow.TDD and Phase.QA in state.phases_completed and (note := review_note(state)):
        rows.append(("Review", note))
    rows += [("Amended", _amended(amendment)) for amendment in accepted(state.amendments)]
    if state.status is Status.HALTED:
        rows += _ways_on(state)
    if state.status is Status.PAUSED:
        rows.append(("Next", GO_ON))
    return "\n".join(f"{name:<8} {text}" for name, text in rows)


def summary_lines(state: LoopState, record: object, note: str = "") -> list[Line]:
    """The summary and where the record of it lies, below an empty line; what is too long goes on in its column."""
    rows = ["", *summary(state).split("\n"), f"Record   {record}", *([f"Note     {note}"] if note else [])]
    return [Line(text=row, hang=HANG) for row in rows]


def _calls(state: LoopState) -> str:
    """How many, and whose, where more than one agent was asked."""
    if len(state.calls_by) < 2:
        return str(state.total_agent_calls)
    each = ", ".join(f"{shown(name)} {count}" for name, count in state.calls_by.items())
    switch = state.last_switch
    since = f"; {shown(switch.agent)} since {switch.at:%H:%M} in {switch.phase}: {switch.reason}" if switch else ""
    return f"{state.total_agent_calls} ({each}{since})"


def _amended(amendment: Amendment) -> str:
    who = "; ".join(amendment.notes) or f"approved by {amendment.approved_by}"
    return f"{amendment.request.test_id}: {amendment.request.reason} ({who})"


def _tasks(plan: Plan) -> str:
    gone = ", which is gone" if plan.is_gone else ""
    return f"{len(plan.done)} done, {len(plan.open)} open, in {plan.file}{gone}"


def _ways_on(state: LoopState) -> list[tuple[str, str]]:
    """What helps, and the four commands by which a person decides."""
    ways = [f"{command:<34} {WAYS[way]}" for way, command in ways_on(state)]
    texts = [WHAT_HELPS[state.ended_by]] if state.ended_by in WHAT_HELPS else []
    return [("" if number else "Next", text) for number, text in enumerate((*texts, *ways))]


def _phase(state: LoopState, phase: Phase) -> str:
    if phase in state.phases_completed:
        return f"{phase} ✓"
    if phase in state.phases_forced and phase is not state.phase:
        return f"{phase} (skipped)"
    return f"{phase} …" if phase is state.phase and state.status is not Status.COMPLETED else phase.value


def _status(state: LoopState) -> str:
    match state.status:
        case Status.COMPLETED:
            why = f": {'; '.join(state.unproven)}" if state.unproven else ""
            return "completed and proven" if state.proven else f"completed, not proven{why}"
        case Status.HALTED:
            return f"halted. {state.halt_reason}"
        case Status.PAUSED:
            return f"paused ({(state.pause_reason or '').replace('_', ' ')})"
        case Status.RUNNING:
            return f"{as_documented(state).status}, {state.phase} iteration {state.iteration + 1}{_waits(state)}"


def _waits(state: LoopState) -> str:
    """For a full hour, or for a limit of the provider's that is not over since the last event."""
    if waiting := state.waiting:
        return f"; the next call waits until {waiting.until:%H:%M}: {waiting.reason}"
    agent = asked_agent(state)
    until = failures_of(state, agent).limited_until
    whose = "a limit" if agent in ("", state.agent) else f"a limit of {shown(agent)}"
    return f"; {whose} is waited for, until {until:%Y-%m-%d %H:%M %Z}" if until and until > state.last_activity else ""
