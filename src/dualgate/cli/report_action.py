"""The action of report: read the session, then write the page or print a text."""

import os
import webbrowser
from dataclasses import dataclass
from pathlib import Path

from dualgate.agents.command import local_now
from dualgate.cli.output import here, our_redactor, say, say_document
from dualgate.core.report.values import Report
from dualgate.core.values.vocabulary import ReportFormat
from dualgate.display.report.formats import FORMATS
from dualgate.errors import ExitCode
from dualgate.session.reporting import ReportSource, read_report
from dualgate.store.archive import session_named
from dualgate.store.atomic import write_whole
from dualgate.store.reports import report_file
from dualgate.store.sessions import session_folder

STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The format of a report, and where it goes."""

    kind: ReportFormat = ReportFormat.HTML
    output: str | None = None
    opens: bool = False
    for_request: bool = False
    for_commit: bool = False


def show_report(name: str | None, wanted: Wanted) -> int:
    source = session_source(name)
    text = _text(read_report(source, local_now()), wanted, source.project)
    is_page = wanted.kind is ReportFormat.HTML and not (wanted.for_request or wanted.for_commit)
    if wanted.output == STANDARD_OUTPUT or (wanted.output is None and not is_page):
        say_document(text.rstrip("\n"))
        return ExitCode.PROVEN
    path = Path(wanted.output).resolve() if wanted.output else report_file(source.folder, wanted.kind)
    write_whole(path, text.encode("utf-8", "backslashreplace"))
    say(f"Report: {path}")
    if wanted.opens and not webbrowser.open(path.as_uri()):
        say("No browser could be opened.")
    return ExitCode.PROVEN


def _text(report: Report, wanted: Wanted, project: Path) -> str:
    if wanted.for_request:
        from dualgate.display.report.pull_request import pull_request_body

        return pull_request_body(report)
    if wanted.for_commit:
        from dualgate.cli.options import settings_from
        from dualgate.display.report.commit import commit_message
        from dualgate.session.subject_style import style_of

        return commit_message(report, style=style_of(settings_from({}).settings.commit.style, project))
    return FORMATS[wanted.kind](report)


def session_source(name: str | None) -> ReportSource:
    """The session of this name, else that of the current folder."""
    project = here()
    folder, archived = session_folder(project, os.environ), False
    if name is not None:
        found = session_named(folder, name, os.environ)
        folder, archived, project = found.folder, found.archived, Path(found.project or project)
    return ReportSource(
        folder=folder, project=project, environment=os.environ, redactor=our_redactor(), archived=archived
    )
