"""Open a pull request with `gh`, or a merge request with `glab`. Its text goes through a file, never a command line."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from dualgate.errors import RequestFailed
from dualgate.processes.bounded import Ended, run_bounded
from dualgate.processes.outside import path_outside
from dualgate.workspace.git_writing import said_by, writing_environment
from dualgate.workspace.pushing import Remote

PATIENCE = 120.0
QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_PROMPT": "1", "NO_COLOR": "1", "CLICOLOR": "0"}
JSON = ("--header", "Content-Type: application/json")
DRAFT = "Draft: "


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """The text of a request, and its branches."""

    branch: str
    base: str
    """Empty for the main branch of the host."""
    title: str
    body: Path
    """The file with the text."""
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeHost:
    """A program that knows a code host."""

    program: str
    sign: str
    """A part of the names of its hosts."""
    find: Callable[["Calls", PullRequest], str]
    """The address of the open request of a branch; empty if there is none."""
    create: Callable[["Calls", PullRequest], str]
    """Opens a request, and returns its address."""
    command: Callable[[PullRequest], Sequence[str]]
    """The command with which a person opens the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Runs the program of a code host in a work tree."""

    program: str
    root: Path
    environment: Mapping[str, str]

    def __call__(self, *words: str, given: bytes = b"") -> str:
        """Its output. Raises RequestFailed with its last lines if it fails."""
        ended = self.tried(*words, given=given)
        if ended.code != 0:
            how = "did not end in time" if ended.code is None else f"exits with {ended.code}"
            name = Path(self.program).name
            raise RequestFailed(
                f"'{name} {' '.join(words[:2])}' {how}.{said_by(ended.err or ended.out)}",
                f"Check the login: {name} auth status. Then again: dualgate pr",
            )
        return ended.out.decode("utf-8", "replace")

    def tried(self, *words: str, given: bytes = b"") -> Ended:
        environment = {**writing_environment(self.environment), **QUIET}
        return run_bounded([self.program, *words], self.root, environment, PATIENCE, given)


def find_host(remote: Remote, root: Path, environment: Mapping[str, str]) -> tuple[CodeHost, Calls] | None:
    """The code host of a remote with its program, if that is installed and logged in."""
    for host in _likely(remote):
        program = shutil.which(host.program, path=path_outside(root, environment))
        if program is None:
            continue
        calls = Calls(program=program, root=root, environment=environment)
        at = ("--hostname", remote.host) if remote.host else ()
        if calls.tried("auth", "status", *at).code == 0:
            return host, calls
    return None


def installed_program(remote: Remote, root: Path, environment: Mapping[str, str]) -> str:
    """The name of the program that would open a request; empty if none is installed. Nothing is started."""
    path = path_outside(root, environment)
    return next((host.program for host in _likely(remote) if shutil.which(host.program, path=path)), "")


def likely_host(remote: Remote) -> CodeHost:
    return _likely(remote)[0]


def _likely(remote: Remote) -> Sequence[CodeHost]:
    """The host by its name, else every one that a server of one's own may be."""
    named = [host for host in HOSTS if host.sign in remote.host]
    return (named or HOSTS) if remote.host else HOSTS


def _found_by_gh(calls: Calls, request: PullRequest) -> str:
    words = ("--head", request.branch, "--state", "open", "--limit", "1", "--json", "url")
    return _address(calls("pr", "list", *words), "url")


def _made_by_gh(calls: Calls, request: PullRequest) -> str:
    told = calls(*_gh_command(request)[1:])
    return _last_address(told)


def _gh_command(request: PullRequest) -> Sequence[str]:
    base = (f"--base={request.base}",) if request.base else ()
    draft = ("--draft",) if request.draft else ()
    text = (f"--title={request.title}", f"--body-file={request.body}")
    return ("gh", "pr", "create", f"--head={request.branch}", *base, *draft, *text)


def _found_by_glab(calls: Calls, request: PullRequest) -> str:
    query = f"state=opened&per_page=1&source_branch={quote(request.branch, safe='')}"
    return _address(calls("api", f"projects/:id/merge_requests?{query}"), "web_url")


def _made_by_glab(calls: Calls, request: PullRequest) -> str:
    base = request.base or str(_read(calls("api", "projects/:id")).get("default_branch", ""))
    document = {
        "source_branch": request.branch,
        "target_branch": base,
        "title": f"{DRAFT if request.draft else ''}{request.title}",
        "description": request.body.read_text(encoding="utf-8"),
    }
    given = json.dumps(document).encode()
    told = calls("api", "projects/:id/merge_requests", "--method", "POST", *JSON, "--input", "-", given=given)
    return str(_read(told).get("web_url", ""))


def _glab_command(request: PullRequest) -> Sequence[str]:
    base = (f"--target-branch={request.base}",) if request.base else ()
    draft = ("--draft",) if request.draft else ()
    return ("glab", "mr", "create", f"--source-branch={request.branch}", *base, *draft, f"--title={request.title}")


def _address(text: str, name: str) -> str:
    found = _parsed(text)
    first = found[0] if isinstance(found, list) and found else {}
    return str(first.get(name, "")) if isinstance(first, dict) else ""


def _read(text: str) -> dict[str, Any]:
    found = _parsed(text)
    return found if isinstance(found, dict) else {}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise RequestFailed("The answer of the code host is no JSON.", "Try again: dualgate pr") from error


def _last_address(text: str) -> str:
    words = [word for word in text.split() if urlsplit(word).scheme in ("http", "https")]
    return words[-1] if words else ""


HOSTS = (
    CodeHost(program="gh", sign="github", find=_found_by_gh, create=_made_by_gh, command=_gh_command),
    CodeHost(program="glab", sign="gitlab", find=_found_by_glab, create=_made_by_glab, command=_glab_command),
)
