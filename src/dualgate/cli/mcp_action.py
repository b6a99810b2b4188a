"""The action of mcp: serve one client until it leaves."""

import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from dualgate.cli.output import our_redactor
from dualgate.errors import ExitCode, SettingError
from dualgate.mcp.desk import Desk

NEEDED = ("mcp", "mcp_types")
"""Packages of the protocol's SDK since its version 2."""


def run_server(root: Path) -> int:
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise SettingError(
            f"The server needs the package {missing[0]}, which is not installed.",
            "Install it beside dualgate: pip install 'dualgate[mcp]'",
        )
    import anyio

    from dualgate.mcp.server import serve

    desk = Desk(root=root.resolve(), environment=os.environ, redactor=our_redactor())
    anyio.run(partial(serve, desk))
    return ExitCode.PROVEN
