"""CallEnded -> the used shares of usage limits that agents reported."""

from collections.abc import Mapping

from dualgate.core.values.events import CallEnded
from dualgate.core.values.limit_report import LimitReport


def with_report(reports: Mapping[str, LimitReport], event: CallEnded) -> Mapping[str, LimitReport]:
    """The reports with that of a call, if it has one."""
    if not event.answer.limit_use:
        return reports
    return {**reports, event.agent: LimitReport(at=event.at, use=event.answer.limit_use)}
