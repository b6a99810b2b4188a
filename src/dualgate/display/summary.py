"""LoopState -> what a person reads at the end of a run, or asks for in between."""

from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Decision, Phase, Status, Workflow

PHASES = {
    Workflow.TDD: (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA),
    Workflow.RALPH: (Phase.BUILD,),
}
WAYS_ON = {
    Decision.BLOCKED: "The agent asks for help: give it what it names, then run again with --fresh.",
    Decision.STUCK: "Look at 'dualgate log'; mend the specification, a test or the code, then run again with --fresh.",
    Decision.MAX_ITERATIONS: "Run again with --fresh and a larger --max-iterations, or with a smaller specification.",
}


def status_line(state: LoopState) -> str:
    """The one line of document 001: `[GREEN] Iteration 5/100 | Status: running`."""
    return f"[{state.phase}] Iteration {state.iteration}/{state.max_iterations} | Status: {state.status}"


def summary(state: LoopState) -> str:
    rows = [
        ("Session", f"{state.session_id[:8]}, begun {state.started_at:%Y-%m-%d %H:%M}"),
        ("Spec", state.prp_file),
        ("Phases", " → ".join(_phase(state, phase) for phase in PHASES[state.workflow])),
        ("Calls", str(state.total_agent_calls)),
        ("Status", _status(state)),
    ]
    if state.status is Status.HALTED and state.ended_by in WAYS_ON:
        rows.append(("Next", WAYS_ON[state.ended_by]))
    return "\n".join(f"{name:<8} {text}" for name, text in rows)


def _phase(state: LoopState, phase: Phase) -> str:
    if phase in state.phases_completed:
        return f"{phase} ✓"
    return f"{phase} …" if phase is state.phase and state.status is not Status.COMPLETED else phase.value


def _status(state: LoopState) -> str:
    match state.status:
        case Status.COMPLETED:
            return "completed and proven" if state.proven else "completed, not proven"
        case Status.HALTED:
            return f"halted. {state.halt_reason}"
        case Status.PAUSED:
            return f"paused ({state.pause_reason})"
        case Status.RUNNING:
            return f"running, {state.phase} iteration {state.iteration + 1}"
