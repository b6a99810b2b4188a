"""Phase packets: the work report of one phase, with the FixRequests of a review."""

from dualgate.core.said.packets.packet import Packet, PacketPhase, PacketStatus
from dualgate.core.said.packets.packet_text import deciding, emit_packet, parse_packet, read_packet, read_packets
from dualgate.core.values.fix_request import FixRequest

__all__ = [
    "FixRequest",
    "Packet",
    "PacketPhase",
    "PacketStatus",
    "deciding",
    "emit_packet",
    "parse_packet",
    "read_packet",
    "read_packets",
]
