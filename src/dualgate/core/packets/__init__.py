"""Phase packets: the work report of one phase, and the FixRequests that carry a review back to work."""

from dualgate.core.packets.fix_request import FixRequest
from dualgate.core.packets.packet import Packet, PacketPhase, PacketStatus
from dualgate.core.packets.packet_text import deciding, emit_packet, parse_packet, read_packet, read_packets

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
