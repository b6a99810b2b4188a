"""LoopState -> Conclusion: the first line of a report, its reasons, and the ways on."""

from dualgate.core.machine.approving import why_paused
from dualgate.core.machine.committing import not_made
from dualgate.core.machine.controls import ways_on
from dualgate.core.machine.reviewing import is_self_reviewed
from dualgate.core.report.values import Conclusion, SessionEnd
from dualgate.core.values.notation import counted
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import HOLDING
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import HaltCause, Status, Workflow

_SELF_REVIEWED = "The agent that wrote the code also reviewed it."


def conclude_session(state: LoopState, tests: CaseCounts) -> Conclusion:
    end, missing = session_end(state), not_made(state)
    return Conclusion(
        end=end,
        sentence=_SENTENCES[end](state, tests),
        reasons=_reasons(state, end),
        ways_on=(*((missing.command,) if missing else ()), *(command for _, command in ways_on(state))),
    )


def session_end(state: LoopState) -> SessionEnd:
    match state.status:
        case Status.COMPLETED:
            return SessionEnd.PROVEN if state.proven else SessionEnd.NOT_PROVEN
        case Status.HALTED:
            return SessionEnd.ABORTED if state.halted_by is HaltCause.ABORTED else SessionEnd.HALTED
        case Status.PAUSED:
            return SessionEnd.PAUSED
        case Status.RUNNING:
            return SessionEnd.RUNNING


def _reasons(state: LoopState, end: SessionEnd) -> tuple[str, ...]:
    skipped = tuple(f"a person skipped {phase}" for phase in state.phases_forced)
    if end is SessionEnd.PROVEN:
        return (_SELF_REVIEWED,) if is_self_reviewed(state) else ()
    if end is SessionEnd.NOT_PROVEN:
        return (*skipped, *state.unproven)
    return skipped


def _counts(state: LoopState, tests: CaseCounts) -> str:
    """How far the work is: criteria or tasks, and tests."""
    holding = sum(each.state in HOLDING for each in state.criteria_states)
    criteria = f"{holding} of {counted(len(state.criteria_states), 'criterion', 'criteria')}"
    done = [f"{criteria} {'holds' if len(state.criteria_states) == 1 else 'hold'}"] if state.criteria_states else []
    if state.workflow is Workflow.RALPH and state.plan:
        done = [state.plan.counted]
    passing = (
        f"{tests.passing} of {counted(tests.total, 'test passes', 'tests pass')}" if tests.total else "no test ran"
    )
    return ", ".join((*done, passing))


def _proven(state: LoopState, tests: CaseCounts) -> str:
    return f"Proven: {_counts(state, tests)}, and both gates opened in every phase"


def _not_proven(state: LoopState, tests: CaseCounts) -> str:
    return f"Completed, not proven: {_counts(state, tests)}"


def _halted(state: LoopState, _tests: CaseCounts) -> str:
    after = counted(state.iteration, "iteration", "iterations")
    return f"Halted in {state.phase} after {after}: {state.halt_reason or 'no reason recorded'}"


def _aborted(state: LoopState, _tests: CaseCounts) -> str:
    return f"Aborted in {state.phase}: {state.halt_reason or 'a person gave the session up'}"


def _paused(state: LoopState, _tests: CaseCounts) -> str:
    return f"Paused in {state.phase}: {why_paused(state) or 'no reason recorded'}"


def _running(state: LoopState, tests: CaseCounts) -> str:
    return f"Running: {state.phase}, iteration {state.iteration + 1}; {_counts(state, tests)}"


_SENTENCES = {
    SessionEnd.PROVEN: _proven,
    SessionEnd.NOT_PROVEN: _not_proven,
    SessionEnd.HALTED: _halted,
    SessionEnd.ABORTED: _aborted,
    SessionEnd.PAUSED: _paused,
    SessionEnd.RUNNING: _running,
}
