"""What the fields of one packet say of each other: counts, statuses, and what the last subtask brings along."""

from dualgate.core.said.packets.report import Code, Report
from dualgate.core.said.packets.values import (
    ArchitectureDetails,
    CodeReviewDetails,
    DocumentationDetails,
    Packet,
    PacketStatus,
)
from dualgate.core.values.fix_request import FixRequest, FixSeverity


def check_packet(packet: Packet, report: Report) -> None:
    match packet.details:
        case CodeReviewDetails() as details:
            _check_counts(details, report)
        case ArchitectureDetails() as details:
            _check_subtask(details, packet.status, report)
        case DocumentationDetails() as details:
            _check_modules(details, report)
            _check_last_subtask(details, report)
    blocking = sum(request.is_blocking for request in packet.fix_requests)
    if blocking and packet.status is PacketStatus.PASSED:
        message = f"Status is passed in spite of {blocking} critical or major FixRequests"
        report.warn(Code.STATUS_MISMATCH, message, "Status")


def _check_counts(details: CodeReviewDetails, report: Report) -> None:
    """Minor findings may be listed, requested, or both, so their number has a range."""
    critical = _number(details.fix_requests, FixSeverity.CRITICAL)
    major = _number(details.fix_requests, FixSeverity.MAJOR)
    minor, listed = _number(details.fix_requests, FixSeverity.MINOR), len(details.minor_issues)
    for name, said, least, most in (
        ("Critical", details.issues.critical, critical, critical),
        ("Major", details.issues.major, major, major),
        ("Minor", details.issues.minor, max(minor, listed), minor + listed),
    ):
        if not least <= said <= most:
            held = least if said < least else most
            message = f"Issues Found says {name}: {said}, but the packet holds {held}"
            report.warn(Code.COUNT_MISMATCH, message, f"Issues Found.{name}")


def _number(requests: tuple[FixRequest, ...], severity: FixSeverity) -> int:
    return sum(request.severity is severity for request in requests)


def _check_subtask(details: ArchitectureDetails, status: PacketStatus, report: Report) -> None:
    said, given = status is PacketStatus.INTEGRATION_SUBTASK_CREATED, details.subtask is not None
    name = "Integration Subtask"
    if said and not given:
        report.error(Code.MISSING_FIELD, f"{name} is missing, and Status says that one was created", name)
    if given and not said:
        report.warn(Code.STATUS_MISMATCH, f"Status is {status}, but there is an {name}", "Status")


def _check_modules(details: DocumentationDetails, report: Report) -> None:
    said, listed = details.modules.count, len(details.modules.modules)
    if said != listed:
        message = f"Modules affected says {said} and lists {listed}"
        report.warn(Code.COUNT_MISMATCH, message, "Modules affected")


def _check_last_subtask(details: DocumentationDetails, report: Report) -> None:
    for name, given in (("Module Documentation", details.module_documents), ("Root Documentation", details.root)):
        if details.last_subtask and not given:
            report.error(Code.MISSING_FIELD, f"{name} is missing, and this is the last subtask", name)
        if given and not details.last_subtask:
            report.warn(Code.STATUS_MISMATCH, f"{name} belongs to the last subtask only", name)
