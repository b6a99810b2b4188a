"""text <-> packets. Reading never raises; errors in a packet are reported and make it invalid."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dualgate.core.said.packets.checks import check_packet
from dualgate.core.said.packets.dependencies import check_fix_requests
from dualgate.core.said.packets.fields import RequestBlocks, gathered, is_whole, read_fields
from dualgate.core.said.packets.grammar import ANY_KEYS, DECISION, KEYS, REFACTORINGS, SHORT_REQUEST, Table, table_for
from dualgate.core.said.packets.packet import Packet, PacketPhase
from dualgate.core.said.packets.report import Code, Report
from dualgate.core.said.packets.sections import FIX_REQUEST, NOTES, Section, cut
from dualgate.core.said.packets.stretches import Stretch, find_stretches
from dualgate.core.values.fix_request import fix_request
from dualgate.core.values.problems import Reading, is_valid

KIND = "PHASE_PACKET"
MOST_PACKETS = 200
"""No answer holds this many packets; earlier ones are a log and are not read."""
_REQUESTS = RequestBlocks(block=SHORT_REQUEST)
_CANNOT_CARRY = "this packet lacks a field, or has a value that its form cannot contain, such as a line break"


def read_packets(text: str | bytes) -> tuple[Packet, ...]:
    """The packets of a text, in order. FixRequests may depend on FixRequests of another packet in the text."""
    return _packets(find_stretches(text))


def _packets(stretches: Sequence[Stretch]) -> tuple[Packet, ...]:
    packets = [_read_stretch(stretch) for stretch in stretches[-MOST_PACKETS:]]
    everywhere = {request.id for packet in packets for request in packet.fix_requests}
    return tuple(
        replace(packet, problems=(*packet.problems, *check_fix_requests(packet.fix_requests, everywhere)))
        for packet in packets
    )


def read_packet(text: str | bytes) -> Packet | None:
    return deciding(read_packets(text))


def deciding(packets: Sequence[Packet]) -> Packet | None:
    """The last complete packet; the last packet if none is complete."""
    complete = [packet for packet in packets if packet.complete]
    return next(iter((*complete[-1:], *packets[-1:])), None)


def parse_packet(text: str | bytes, *, strict: bool = False) -> Reading:
    stretches = find_stretches(text)
    packets = _packets(stretches)
    packet = deciding(packets)
    if packet is None:
        return Reading()
    report = Report()
    if packet is not packets[-1]:
        line = packets[-1].line
        message = f"a later packet, at line {line}, has no Notes and does not count"
        report.warn(Code.INCOMPLETE_PACKET, message, line=line)
    problems = (*packet.problems, *report.problems)
    return Reading(
        kind=KIND,
        valid=is_valid(problems, strict=strict),
        fields=packet.fields,
        problems=problems,
        blocks_found=len(stretches),
        line=packet.line,
        complete=packet.complete,
    )


def emit_packet(fields: Mapping[str, Any]) -> str:
    """The packet in its exact form. It is read back as a check: illegal fields raise ValueError."""
    table = table_for(PacketPhase(fields.get("Phase", "")), fields)
    try:
        text = "\n".join(_lines(table, fields))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(_CANNOT_CARRY) from error
    read = [_read_stretch(stretch).fields for stretch in find_stretches(text)]
    if read != [fields] or not is_whole(table, fields):
        raise ValueError(_CANNOT_CARRY)
    return text + "\n"


def _read_stretch(stretch: Stretch) -> Packet:
    """Read one packet without checking the dependencies of its FixRequests."""
    report = Report()
    phase = stretch.phase
    found = gathered(cut(stretch, KEYS[phase] if phase else ANY_KEYS, report))
    if phase and DECISION in found and REFACTORINGS in found:
        message = f"{DECISION} says that no refactoring is needed, and {REFACTORINGS} is there too"
        report.error(Code.CONFLICT, message, DECISION, stretch.line)
    table = table_for(phase, found)
    fields = read_fields(table, found, Section(report=report, line=stretch.line))
    if is_whole(table, fields):
        check_packet(fields, report)
    return Packet(
        line=stretch.line,
        complete=NOTES in found,
        phase=phase,
        fields=fields,
        fix_requests=tuple(map(fix_request, _REQUESTS.readable(found.get(FIX_REQUEST, ())))),
        problems=report.problems,
    )


def _lines(table: Table, fields: Mapping[str, Any]) -> Iterator[str]:
    for field in table:
        if field.name in fields:
            first, *rest = field.form.write(fields[field.name])
            key = f"{field.name} {field.hint}" if field.hint else field.name
            yield from ("",) if field.gap else ()
            yield f"{key}: {first}" if first else f"{key}:"
            yield from rest
