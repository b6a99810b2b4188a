"""Fields of one packet -> contradictions between them: counts, statuses, and the fields of the last subtask."""

from collections.abc import Mapping
from typing import Any

from dualgate.core.said.packets.packet import PacketPhase, PacketStatus
from dualgate.core.said.packets.report import Code, Report
from dualgate.core.values.fix_request import FixSeverity


def check_packet(fields: Mapping[str, Any], report: Report) -> None:
    match fields["Phase"]:
        case PacketPhase.CODE_REVIEW:
            _check_counts(fields, report)
        case PacketPhase.ARCHITECTURE:
            _check_subtask(fields, report)
        case PacketPhase.DOCUMENTATION:
            _check_modules(fields, report)
            _check_last_subtask(fields, report)
    severities = [request["severity"] for request in fields.get("FixRequest", ())]
    blocking = len(severities) - severities.count(FixSeverity.MINOR)
    if blocking and fields["Status"] == PacketStatus.PASSED:
        message = f"Status is passed in spite of {blocking} critical or major FixRequests"
        report.warn(Code.STATUS_MISMATCH, message, "Status")


def _check_counts(fields: Mapping[str, Any], report: Report) -> None:
    """Compare the counts; a minor finding may be listed, requested, or both, so its count has a range."""
    severities = [request["severity"] for request in fields["FixRequest"]]
    listed = len(fields.get("Minor Issues", ()))
    for severity, beside in ((FixSeverity.CRITICAL, 0), (FixSeverity.MAJOR, 0), (FixSeverity.MINOR, listed)):
        name, requested = severity.capitalize(), severities.count(severity)
        said, least, most = fields["Issues Found"][name], max(requested, beside), requested + beside
        if not least <= said <= most:
            held = least if said < least else most
            message = f"Issues Found says {name}: {said}, but the packet has {held}"
            report.warn(Code.COUNT_MISMATCH, message, f"Issues Found.{name}")


def _check_subtask(fields: Mapping[str, Any], report: Report) -> None:
    name, status = "Integration Subtask", fields["Status"]
    said, given = status == PacketStatus.INTEGRATION_SUBTASK_CREATED, name in fields
    if said and not given:
        report.error(Code.MISSING_FIELD, f"{name} is missing, and Status says that one was created", name)
    if given and not said:
        report.warn(Code.STATUS_MISMATCH, f"Status is {status}, but there is an {name}", "Status")


def _check_modules(fields: Mapping[str, Any], report: Report) -> None:
    said, listed = fields["Modules affected"]["count"], len(fields["Modules affected"]["modules"])
    if said != listed:
        message = f"Modules affected says {said} and lists {listed}"
        report.warn(Code.COUNT_MISMATCH, message, "Modules affected")


def _check_last_subtask(fields: Mapping[str, Any], report: Report) -> None:
    is_last = fields["Last subtask"]
    for name in ("Module Documentation", "Root Documentation"):
        if is_last and not fields.get(name):
            report.error(Code.MISSING_FIELD, f"{name} is missing, and this is the last subtask", name)
        if fields.get(name) and not is_last:
            report.warn(Code.STATUS_MISMATCH, f"{name} belongs to the last subtask only", name)
