"""The options and help of dualgate mcp. The action is imported when the command is called."""

from pathlib import Path

import click


@click.command("mcp")
@click.option(
    "--root",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The project that the tools are for. Default: the current folder.",
)
def mcp_command(root: Path) -> int:
    """Serve the tools verify, tests, check and status to an agent, by the Model Context Protocol.

    It speaks on standard input and output, and needs: pip install 'dualgate[mcp]'
    """
    from dualgate.cli.mcp_action import run_server

    return run_server(root)
