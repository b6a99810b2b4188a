"""text -> Reported: numbers and names in an agent's packet and phase block, which are compared and decide nothing."""

from dualgate.core.said.blocks.found import Found
from dualgate.core.said.blocks.phase_text import read_phase_status
from dualgate.core.said.packets import read_packet
from dualgate.core.values.claim import Reported


def read_reported(text: str) -> Reported:
    packet = read_packet(text)
    fields = packet.fields if packet and packet.is_valid else None
    found = read_phase_status(text)
    status = found.fields if isinstance(found, Found) else None
    return Reported(
        changed_files=tuple(change["file"] for change in fields["Changed files"]) if fields else None,
        tests=status.tests if status else None,
        files=status.files if status else None,
        no_refactoring=fields is not None and "Decision" in fields,
    )
