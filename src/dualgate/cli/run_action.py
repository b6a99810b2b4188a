"""A run from its flags to its exit code, and how it is told: what `run` does, apart from its words."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click

from dualgate.cli.dry_run import show_plan
from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import say_json, show, silence
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import paused_even_at_once, stoppable
from dualgate.core.money.usage import unwatched_by
from dualgate.core.values.events import CallEnded, Event, ProvenAgain, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow
from dualgate.display.live import lines
from dualgate.display.records import exit_code, proven_again_record, result_record, turn_record
from dualgate.display.summary import summary_lines
from dualgate.errors import OutputLost
from dualgate.session.loop import run as run_loop
from dualgate.session.open import new_session
from dualgate.session.record import Watcher
from dualgate.session.spec_file import SpecWatch
from dualgate.session.team import unwatched_cost
from dualgate.store.archive import Keep, tidy


def run_spec(named: str | None, flags: Mapping[str, object], fresh: bool, as_json: bool, dry_run: bool) -> int:
    spec = Path(named) if named else None
    sourced = settings_from(flags)
    if warning := unwatched_cost(sourced.settings):
        click.echo(f"dualgate: {warning}", err=True)
    if spec is None and sourced.settings.workflow is Workflow.TDD:
        raise click.UsageError("Missing argument 'SPEC'. Only --workflow ralph does without.")
    host = our_host()
    if dry_run:
        return show_plan(spec, host, sourced.settings, fresh, as_json)
    watch = SpecWatch(steadfast(watch_json if as_json else watch_people), host)
    keep = sourced.settings.sessions
    with (
        paused_even_at_once(host),
        stoppable(host.supervisor.jobs) as signalled,
        progress_line(signalled, in_log=not as_json) as (live, control),
        new_session(spec, host, sourced.settings, live.over(watch), fresh) as session,
    ):
        tidy(session.folder, Keep(last=keep.keep_last, days=keep.keep_days), host.now())
        state = run_loop(session.state, session.rooms, control)
    return tell_end(state, session.folder, as_json, watch.note)


def tell_end(state: LoopState, folder: Path, as_json: bool, note: str = "") -> int:
    """`note` says that the specification is another by now."""
    with suppress(OutputLost):  # that nobody reads it does not change how it ended
        if as_json:
            say_json(result_record(state, str(folder)) | {"spec_changed": bool(note)})
        else:
            show(summary_lines(state, folder, note))
    return exit_code(state)


def steadfast(watch: Watcher) -> Watcher:
    """A watcher whose terminal may go away: a run does not end because nobody looks any more."""

    def watching(event: Event, state: LoopState) -> None:
        try:
            watch(event, state)
        except OutputLost:
            silence()

    return watching


def watch_people(event: Event, state: LoopState) -> None:
    show(lines(event, state))


def watch_json(event: Event, state: LoopState) -> None:
    match event:
        case CallEnded():
            for text in unwatched_by(event.answer, state):
                click.echo(f"dualgate: {text}", err=True)
        case TurnEnded():
            say_json(turn_record(event, state.spending.iterations[-1].used))
        case ProvenAgain():
            say_json(proven_again_record(event))
