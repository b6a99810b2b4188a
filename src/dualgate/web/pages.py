"""The files of the page: package data, sent as they are. No path of a request reaches the file system."""

import mimetypes
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

from dualgate.web.answers import Problem, problem_answer

INDEX = "index.html"
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    content: bytes
    kind: str
    tag: str


@cache
def static_files() -> dict[str, StaticFile]:
    """All files of the page by name."""
    folder = resources.files("dualgate.web") / "static"
    return {each.name: _read(each.name, each.read_bytes()) for each in folder.iterdir() if each.is_file()}


def _read(name: str, content: bytes) -> StaticFile:
    suffix = f".{name.rpartition('.')[2]}"
    kind = KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return StaticFile(content=content, kind=kind, tag=f'"{sha256(content).hexdigest()[:16]}"')


async def page(request: Request) -> Response:
    return _sent(request, INDEX)


async def static(request: Request) -> Response:
    return _sent(request, request.path_params["file"])


def _sent(request: Request, name: str) -> Response:
    found = static_files().get(name)
    if found is None:
        return problem_answer(Problem(status=404, message="There is no such file."))
    headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, headers=headers, media_type=found.kind)
