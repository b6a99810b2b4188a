"""dualgate report: what a session did, what was proven and what was caught."""

import click

from dualgate.cli.worktree_option import in_worktree, own_file
from dualgate.core.values.vocabulary import ReportFormat


@click.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option(
    "--format",
    "kind",
    type=click.Choice([each.value for each in ReportFormat]),
    default=ReportFormat.HTML.value,
    help="A page (html, the default), Markdown (md) or JSON (json).",
)
@click.option(
    "--output", type=click.Path(), callback=own_file, metavar="FILE", help="Write it there; - is standard output."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@in_worktree
@click.option("--pr", "for_request", is_flag=True, help="Print the body of a pull request, in Markdown.")
@click.option("--commit", "for_commit", is_flag=True, help="Print a commit message with the evidence.")
def report(name: str | None, kind: str, output: str | None, opens: bool, for_request: bool, for_commit: bool) -> int:
    """Report on a session: verdict, criteria, catches, timeline, cost, review and changes. A run can be at work in it.

    ID is the beginning of a session's id, as 'dualgate sessions' lists them; archived sessions and those of other
    projects are found too. Without ID it is the session of the current folder.

    The page is one file that needs no network: report.html in the session folder, unless --output names another.
    Markdown and JSON are printed.
    """
    if for_request and for_commit:
        raise click.UsageError("--pr and --commit are two texts; ask for one of them.")
    if opens and (for_request or for_commit or kind != ReportFormat.HTML or output == "-"):
        raise click.UsageError("--open shows the page; it goes with --format html and a file.")

    from dualgate.cli.report_action import Wanted, show_report

    return show_report(
        name,
        Wanted(kind=ReportFormat(kind), output=output, opens=opens, for_request=for_request, for_commit=for_commit),
    )
