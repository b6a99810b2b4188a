"""text -> Reported: numbers and names in an agent's packet and phase block, which are compared and decide nothing."""

from dualgate.core.said.blocks.found import Found
from dualgate.core.said.blocks.phase_text import read_phase_status
from dualgate.core.said.packets import read_packet
from dualgate.core.said.packets.values import NoRefactoringDetails
from dualgate.core.values.claim import Reported


def read_reported(text: str) -> Reported:
    reading = read_packet(text)
    packet = reading.packet if reading else None
    found = read_phase_status(text)
    status = found.fields if isinstance(found, Found) else None
    return Reported(
        changed_files=tuple(change.file for change in packet.changed_files) if packet else None,
        tests=status.tests if status else None,
        files=status.files if status else None,
        no_refactoring=packet is not None and isinstance(packet.details, NoRefactoringDetails),
    )
