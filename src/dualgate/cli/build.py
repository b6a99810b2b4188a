"""Settings -> rooms. The only place that knows which adapter is behind which name."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from dualgate.agents.base import Agent
from dualgate.agents.command import local_now
from dualgate.agents.registry import AGENTS
from dualgate.core.history import SessionStarted, begin
from dualgate.core.prompt import prepare
from dualgate.core.prp import Prp, read_prp
from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Workflow
from dualgate.errors import SettingError, SpecError
from dualgate.loop import Rooms
from dualgate.process import require_program, split_command
from dualgate.recording import RecordedAgent, RecordedRunner, RecordedWorkspace, Recorder, Watcher
from dualgate.runners.interpreter import choose_command
from dualgate.runners.registry import RUNNERS
from dualgate.settings import Settings
from dualgate.store.journal import JOURNAL, Journal
from dualgate.store.projections import write_loop_state
from dualgate.store.sessions import Owner, make_room, owned, session_folder
from dualgate.workspace.worktree import WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that is owned and ready to run."""

    state: LoopState
    rooms: Rooms
    folder: Path


@contextmanager
def new_session(
    spec: Path, project: Path, settings: Settings, watch: Watcher, fresh: bool = False
) -> Iterator[Session]:
    """Everything a run needs, made from settings; the work tree is owned until the block ends."""
    prp = read_specification(spec)
    agent = build_agent(settings, project)
    command = choose_command(project, settings.test_command, os.environ).command
    folder = session_folder(project, os.environ)
    with owned(project, folder, os.environ, local_now()) as owner:
        make_room(folder, fresh)
        started = SessionStarted(
            at=local_now(),
            session_id=str(uuid.uuid4()),
            project=str(project),
            prp_file=str(spec),
            prp_text=prp.text,
            agent=agent.name,
            test_command=command,
            workflow=Workflow.TDD,
            max_iterations=settings.max_iterations,
        )
        yield _wire(started, prp, agent, settings, folder, owner, watch)


def read_specification(spec: Path) -> Prp:
    try:
        text = spec.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SpecError(f"{spec} cannot be read: {error.strerror}.", "Give the path of a Markdown file.") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{spec} is not UTF-8 text: byte {error.start}.", "Save it as UTF-8.") from error
    return read_prp(text, str(spec))


def build_agent(settings: Settings, project: Path) -> Agent:
    """The agent that a command names, else the one named by its name."""
    if settings.agent_command and settings.agent not in (None, "command"):
        raise SettingError(
            "Both an agent and an agent command are given.", "Give --agent or --agent-command, not both."
        )
    if settings.agent_command:
        require_program(split_command(settings.agent_command)[0], project, os.environ)
        return AGENTS["command"](settings.agent_command, project, settings.agent_timeout)
    name, _, argument = (settings.agent or "").partition(":")
    if name not in AGENTS or name == "command":
        known = ", ".join(sorted(AGENTS.keys() - {"command"}))
        raise SettingError(
            f"There is no agent '{settings.agent}'." if settings.agent else "No agent is given.",
            f"Give --agent-command CMD, or --agent with one of: {known}.",
        )
    return AGENTS[name](argument, project, settings.agent_timeout)


def _wire(
    started: SessionStarted, prp: Prp, agent: Agent, settings: Settings, folder: Path, owner: Owner, watch: Watcher
) -> Session:
    project = Path(started.project)
    journal = Journal(folder / JOURNAL, owner.epoch, owner.is_current)
    state = begin(started)
    worktree = WorkTree(project, folder, started.test_command)
    record = journal.append(started)
    write_loop_state(folder, state, record.seq)
    watch(started, state)
    recorder = Recorder(state, journal, folder, watch)
    runner = RUNNERS["pytest"](started.test_command, project, settings.test_timeout)
    rooms = Rooms(
        prp=prp,
        templates=prepare(load_templates()),
        agent=RecordedAgent(agent=agent, record=recorder, now=local_now, folder=folder),
        runner=RecordedRunner(runner=runner, record=recorder, now=local_now),
        worktree=RecordedWorkspace(worktree=worktree, record=recorder, now=local_now),
        record=recorder,
        now=local_now,
        retry_delay=settings.retry_delay,
    )
    return Session(state=state, rooms=rooms, folder=folder)


def load_templates() -> dict[str, str]:
    """Every text of the package by its name, those of a folder with the folder before it."""
    root = resources.files("dualgate.prompts")
    found = {item.name: item for item in root.iterdir()}
    found |= {f"skills/{item.name}": item for item in (root / "skills").iterdir()}
    return {name: item.read_text(encoding="utf-8") for name, item in found.items() if name.endswith(".md")}
