"""dualgate traces: a session as traces of OpenTelemetry."""

import click

from dualgate.cli.words import complete_sessions
from dualgate.cli.worktree_option import in_worktree, own_file


@click.group("traces")
def traces() -> None:
    """Export sessions as OpenTelemetry traces. With --traces, or otel.endpoint set, a run sends its own."""


@traces.command("export")
@click.argument("name", metavar="[ID]", required=False, shell_complete=complete_sessions)
@click.option(
    "--file",
    "file",
    type=click.Path(),
    callback=own_file,
    metavar="FILE",
    help="Write spans as OTLP JSON; - is standard output.",
)
@click.option("--endpoint", metavar="URL", help="Send spans to this collector, by OTLP over HTTP.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def export(name: str | None, file: str | None, endpoint: str | None, as_json: bool) -> int:
    """Export all spans of a session that have ended. Nothing is run.

    ID is the beginning of a session's id, as 'dualgate sessions' lists them. Without ID it is the session of the
    current folder. Without --file and --endpoint, the collector is otel.endpoint, or OTEL_EXPORTER_OTLP_ENDPOINT.

    Each export gives the same trace and span ids. A file has one span a line and needs no extra.
    """
    if file is not None and endpoint is not None:
        raise click.UsageError("--file and --endpoint are two places; give one of them.")
    if as_json and file == "-":
        raise click.UsageError("--json prints the result; with --file - the spans are printed.")

    from dualgate.cli.traces_action import export_session

    return export_session(name, file, endpoint, as_json)
