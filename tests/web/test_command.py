"""dualgate dashboard, as a user starts it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from dualgate.cli.dashboard_action import TOKEN, Wanted, rules_of
from dualgate.errors import SettingError
from dualgate.web.serving import PORT, open_socket

SOURCE = Path(__file__).parents[2] / "src"
LIMIT = 30
Start = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts a dashboard, and returns it with its address."""
    with ExitStack() as running:

        def started(*words: str, **variables: str) -> tuple[subprocess.Popen[str], str]:
            command = [sys.executable, "-m", "dualgate", "dashboard", *words]
            process = running.enter_context(
                subprocess.Popen(command, env=environment | variables, stdout=subprocess.PIPE, text=True)
            )
            running.callback(process.kill)
            assert process.stdout is not None
            return process, process.stdout.readline().split()[-1]

        yield started


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_well_although_a_stream_is_open(number: signal.Signals, start: Start) -> None:
    process, address = start("--port", "0")
    with httpx.stream("GET", f"{address}api/stream", timeout=LIMIT, trust_env=False) as stream:
        assert stream.status_code == 200
        process.send_signal(number)
        assert process.wait(LIMIT) == 0


def test_control_has_a_token_in_the_printed_address(start: Start) -> None:
    given = "a-token-of-sixteen-characters"
    _, address = start("--port", "0", "--allow-control", **{TOKEN: given})
    page, _, token = address.partition("#token=")

    control = httpx.get(f"{page}api/overview", trust_env=False, timeout=LIMIT).json()["control"]

    assert (token, control) == (given, {"allowed": True, "needs_token": True})


def test_the_next_free_port_is_taken_if_none_is_given() -> None:
    with open_socket("127.0.0.1", None) as one, open_socket("127.0.0.1", None) as other:
        ports = [each.getsockname()[1] for each in (one, other)]

    assert ports[0] != ports[1]
    assert min(ports) >= PORT


def test_a_port_that_is_taken_is_an_error_with_a_way_out() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SettingError, match="Address already in use") as error:
            open_socket("127.0.0.1", taken.getsockname()[1])

    assert "--port" in error.value.next_step


def test_a_host_that_is_not_of_this_machine_is_an_error() -> None:
    for host in ("192.0.2.1", "no such host"):
        with pytest.raises(SettingError, match="Cannot listen"):
            open_socket(host, 0)


@pytest.mark.parametrize(
    ("host", "control", "has_token", "reads_with_token"),
    [
        ("127.0.0.1", False, False, False),
        ("::1", False, False, False),
        ("127.0.0.1", True, True, False),
        ("0.0.0.0", False, True, True),
        ("192.168.1.5", True, True, True),
    ],
)
def test_a_token_is_made_where_one_is_needed(host: str, control: bool, has_token: bool, reads_with_token: bool) -> None:
    wanted = Wanted(host=host, port=None, folders=(), hosts=(), allow_control=control, opens=False)

    first, second = rules_of(wanted, {}), rules_of(wanted, {})

    assert (bool(first.token), first.reads_with_token) == (has_token, reads_with_token)
    assert not has_token or (first.token != second.token and len(first.token) > 40)


def test_another_name_means_that_reading_needs_the_token() -> None:
    wanted = Wanted(host="127.0.0.1", port=None, folders=(), hosts=("Dash.example",), allow_control=False, opens=False)

    rules = rules_of(wanted, {})

    assert (bool(rules.token), rules.reads_with_token, set(rules.allowed_hosts)) == (True, True, {"dash.example"})


@pytest.mark.parametrize("given", ["short", "", "with a space in the middle of it", "ünïcode-ünïcode-ünïcode"])
def test_a_weak_token_is_refused(given: str) -> None:
    wanted = Wanted(host="0.0.0.0", port=None, folders=(), hosts=(), allow_control=True, opens=False)

    with pytest.raises(SettingError, match=TOKEN):
        rules_of(wanted, {TOKEN: given})


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    for path in (Path(name) for name in sys.path if name.endswith("site-packages")):
        for each in path.iterdir():
            if not each.name.startswith(("starlette", "uvicorn")) and not (packages / each.name).exists():
                (packages / each.name).symlink_to(each)
    code = f"import sys; sys.path[:0] = [{str(SOURCE)!r}, {str(packages)!r}]; from dualgate.__main__ import main"

    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{code}; sys.exit(main())", "dashboard"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.endswith("Install it beside dualgate: pip install 'dualgate[web]'\n")


@pytest.mark.parametrize("words", [["--version"], ["dashboard", "--help"], ["status", "--help"]])
def test_other_commands_do_not_load_the_server(words: list[str]) -> None:
    code = "import sys; from dualgate.__main__ import main; main(); print(*sys.modules)"

    out = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout

    assert not {"starlette", "uvicorn", "watchfiles", "sse_starlette", "asyncio", "dualgate.web"} & set(out.split())


def test_a_browser_is_opened_without_the_token_since_all_users_see_command_lines(tmp_path: Path, start: Start) -> None:
    seen = tmp_path / "seen"
    os.mkfifo(seen)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {seen}\n')
    browser.chmod(0o700)

    _, address = start("--port", "0", "--allow-control", "--open", BROWSER=f"{browser} %s")

    assert "#token=" in address
    assert seen.read_text().strip() == address.partition("#")[0]
