"""A known CLI as an agent: it continues its session within a phase, and adds a hint to each failure."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from dualgate.agents.client import Client, Errand
from dualgate.agents.environment import client_environment
from dualgate.agents.launch import local_now, run_program
from dualgate.agents.limits import as_limit
from dualgate.agents.retrying import Log
from dualgate.core.team.pace import after_answer, continued
from dualgate.core.values.answer import (
    AgentCall,
    AgentReply,
    Answer,
    CallEnd,
    Failure,
    Thread,
    Trouble,
    Usage,
    last_line,
)
from dualgate.core.values.control import Control
from dualgate.core.values.vocabulary import Role, SessionUse
from dualgate.errors import ProgramNotFound
from dualgate.processes.supervisor import Supervisor

HINTS = {
    Trouble.MODEL_UNKNOWN: "name another with --model",
    Trouble.QUOTA: "add to the account or plan of this login, or let another agent take over with --fallback",
}


@dataclass(slots=True, kw_only=True)
class ClientAgent:
    client: Client
    project: Path
    supervisor: Supervisor
    model: str | None = None
    args: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    """Further variables that the CLI may see."""
    session: SessionUse = SessionUse.PHASE
    timeout: float | None = None
    now: Callable[[], datetime] = local_now
    thread: Thread | None = None
    """The CLI's session of the last call, which another process may have made."""

    @property
    def name(self) -> str:
        return self.client.name

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        goes_on = self.session is SessionUse.PHASE or call.follows
        thread = continued(self.thread, call) if goes_on else None
        self.thread = None  # after an interrupted call, the content of the session is unknown
        errand = Errand(
            may_edit=call.role is not Role.REVIEWER,
            may_run=call.role not in (Role.DOCUMENTER, Role.REVIEWER),
            model=self.model,
            session=thread.session if thread else None,
            args=self.args,
        )
        given = self.supervisor.environment
        environment = client_environment(self.client, errand, given, self.variables)
        argv = (require_client(self.client, environment), *self.client.words(errand))
        folders = self.client.folders(given)
        patience = control.within(self.timeout)
        log = _log_of(self.client, folders)
        reply = run_program(
            argv, call.prompt, self.project, environment, patience, self.supervisor, self.now, folders, log
        )
        end = CallEnd(now=self.now(), exit_code=reply.exit_code, ending=reply.ending, stderr=reply.stderr)
        answer = self.client.completed(as_limit(in_its_form(reply.answer, self.client), end), folders[0])
        answer = explained(_with_model(answer, errand), self.client)
        before = thread.usage if thread and self.client.usage_adds_up else Usage()
        answer = replace(answer, usage=_less(answer.usage, before))
        place = Thread(owner=call.session_id, phase=call.phase, number=call.number)
        self.thread = after_answer(answer, place, thread)
        # the user's own arguments may give back what a reviewer is denied
        return replace(reply, answer=answer, reads_only=not (errand.may_edit or self.args))


def _log_of(client: Client, folders: tuple[Path, ...]) -> Log | None:
    if client.attempts is None:
        return None
    return Log(errors=client.attempts, folder=folders[0] / client.logs if client.logs else None)


def require_client(client: Client, environment: Mapping[str, str]) -> str:
    path = shutil.which(client.program, path=environment.get("PATH", ""))
    if path is None:
        raise ProgramNotFound(
            f"The program '{client.program}' of the agent {client.name} is not installed.",
            f"Install it with '{client.install}', or see 'dualgate agents' for what is here.",
        )
    return path


def in_its_form(answer: Answer, client: Client) -> Answer:
    """An answer without the requested events is truncated, whatever the exit code."""
    if answer.failure is not None or answer.agent == client.name:
        return answer
    message = f"no event of {client.name} in the output: {last_line(answer.text)}"
    return replace(answer, failure=Failure(kind=Trouble.CUT_STREAM, message=message))


def _with_model(answer: Answer, errand: Errand) -> Answer:
    """Add the requested model if the program does not report one."""
    return replace(answer, model=answer.model or errand.given("--model", "-m") or errand.model)


def explained(answer: Answer, client: Client) -> Answer:
    """Add a hint that helps with the failure, or that allows a denied tool."""
    hints = {**HINTS, Trouble.AUTHENTICATION: client.log_in, **client.hints}
    failure = answer.failure
    if failure is not None:
        return replace(answer, failure=replace(failure, hint=failure.hint or hints.get(failure.kind, "")))
    return replace(answer, allowed_by=hints[Trouble.DENIED]) if answer.denied else answer


def _less(usage: Usage | None, before: Usage) -> Usage | None:
    return usage and Usage(**{name: max(0, count - getattr(before, name)) for name, count in asdict(usage).items()})
