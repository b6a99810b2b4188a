"""Event <-> one line of JSON. A line names its kind, and the kind names the type.

Lines are written in format 3: the event, with its test results in a separate field (results.py). Formats 1 and 2 can
still be read: the whole event, plain or packed (JSON, deflated, in base64).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from dualgate.core.values.events import KINDS, Event, RunSuspended, TurnEnded
from dualgate.errors import JournalDamaged
from dualgate.store.results import ResultReader, ResultWriter, Stored

PLAIN, PACKED, REFERRING = 1, 2, 3
UNREADABLE = (ValueError, RecursionError)
"""Errors of decoding content that is no JSON of ours: another form, no UTF-8, or nested too deep."""
FORMER_KINDS = {"run.rested": RunSuspended.kind}
"""Kinds of events in older journals -> their kinds now."""
FORMER_NAMES = {"undone": "reverted", "volatile": "unstable_ids", "shifting": "unstable_keys"}
"""Fields of events in older journals -> their names now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An event with its number: `seq` counts from 1 without gaps, `epoch` is the epoch of the owner that wrote it."""

    seq: int
    epoch: int
    event: Event
    before: str = ""
    """The digest of the line before; empty in lines of older versions."""


class _Format(msgspec.Struct):
    format: int


class _Line(msgspec.Struct):
    format: int
    seq: int
    epoch: int
    kind: str
    before: str = ""
    data: msgspec.Raw = msgspec.Raw()
    packed: bytes = b""
    results: dict[str, Stored] = {}


def encode(record: Record) -> bytes:
    """The line of an event including its test results, for other programs."""
    return _line(PLAIN, record, {"data": record.event})


def pack(record: Record) -> bytes:
    """The line of an event as the journal stores it, without references."""
    return stored_line(record, *ResultWriter().taken_out(record.event))


def stored_line(record: Record, event: Event, taken: Mapping[str, Stored]) -> bytes:
    """The line of a record; `event` is its event without the results, `taken` are the results."""
    return _line(REFERRING, record, {"data": event} | ({"results": taken} if taken else {}))


def _line(number: int, record: Record, content: dict[str, Any]) -> bytes:
    head = {"format": number, "seq": record.seq, "epoch": record.epoch, "kind": record.event.kind}
    chain = {"before": record.before} if record.before else {}
    return encode_json(head | chain | content) + b"\n"


def encode_json(value: Any) -> bytes:
    """Encode a value as JSON. A lone surrogate, which UTF-8 cannot hold, is written as its escape."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_printable(msgspec.to_builtins(value)))


def _printable(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case list() | tuple():
            return [_printable(item) for item in value]
        case dict():
            return {_printable(key): _printable(item) for key, item in value.items()}
        case _:
            return value


def decode(line: bytes, results: ResultReader | None = None) -> Record:
    """Read one line. Raises JournalDamaged if it is invalid; `results` resolves references to earlier lines."""
    try:
        outer = _outer(line)
        data = _with_present_names(_unpacked(outer.packed) if outer.format == PACKED else outer.data)
        is_older_turn = outer.kind == TurnEnded.kind and outer.format < REFERRING
        kind = FORMER_KINDS.get(outer.kind, outer.kind)
        event = _decoder(kind).decode(_with_one_report(data) if is_older_turn else data)
    except KeyError as error:
        raise JournalDamaged(f"unknown kind of event {error}") from error
    except UNREADABLE as error:
        raise JournalDamaged(str(error)) from error
    if outer.results:
        event = (results or ResultReader(lambda _: {})).completed(outer.seq, event, outer.results)
    return Record(seq=outer.seq, epoch=outer.epoch, event=event, before=outer.before)


def digest_before(line: bytes) -> str:
    """The digest of the previous line, as stored in this line."""
    return _outer(line).before


def stored_results(line: bytes) -> Mapping[str, Stored]:
    """The results of a line as stored, with their references."""
    try:
        return _outer(line).results
    except UNREADABLE as error:
        raise JournalDamaged(str(error)) from error


def _unpacked(packed: bytes) -> bytes:
    import zlib

    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise JournalDamaged(str(error)) from error


def _with_present_names(data: bytes) -> bytes:
    """Convert an event of an older version to the present names of its fields."""
    text = bytes(data)
    if not any(mark in text for mark in _FORMER_MARKS):
        return data
    return msgspec.json.encode(_renamed(msgspec.json.decode(text)))


def _renamed(value: Any) -> Any:
    match value:
        case list():
            return [_renamed(item) for item in value]
        case dict():
            return {_present_name(key, item): _renamed(item) for key, item in value.items()}
        case _:
            return value


def _present_name(key: str, item: Any) -> str:
    """The name of a field now. Paths and names of a person can be keys too, with other types of values."""
    return FORMER_NAMES.get(key, key) if isinstance(item, bool | list) else key


def _with_one_report(data: bytes) -> bytes:
    """Convert an older turn, whose claim holds the agent's report in two fields, to the current form with one."""
    if b'"reported":' not in bytes(data):
        return data
    turn = msgspec.json.decode(data)
    match turn:
        case {"facts": {"claimed": {"report": dict(first), "reported": dict(second)} as claim}}:
            claim["report"] = first | second
    return msgspec.json.encode(turn)


@cache
def _decoder(kind: str) -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(KINDS[kind])


def _outer(line: bytes) -> _Line:
    try:
        outer = _LINE.decode(line)
    except UNREADABLE:
        # a newer format may have other fields: report the unknown format rather than the fields
        _refuse_unknown(_FORMAT.decode(line).format)
        raise
    _refuse_unknown(outer.format)
    return outer


def _refuse_unknown(number: int) -> None:
    if number > REFERRING:
        raise JournalDamaged(
            f"format {number} was written by a newer dualgate; this one reads formats up to {REFERRING}",
            "Nothing was changed. Use the newer dualgate for this session.",
        )
    if number < PLAIN:
        raise JournalDamaged(f"format {number} is invalid")


_FORMER_MARKS = tuple(f'"{name}":'.encode() for name in FORMER_NAMES)
_FORMAT = msgspec.json.Decoder(_Format)
_LINE = msgspec.json.Decoder(_Line)
