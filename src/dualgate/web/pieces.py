"""One iteration, one call, one event -> bounded documents: a large text is shown in part and never read whole."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dualgate.core.record.iterations import Iteration, used_in
from dualgate.core.record.iterations import iterations as iterations_of
from dualgate.core.report.bounding import shortened
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.events import SessionStarted
from dualgate.display.iteration import Texts, iteration_record
from dualgate.errors import SessionMissing
from dualgate.session.iteration_texts import TextSource, diffs_of
from dualgate.store.atomic import opened
from dualgate.store.call_files import CALLS, CallText, Piece, files_of_call, read_piece
from dualgate.store.lines import JOURNAL, Lines
from dualgate.store.reading import read_journal, unreadable

if TYPE_CHECKING:
    from dualgate.web.board import Board
    from dualgate.web.register import Entry

FIRST_PIECE = 64 << 10
LARGEST_PIECE = 256 << 10
LARGEST_EVENT = 256 << 10
MOST_NAMES = 1_000
_BOUNDED = ("test_changes", "reasons", "warnings", "criteria", "checks", "claims", "violations", "changes")
PARTS = {"prompt": CallText.PROMPT, "answer": CallText.ANSWER, "output": CallText.OUTPUT}
Given = Mapping[str, Any]


def iteration(board: "Board", given: Given) -> dict[str, Any]:
    entry = board.register.entry(given["id"])
    started, found = _found(entry.folder, given["n"])
    source = TextSource(
        folder=entry.folder,
        project=Path(started.project),
        environment=board.environment_of(entry),
        redactor=board.redactor,
    )
    diffs, why = diffs_of(source, started, found)
    shown, left_out = _diffs(diffs)
    record = iteration_record(found, Texts(no_diff=why), used_in(found, started.limits.prices))
    bounded = {name: _few(shortened(value)) if name in _BOUNDED else value for name, value in record.items()}
    document = bounded | {
        "prompts": list(_first_pieces(entry.folder, found, CallText.PROMPT)),
        "answers": list(_first_pieces(entry.folder, found, CallText.ANSWER)),
        "diffs": shown,
        "left_out": left_out,
    }
    told: dict[str, Any] = board.redactor.value(document)
    return told


def _found(folder: Path, number: int) -> tuple[SessionStarted, Iteration]:
    events = (record.event for record in read_journal(folder))
    started = next(events, None)
    found = next((each for each in iterations_of(events) if each.number == number), None)
    if found is None or not isinstance(started, SessionStarted):
        raise SessionMissing(f"There is no iteration {number} in this session.", "Its page lists the iterations.")
    return started, found


def _few(value: Any) -> Any:
    """A value whose long lists are cut."""
    if isinstance(value, list):
        return [_few(each) for each in value[:MOST_NAMES]]
    return {name: _few(each) for name, each in value.items()} if isinstance(value, dict) else value


def _diffs(diffs: Sequence[FileDiff] | None) -> tuple[list[dict[str, Any]] | None, int]:
    """As many differences as fit, and the number of the files that are left out."""
    from dualgate.session.reporting import LARGEST_DIFFS, MOST_FILES, fitted_diffs  # the overview needs no report

    if diffs is None:
        return None, 0
    fitted, empty, _ = fitted_diffs(diffs[:MOST_FILES], LARGEST_DIFFS)
    shown = [
        {"path": short.path, "diff": short.diff, "truncated": short.diff != whole.diff}
        for short, whole in zip(fitted, diffs, strict=False)
    ]
    return shown, len(diffs) - len(fitted) + empty


def _first_pieces(folder: Path, found: Iteration, name: CallText) -> Iterator[dict[str, Any]]:
    for call in found.calls:
        if (piece := _piece(folder, call.number, name, 0, FIRST_PIECE)) is not None:
            yield {
                "call": call.number,
                "size": piece.size,
                "text": piece.text,
                "truncated": piece.next is not None,
            }


def _piece(folder: Path, call: int, name: CallText, offset: int, most: int) -> Piece | None:
    found = (read_piece(path, offset, most) for path in files_of_call(folder / CALLS, call, name))
    return next((piece for piece in found if piece is not None), None)


def call_text(board: "Board", given: Given) -> dict[str, Any]:
    entry = board.register.entry(given["id"])
    piece = _piece(entry.folder, given["number"], PARTS[given["part"]], given["offset"], given["limit"])
    if piece is None:
        raise SessionMissing(
            "This text is not kept.", "The files of the oldest calls are deleted; the journal holds the evidence."
        )
    return board.redactor.value({"text": piece.text, "offset": piece.offset, "size": piece.size, "next": piece.next})


def event(board: "Board", given: Given) -> dict[str, Any]:
    """An event as it is in the journal; a large one as the beginning of its line."""
    entry = board.register.entry(given["id"])
    try:
        with opened(entry.folder / JOURNAL) as file:
            line = Lines(entry.folder / JOURNAL, file.fileno()).line(given["seq"])
    except OSError as error:
        raise unreadable(entry.folder, error) from error
    if not line:
        raise SessionMissing(f"There is no event {given['seq']} in this session.")
    is_cut = len(line) > LARGEST_EVENT
    document = {
        "seq": given["seq"],
        "size": len(line),
        "truncated": is_cut,
        "event": None if is_cut else _decoded(line),
        "text": line[:FIRST_PIECE].decode("utf-8", "replace") if is_cut else None,
    }
    return board.redactor.value(document)


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def report_page(board: "Board", entry: "Entry") -> str:
    from dualgate.display.report.html import report_html
    from dualgate.session.reporting import read_report

    return report_html(read_report(board.source_of(entry), board.now()))
