"""text -> packets. Any text gives an answer; what is wrong with a packet is said, and an invalid one has no value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualgate.core.said.packets.checks import check_packet
from dualgate.core.said.packets.dependencies import check_fix_requests
from dualgate.core.said.packets.grammar import (
    ANY_WORDS,
    CLOSING,
    COMMON,
    DECISION,
    REFACTORINGS,
    REQUESTS,
    TABLES,
    WORDS,
)
from dualgate.core.said.packets.records import build, gathered, read_fields
from dualgate.core.said.packets.report import Code, Report
from dualgate.core.said.packets.sections import NOTES, Section, cut
from dualgate.core.said.packets.stretches import START, Stretch, find_stretches, phase_word
from dualgate.core.said.packets.values import PHASES, Details, Packet, PacketPhase
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.problems import Problem, Reading, is_valid

KIND = "PHASE_PACKET"


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketReading:
    """One packet of a text: `fields` is what could be read, by the document's names; `packet` only where it is valid.

    `complete` tells whether it has come to its Notes.
    """

    line: int
    complete: bool
    packet: Packet | None
    fields: Mapping[str, object]
    problems: tuple[Problem, ...]
    phase: PacketPhase | None = None
    requests: tuple[FixRequest, ...] = ()
    """The FixRequests as far as they could be read, even where the packet is not valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    line: int
    complete: bool
    packet: Packet | None
    fields: Mapping[str, object]
    requests: tuple[FixRequest, ...]
    report: Report
    phase: PacketPhase | None


def read_packets(text: str | bytes) -> tuple[PacketReading, ...]:
    """Every packet of a text, in order. FixRequests may depend on those of another packet in it."""
    drafts = [_draft(stretch) for stretch in find_stretches(text)]
    everywhere = {request.id for draft in drafts for request in draft.requests}
    return tuple(_finished(draft, everywhere) for draft in drafts)


def read_packet(text: str | bytes) -> PacketReading | None:
    """The last complete packet of a text; where none is complete, the last."""
    return deciding(read_packets(text))


def parse_packet(text: str | bytes, *, strict: bool = False) -> Reading:
    readings = read_packets(text)
    reading = deciding(readings)
    if reading is None:
        return Reading()
    report = Report()
    if reading is not readings[-1]:
        line = readings[-1].line
        report.warn(
            Code.INCOMPLETE_PACKET, f"a later packet, at line {line}, has no Notes and does not count", line=line
        )
    problems = (*reading.problems, *report.problems)
    return Reading(
        kind=KIND,
        valid=is_valid(problems, strict=strict),
        fields=reading.fields,
        problems=problems,
        blocks_found=len(readings),
        line=reading.line,
        complete=reading.complete,
    )


def typed_packet(text: str) -> Packet | None:
    """The packet that a text consists of, whatever its ids depend on."""
    drafts = [_draft(stretch) for stretch in find_stretches(text)]
    return drafts[0].packet if len(drafts) == 1 else None


def deciding(readings: Sequence[PacketReading]) -> PacketReading | None:
    """The last complete one; where none is complete, the last."""
    complete = [reading for reading in readings if reading.complete]
    return next(iter((*complete[-1:], *readings[-1:])), None)


def _draft(stretch: Stretch) -> _Draft:
    report = Report()
    phase = _phase(stretch)
    found = gathered(cut(stretch, WORDS[phase] if phase else ANY_WORDS, report))
    kind = _kind(phase, found, stretch.line, report) if phase else None
    table = (*COMMON, *(TABLES[kind] if kind else ()), *CLOSING)
    values = read_fields(table, found, stretch.line, report)
    packet = _packet(kind, values) if kind else None
    if packet:
        check_packet(packet, report)
    return _Draft(
        line=stretch.line,
        complete=NOTES in found,
        packet=packet,
        fields={f.name: f.shape.plain(values[f.attribute]) for f in table if f.attribute in values},
        requests=values.get(REQUESTS.attribute, ()),
        report=report,
        phase=phase,
    )


def _phase(stretch: Stretch) -> PacketPhase | None:
    start = START.match(stretch.lines[0])
    word = phase_word(start["value"]) if start else ""
    return next((phase for phase in PacketPhase if phase == word), None)


def _kind(phase: PacketPhase, found: Mapping[str, Sequence[Section]], line: int, report: Report) -> type[Details]:
    """What the packet is to hold; REFACTOR alone has two forms."""
    kinds = [kind for kind, its_phase in PHASES.items() if its_phase is phase]
    if DECISION in found and REFACTORINGS in found:
        message = f"{DECISION} says that no refactoring is needed, and {REFACTORINGS} is there too"
        report.error(Code.CONFLICT, message, DECISION, line)
    return kinds[-1] if DECISION in found else kinds[0]


def _packet(kind: type[Details], values: Mapping[str, Any]) -> Packet | None:
    details = build(kind, TABLES[kind], values)
    if details is None or any(field.attribute not in values for field in (*COMMON, *CLOSING)):
        return None
    return Packet(
        status=values["status"],
        test_file=values["test_file"],
        test_command=values["test_command"],
        changed_files=values["changed_files"],
        details=details,
        notes=values["notes"],
    )


def _finished(draft: _Draft, everywhere: set[str]) -> PacketReading:
    problems = (*draft.report.problems, *check_fix_requests(draft.requests, everywhere))
    return PacketReading(
        line=draft.line,
        complete=draft.complete,
        packet=draft.packet if is_valid(problems) else None,
        fields=draft.fields,
        problems=problems,
        phase=draft.phase,
        requests=draft.requests,
    )
