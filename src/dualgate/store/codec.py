"""Event <-> one line of JSON. A line names its kind, and the kind names the type."""

from dataclasses import dataclass
from typing import Any

import msgspec

from dualgate.core import history
from dualgate.core.history import Event
from dualgate.core.machine import TurnEnded
from dualgate.errors import JournalDamaged

FORMAT = 1
KINDS: dict[str, type[Event]] = {
    "session.started": history.SessionStarted,
    "baseline.taken": history.BaselineTaken,
    "call.started": history.CallStarted,
    "call.ended": history.CallEnded,
    "tree.settled": history.TreeSettled,
    "suite.started": history.SuiteStarted,
    "suite.ended": history.SuiteEnded,
    "turn.ended": TurnEnded,
    "session.paused": history.SessionPaused,
    "session.failed": history.SessionFailed,
}
NAMES = {event: name for name, event in KINDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An event in its place: `seq` counts from 1 without a gap, `epoch` is that of the owner who wrote it."""

    seq: int
    epoch: int
    event: Event


class _Line(msgspec.Struct):
    format: int
    seq: int
    epoch: int
    kind: str
    data: msgspec.Raw


def encode(record: Record) -> bytes:
    line = {
        "format": FORMAT,
        "seq": record.seq,
        "epoch": record.epoch,
        "kind": NAMES[type(record.event)],
        "data": record.event,
    }
    return encode_json(line) + b"\n"


def encode_json(value: Any) -> bytes:
    """JSON of any value of ours; half a surrogate pair, which no UTF-8 can hold, is written as its escape."""
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


def decode(line: bytes) -> Record:
    """Read one line; an error says what is wrong with it."""
    try:
        outer = _LINE.decode(line)
        if outer.format > FORMAT:
            raise JournalDamaged(f"format {outer.format} was written by a newer dualgate", "Use that one to read it.")
        event = _DECODERS[outer.kind].decode(outer.data)
    except KeyError as error:
        raise JournalDamaged(f"unknown kind of event {error}") from error
    except msgspec.MsgspecError as error:
        raise JournalDamaged(str(error)) from error
    return Record(seq=outer.seq, epoch=outer.epoch, event=event)


_LINE = msgspec.json.Decoder(_Line)
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {name: msgspec.json.Decoder(event) for name, event in KINDS.items()}
