"""The action of log show: one iteration in full, with the texts of its calls and the diff of its snapshots."""

import gzip
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from dualgate.cli.log_action import Source, source_of
from dualgate.cli.log_filter import phase_of
from dualgate.cli.output import our_redactor, say_json, show
from dualgate.core.record.iterations import Iteration, iterations, used_in
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.vocabulary import Phase
from dualgate.display.iteration import Texts, iteration_lines, iteration_record
from dualgate.errors import ExitCode, SessionMissing, SettingError, StoreFailed
from dualgate.store.call_files import CALLS
from dualgate.store.codec import Record
from dualgate.store.reading import read_journal
from dualgate.store.sessions import snapshot_store
from dualgate.workspace.run_diff import diffs_between
from dualgate.workspace.saved import SavedSnapshots

_MOST_WORDS = 2
_DELETED = "no diff: the snapshots of this iteration are deleted"
_NO_STORE = "no diff: the snapshots of this project are missing"


def show_iteration(words: tuple[str, ...], phase_name: str | None, full: bool, as_json: bool) -> int:
    session, number = _read_words(words)
    phase = phase_of(phase_name)
    source = source_of(session)
    records = list(read_journal(source.folder))
    found = _chosen(records, number, phase)
    started = next(each.event for each in records if isinstance(each.event, SessionStarted))
    texts = _texts(source, started, found)
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


def _texts(source: Source, started: SessionStarted, found: Iteration) -> Texts:
    diffs, why = _diffs(source, started, found)
    return Texts(
        prompts=tuple(_kept(source.folder / CALLS, found, "prompt.md")),
        answers=tuple(_kept(source.folder / CALLS, found, "answer.txt")),
        diffs=diffs,
        no_diff=why,
    )


def _kept(folder: Path, found: Iteration, name: str) -> Iterator[tuple[int, str]]:
    """The texts of the calls, plain or compressed; those that were deleted are left out."""
    for call in found.calls:
        for path in sorted(folder.glob(f"{call.number:04}-*-{name}*")):
            try:
                content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            except (OSError, EOFError):
                continue
            yield call.number, content.decode("utf-8", "replace")


def _diffs(source: Source, started: SessionStarted, found: Iteration) -> tuple[tuple[FileDiff, ...] | None, str]:
    """The changes of an iteration by its snapshots; None and the reason if these are missing."""
    store = snapshot_store(source.project, os.environ)
    if not store.exists():
        return None, _NO_STORE
    before, after = found.trees
    try:
        with SavedSnapshots(source.project, store) as saved:
            first = saved.catalog.first_of(started.session_id)
            if first is None or not all(tree and saved.objects.has(tree) for tree in (before, after)):
                return None, _DELETED
            diffs = tuple(diffs_between(saved.seen_as(first), before, after, ()))
    except (StoreFailed, sqlite3.Error):
        return None, _NO_STORE
    return our_redactor().value(diffs), ""
