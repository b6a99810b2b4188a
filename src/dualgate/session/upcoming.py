"""The next prompt of a session. Nothing is asked, run or written."""

from dualgate.core.prompt.parts import Prompt
from dualgate.core.prompt.writing import write_prompt
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import HaltCause, Phase, Status
from dualgate.errors import ControlRefused
from dualgate.session.brief import briefing
from dualgate.session.first_prompt import in_phase
from dualgate.session.furnish import open_snapshots
from dualgate.session.host import Host
from dualgate.session.memory import open_memory, recalling
from dualgate.session.resume import read_session, work_in_force
from dualgate.session.templates import templates_with
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.workspace.run_diff import KeptChanges


def next_prompt(host: Host, phase: Phase | None = None) -> tuple[LoopState, Prompt]:
    """The prompt that the session of the project is to send next, or that it would send in another phase."""
    read = read_session(host.folder())
    if phase is None:
        _require_next(read.account.state)
    work, settings = work_in_force(host, read)
    state = in_phase(read.account.state, phase)
    recall = recalling(open_memory(host, settings), work.prp, UnfinishedTurn())
    with open_snapshots(host, host.folder(), settings) as saved:
        brief = briefing(host.project, lambda: work.suites.suites, recall, KeptChanges(saved), host.redactor)(state)
    return state, write_prompt(work.prp, state, templates_with(read.account.cut_off.started.templates), brief)


def _require_next(state: LoopState) -> None:
    if state.status is Status.COMPLETED or state.halted_by is HaltCause.ABORTED:
        ended = "completed" if state.status is Status.COMPLETED else "given up"
        raise ControlRefused(
            f"The session is {ended}: it sends no more prompts.", "Name a phase to see its prompt: --phase PHASE"
        )
