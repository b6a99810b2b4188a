"""Event <-> one line of JSON. A line names its kind, and the kind names the type.

Format 1 holds the event as it is. Format 2 holds a long one packed (JSON, deflated, in base64), as the results of
thousands of tests make them; the line stays one line, and is there whole or not at all.
"""

import zlib
from dataclasses import dataclass
from typing import Any

import msgspec

from dualgate.core.values import events
from dualgate.core.values.events import Event, TurnEnded
from dualgate.errors import JournalDamaged

PLAIN, PACKED = 1, 2
PACKED_FROM = 1 << 16
"""Bytes of an event above which it is packed: what a person may want to read with other tools is shorter."""
QUICK = 3
KINDS: dict[str, type[Event]] = {
    "session.started": events.SessionStarted,
    "baseline.taken": events.BaselineTaken,
    "call.delayed": events.CallDelayed,
    "call.started": events.CallStarted,
    "call.ended": events.CallEnded,
    "agent.switched": events.AgentSwitched,
    "question.asked": events.QuestionAsked,
    "leftovers.ended": events.LeftoversEnded,
    "run.rested": events.RunRested,
    "tree.settled": events.TreeSettled,
    "suite.started": events.SuiteStarted,
    "suite.ended": events.SuiteEnded,
    "amendment.tried": events.AmendmentTried,
    "amendment.decided": events.AmendmentDecided,
    "turn.ended": TurnEnded,
    "phase.proven_again": events.ProvenAgain,
    "person.edited": events.PersonEdited,
    "call.interrupted": events.CallInterrupted,
    "session.paused": events.SessionPaused,
    "session.resumed": events.SessionResumed,
    "session.failed": events.SessionFailed,
    "session.halted": events.SessionHalted,
    "session.reset": events.SessionReset,
    "phase.skipped": events.PhaseSkipped,
    "session.aborted": events.SessionAborted,
    "guidance.given": events.GuidanceGiven,
    "request.refused": events.RequestRefused,
    "breaker.cooled": events.BreakerCooled,
}
NAMES = {event: name for name, event in KINDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An event in its place: `seq` counts from 1 without a gap, `epoch` is that of the owner who wrote it."""

    seq: int
    epoch: int
    event: Event
    before: str = ""
    """The digest of the line before; lines of older versions have none."""


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


def encode(record: Record) -> bytes:
    """The line of an event as it is."""
    return _line(PLAIN, record, {"data": record.event})


def pack(record: Record, encoded: bytes = b"") -> bytes:
    """The line of an event as the journal keeps it; `encoded` is the event's JSON where that is known already."""
    data = encoded or encode_json(record.event)
    if len(data) < PACKED_FROM:
        return _line(PLAIN, record, {"data": msgspec.Raw(data)})
    return _line(PACKED, record, {"packed": zlib.compress(data, QUICK)})


def _line(number: int, record: Record, content: dict[str, Any]) -> bytes:
    head = {"format": number, "seq": record.seq, "epoch": record.epoch, "kind": NAMES[type(record.event)]}
    chain = {"before": record.before} if record.before else {}
    return encode_json(head | chain | content) + b"\n"


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
        outer = _outer(line)
        data = zlib.decompress(outer.packed) if outer.format == PACKED else outer.data
        event = _DECODERS[outer.kind].decode(data)
    except KeyError as error:
        raise JournalDamaged(f"unknown kind of event {error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, zlib.error) as error:
        raise JournalDamaged(str(error)) from error
    return Record(seq=outer.seq, epoch=outer.epoch, event=event, before=outer.before)


def _outer(line: bytes) -> _Line:
    try:
        outer = _LINE.decode(line)
    except msgspec.MsgspecError:
        # a newer line may have another form altogether, and then that is what is wrong with it
        _refuse_unknown(_FORMAT.decode(line).format)
        raise
    _refuse_unknown(outer.format)
    return outer


def _refuse_unknown(number: int) -> None:
    if number > PACKED:
        raise JournalDamaged(
            f"format {number} was written by a newer dualgate; this one reads formats up to {PACKED}",
            "Nothing was changed. Use the newer dualgate for this session.",
        )
    if number < PLAIN:
        raise JournalDamaged(f"format {number} is none that was ever written")


_FORMAT = msgspec.json.Decoder(_Format)
_LINE = msgspec.json.Decoder(_Line)
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {name: msgspec.json.Decoder(event) for name, event in KINDS.items()}
