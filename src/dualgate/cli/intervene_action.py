"""The actions of pause, guide, reset, skip and abort, by which a person steers a session."""

from dataclasses import replace
from pathlib import Path

import click

from dualgate.cli.host import our_host
from dualgate.cli.output import our_redactor, say, say_json, show
from dualgate.cli.outside import our_origin, require_person
from dualgate.cli.questions import can_ask, confirm
from dualgate.core.machine.controls import ways_on
from dualgate.core.machine.requests import STOPPING, Request, RequestKind
from dualgate.core.machine.skipping import unproven_by_skip
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.display.lines import printable
from dualgate.display.live import lines
from dualgate.display.records import exit_code, result_record
from dualgate.display.summary import guidance_lines
from dualgate.errors import ControlRefused, ExitCode
from dualgate.session.intervene import Recorded, Requester, Sent, Steered, Stopped, record, running_session, steer
from dualgate.session.spec_file import spec_of
from dualgate.store.account import read_account
from dualgate.store.making_room import load_state

_ON_THE_SPOT = {RequestKind.ABORT: "abort"}
_ALL = "all"


def pause_run(at_once: bool, as_json: bool) -> int:
    require_person("pause")
    tell(steer(our_requester(), RequestKind.PAUSE_NOW if at_once else RequestKind.PAUSE), as_json)
    return ExitCode.PROVEN


def guide_agent(text: str, as_json: bool) -> int:
    require_person(f"guide {text}")
    tell(steer(our_requester(), RequestKind.GUIDE, text), as_json)
    return ExitCode.PROVEN


def list_guidance(as_json: bool) -> int:
    state = load_state(our_host().folder())
    if as_json:
        say_json({"guidance": list(state.guidance)})
    else:
        say("\n".join(guidance_lines(state.guidance)) or "No guidance is in force. Give some with: dualgate guide TEXT")
    return ExitCode.PROVEN


def withdraw_guidance(which: str, as_json: bool) -> int:
    """Withdraw the guidance with a number of `guide --list`, or all of it."""
    require_person(f"guide --withdraw {which}")
    text = "" if which == _ALL else _numbered(load_state(our_host().folder()).guidance, which)
    tell(steer(our_requester(), RequestKind.WITHDRAW, text), as_json)
    return ExitCode.PROVEN


def _numbered(guidance: tuple[str, ...], which: str) -> str:
    if not which.isdecimal() or not 0 < int(which) <= len(guidance):
        raise ControlRefused(f"No guidance has the number {which}.", "See the numbers with: dualgate guide --list")
    return guidance[int(which) - 1]


def reset_session(text: str, as_json: bool) -> int:
    require_person(f"reset {text}")
    return tell_how_to_go_on(tell(steer(our_requester(), RequestKind.RESET, text), as_json), as_json)


def skip_phase(phase: Phase, yes: bool, as_json: bool) -> int:
    require_person(f"skip {phase}")
    requester = our_requester()
    if not (yes or _agreed(load_state(requester.folder), phase, running_session(requester.host) is not None)):
        say("Nothing was skipped.")
        return ExitCode.ERROR
    state = tell(steer(requester, RequestKind.SKIP, phase.value), as_json)
    if state is not None and state.status is Status.COMPLETED:
        return exit_code(state)
    return tell_how_to_go_on(state, as_json)


def skip_wait(as_json: bool) -> int:
    """Ask the run to end its wait."""
    require_person("skip wait")
    tell(steer(our_requester(), RequestKind.SKIP_WAIT), as_json)
    return ExitCode.PROVEN


def _agreed(state: LoopState, phase: Phase, is_running: bool) -> bool:
    """Say what is not proven if a phase is skipped, and ask. Raises ControlRefused if nobody can be asked."""
    is_present = phase is state.phase
    if state.status is Status.COMPLETED or not (is_present or is_running):
        return True  # refused below, with the reason
    told = unproven_by_skip(replace(state, phase=phase))
    if not is_present:  # the run decides when its turn has ended, and may be in this phase then
        told = (f"The session is in {state.phase}; {phase} is skipped if the present turn ends in it.", *told)
    if not can_ask():
        raise ControlRefused(f"Nothing was skipped: nobody can be asked. {' '.join(told)}", "Skip it with: --yes")
    for text in told:
        click.echo(printable(text), err=True)
    return confirm(f"Skip {phase}?")


def abort_session(at_once: bool, as_json: bool) -> int:
    require_person("abort")
    tell(steer(our_requester(), RequestKind.ABORT_NOW if at_once else RequestKind.ABORT), as_json)
    return ExitCode.PROVEN


def record_reset(guidance: str, as_json: bool) -> LoopState:
    """Reset a session that is not running; the caller goes on with it."""
    recorded = record(our_requester(), RequestKind.RESET, guidance)
    if not as_json:
        show(lines(recorded.event, recorded.state))
    return recorded.state


def our_requester() -> Requester:
    """The person at this terminal, and the session that runs in this folder, else the one that belongs to it."""
    host = our_host()
    return Requester(host=host, folder=running_session(host) or host.folder(), origin=our_origin())


def tell_how_to_go_on(state: LoopState | None, as_json: bool) -> int:
    """Show the commands that continue a session that was changed while no run was active."""
    if state is not None and not as_json:
        found = read_account(our_host().folder()).cut_off
        ways = [command for _, command in ways_on(state, bool(spec_of(found, our_redactor()).changes()))]
        goes_on = [command for command in ways if command.startswith("dualgate resume")]
        say(f"It waits in {state.phase}. Go on with: {' or: '.join(goes_on)}")
    return ExitCode.PROVEN


def tell(done: Steered, as_json: bool) -> LoopState | None:
    """Show what became of a request, and return the new state if the event was recorded at once."""
    match done:
        case Sent():
            _tell_sent(done.request, done.folder, as_json)
            return None
        case Stopped():
            if as_json:
                say_json(result_record(done.state, str(done.folder)))
            else:
                stopped = ": its agent was stopped, and its edits are kept" if done.kind in STOPPING else ""
                say(f"{done.state.status} in {done.state.phase}{stopped}")
            return None
        case Recorded():
            if as_json:
                say_json(result_record(done.state, str(done.folder)))
            else:
                show(lines(done.event, done.state))
            return done.state


def _tell_sent(request: Request, folder: Path, as_json: bool) -> None:
    if as_json:
        say_json({"asked": request.kind, "by": request.by, "at": request.at.isoformat(), "session": str(folder)})
    elif request.kind is RequestKind.SKIP_WAIT:
        say("asked the run to skip its wait")
    else:
        at_once = f"'dualgate {_ON_THE_SPOT.get(request.kind, 'pause')} --now' stops that turn"
        say(f"asked the run for: {request.kind}; it is taken up after the present turn ({at_once})")
