"""Any program as an agent: the prompt on standard input, the project as its folder, the answer on standard output."""

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.agents.output import read_output
from dualgate.agents.outputs import FORMATS
from dualgate.core.answer import AgentReply, CallEnd
from dualgate.core.control import Control
from dualgate.core.vocabulary import AgentCall
from dualgate.process import Job, read_tail, split_command, supervise

KEPT_ERROR_BYTES = 64 << 10
# An agent that knew where the session lies could write its own evidence.
HIDDEN_VARIABLES = frozenset({"PRP_SESSION_DIR"})


def local_now() -> datetime:
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgent:
    command: str
    project: Path
    timeout: float | None = None
    now: Callable[[], datetime] = local_now
    name: str = "command"

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        with tempfile.TemporaryDirectory(prefix="dualgate-call-") as name:
            folder = Path(name)
            (folder / "prompt").write_text(call.prompt, encoding="utf-8")
            job = Job(
                argv=split_command(self.command),
                cwd=self.project,
                environment=agent_environment(os.environ, call),
                stdin=folder / "prompt",
                stdout=folder / "stdout",
                stderr=folder / "stderr",
            )
            ended = supervise(job, control.within(self.timeout))
            stderr = read_tail(job.stderr, KEPT_ERROR_BYTES)
            end = CallEnd(now=self.now(), exit_code=ended.code, ending=ended.ending, stderr=stderr)
            with job.stdout.open("rb") as stdout:
                answer = read_output(stdout, FORMATS, end)
            return AgentReply(
                answer=answer,
                stderr=stderr,
                exit_code=ended.code,
                ending=ended.ending,
                seconds=ended.seconds,
            )


def agent_environment(environment: Mapping[str, str], call: AgentCall) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if name not in HIDDEN_VARIABLES}
    return kept | {
        "DUALGATE_PHASE": call.phase.value,
        "DUALGATE_ITERATION": str(call.iteration),
        "DUALGATE_ROLE": call.role.value,
        "DUALGATE_SESSION_ID": call.session_id,
    }
