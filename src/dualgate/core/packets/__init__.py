"""Phase packets: the work report of one phase, and the FixRequests that carry a review back to work."""

from dualgate.core.packets.fix_request import FixRequest
from dualgate.core.packets.reading import PacketReading, parse_packet, read_packet, read_packets
from dualgate.core.packets.values import Packet, PacketPhase, PacketStatus
from dualgate.core.packets.writing import emit_packet, packet_fields

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
