"""Any program as an agent: the prompt on standard input, the project as its folder, the answer on standard output."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.agents.clients import CLIENTS
from dualgate.agents.launch import local_now as local_now
from dualgate.agents.launch import run_program
from dualgate.core.values.answer import AgentCall, AgentReply
from dualgate.core.values.control import Control
from dualgate.core.values.notation import split_command
from dualgate.processes.supervisor import Supervisor

# An agent that knew where the session lies could write its own evidence.
HIDDEN_VARIABLES = frozenset({"PRP_SESSION_DIR"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgent:
    command: str
    project: Path
    supervisor: Supervisor
    timeout: float | None = None
    now: Callable[[], datetime] = local_now
    name: str = "command"

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        return run_program(
            split_command(self.command),
            call.prompt,
            self.project,
            agent_environment(self.supervisor.environment, call),
            control.within(self.timeout),
            self.supervisor,
            self.now,
            _folders_of_any(self.supervisor.environment),
        )


def _folders_of_any(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """What the known CLIs keep here: which of them a command calls, nobody knows."""
    found = (folder for client in CLIENTS.values() for folder in client.folders(environment))
    return tuple(folder for folder in found if folder.exists())


def agent_environment(environment: Mapping[str, str], call: AgentCall) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if name not in HIDDEN_VARIABLES}
    return kept | {
        "DUALGATE_PHASE": call.phase.value,
        "DUALGATE_ITERATION": str(call.iteration),
        "DUALGATE_ROLE": call.role.value,
        "DUALGATE_SESSION_ID": call.session_id,
    }
