"""Final message, Phase -> WorkReport: the content of its packets and its phase block. All of it is a claim."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from dualgate.core.said.blocks.phase_text import read_phase_status
from dualgate.core.said.packets import Packet, PacketPhase, PacketStatus, deciding, read_packets
from dualgate.core.said.packets.grammar import OF_SHORT_USE
from dualgate.core.said.packets.handover import HANDED_OVER, Handover, read_handover
from dualgate.core.said.packets.report import Code
from dualgate.core.said.packets.sections import FIX_REQUEST
from dualgate.core.said.packets.stretches import find_stretches
from dualgate.core.said.review import blocking_findings, gather_fix_requests
from dualgate.core.values.claim import WorkReport
from dualgate.core.values.problems import Found, Problem, Severity
from dualgate.core.values.vocabulary import Phase

# The packet of DOCUMENT is called DOCUMENTATION, QA has two reviews, and BUILD (a task list) needs no packets.
PACKETS: dict[Phase, tuple[PacketPhase, ...]] = {
    Phase.RED: (PacketPhase.RED,),
    Phase.GREEN: (PacketPhase.GREEN,),
    Phase.REFACTOR: (PacketPhase.REFACTOR,),
    Phase.DOCUMENT: (PacketPhase.DOCUMENTATION,),
    Phase.QA: (PacketPhase.CODE_REVIEW, PacketPhase.ARCHITECTURE),
    Phase.BUILD: (),
}
_STATUS = "Status"
_CHANGED = "Changed files"
_ISSUES = "Issues Found"
# a packet may be short: fields that it lacks are no problem
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
    changed = last.fields.get(_CHANGED) if last else None
    passed_on = _handovers(text, [*given.values()] if PACKETS[phase] else [last] if last else [])
    return WorkReport(
        shut=tuple(_shut(statuses)),
        warnings=(*(_missing(found) if phase is Phase.QA else ()), *_packet_errors(given)),
        needs_diagnosis=PacketStatus.NEEDS_DIAGNOSIS in statuses.values(),
        has_packets=bool(given) or phase is not Phase.QA,
        findings=ordered.requests,
        errors=tuple(_request_errors(problems)),
        blocking=max(len(blocking_findings(ordered.requests)), sum(map(_blocking_count, given.values()))),
        no_refactoring=any(each.no_refactoring for each in passed_on),
        changed_files=None if changed is None else tuple(change["file"] for change in changed),
        tests=block.fields.tests if isinstance(block, Found) else None,
        files=block.fields.files if isinstance(block, Found) else None,
        notes="\n".join(each.notes for each in passed_on if each.notes),
        intent=tuple(chain.from_iterable(each.intent for each in passed_on)),
        decisions=tuple(chain.from_iterable(each.decisions for each in passed_on)),
        minor=tuple(chain.from_iterable(each.minor for each in passed_on)),
    )


def _handovers(text: str, packets: Sequence[Packet]) -> list[Handover]:
    """Notes, intent, decisions and minor issues of these packets, which need not be valid."""
    if not packets:
        return []
    stretches = {stretch.line: stretch for stretch in find_stretches(text)}
    return [read_handover(stretches[packet.line]) for packet in packets]


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
    return (f"the answer has no {kind} packet" for kind, packet in found.items() if packet is None)


def _packet_errors(given: dict[PacketPhase, Packet]) -> Iterator[str]:
    for kind, packet in given.items():
        errors = [problem.message for problem in _errors(packet.problems) if not _is_tolerated(problem)]
        more = f"; and {len(errors) - _ERRORS_SHOWN} more" if len(errors) > _ERRORS_SHOWN else ""
        if errors:
            yield f"the {kind} packet has fields that cannot be read: {'; '.join(errors[:_ERRORS_SHOWN])}{more}"


def _is_tolerated(problem: Problem) -> bool:
    """Whether nothing is lost: the field is not filled in, or `read_handover` reads it in any form."""
    return problem.code in (*_UNSAID, Code.PLACEHOLDER) or (
        problem.code == Code.ILLEGAL_VALUE and problem.field in HANDED_OVER
    )


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
