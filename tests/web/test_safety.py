"""Attacks on the dashboard: other sites, other users, other names, other paths, too much of anything."""

import os
import socket
from pathlib import Path

import pytest

from dualgate.store.lines import JOURNAL
from dualgate.web.admission import HEADERS, LONGEST_ADDRESS, LONGEST_BODY
from dualgate.web.peers import can_tell, is_loopback, user_of_peer
from tests.web.conftest import Serve
from tests.web.serving import Served
from tests.web.test_sessions import name_of

TOKEN = "a-token-that-nobody-guesses"
BEARER = f"Bearer {TOKEN}"
LIVELY = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


def status(served: Served, path: str, method: str = "GET", **headers: str) -> int:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return served.client.request(method, path, headers=sent).status_code


@pytest.mark.parametrize("path", ["/", "/api/overview", "/static/index.html", "/api/nothing", "/metrics"])
def test_every_answer_has_the_headers_of_safety(path: str, serve: Serve) -> None:
    answer = serve().client.get(path)

    assert {name: answer.headers[name] for name in HEADERS if name != "Cache-Control"} == {
        name: value for name, value in HEADERS.items() if name != "Cache-Control"
    }
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "server" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::2]"]
)
def test_another_name_that_points_here_is_refused(host: str, serve: Serve) -> None:
    served = serve()

    assert {status(served, path, host=host) for path in ("/", "/api/overview", "/api/stream")} == {421}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1:1", "[::1]:8765", "dash.example"])
def test_names_of_loopback_and_allowed_names_are_answered(host: str, serve: Serve) -> None:
    assert status(serve(allowed_hosts=frozenset({"dash.example"})), "/api/health", host=host) == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_pages_of_other_origins_are_refused(origin: str, serve: Serve) -> None:
    served = serve(allows_control=True, token=TOKEN)

    assert status(served, "/api/overview", origin=origin) == 403
    assert status(served, "/api/sessions/x/control", "POST", origin=origin, authorization=BEARER) == 403


def test_a_request_from_another_site_is_refused_and_a_link_to_a_page_is_followed(serve: Serve) -> None:
    served = serve()
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}

    assert status(served, "/api/overview", sec_fetch_site="cross-site") == 403
    assert status(served, "/api/overview", sec_fetch_site="same-site") == 403
    assert status(served, "/api/overview", **link) == 403
    assert status(served, "/static/index.html", sec_fetch_site="cross-site", sec_fetch_mode="no-cors") == 403
    assert status(served, "/", **link) == 200
    assert status(served, "/api/overview", sec_fetch_site="same-origin") == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/%2fetc%2fpasswd",
        "/static/index.html%00.js",
        "/api/sessions/..%2f..%2fetc",
        "/api/sessions/%2e%2e/events",
        "/api/sessions/x%00/events",
    ],
)
def test_no_path_leads_out_of_the_known_files(path: str, serve: Serve) -> None:
    assert status(serve(), path) in (400, 404)


def test_a_folder_of_no_session_is_not_reached_by_its_name(recorded: Path, serve: Serve) -> None:
    (recorded / "private").mkdir()
    (recorded / "private" / "file").write_text("x")

    assert status(serve(), "/api/sessions/private") == 404


def test_markup_in_a_session_is_only_ever_json(recorded: Path, serve: Serve) -> None:
    session = name_of(recorded / "rejected")
    (recorded / "rejected" / "calls").mkdir(exist_ok=True)
    (recorded / "rejected" / "calls" / "0001-RED-answer.txt").write_text(LIVELY)

    answer = serve().client.get(f"/api/sessions/{session}/calls/1/answer")

    assert answer.json()["text"] == LIVELY
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_of_a_lively_session_name_holds_nothing_of_it(serve: Serve) -> None:
    served = serve()
    plain = served.client.get("/sessions/x")

    assert served.client.get("/sessions/%3Cscript%3Ealert(1)%3C").content == plain.content
    assert "alert" not in served.client.get("/api/sessions/%3Cscript%3Ealert").text


def test_other_hosts_than_loopback_need_the_token_for_data(recorded: Path, serve: Serve) -> None:
    served = serve(reads_with_token=True, token=TOKEN)
    report = f"/sessions/{name_of(recorded / 'rejected')}/report"
    data = ("/api/overview", "/api/stream", "/metrics", "/api/openapi.json", report)

    assert {status(served, path) for path in data} == {401}
    assert {status(served, path, authorization=f"Bearer {TOKEN}x") for path in data} == {401}
    assert {status(served, path, cookie=f"dualgate_dashboard={TOKEN}x") for path in data} == {401}
    assert status(served, "/api/overview", authorization=BEARER) == 200
    assert status(served, "/") == status(served, "/static/index.html") == 200


def test_a_login_lets_a_browser_read_and_nothing_more(recorded: Path, serve: Serve) -> None:
    served = serve(reads_with_token=True, token=TOKEN, allows_control=True)
    session = name_of(recorded / "rejected")
    assert status(served, "/api/login", "POST", authorization="Bearer wrong") == 401

    answer = served.client.post("/api/login", headers={"Authorization": BEARER})

    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie  # cookies go to other ports of the host too
    assert status(served, "/api/overview") == 200  # the client kept the cookie
    assert status(served, f"/api/sessions/{session}/control", "POST") == 401


