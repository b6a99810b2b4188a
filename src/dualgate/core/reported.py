"""text -> Reported: numbers and names in an agent's packet and phase block, which are compared and decide nothing."""

from dataclasses import dataclass

from dualgate.core.blocks.found import Found
from dualgate.core.blocks.phase_status import CaseCounts, FileCounts
from dualgate.core.blocks.phase_text import read_phase_status
from dualgate.core.packets import read_packet


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What stands beside the RALPH_STATUS block of an answer; None is what was not said in a legal form."""

    changed_files: tuple[str, ...] | None = None
    """Those of the packet."""
    tests: CaseCounts | None = None
    files: FileCounts | None = None
    """Since the session began, as the phase block counts them."""
    no_refactoring: bool = False
    """Whether the packet says that no refactoring is needed."""


NOTHING_REPORTED = Reported()


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
