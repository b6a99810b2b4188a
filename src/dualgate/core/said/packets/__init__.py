"""Phase packets: the work report of one phase, and the FixRequests that carry a review back to work."""

from dualgate.core.said.packets.reading import PacketReading, parse_packet, read_packet, read_packets
from dualgate.core.said.packets.values import Packet, PacketPhase, PacketStatus
from dualgate.core.said.packets.writing import emit_packet, packet_fields
from dualgate.core.values.fix_request import FixRequest

__all__ = [
    "FixRequest",
    "Packet",
    "PacketPhase",
    "PacketReading",
    "PacketStatus",
    "emit_packet",
    "packet_fields",
    "parse_packet",
    "read_packet",
    "read_packets",
]