def test_control_is_off_until_it_is_allowed(recorded: Path, serve: Serve) -> None:
    session = name_of(recorded / "rejected")
    answer = serve(token=TOKEN).client.post(
        f"/api/sessions/{session}/control", json={"action": "abort"}, headers={"Authorization": BEARER}
    )

    assert answer.status_code == 403
    assert "--allow-control" in answer.json()["error"]["next_step"]


def test_control_needs_the_token_and_a_body_of_json(recorded: Path, serve: Serve) -> None:
    served = serve(token=TOKEN, allows_control=True)
    path = f"/api/sessions/{name_of(recorded / 'rejected')}/control"
    text = {"Authorization": BEARER, "Content-Type": "text/plain"}
    json = text | {"Content-Type": "application/json"}

    assert served.client.post(path, json={"action": "abort"}).status_code == 401
    assert served.client.post(path, content=b'{"action": "abort"}', headers=text).status_code == 415
    assert served.client.post(path, content=b"[1", headers=json).status_code == 400
    assert served.get("/api/overview")["control"] == {"allowed": True, "needs_token": True}


def test_too_long_requests_are_refused(serve: Serve) -> None:
    served = serve(token=TOKEN, allows_control=True)
    large = served.client.post("/api/login", content=b"x" * (LONGEST_BODY + 1))
    endless = served.client.post("/api/login", content=iter([b"x"]))
    padded = served.client.post("/api/login", content=b"x" * 99999, headers={"Content-Length": "99999".zfill(20)})

    assert status(served, f"/api/overview?q={'x' * LONGEST_ADDRESS}") == 414
    assert [each.status_code for each in (large, endless, padded)] == [413] * 3


def test_a_socket_of_another_user_is_refused_unless_it_has_the_token(serve: Serve) -> None:
    served = serve(peer_user=lambda *_: os.getuid() + 1, token=TOKEN, allows_control=True)

    assert status(served, "/api/overview") == status(served, "/") == 403
    assert status(served, "/api/overview", authorization=BEARER) == 200


def test_a_proxy_of_another_user_is_answered_where_reading_needs_the_token(serve: Serve) -> None:
    served = serve(peer_user=lambda *_: os.getuid() + 1, token=TOKEN, reads_with_token=True)

    assert (status(served, "/"), status(served, "/api/overview")) == (200, 401)
    assert status(served, "/api/overview", authorization=BEARER) == 200


def test_a_proxy_may_speak_tls_under_an_allowed_name_only(serve: Serve) -> None:
    served = serve(allowed_hosts=frozenset({"dash.example"}))

    assert status(served, "/api/health", host="dash.example", origin="https://dash.example") == 200
    assert status(served, "/api/health", host="dash.example", origin="https://other.example") == 403
    assert status(served, "/api/health", host="localhost", origin="https://localhost") == 403


def test_a_socket_of_nobody_is_refused(serve: Serve) -> None:
    assert status(serve(peer_user=lambda *_: None), "/api/overview") == 403


@pytest.mark.skipif(not can_tell(), reason="this system has no table of sockets")
@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_the_kernel_tells_whose_socket_it_is(family: socket.AddressFamily, host: str) -> None:
    with socket.socket(family) as listening, socket.socket(family) as peer:
        try:
            listening.bind((host, 0))
        except OSError:
            pytest.skip(f"no {host} here")
        listening.listen()
        peer.connect(listening.getsockname()[:2])

        assert user_of_peer(peer.getsockname()[:2], listening.getsockname()[:2]) == os.getuid()
        assert user_of_peer(("127.0.0.1", 1), listening.getsockname()[:2]) is None


def test_a_table_of_sockets_is_read_with_both_kinds_of_addresses(tmp_path: Path) -> None:
    head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    rest = "01 00000000:00000000 00:00000000 00000000"
    (tmp_path / "tcp").write_text(f"{head}   0: 0100007F:C350 0100007F:223D {rest}  1001\n")
    mapped = "0000000000000000FFFF00000100007F"
    (tmp_path / "tcp6").write_text(f"{head}   0: {mapped}:C351 {mapped}:223D {rest}  1002\n")
    tables = (tmp_path / "tcp", tmp_path / "tcp6", tmp_path / "missing")

    assert user_of_peer(("127.0.0.1", 50000), ("127.0.0.1", 8765), tables) == 1001
    assert user_of_peer(("::ffff:127.0.0.1", 50001), ("127.0.0.1", 8765), tables) == 1002


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, True) for host in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost")),
        *((host, False) for host in ("0.0.0.0", "192.168.1.5", "::", "evil.example")),
    ],
)
def test_loopback_is_known_in_all_its_forms(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_nothing_is_written_into_a_session_folder(recorded: Path, serve: Serve) -> None:
    def files() -> dict[str, tuple[int, int]]:
        found = (path for path in recorded.rglob("*"))
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}

    before, session, served = files(), name_of(recorded / "rejected"), serve()
    for path in ("", "/iterations", "/iterations/1", "/events", "/events/1"):
        served.get(f"/api/sessions/{session}{path}")
    served.client.get(f"/sessions/{session}/report")

    assert files() == before
    assert (recorded / "rejected" / JOURNAL).stat().st_nlink == 1
