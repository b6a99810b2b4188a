"""The formats of a report, each with its writer. The writers are imported when they are used."""

from collections.abc import Callable, Mapping

from dualgate.core.report.values import Report
from dualgate.core.values.vocabulary import ReportFormat


def _html(report: Report) -> str:
    from dualgate.display.report.html import report_html

    return report_html(report)


def _markdown(report: Report) -> str:
    from dualgate.display.report.markdown import report_markdown

    return report_markdown(report)


def _json(report: Report) -> str:
    import json

    from dualgate.core.report.document import report_document

    return f"{json.dumps(report_document(report))}\n"


FORMATS: Mapping[ReportFormat, Callable[[Report], str]] = {
    ReportFormat.HTML: _html,
    ReportFormat.MD: _markdown,
    ReportFormat.JSON: _json,
}
