"""Whether a request may be answered at all: host, origin, user, token and size, before any endpoint sees it."""

import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dualgate.web.answers import Problem, problem_answer
from dualgate.web.peers import End, can_tell, is_loopback, user_of_peer

LONGEST_ADDRESS = 2048
LONGEST_BODY = 64 << 10
_LENGTH_DIGITS = 12
COOKIE = "dualgate_dashboard"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
OPEN_PATHS = ("/static/", "/api/login")
_OWN_SITE = frozenset({"same-origin", "none"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The users, hosts and tokens that may read and change."""

    host: str
    """The host that the server listens on."""
    allowed_hosts: frozenset[str] = frozenset()
    """Other names under which a browser may reach it."""
    token: str = ""
    reads_with_token: bool = False
    """Whether reading needs the token: on every host but loopback."""
    allows_control: bool = False
    user: int = field(default_factory=os.getuid)
    peer_user: Callable[[End, End], int | None] | None = field(default_factory=lambda: _peer_user())

    def is_token(self, given: str) -> bool:
        return bool(self.token) and hmac.compare_digest(given.encode(), self.token.encode())

    @property
    def cookie(self) -> str:
        """The value of the cookie that lets a browser read. It is not the token: other ports of a host get cookies."""
        return hmac.new(self.token.encode(), b"read", "sha256").hexdigest() if self.token else ""

    def is_cookie(self, given: str) -> bool:
        return bool(self.token) and hmac.compare_digest(given.encode(), self.cookie.encode())

    def is_own_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin header is ours. Under an allowed name, a proxy may speak TLS."""
        schemes = ("http", "https") if _host_name(host) in self.allowed_hosts else ("http",)
        return origin in [f"{scheme}://{host}" for scheme in schemes]

    def knows_host(self, given: str, ours: End | None) -> bool:
        """Whether a Host header names this server. Another name is a page of elsewhere that points to this address."""
        name = _host_name(given)
        own = {f"[{host}]" if ":" in host else host.lower() for host in (self.host, ours[0] if ours else self.host)}
        return name in LOOPBACK_NAMES or name in own or name in self.allowed_hosts


def _peer_user() -> Callable[[End, End], int | None] | None:
    return user_of_peer if can_tell() else None


class Counter:
    """How many requests were admitted."""

    def __init__(self) -> None:
        self.admitted = 0


class Admission:
    """ASGI middleware: refuses what the rules do not allow, and adds the headers of safety to every answer."""

    def __init__(self, app: ASGIApp, rules: Rules, counter: Counter) -> None:
        self._app = app
        self._rules = rules
        self._counter = counter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets
            return
        problem = refusal(scope, self._rules)
        if problem is not None:
            await problem_answer(problem)(scope, receive, _with_headers(send))
            return
        self._counter.admitted += 1
        await self._app(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def refusal(scope: Scope, rules: Rules) -> Problem | None:
    """Why a request is not answered; None if it may be."""
    headers = Headers(scope=scope)
    checks = (_size, _host, _site, _user, _reader)
    return next((problem for check in checks if (problem := check(scope, headers, rules))), None)


def _size(scope: Scope, headers: Headers, _rules: Rules) -> Problem | None:
    if len(scope["path"]) + len(scope.get("query_string", b"")) > LONGEST_ADDRESS:
        return Problem(status=414, message="The address is too long.")
    length = headers.get("content-length", "0")
    is_small = length.isdecimal() and len(length) <= _LENGTH_DIGITS and int(length) <= LONGEST_BODY
    if not is_small or "chunked" in headers.get("transfer-encoding", ""):
        return Problem(status=413, message=f"A request has at most {LONGEST_BODY} bytes, and says how many.")
    return None


def _host(scope: Scope, headers: Headers, rules: Rules) -> Problem | None:
    given = headers.getlist("host")
    if len(given) == 1 and rules.knows_host(given[0], scope.get("server")):
        return None
    return Problem(
        status=421,
        message="This server does not have that name.",
        next_step="Open the address that 'dualgate dashboard' printed, or start it with --allow-host NAME.",
    )


def _site(scope: Scope, headers: Headers, rules: Rules) -> Problem | None:
    """Pages of other sites get nothing. A person may follow a link from one to a page of ours."""
    refused = Problem(status=403, message="Pages of other sites may not use this server.")
    origin = headers.get("origin")
    if origin is not None and not rules.is_own_origin(origin, headers["host"]):
        return refused
    site = headers.get("sec-fetch-site", "none")
    is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    is_page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith(("/api/", "/metrics"))
    return None if site in _OWN_SITE or (is_link and is_page) else refused


def _user(scope: Scope, headers: Headers, rules: Rules) -> Problem | None:
    """Session files are for their owner alone, and loopback is open to every user of a machine."""
    peer, ours = scope.get("client"), scope.get("server")
    if rules.peer_user is None or peer is None or ours is None or not is_loopback(peer[0]):
        return None
    if rules.reads_with_token or has_token(headers, rules):
        return None
    if rules.peer_user((peer[0], peer[1]), (ours[0], ours[1])) == rules.user:
        return None
    return Problem(
        status=403,
        message="This dashboard is for the user who started it.",
        next_step="Start your own with: dualgate dashboard",
    )


def _reader(scope: Scope, headers: Headers, rules: Rules) -> Problem | None:
    path = scope["path"]
    is_data = path.startswith(("/api/", "/metrics")) or path.endswith("/report")
    if not rules.reads_with_token or not is_data or path.startswith(OPEN_PATHS):
        return None
    if has_token(headers, rules) or rules.is_cookie(_cookie(headers)):
        return None
    return Problem(
        status=401,
        message="This needs the token of the dashboard.",
        next_step="Open the address that 'dualgate dashboard' printed, with the token in it.",
    )


def has_token(headers: Headers, rules: Rules) -> bool:
    """Whether a request carries the token in its header, which no page of elsewhere can send."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and rules.is_token(given.strip())


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _host_name(given: str) -> str:
    """The name in a Host header, without the port."""
    name, colon, port = given.rpartition(":")
    return (name if colon and port.isdecimal() else given).lower()
