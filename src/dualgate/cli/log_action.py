"""The action of log: the events of a session as lines with their times, or as they are in the journal."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dualgate.cli.output import here, say, say_json, show
from dualgate.core.machine.history import apply, begin
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.state import LoopState
from dualgate.display.ledger import entry_lines, entry_record, evidence_entries
from dualgate.display.log import Log
from dualgate.errors import ExitCode
from dualgate.store.archive import session_named
from dualgate.store.codec import Record, encode
from dualgate.store.following import follow
from dualgate.store.owners import is_owned
from dualgate.store.reading import read_journal
from dualgate.store.sessions import session_folder


def show_log(name: str | None, follows: bool, evidence: bool, as_json: bool) -> int:
    project = here()
    folder, archived = session_folder(project, os.environ), False
    if name is not None:
        found = session_named(folder, name, os.environ)
        folder, archived, project = found.folder, found.archived, Path(found.project)
    log, state = Log(), None
    for record in _records(folder, project, follows and not archived):
        state = _after(state, record)
        if evidence:
            _show_evidence(record, as_json)
        elif as_json:
            say(encode(record).decode().rstrip())
        elif state is not None:
            show(log.lines(record.event, state))
    return ExitCode.PROVEN


def _show_evidence(record: Record, as_json: bool) -> None:
    for entry in evidence_entries(record.event):
        if as_json:
            say_json(entry_record(record.seq, entry))
        else:
            show(entry_lines(entry))


def _records(folder: Path, project: Path, follows: bool) -> Iterator[Record]:
    last = 0
    for record in read_journal(folder):
        last = record.seq
        yield record
    if follows:
        with suppress(KeyboardInterrupt):  # only this reader ends, not the run
            yield from follow(folder, last, lambda: is_owned(project))


def _after(state: LoopState | None, record: Record) -> LoopState | None:
    if state is None:
        return begin(record.event) if isinstance(record.event, SessionStarted) else None
    return apply(state, record.event)
