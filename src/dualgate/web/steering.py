"""Carry out an action on a session: the request that a command sends, with a person at the dashboard as its sender."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dualgate.core.machine.approving import waits_for_approval
from dualgate.core.machine.committing import not_made
from dualgate.core.machine.requests import STOPPING, RequestKind
from dualgate.core.secrets.redaction import redactor_of
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import SpecChoice
from dualgate.display.live import lines
from dualgate.errors import ControlRefused, SettingError
from dualgate.processes.supervisor import Supervisor
from dualgate.session.continuing import Continued, continue_session, environment_of
from dualgate.session.host import Host
from dualgate.session.intervene import Recorded, Requester, Sent, Steered, Stopped, steer
from dualgate.store.making_room import load_state
from dualgate.web.acting import Wish
from dualgate.web.actions import ALL, FORMS, Action, FoundSession

if TYPE_CHECKING:
    from dualgate.web.board import Board
    from dualgate.web.register import Entry

LONGEST_TEXT = 8000
_WHITE = "\n\t"
_SEE = "Look at the session again: it may have changed."


def act(board: "Board", entry: "Entry", wish: Wish) -> dict[str, Any]:
    """Carry out an action. Raises ControlRefused if it does not fit the session, SettingError if it cannot be read."""
    action = _action(wish)
    text = _text(wish, action)
    notes: list[str] = []
    requester = _requester(board, entry, notes)
    if action is Action.RESUME:
        message = _continued(continue_session(requester, _choice(wish.value)))
    else:
        state = load_state(requester.folder)
        chosen = _chosen(action, wish.value, state)
        message = _told(steer(requester, _KINDS[action], chosen.text or text, chosen.target))
    state = load_state(requester.folder)
    told = board.redactor.text(" ".join((message, *notes)))
    return {"done": True, "message": told, "state": state.status.value}


_KINDS: Mapping[Action, RequestKind] = {
    action: RequestKind(action.value) for action in Action if action is not Action.RESUME
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The parts of a request that the value of an action names."""

    text: str = ""
    target: str = ""


def _action(wish: Wish) -> Action:
    try:
        return Action(wish.action)
    except ValueError as error:
        raise SettingError("There is no such action.", f"Known actions: {', '.join(Action)}.") from error


def _text(wish: Wish, action: Action) -> str:
    form, text = FORMS[action], wish.text.strip()
    if len(text) > LONGEST_TEXT:
        raise SettingError(f"The text has {len(text)} characters.", f"Give at most {LONGEST_TEXT}.")
    if any(not (each.isprintable() or each in _WHITE) for each in text):
        raise SettingError("The text contains control characters.", "Remove them, and send it again.")
    if form.needs_text and not text:
        raise SettingError(f"'{action}' needs a text.", f"Give the {form.text_label.lower()}.")
    if text and not form.text_label:
        raise SettingError(f"'{action}' takes no text.", "Leave the text out.")
    return text


def _choice(value: str) -> SpecChoice | None:
    if not value:
        return None
    try:
        return SpecChoice(value)
    except ValueError as error:
        raise SettingError("There is no such way to resume.", f"Give one of: {', '.join(SpecChoice)}.") from error


def _chosen(action: Action, value: str, state: LoopState) -> _Chosen:
    seen = FoundSession(state=state, alive=True)
    values = FORMS[action].values(seen)
    if not values and not value:
        return _Chosen()
    if not value and len(values) == 1:
        value = values[0]
    if value not in values:
        named = f"One of these: {', '.join(values)}." if values else _SEE
        raise ControlRefused(f"'{action}' is not possible with the value '{value}'.", named)
    match action:
        case Action.WITHDRAW:
            return _Chosen(text="" if value == ALL else state.guidance[int(value) - 1])
        case Action.APPROVE | Action.REJECT:
            return _Chosen(target="" if waits_for_approval(state) else value)
        case _:
            return _Chosen(text=value)


def _requester(board: "Board", entry: "Entry", notes: list[str]) -> Requester:
    """The person at the dashboard, and the session that they steer, in the folder of its project."""
    if entry.archived:
        raise ControlRefused("The session is in the archive.", "Only the present session of a project can be steered.")
    if entry.seen.summary.problem:
        raise ControlRefused(f"The session cannot be read: {entry.seen.summary.problem}", "Repair its journal first.")
    project = Path(entry.seen.summary.project)
    if not project.is_dir():
        raise ControlRefused(f"The folder of the project does not exist: {project}.", "Restore it, then try again.")
    environment = environment_of(board.environment, project, entry.folder)
    host = Host(
        project=project,
        supervisor=Supervisor(environment),
        redactor=redactor_of(environment),
        now=board.now,
        tell=notes.append,
    )
    return Requester(host=host, folder=entry.folder, origin=f"dashboard, process {os.getpid()}")


def _told(done: Steered) -> str:
    match done:
        case Sent():
            if done.request.kind is RequestKind.SKIP_WAIT:
                return "Asked the run to skip its wait."
            return f"Asked the run for: {done.request.kind}. It takes that up after its present iteration."
        case Stopped():
            stopped = " Its agent was stopped, and its edits are kept." if done.kind in STOPPING else ""
            return f"The session is {done.state.status} in {done.state.phase}.{stopped}"
        case Recorded():
            missing = not_made(done.state)
            step = (f"No {missing.what} is made yet. Make it with: {missing.command}",) if missing else ()
            return " ".join((*(line.text for line in lines(done.event, done.state)), *step))


def _continued(done: Continued) -> str:
    if done.exit_code is not None:
        return f"The session was continued, and its run ended with exit code {done.exit_code}."
    if done.has_begun:
        return f"The session continues, as process {done.pid}."
    return f"Process {done.pid} was started, and its run has not begun yet. Its output is in {done.output}."
