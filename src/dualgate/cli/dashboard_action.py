"""The action of dashboard: serve the page until it is stopped."""

import asyncio
import os
import secrets
import socket
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.agents.command import local_now
from dualgate.cli.output import our_redactor, say
from dualgate.cli.outside import require_person
from dualgate.errors import ExitCode, SettingError
from dualgate.store.home import sessions_home

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from dualgate.web.admission import Rules
    from dualgate.web.board import Board

NEEDED = ("starlette", "uvicorn", "sse_starlette", "watchfiles")
TOKEN = "DUALGATE_DASHBOARD_TOKEN"
_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of the command."""

    host: str
    port: int | None
    folders: tuple[Path, ...]
    hosts: tuple[str, ...]
    allow_control: bool
    opens: bool


def serve_dashboard(wanted: Wanted) -> int:
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise SettingError(
            f"The dashboard needs the package {missing[0]}, which is not installed.",
            "Install it beside dualgate: pip install 'dualgate[web]'",
        )
    from dualgate.web.app import make_app  # before the address is printed: whoever reads it may ask at once
    from dualgate.web.serving import open_socket

    if wanted.allow_control:
        require_person("dashboard --allow-control", sessions_home(os.environ))
    rules = rules_of(wanted, os.environ)
    with open_socket(wanted.host, wanted.port) as listening:
        _announce(wanted, rules, listening)
        asyncio.run(_serve(wanted, rules, listening, make_app))
    return ExitCode.PROVEN


async def _serve(
    wanted: Wanted, rules: "Rules", listening: socket.socket, make_app: "Callable[[Board], ASGIApp]"
) -> None:
    from dualgate.web.board import make_board
    from dualgate.web.serving import make_server

    folders = tuple(folder.resolve() for folder in wanted.folders)
    board = make_board(rules, os.environ, our_redactor(), local_now, folders)
    server = make_server(make_app(board), board.feed.close)
    board.watcher.at_failure = server.stop
    await server.serve(sockets=[listening])
    if board.watcher.failure is not None:
        raise board.watcher.failure


def rules_of(wanted: Wanted, environment: Mapping[str, str]) -> "Rules":
    from dualgate.web.admission import Rules
    from dualgate.web.peers import is_loopback

    is_private = is_loopback(wanted.host) and not wanted.hosts  # another name means a proxy, and other readers
    return Rules(
        host=wanted.host,
        allowed_hosts=frozenset(name.lower() for name in wanted.hosts),
        token=_token(environment) if wanted.allow_control or not is_private else "",
        reads_with_token=not is_private,
        allows_control=wanted.allow_control,
    )


def _token(environment: Mapping[str, str]) -> str:
    given = environment.get(TOKEN)
    if given is None:
        return secrets.token_urlsafe(32)
    if len(given) < _SHORTEST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise SettingError(f"{TOKEN} is too short or has spaces.", f"Give at least {_SHORTEST_TOKEN} characters.")
    return given


def _announce(wanted: Wanted, rules: "Rules", listening: socket.socket) -> None:
    """Print the address, with the token if there is one: only who reads this may steer."""
    port = listening.getsockname()[1]
    host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
    address = f"http://{host}:{port}/"
    token = f"#token={rules.token}" if rules.token else ""
    print(f"Dashboard: {address}{token}", flush=True)  # not redacted: the token is meant to be read here
    say("Stop it with Ctrl+C; the runs continue.")
    if wanted.opens and not webbrowser.open(address):  # without the token: all users of a machine see command lines
        say("No browser could be opened.")
    elif wanted.opens and rules.token:
        say("The page asks for the token, which is in the address above.")
