"""The actions of pause, guide, reset, skip and abort, by which a person steers a session.

A running session takes up the request and journals it; otherwise the event is appended to the journal at once.
"""

import os
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import click

from dualgate.cli.host import our_host
from dualgate.cli.output import here, our_redactor, say, say_json, show
from dualgate.cli.outside import request_of, require_person
from dualgate.cli.questions import can_ask, confirm
from dualgate.core.machine.controls import ControlEvent, refusal, steps_to, trial_after, ways_on
from dualgate.core.machine.requests import PAUSING, STOPPING, Request, RequestKind
from dualgate.core.machine.skipping import unproven_by_skip
from dualgate.core.values.events import (
    Event,
    GuidanceGiven,
    GuidanceWithdrawn,
    PhaseSkipped,
    SessionAborted,
    SessionReset,
)
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.display.lines import printable
from dualgate.display.live import lines
from dualgate.display.records import exit_code, result_record
from dualgate.display.summary import guidance_lines
from dualgate.errors import ControlRefused, ExitCode
from dualgate.session.own import append_events
from dualgate.session.spec_file import spec_of
from dualgate.store.account import read_account
from dualgate.store.lease import owner_of
from dualgate.store.making_room import load_state
from dualgate.store.owners import is_owned, person
from dualgate.store.requests import send

Made = Callable[[datetime, str], ControlEvent]
_WAIT_SECONDS = 10.0
_HEARD_SECONDS = 60.0
"""A run looks for requests four times a second, but not while it saves a large work tree."""
_SHORT_WAIT_SECONDS = 2.0
"""Enough for a run between two turns. The time that a running turn still takes is unknown."""
_ON_THE_SPOT = {RequestKind.ABORT: "abort"}
_POLL_SECONDS = 0.1
_ALL = "all"


def pause_run(at_once: bool, as_json: bool) -> int:
    require_person("pause")
    return _stop(here(), RequestKind.PAUSE_NOW if at_once else RequestKind.PAUSE, as_json)


def guide_agent(text: str, as_json: bool) -> int:
    require_person(f"guide {text}")
    _change(RequestKind.GUIDE, text, lambda at, by: GuidanceGiven(at=at, by=by, text=text), as_json)
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
    _change(RequestKind.WITHDRAW, text, lambda at, by: GuidanceWithdrawn(at=at, by=by, text=text), as_json)
    return ExitCode.PROVEN


def _numbered(guidance: tuple[str, ...], which: str) -> str:
    if not which.isdecimal() or not 0 < int(which) <= len(guidance):
        raise ControlRefused(f"No guidance has the number {which}.", "See the numbers with: dualgate guide --list")
    return guidance[int(which) - 1]


def reset_session(text: str, as_json: bool) -> int:
    require_person(f"reset {text}")
    state = _change(
        RequestKind.RESET, text, lambda at, by: SessionReset(at=at, by=by, guidance=text, returns=True), as_json
    )
    return _told_how_to_go_on(state, as_json)


def skip_phase(phase: Phase, yes: bool, as_json: bool) -> int:
    require_person(f"skip {phase}")
    if not (yes or _agreed(load_state(our_host().folder()), phase)):
        say("Nothing was skipped.")
        return ExitCode.ERROR
    state = _change(RequestKind.SKIP, phase.value, lambda at, by: PhaseSkipped(at=at, by=by, phase=phase), as_json)
    if state is not None and state.status is Status.COMPLETED:
        return exit_code(state)
    return _told_how_to_go_on(state, as_json)


def skip_wait(as_json: bool) -> int:
    """Ask the run to end its wait."""
    require_person("skip wait")
    project = here()
    folder = _running_session(project)
    if folder is None:
        raise ControlRefused("Nothing runs in this folder, so nothing waits.", "Go on with: dualgate resume")
    request = request_of(RequestKind.SKIP_WAIT)
    if _heard(project, folder, request) is None:
        raise _ended_first(folder)
    return _told_asked(request, folder, as_json)


def _agreed(state: LoopState, phase: Phase) -> bool:
    """Say what is not proven if a phase is skipped, and ask. Raises ControlRefused if nobody can be asked."""
    if phase is not state.phase or state.status is Status.COMPLETED:
        return True  # refused below, with the reason
    told = unproven_by_skip(state)
    if not can_ask():
        raise ControlRefused(f"Nothing was skipped: nobody can be asked. {' '.join(told)}", "Skip it with: --yes")
    for text in told:
        click.echo(printable(text), err=True)
    return confirm(f"Skip {phase}?")


def abort_session(at_once: bool, as_json: bool) -> int:
    require_person("abort")
    project = here()
    if _running_session(project):
        return _stop(project, RequestKind.ABORT_NOW if at_once else RequestKind.ABORT, as_json)
    _record(lambda at, by: SessionAborted(at=at, by=by), as_json)
    return ExitCode.PROVEN


