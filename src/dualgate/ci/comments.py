"""The one comment of a pull request: found by its first line, and replaced. The token goes to one host only."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dualgate.errors import DualgateError

PATIENCE = 30.0
PAGE = 100
MOST_PAGES = 30
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
BOT = "Bot"


class CommentRefused(DualgateError):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The comments of a pull request."""

    api: str
    repository: str
    number: int
    token: str

    def write(self, body: str, marker: str) -> str:
        """Replace the comment that begins with a marker, or write a new one; returns what was done."""
        found = next(self._written(marker), None)
        if found is None:
            self._call("POST", f"issues/{self.number}/comments", {"body": body})
            return "written"
        if found["body"] == body:
            return "unchanged"
        self._call("PATCH", f"issues/comments/{int(found['id'])}", {"body": body})
        return "replaced"

    def _written(self, marker: str) -> Iterator[Mapping[str, Any]]:
        """Our own comments with the marker: another person may write one too, and theirs are not ours to change."""
        own = self._own_name()
        for comment in self._comments():
            author = comment.get("user") or {}
            is_ours = author.get("login") == own if own else author.get("type") == BOT
            if is_ours and str(comment.get("body") or "").startswith(marker):
                yield comment

    def _own_name(self) -> str:
        """The login of the token's user; empty for the token of a build or an app, which may not ask for it."""
        try:
            return str(self._request("GET", f"{self.api}/user").get("login") or "")
        except CommentRefused:
            return ""

    def _comments(self) -> Iterator[Mapping[str, Any]]:
        for page in range(1, MOST_PAGES + 1):
            found = self._call("GET", f"issues/{self.number}/comments?per_page={PAGE}&page={page}")
            yield from found
            if len(found) < PAGE:
                return

    def _call(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        return self._request(method, f"{self.api}/repos/{self.repository}/{path}", body)

    def _request(self, method: str, address: str, body: Mapping[str, str] | None = None) -> Any:
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise CommentRefused("The address of the API is not https, so the token is not sent to it.")
        request = urllib.request.Request(
            address,
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "User-Agent": "dualgate",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with urllib.request.build_opener(_Staying()).open(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise CommentRefused(f"The API answered {method} with {error.code}.") from None
        except (OSError, ValueError) as error:
            raise CommentRefused(f"The API cannot be reached: {type(error).__name__}.") from None


class _Staying(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go with it."""

    def redirect_request(self, *given: Any) -> None:
        del given
