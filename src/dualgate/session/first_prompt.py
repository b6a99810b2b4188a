"""Work -> the prompt with which a run would begin. Nothing is asked, run or written."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from dualgate.core.machine.phases import first_phase
from dualgate.core.prompt.parts import Prompt
from dualgate.core.prompt.writing import write_prompt
from dualgate.core.values.specification import starting_states
from dualgate.core.values.state import LoopState, Memory
from dualgate.core.values.vocabulary import PHASES, Phase
from dualgate.errors import SettingError
from dualgate.runners.detect import detect_by_files
from dualgate.session.brief import first_brief
from dualgate.session.document import Document, first_readings
from dualgate.session.host import Host
from dualgate.session.templates import own_templates, templates_with
from dualgate.session.work import Work, read_work
from dualgate.settings import Settings
from dualgate.settings.limits import limits_of


def first_prompt(
    document: Document, host: Host, settings: Settings, phase: Phase | None = None
) -> tuple[LoopState, Prompt]:
    """The prompt with which a run would begin, by the first reading of each question."""
    work = read_work(first_readings(document, settings), host.project, settings, host.environment, detect_by_files)
    state = in_phase(_begun(work, host, settings), phase)
    return state, prompt_before_work(state, work, host, own_templates(host.project))


def required_templates(work: Work, host: Host, settings: Settings) -> Mapping[str, str]:
    """The project's own templates. Raises SettingError if they cannot make the prompts of all phases."""
    own = own_templates(host.project)
    for phase in PHASES[work.workflow] if own else ():
        prompt_before_work(in_phase(_begun(work, host, settings), phase), work, host, own)
    return own


def prompt_before_work(state: LoopState, work: Work, host: Host, own: Mapping[str, str]) -> Prompt:
    """The prompt of a state in which no work was done, by the project's own templates."""
    brief = first_brief(host.project, work.suites.suites)
    return write_prompt(work.prp, state, templates_with(own), brief)


def _begun(work: Work, host: Host, settings: Settings) -> LoopState:
    now = host.now()
    return LoopState(
        session_id=str(uuid.uuid4()),
        prp_file=str(work.file),
        started_at=now,
        last_activity=now,
        workflow=work.workflow,
        phase=first_phase(work.workflow),
        limits=limits_of(settings),
        plan=work.tasks.read() if work.tasks else None,
        criteria_states=starting_states(work.to_prove),
    )


def in_phase(state: LoopState, phase: Phase | None) -> LoopState:
    """The state as it would be at the start of a phase; without one, or in the same one, as it is."""
    if phase is None or phase is state.phase:
        return state
    if phase not in PHASES[state.workflow]:
        known = ", ".join(PHASES[state.workflow])
        raise SettingError(f"The workflow {state.workflow} has no phase {phase}.", f"Its phases are: {known}.")
    kept = state.memory if phase is first_phase(state.workflow) else Memory(failing=state.memory.failing)
    return replace(state, phase=phase, iteration=0, memory=kept, attempts=())
