"""Each channel delivers a message, or says why it could not, without the secret in its address."""

import http.server
import json
import os
import pty
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from dualgate.core.values.vocabulary import Moment
from dualgate.notify.addresses import Apprise, Webhook
from dualgate.notify.message import Message, NotDelivered
from dualgate.notify.programs import Command, Desktop, Launcher
from dualgate.notify.terminal import Bell
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_control

MESSAGE = Message(
    moment=Moment.HALTED,
    title="dualgate: shop",
    text="halted in GREEN: <b>1 & 1</b>",
    document={"moment": "halted", "text": "dualgate: halted in GREEN"},
)


IMPORTS_OLD_MODULES = pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
"""Apprise imports modules of the standard library that newer versions of Python do not have."""


class _Receiver(http.server.BaseHTTPRequestHandler):
    received: list[dict[str, Any]]
    answer = 200

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).received.append({"path": self.path, "type": self.headers["Content-Type"], "body": json.loads(body)})
        self.send_response(type(self).answer)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[tuple[type[_Receiver], str]]:
    """A web server on loopback, and its address."""
    handler = type("Receiver", (_Receiver,), {"received": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield handler, f"127.0.0.1:{server.server_port}"
        server.shutdown()


def launcher(project: Path, **variables: str) -> Launcher:
    environment = {"PATH": os.environ["PATH"], **variables}
    return Launcher(project=project, supervisor=Supervisor(environment), control=a_control())


def refusal(channel: Any) -> str:
    with pytest.raises(NotDelivered) as caught:
        channel.send(MESSAGE)
    return caught.value.message


def webhook(address: str, **environment: str) -> Webhook:
    return Webhook(address=address, environment=environment, timeout=5)


def test_a_webhook_gets_the_object_by_post(receiver: tuple[type[_Receiver], str]) -> None:
    handler, place = receiver

    webhook("http://$PLACE/hook?key=${KEY}", PLACE=place, KEY="s3").send(MESSAGE)

    assert handler.received == [{"path": "/hook?key=s3", "type": "application/json", "body": MESSAGE.document}]


def test_a_webhook_that_refuses_is_named_by_its_host_alone(receiver: tuple[type[_Receiver], str]) -> None:
    handler, place = receiver
    handler.answer = 403

    assert refusal(webhook(f"http://{place}/services/secret-path")) == "127.0.0.1 answers 403"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:1/secret", "127.0.0.1 cannot be reached: "),
        ("http://127.0.0.1:x/secret", "127.0.0.1 cannot be reached: "),
        ("file:///etc/passwd", "notify.webhook is not an http or https address"),
        ("$CHAT", "notify.webhook names the variable CHAT, which is not set"),
        ("https://", "notify.webhook is not an http or https address"),
        ("cost $5", "notify.webhook is not an http or https address"),
    ],
)
def test_a_webhook_that_cannot_be_reached_says_why(address: str, why: str) -> None:
    said = refusal(webhook(address))

    assert said.startswith(why)
    assert "secret" not in said


@IMPORTS_OLD_MODULES
def test_a_service_of_apprise_gets_title_and_text(receiver: tuple[type[_Receiver], str]) -> None:
    handler, place = receiver

    Apprise(addresses=("json://$PLACE/x",), environment={"PLACE": place}).send(MESSAGE)

    (received,) = handler.received
    assert (received["body"]["title"], received["body"]["message"]) == (MESSAGE.title, MESSAGE.text)
    assert received["body"]["type"] == "warning"


@IMPORTS_OLD_MODULES
def test_addresses_that_apprise_cannot_use_are_named_by_their_number(receiver: tuple[type[_Receiver], str]) -> None:
    handler, place = receiver
    handler.answer = 500

    assert "address 2 of notify.urls is invalid" in refusal(Apprise(addresses=("json://h", "nothing"), environment={}))
    assert "did not accept it" in refusal(Apprise(addresses=(f"json://{place}",), environment={}))


def test_a_command_gets_the_object_on_standard_input(tmp_path: Path) -> None:
    Command(name="notify.command", command="cat > got.json", timeout=5, launcher=launcher(tmp_path)).send(MESSAGE)

    assert json.loads((tmp_path / "got.json").read_text()) == MESSAGE.document


def test_a_command_that_fails_says_how(tmp_path: Path) -> None:
    failing = Command(name="x", command="echo no route >&2; exit 4", timeout=5, launcher=launcher(tmp_path))
    missing = Command(name="x", command="no-such-program", timeout=5, launcher=launcher(tmp_path))

    assert refusal(failing) == "the command exits with 4: no route"
    assert refusal(missing).startswith("the command exits with 127: ")


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    before = psutil.Process().children(recursive=True)
    begun = time.monotonic()

    said = refusal(Command(name="x", command="sleep 60 & sleep 60", timeout=1, launcher=launcher(tmp_path)))

    assert said == "the command did not end within 1 s and was stopped"
    assert time.monotonic() - begun < 30
    assert [each for each in psutil.Process().children(recursive=True) if each not in before] == []


def test_a_stopped_run_stops_a_command(tmp_path: Path) -> None:
    stopping = a_control()
    stopping.cancel.set()  # type: ignore[attr-defined]
    stopped = Launcher(project=tmp_path, supervisor=Supervisor(os.environ), control=stopping)

    assert "stopped" in refusal(Command(name="x", command="true", timeout=5, launcher=stopped))


@pytest.mark.parametrize(("platform", "program"), [("linux", "notify-send"), ("darwin", "osascript")])
def test_the_desktop_is_notified_by_its_own_program(tmp_path: Path, platform: str, program: str) -> None:
    (tmp_path / "bin").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    told = tmp_path / "told"
    script = tmp_path / "bin" / program
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}\n')
    script.chmod(0o755)

    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    Desktop(timeout=5, launcher=launcher(project, PATH=path), platform=platform).send(MESSAGE)

    said = told.read_text()
    assert MESSAGE.title in said
    assert ("&lt;b&gt;1 &amp; 1" in said) is (platform == "linux")
    assert (MESSAGE.text in said) is (platform == "darwin")


def test_a_notifier_of_the_project_is_never_started(tmp_path: Path) -> None:
    fake = tmp_path / "notify-send"
    fake.write_text("#!/bin/sh\ntouch started\n")
    fake.chmod(0o755)

    said = refusal(Desktop(timeout=5, launcher=launcher(tmp_path, PATH=str(tmp_path)), platform="linux"))

    assert said == "the program notify-send is missing; install libnotify (Debian: libnotify-bin)"
    assert not (tmp_path / "started").exists()


def test_the_bell_rings_in_a_terminal_and_says_where_there_is_none(tmp_path: Path) -> None:
    terminal, device = pty.openpty()

    Bell(device=os.ttyname(device)).send(MESSAGE)

    assert os.read(terminal, 10) == b"\a"
    assert refusal(Bell(device=str(tmp_path / "missing" / "tty"))) == "this process has no terminal"
