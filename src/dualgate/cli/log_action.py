"""The action of log: the events of a session as lines with their times, or as they are in the journal."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.cli.log_filter import Wanted
from dualgate.cli.output import columns_of, here, say_document, say_json, show
from dualgate.core.record.halting import next_ways
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.display.ledger import entry_lines, entry_record, evidence_entries
from dualgate.display.lines import Line
from dualgate.display.log import Log
from dualgate.display.summary import next_lines
from dualgate.errors import ExitCode
from dualgate.store.archive import session_named
from dualgate.store.codec import Record, encode
from dualgate.store.following import follow
from dualgate.store.owners import is_owned
from dualgate.store.placing import placed
from dualgate.store.reading import read_journal
from dualgate.store.sessions import session_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A session to read: its folder, its project, and whether it is this project's present one."""

    folder: Path
    project: Path
    archived: bool = False
    is_here: bool = True


def source_of(name: str | None) -> Source:
    """The session with this id, or the one of the current folder."""
    project = here()
    folder = session_folder(project, os.environ)
    if name is None:
        return Source(folder=folder, project=project)
    found = session_named(folder, name, os.environ)
    is_here = not found.archived and found.folder == folder
    return Source(folder=found.folder, project=Path(found.project), archived=found.archived, is_here=is_here)


def show_log(name: str | None, follows: bool, wanted: Wanted, evidence: bool, as_json: bool) -> int:
    source = source_of(name)
    log, state = Log(), None
    for record, before, state, place in placed(_records(source, follows and not source.archived)):
        if not wanted.includes(record.event, place):
            log.pass_over(record.event)
            continue
        if evidence:
            _show_evidence(record, as_json)
        elif as_json:
            say_document(encode(record).decode().rstrip())
        else:
            show(log.lines(record.event, state, before, place.number))
    if state is not None and wanted.is_everything and source.is_here and not (evidence or as_json):
        _show_next(state)
    return ExitCode.PROVEN


def _show_next(state: LoopState) -> None:
    """The ways to continue, at the end of the story of a session that stopped."""
    if state.status in (Status.HALTED, Status.PAUSED):
        show([Line(text=""), *next_lines(state, next_ways(state), columns=columns_of(sys.stdout))])


def _show_evidence(record: Record, as_json: bool) -> None:
    for entry in evidence_entries(record.event):
        if as_json:
            say_json(entry_record(record.seq, entry))
        else:
            show(entry_lines(entry))


def _records(source: Source, follows: bool) -> Iterator[Record]:
    last = 0
    for record in read_journal(source.folder):
        last = record.seq
        yield record
    if follows:
        with suppress(KeyboardInterrupt):  # only this reader ends, not the run
            yield from follow(source.folder, last, lambda: is_owned(source.project))
