"""Show the events of a run and how it ended: for people, and as JSON."""

import sys
from contextlib import suppress
from pathlib import Path

import click

from dualgate.cli.output import columns_of, say_json, show, silence
from dualgate.core.money.usage import unwatched_by
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.events import CallEnded, Event, ProvenAgain, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.display.lines import Tone
from dualgate.display.live import lines
from dualgate.display.records import exit_code, held_back_record, proven_again_record, result_record, turn_record
from dualgate.display.summary import summary_lines
from dualgate.errors import OutputLost
from dualgate.session.record import Watcher
from dualgate.session.spec_file import spec_note


def tell_end(
    state: LoopState, folder: Path, as_json: bool, spec_changes: tuple[str, ...] = (), report: Path | None = None
) -> int:
    """Show how a run ended, and return its exit code. `spec_changes` are a person's edits of the specification."""
    note = spec_note(state.prp_file, spec_changes)
    with suppress(OutputLost):  # the exit code is the same if nobody reads the output
        if as_json:
            named = {"spec_changed": bool(note), "report": str(report) if report else None}
            say_json(result_record(state, str(folder), bool(note)) | named)
            if note:
                click.echo(f"dualgate: {note}", err=True)
        else:
            show(summary_lines(state, folder, note, columns_of(sys.stdout), report))
    return exit_code(state)


def steadfast(watch: Watcher) -> Watcher:
    """Wrap a watcher so that a lost terminal does not end the run."""

    def watching(event: Event, state: LoopState) -> None:
        try:
            watch(event, state)
        except OutputLost:
            silence()

    return watching


def watch_people(event: Event, state: LoopState) -> None:
    show(lines(event, state))


def watch_problems(event: Event, state: LoopState) -> None:
    show(line for line in lines(event, state) if line.tone is Tone.BAD)


def watch_json(event: Event, state: LoopState) -> None:
    match event:
        case CallEnded():
            for text in unwatched_by(event.answer, state):
                click.echo(f"dualgate: {text}", err=True)
        case TurnEnded():
            say_json(turn_record(event, state.spending.iterations[-1].used))
        case ProvenAgain():
            say_json(proven_again_record(event))
        case ChecksFailed():
            say_json(held_back_record(event))
