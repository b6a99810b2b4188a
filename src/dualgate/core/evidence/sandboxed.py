"""Tests in the sandbox -> what it refuses them: by the messages of failed ones, and by the Python that runs them."""

import re
from collections.abc import Iterable, Iterator, Sequence

from dualgate.core.values.notation import is_python, listed
from dualgate.core.values.suite import Suite

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
_STORES = {
    "cargo": "~/.cargo/registry",
    "go": "~/go/pkg/mod",
    "gotestsum": "~/go/pkg/mod",
    "mvn": "~/.m2/repository",
    "mvnw": "~/.m2/repository",
}
"""Programs that keep the packages of all projects in one folder, and that folder."""


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


def closed_packages(suites: Iterable[Suite], project: str, writable: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each place outside the project in which the agent would have to install packages.

    A suite with a set-up command is left out: it runs outside the sandbox whenever the dependencies change.
    """
    opened = (project, *(each.removeprefix("~").rstrip("/") for each in writable))
    programs = dict.fromkeys(suite.command[0] for suite in suites if suite.command and not suite.setup)
    return tuple(filter(None, (_closed(program, opened) for program in programs)))


def _closed(program: str, opened: Sequence[str]) -> str:
    name = program.rpartition("/")[2]
    place = _STORES.get(name, program if program.startswith("/") and is_python(program) else "")
    if not place or any(_is_below(place, folder) for folder in opened):
        return ""
    way = f"allow it with sandbox.writable = [{place!r}]" if name in _STORES else "make an environment in .venv first"
    return (
        f"the agent cannot install packages for {program}: {place} is outside the project, and read-only in the "
        f"sandbox. If the work needs some, {way}, or give a setup command"
    )


def _is_below(place: str, folder: str) -> bool:
    """Whether a place is in a folder; either may be relative to the home folder, which is unknown here."""
    own = place.removeprefix("~")
    above = [own[:end] for end in range(1, len(own) + 1) if own[end : end + 1] in ("", "/")]
    return any(each.endswith(folder) or (own != place and folder.endswith(each)) for each in above)
