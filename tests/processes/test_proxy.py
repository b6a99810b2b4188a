"""The way out of a sandbox without a network: allowed hosts are reached, others are refused and named."""

import http.server
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import SandboxKind
from dualgate.errors import SandboxUnusable, SettingError
from dualgate.processes.job import Job
from dualgate.processes.proxy import running_proxy, target_of
from dualgate.processes.sandbox import Confinement, require_bwrap
from dualgate.processes.supervisor import Supervisor
from dualgate.session.sandbox import allowed_hosts, choose_sandbox, confinement_of
from dualgate.settings.resolving import resolve
from dualgate.testing import a_control

TARGETS = [
    (b"CONNECT api.example:443 HTTP/1.1\r\n\r\n", ("api.example", 443, True)),
    (b"CONNECT [::1]:8443 HTTP/1.1\r\n\r\n", ("::1", 8443, True)),
    (b"POST http://api.example/v1 HTTP/1.1\r\n\r\n", ("api.example", 80, False)),
    (b"GET http://api.example:8080/ HTTP/1.1\r\n\r\n", ("api.example", 8080, False)),
    (b"GET http://allowed@other.example/ HTTP/1.1\r\n\r\n", ("other.example", 80, False)),
    (b"GET / HTTP/1.1\r\nHost: api.example\r\n\r\n", None),
    (b"GET ftp://api.example/ HTTP/1.1\r\n\r\n", None),
    (b"CONNECT api.example:port HTTP/1.1\r\n\r\n", None),
    (b"\xff\x00 \r\n", None),
    (b"", None),
]


@pytest.mark.parametrize(("head", "target"), TARGETS)
def test_a_request_names_the_host_that_it_wants(head: bytes, target: tuple[str, int, bool] | None) -> None:
    assert target_of(head) == target


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello from outside")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def service() -> Iterator[int]:
    """A service on this machine at 127.0.0.2, which a sandbox does not take for itself."""
    server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


ASKS = """
import sys, urllib.request
for url in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(url, timeout=20).read().decode())
    except OSError as error:
        print(error)
try:
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1], timeout=20)
except OSError as error:
    print("directly:", type(error).__name__)
sys.exit(7)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_in_the_sandbox_only_the_allowed_hosts_are_reached_and_only_through_the_proxy(
    service: int, tmp_path: Path
) -> None:
    try:
        program = require_bwrap(os.environ)
    except SandboxUnusable as error:
        pytest.skip(error.message)
    (tmp_path / "project").mkdir()
    refused: list[str] = []
    urls = (f"http://127.0.0.2:{service}/", "http://elsewhere.example/", "http://elsewhere.example/again")
    with running_proxy(("127.0.0.2",), refused.append) as proxy:
        confinement = Confinement(program=program, project=tmp_path / "project", home=tmp_path, proxy=proxy)
        job = Job(
            argv=(os.path.realpath(sys.executable), "-I", "-S", "-c", ASKS, *urls),
            cwd=tmp_path / "project",
            environment={"PATH": os.environ["PATH"], "HTTPS_PROXY": "http://a-proxy.example"},
            stdout=tmp_path / "stdout",
            stderr=tmp_path / "stderr",
            confined=True,
        )
        supervisor = Supervisor(os.environ)
        with supervisor.confined_by(confinement.wrap):
            ended = supervisor.supervise(job, a_control())

    assert job.stdout.read_text().splitlines() == [
        "hello from outside",
        "HTTP Error 403: Forbidden",
        "HTTP Error 403: Forbidden",
        "directly: URLError",
    ], job.stderr.read_text()
    assert (ended.code, refused) == (7, ["elsewhere.example"])


def test_a_host_that_does_not_answer_and_a_request_for_no_proxy_are_told(tmp_path: Path) -> None:
    with running_proxy(("127.0.0.2",), lambda _: None) as proxy:
        answers = []
        for line in (b"CONNECT 127.0.0.2:1 HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
            with socket.socket(socket.AF_UNIX) as asking:
                asking.connect(str(proxy))
                asking.sendall(line)
                answers.append(asking.recv(4096).split(b"\r\n")[0])

    assert answers == [b"HTTP/1.1 502 Bad Gateway", b"HTTP/1.1 400 Bad Request"]
    assert not proxy.parent.exists()


def test_model_stands_for_the_hosts_of_the_agents_and_the_addresses_that_they_were_given() -> None:
    settings = resolve({}, {"agent": "claude", "qa_agent": "codex"}).settings
    settings = settings.but(sandbox=settings.sandbox.but(hosts=("model", "packages.example")))

    hosts = allowed_hosts(settings, {"ANTHROPIC_BASE_URL": "http://gateway.example:4000/v1"})

    assert {"api.anthropic.com", "api.openai.com", "gateway.example", "packages.example"} <= set(hosts)
    assert "generativelanguage.googleapis.com" not in hosts


def test_who_names_hosts_asks_for_a_sandbox_whatever_the_agent_is(tmp_path: Path) -> None:
    environment = {"DUALGATE_SANDBOX_HOSTS": "model", "PATH": ""}
    settings = resolve(environment, {"agent_command": "my-agent"}).settings

    assert choose_sandbox(settings, tmp_path, environment).kind is SandboxKind.BWRAP


@pytest.mark.parametrize(
    "given", [{"DUALGATE_ENV_UP": "serve"}, {"HTTPS_PROXY": "http://a-proxy.example"}], ids=["services", "a proxy"]
)
def test_hosts_go_neither_with_services_nor_with_another_proxy(given: dict[str, str], tmp_path: Path) -> None:
    environment = {"DUALGATE_SANDBOX": "bwrap", "DUALGATE_SANDBOX_HOSTS": "model", **given}

    with pytest.raises(SettingError):
        confinement_of(resolve(environment, {}).settings, tmp_path, environment)
