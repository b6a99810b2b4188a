"""The options and help of dualgate dashboard. The action is imported when the command is called."""

from pathlib import Path

import click


@click.command("dashboard")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="HOST", help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help="The port. Default: 8765, or the next free one."
)
@click.option(
    "--sessions",
    "folders",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Show the sessions in this folder too. Repeatable.",
)
@click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="Another name under which browsers reach this server. Repeatable.",
)
@click.option("--allow-control", is_flag=True, help="Let whoever has the token pause, guide and end runs.")
@click.option("--open/--no-open", "opens", default=False, show_default=True, help="Open the page in a browser.")
def dashboard_command(
    host: str, port: int | None, folders: tuple[Path, ...], hosts: tuple[str, ...], allow_control: bool, opens: bool
) -> int:
    """Show every session of this machine in a browser, live.

    It reads the journals and writes into no session. It needs: pip install 'dualgate[web]'
    """
    from dualgate.cli.dashboard_action import Wanted, serve_dashboard

    return serve_dashboard(
        Wanted(host=host, port=port, folders=folders, hosts=hosts, allow_control=allow_control, opens=opens)
    )
