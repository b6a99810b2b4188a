"""An iteration -> the texts of its calls, and the differences that its snapshots show."""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.record.iterations import Iteration
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.events import SessionStarted
from dualgate.display.iteration import Texts
from dualgate.errors import StoreFailed
from dualgate.store.call_files import CALLS, CallText, files_of_call, read_whole_text
from dualgate.store.sessions import snapshot_store
from dualgate.workspace.run_diff import diffs_between
from dualgate.workspace.saved import SavedSnapshots

_DELETED = "no diff: the snapshots of this iteration are deleted"
_NO_STORE = "no diff: the snapshots of this project are missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSource:
    """The session of an iteration, and where its snapshots are found."""

    folder: Path
    project: Path
    environment: Mapping[str, str]
    redactor: Redactor


def texts_of(source: TextSource, started: SessionStarted, found: Iteration) -> Texts:
    """All texts of an iteration, whole."""
    diffs, why = diffs_of(source, started, found)
    return Texts(
        prompts=tuple(_kept(source, found, CallText.PROMPT)),
        answers=tuple(_kept(source, found, CallText.ANSWER)),
        diffs=diffs,
        no_diff=why,
    )


def _kept(source: TextSource, found: Iteration, name: CallText) -> Iterator[tuple[int, str]]:
    """The texts of the calls, plain or compressed; those that were deleted are left out."""
    for call in found.calls:
        for path in files_of_call(source.folder / CALLS, call.number, name):
            if (text := read_whole_text(path)) is not None:
                yield call.number, text


def diffs_of(source: TextSource, started: SessionStarted, found: Iteration) -> tuple[tuple[FileDiff, ...] | None, str]:
    """The changes of an iteration by its snapshots; None and the reason if these are missing."""
    store = snapshot_store(source.project, source.environment)
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
    return source.redactor.value(diffs), ""
