"""The action of log show: one iteration in full, with the texts of its calls and the diff of its snapshots."""

import os

from dualgate.cli.log_action import source_of
from dualgate.cli.log_filter import phase_of
from dualgate.cli.output import our_redactor, say_json, show
from dualgate.core.record.iterations import Iteration, iterations, used_in
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.vocabulary import Phase
from dualgate.display.iteration import iteration_lines, iteration_record
from dualgate.errors import ExitCode, SessionMissing, SettingError
from dualgate.session.iteration_texts import TextSource, texts_of
from dualgate.store.codec import Record
from dualgate.store.reading import read_journal

_MOST_WORDS = 2


def show_iteration(words: tuple[str, ...], phase_name: str | None, full: bool, as_json: bool) -> int:
    session, number = _read_words(words)
    phase = phase_of(phase_name)
    source = source_of(session)
    records = list(read_journal(source.folder))
    found = _chosen(records, number, phase)
    started = next(each.event for each in records if isinstance(each.event, SessionStarted))
    place = TextSource(folder=source.folder, project=source.project, environment=os.environ, redactor=our_redactor())
    texts = texts_of(place, started, found)
    used = used_in(found, started.limits.prices)
    if as_json:
        say_json(iteration_record(found, texts, used))
    else:
        named = f"{session} " if session else ""
        show(iteration_lines(found, texts, used, full, f"dualgate log show {named}{found.number} --full"))
    return ExitCode.PROVEN


def _read_words(words: tuple[str, ...]) -> tuple[str | None, int | None]:
    """The session and the number. A lone number of up to six digits is an iteration, anything else a session."""
    *before, last = words or ("",)
    is_number = last.isdecimal() and len(last) <= 6
    if len(words) > _MOST_WORDS or (before and not is_number):
        raise SettingError("log show takes a session and a number.", "Write: dualgate log show [SESSION] [N]")
    session = before[0] if before else None if is_number else last or None
    return session, int(last) if is_number else None


def _chosen(records: list[Record], number: int | None, phase: Phase | None) -> Iteration:
    """The iteration with a number, counted over the session or in the last visit of a phase; else the last one."""
    fitting = [
        each for each in iterations(record.event for record in records) if phase in (None, each.turn.facts.phase)
    ]
    if number is not None:
        fitting = [each for each in fitting if number == (each.turn.facts.iteration if phase else each.number)]
    if fitting:
        return fitting[-1]
    where = f" of {phase}" if phase else ""
    what = f"There is no iteration {number}{where}" if number else f"There is no iteration{where} yet"
    raise SessionMissing(f"{what} in this session.", "List them with: dualgate sessions metrics")
