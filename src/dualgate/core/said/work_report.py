"""Final message, Phase -> WorkReport: the content of its packets and its phase block. All of it is a claim."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from dualgate.core.said.blocks.phase_text import read_phase_status
from dualgate.core.said.packets import Packet, PacketPhase, PacketStatus, deciding, read_packets
from dualgate.core.said.packets.grammar import OF_SHORT_USE
from dualgate.core.said.packets.report import Code
from dualgate.core.said.packets.sections import FIX_REQUEST
from dualgate.core.said.review import blocking_findings, gather_fix_requests
from dualgate.core.values.claim import WorkReport
from dualgate.core.values.problems import Found, Problem, Severity
from dualgate.core.values.vocabulary import Phase

# The packet of DOCUMENT is called DOCUMENTATION, QA has two reviews, and BUILD (a task list) has no packets.
PACKETS: dict[Phase, tuple[PacketPhase, ...]] = {
    Phase.RED: (PacketPhase.RED,),
    Phase.GREEN: (PacketPhase.GREEN,),
    Phase.REFACTOR: (PacketPhase.REFACTOR,),
    Phase.DOCUMENT: (PacketPhase.DOCUMENTATION,),
    Phase.QA: (PacketPhase.CODE_REVIEW, PacketPhase.ARCHITECTURE),
    Phase.BUILD: (),
}
_STATUS = "Status"
_ISSUES = "Issues Found"
_UNSAID = frozenset({Code.MISSING_FIELD, Code.EMPTY_FIELD})
_ABOUT_REQUESTS = ("FixRequest", "FR-")
_ERRORS_SHOWN = 5


def read_work_report(text: str, phase: Phase) -> WorkReport:
    """Read the last complete packet of each kind the phase has. Changed files come from the last packet of any kind."""
    packets = read_packets(text)
    found = {kind: deciding([packet for packet in packets if packet.phase is kind]) for kind in PACKETS[phase]}
    given = {kind: packet for kind, packet in found.items() if packet}
    statuses = {kind: _status(packet) for kind, packet in given.items()}
    ordered = gather_fix_requests([*given.values()])
    problems = [*ordered.problems, *chain.from_iterable(packet.problems for packet in given.values())]
    last, block = deciding(packets), read_phase_status(text)
    fields = last.fields if last and last.is_valid else None
    return WorkReport(
        shut=tuple(_shut(statuses)),
        warnings=(*_missing(found), *_packet_errors(given)),
        needs_diagnosis=PacketStatus.NEEDS_DIAGNOSIS in statuses.values(),
        has_packets=bool(given) or not PACKETS[phase],
        findings=ordered.requests,
        errors=tuple(_request_errors(problems)),
        blocking=max(len(blocking_findings(ordered.requests)), sum(map(_blocking_count, given.values()))),
        no_refactoring=fields is not None and "Decision" in fields,
        changed_files=tuple(change["file"] for change in fields["Changed files"]) if fields else None,
        tests=block.fields.tests if isinstance(block, Found) else None,
        files=block.fields.files if isinstance(block, Found) else None,
    )


def _status(packet: Packet) -> PacketStatus | str | None:
    """The status; the error message if it is invalid, None if it is missing."""
    if _STATUS in packet.fields:
        return PacketStatus(packet.fields[_STATUS])
    illegal = [p.message for p in _errors(packet.problems) if p.field == _STATUS and p.code not in _UNSAID]
    return illegal[0] if illegal else None


def _shut(statuses: dict[PacketPhase, PacketStatus | str | None]) -> Iterator[str]:
    for kind, status in statuses.items():
        if isinstance(status, PacketStatus):
            if status is not PacketStatus.PASSED:
                yield f"the {kind} packet says Status: {status}"
        elif status is not None:
            yield f"the {kind} packet: {status}"


def _missing(found: dict[PacketPhase, Packet | None]) -> Iterator[str]:
    return (f"the answer holds no {kind} packet" for kind, packet in found.items() if packet is None)


def _packet_errors(given: dict[PacketPhase, Packet]) -> Iterator[str]:
    for kind, packet in given.items():
        errors = [problem.message for problem in _errors(packet.problems)]
        more = f"; and {len(errors) - _ERRORS_SHOWN} more" if len(errors) > _ERRORS_SHOWN else ""
        if errors:
            yield f"the {kind} packet does not count as one: {'; '.join(errors[:_ERRORS_SHOWN])}{more}"


def _request_errors(problems: Sequence[Problem]) -> Iterator[str]:
    errors = [p.message for p in _errors(problems) if p.field and p.field.startswith(_ABOUT_REQUESTS) and _is_needed(p)]
    return iter(dict.fromkeys(errors[: 2 * _ERRORS_SHOWN]))


def _is_needed(problem: Problem) -> bool:
    """Whether a FixRequest cannot be followed without what is wrong. A short packet need not say that it has none."""
    name = (problem.field or "").rpartition(".")[2]
    return problem.code != Code.MISSING_FIELD or name not in {*OF_SHORT_USE, FIX_REQUEST}


def _errors(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity is Severity.ERROR]


def _blocking_count(packet: Packet) -> int:
    """The count in 'Issues Found', even of an invalid packet; it can be higher than the number of FixRequests."""
    counts = packet.fields.get(_ISSUES)
    if counts is None:
        return sum(request.is_blocking for request in packet.fix_requests)
    return int(counts["Critical"] + counts["Major"])