def record_reset(guidance: str, as_json: bool) -> LoopState:
    """Reset a session that is not running; the caller goes on with it."""
    return _record(lambda at, by: SessionReset(at=at, by=by, guidance=guidance, returns=True), as_json, quiet=as_json)


def _told_how_to_go_on(state: LoopState | None, as_json: bool) -> int:
    if state is not None and not as_json:
        found = read_account(our_host().folder()).cut_off
        ways = [command for _, command in ways_on(state, bool(spec_of(found, our_redactor()).changes()))]
        goes_on = [command for command in ways if command.startswith("dualgate resume")]
        say(f"It waits in {state.phase}. Go on with: {' or: '.join(goes_on)}")
    return ExitCode.PROVEN


def _running_session(project: Path) -> Path | None:
    """The folder of the session that runs in a work tree; None if none runs."""
    owner = owner_of(project, os.environ)
    return Path(owner["session"]) if owner and "session" in owner else None


def _stop(project: Path, kind: RequestKind, as_json: bool) -> int:
    """Ask the run to stop, wait for it, and show the result."""
    folder = _running_session(project)
    if folder is None:
        raise ControlRefused("Nothing runs in this folder.", "See how its session stands with: dualgate status")
    request = request_of(kind)
    path = _heard(project, folder, request)
    if path is None:
        raise _ended_first(folder)
    deadline = time.monotonic() + (_WAIT_SECONDS if kind in STOPPING else _SHORT_WAIT_SECONDS)
    while is_owned(project) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    if is_owned(project) and path.exists():
        if kind not in STOPPING:
            return _told_asked(request, folder, as_json)
        raise ControlRefused(
            f"The run has not heard it within {_WAIT_SECONDS:g} s; it will at its next safe point.",
            "See how it stands with: dualgate status",
        )
    path.unlink(missing_ok=True)  # the run may have ended by itself before it read the request
    state = load_state(folder)
    if not _is_done(kind, state):
        raise _ended_first(folder)
    if as_json:
        say_json(result_record(state, str(folder)))
    else:
        stopped = ": its agent was stopped, and its edits are kept" if kind in STOPPING else ""
        say(f"{state.status} in {state.phase}{stopped}")
    return ExitCode.PROVEN


def _ended_first(folder: Path) -> ControlRefused:
    status = load_state(folder).status
    return ControlRefused(f"The run ended by itself before it heard it: {status}.", "See: dualgate status")


def _is_done(kind: RequestKind, state: LoopState) -> bool:
    """Whether the stop took effect. A session whose breaker waits is not paused, but its run has ended."""
    if kind not in PAUSING:
        return state.ended_by is Decision.ABORTED
    return state.status is Status.PAUSED or trial_after(state) is not None


def _told_asked(request: Request, folder: Path, as_json: bool) -> int:
    if as_json:
        say_json({"asked": request.kind, "by": request.by, "at": request.at.isoformat(), "session": str(folder)})
    elif request.kind is RequestKind.SKIP_WAIT:
        say("asked the run to skip its wait")
    else:
        at_once = f"'dualgate {_ON_THE_SPOT.get(request.kind, 'pause')} --now' stops that turn"
        say(f"asked the run for: {request.kind}; it is taken up after the present turn ({at_once})")
    return ExitCode.PROVEN


def _change(kind: RequestKind, text: str, made: Made, as_json: bool) -> LoopState | None:
    """Ask the running session and return None; if none runs, record the event and return the new state."""
    project = here()
    folder = _running_session(project)
    if folder is None:
        return _record(made, as_json)
    request = request_of(kind, text)
    path = _heard(project, folder, request)
    if path is None or (path.exists() and not is_owned(project)):  # the run ended before it took the request up
        if path is not None:
            path.unlink(missing_ok=True)
        return _record(made, as_json)
    _told_asked(request, folder, as_json)
    return None


def _heard(project: Path, folder: Path, request: Request) -> Path | None:
    """Send a request, and wait until the run has heard it: the run looks at the process that sends it."""
    deadline = time.monotonic() + _HEARD_SECONDS

    def waits() -> bool:
        if not is_owned(project):
            return False
        if time.monotonic() > deadline:
            raise ControlRefused(
                f"The run has not heard it within {_HEARD_SECONDS:g} s, so it is withdrawn.",
                "See how it stands with 'dualgate status', and try again.",
            )
        time.sleep(_POLL_SECONDS)
        return True

    return send(folder, request, waits)


def _record(made: Made, as_json: bool, quiet: bool = False) -> LoopState:
    """Append a person's event to the journal of a session that is not running."""
    host = our_host()
    folder = host.folder()

    def fitting(state: LoopState) -> tuple[Event, ...]:
        if reason := refusal(state, event):
            raise ControlRefused(reason, "See where it stands with: dualgate status")
        return steps_to(state, event)

    event = made(host.now(), person(host.environment))
    state = append_events(host, folder, fitting)
    if as_json and not quiet:
        say_json(result_record(state, str(folder)))
    elif not as_json:
        show(lines(event, state))
    return state
