"""Any program as an agent: it runs in the project, reads the prompt on stdin and writes the answer to stdout."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dualgate.agents.launch import local_now as local_now
from dualgate.agents.launch import run_program
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.answer import AgentCall, AgentReply
from dualgate.core.values.control import Control
from dualgate.core.values.notation import split_command
from dualgate.core.values.vocabulary import Role
from dualgate.processes.supervisor import Supervisor

# An agent that knew the session's folder could write its own evidence.
HIDDEN_VARIABLES = frozenset({"PRP_SESSION_DIR", "DUALGATE_DASHBOARD_TOKEN"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgent:
    command: str
    project: Path
    supervisor: Supervisor
    timeout: float | None = None
    now: Callable[[], datetime] = local_now
    name: str = "command"

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        """Run the program. A reviewer in the sandbox cannot write the project, so what changes there is a person's."""
        reads_only = call.role is Role.REVIEWER and self.supervisor.is_confining
        reply = run_program(
            split_command(self.command),
            call.prompt,
            self.project,
            agent_environment(self.supervisor.environment, call),
            control.within(self.timeout),
            self.supervisor,
            self.now,
            _client_folders(self.supervisor.environment),
            reads_only=reads_only,
        )
        return replace(reply, reads_only=reads_only)


def _client_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders of every known CLI: a command may call any of them."""
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
