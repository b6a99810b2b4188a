"""Packet -> text, in the form of the document, and as plain values under its names."""

from collections.abc import Iterator
from typing import Any

from dualgate.core.said.packets.grammar import CLOSING, COMMON, TABLES
from dualgate.core.said.packets.reading import typed_packet
from dualgate.core.said.packets.records import Field
from dualgate.core.said.packets.values import Packet


def emit_packet(packet: Packet) -> str:
    """The packet in its exact form. What cannot be written so that it reads the same is our own mistake, and raises."""
    text = "\n".join(_lines(packet))
    if typed_packet(text) != packet:
        raise ValueError("this packet holds a value that its form cannot carry, such as a line break or an empty text")
    return text + "\n"


def packet_fields(packet: Packet) -> dict[str, object]:
    """The packet as JSON has it, by the document's own names."""
    return {field.name: field.shape.plain(value) for field, value in _values(packet)}


def _lines(packet: Packet) -> Iterator[str]:
    for field, value in _values(packet):
        first, *rest = field.shape.write(value)
        key = f"{field.name} {field.hint}" if field.hint else field.name
        yield from ("",) if field.gap else ()
        yield f"{key}: {first}" if first else f"{key}:"
        yield from rest


def _values(packet: Packet) -> Iterator[tuple[Field, Any]]:
    details = type(packet.details)
    for field in (*COMMON, *TABLES[details], *CLOSING):
        value = getattr(packet.details if field in TABLES[details] else packet, field.attribute)
        if value is not None:
            yield field, value
