"""dualgate run: work on a specification until it is proven done, given up, or stopped."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from dualgate.cli.build import new_session
from dualgate.cli.output import here, say, say_json, show, silence
from dualgate.core.control import Control
from dualgate.core.history import Event
from dualgate.core.machine import TurnEnded
from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Decision, Status
from dualgate.display.live import lines
from dualgate.display.records import result_record, turn_record
from dualgate.display.summary import summary
from dualgate.errors import ExitCode, OutputLost
from dualgate.loop import run as run_loop
from dualgate.recording import Watcher
from dualgate.settings import resolve

HALT_CODES = {Decision.BLOCKED: ExitCode.BLOCKED, Decision.RATE_LIMITED: ExitCode.RATE_LIMITED}


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--agent", metavar="NAME", help="The agent to ask: rehearsal, or rehearsal:SCRIPT.")
@click.option("--agent-command", metavar="CMD", help="Any program as the agent: prompt on stdin, answer on stdout.")
@click.option("--test-command", metavar="CMD", help="How to run the tests (pytest). Default: found out.")
@click.option("--max-iterations", type=click.IntRange(min=1), metavar="N", help="Iterations per phase. Default: 100.")
@click.option("--fresh", is_flag=True, help="Put an unfinished session of this project in the archive and start anew.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each agent call, and one for the result.")
def run(spec: Path, fresh: bool, as_json: bool, **flags: object) -> int:
    """Work on SPEC, a Markdown file with acceptance criteria, in the current folder.

    Exit codes: 0 completed and proven, 1 error, 2 usage, 3 halted, 4 blocked, 6 another run owns this folder,
    7 completed but not proven, 70 a bug in dualgate, 130 paused by you.
    """
    settings = resolve(os.environ, flags).settings
    watch = steadfast(_watch_json if as_json else watch_people)
    with stoppable() as control, new_session(spec, here(), settings, watch, fresh) as session:
        state = run_loop(session.state, session.rooms, control)
    code = exit_code(state)
    with suppress(OutputLost):  # that nobody reads it does not change how it ended
        if as_json:
            say_json(result_record(state, code, str(session.folder)))
        else:
            say(f"\n{summary(state)}\nRecord   {session.folder}")
    return code


def steadfast(watch: Watcher) -> Watcher:
    """A watcher whose terminal may go away: a run does not end because nobody looks any more."""

    def watching(event: Event, state: LoopState) -> None:
        try:
            watch(event, state)
        except OutputLost:
            silence()

    return watching


def exit_code(state: LoopState) -> ExitCode:
    match state.status:
        case Status.COMPLETED:
            return ExitCode.PROVEN if state.proven else ExitCode.UNPROVEN
        case Status.HALTED:
            return HALT_CODES.get(state.ended_by or Decision.STUCK, ExitCode.HALTED)
        case Status.PAUSED | Status.RUNNING:
            return ExitCode.PAUSED


@contextmanager
def stoppable() -> Iterator[Control]:
    """A control that Ctrl+C and SIGTERM stop; a lost terminal does not. A second Ctrl+C does not wait."""
    cancel = threading.Event()

    def stop(number: int, frame: object) -> None:
        del frame
        if cancel.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        cancel.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    before[signal.SIGHUP] = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield Control(cancel=cancel, clock=time.monotonic)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def watch_people(event: Event, state: LoopState) -> None:
    show(lines(event, state))


def _watch_json(event: Event, state: LoopState) -> None:
    del state
    if isinstance(event, TurnEnded):
        say_json(turn_record(event))
