"""Messages of tests that failed in the sandbox -> what it refused them. A guess by words: nothing is run."""

import re
from collections.abc import Iterable, Iterator

from dualgate.core.values.notation import listed

_READ_ONLY = re.compile(r"[^\n]*read-only file ?system[^\n]*|[^\n]*\bEROFS\b[^\n]*", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w.~/-])(?:~|/)[\w.~@+-]*/[^\s'\"`:;,)\]}]+")
_SERVICE = re.compile(
    r"\b(?:docker|podman|containerd)\.sock\b|cannot connect to the docker daemon"
    r"|error while fetching server api version",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"network is unreachable|temporary failure in name resolution|name or service not known|could not resolve host"
    r"|getaddrinfo failed|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|no such host",
    re.IGNORECASE,
)
_SHOWN = 3


def refused_in_sandbox(texts: Iterable[str], project: str, home: str, *, network: bool) -> tuple[str, ...]:
    """A sentence for each kind of thing that the sandbox refused, with the setting that allows it."""
    text = "\n".join(texts)
    return tuple(_sentences(text, project, home, network=network))


def _sentences(text: str, project: str, home: str, *, network: bool) -> Iterator[str]:
    places = tuple(dict.fromkeys(_places(text, project, home)))
    if places:
        yield f"the sandbox makes {listed(places, _SHOWN)} read-only; sandbox.writable allows to write there"
    if _SERVICE.search(text):
        yield "the sandbox hides the sockets of Docker and Podman; run with --sandbox none if the tests need them"
    if not network and _NETWORK.search(text):
        yield "the sandbox has no network; sandbox.network and sandbox.hosts decide about it"


def _places(text: str, project: str, home: str) -> Iterator[str]:
    """Folders outside the project that a message calls read-only, as `sandbox.writable` can name them."""
    found = (path for line in _READ_ONLY.findall(text) for path in _PATH.findall(line))
    for path in (f"{home}{path[1:]}" if path.startswith("~") else path for path in found):
        if path != project and not path.startswith(f"{project}/"):
            folder = path.rpartition("/")[0]
            named = path if folder == home else folder  # the home folder itself would be too much
            yield f"~{named.removeprefix(home)}" if named.startswith(f"{home}/") else named
