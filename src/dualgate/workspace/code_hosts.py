"""Open a pull request with `gh`, or a merge request with `glab`. Its text goes through a file, never a command line."""

import json
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from dualgate.errors import RequestFailed
from dualgate.processes.bounded import Ended, run_bounded
from dualgate.processes.outside import path_outside
from dualgate.workspace.git_writing import said_by, writing_environment
from dualgate.workspace.pushing import Remote

PATIENCE = 120.0
SSH_PATIENCE = 10.0
SSH_HOSTS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
"""Hosts that take ssh on the port of https, with the host that they stand for."""
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
    pushed: Remote | None = None
    """The remote that has the branch."""
    target: Remote | None = None
    """The remote whose repository gets the request; its path is empty if the program has to find it."""

    @property
    def repository(self) -> str:
        """The path of the repository that gets the request; empty if it is not known."""
        return self.target.path if self.target else ""

    @property
    def fork(self) -> str:
        """The path of the fork that has the branch; empty if it is in the repository that gets the request."""
        pushed = self.pushed.path if self.pushed else ""
        return pushed if pushed and self.repository and pushed != self.repository else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeHost:
    """A program that knows a code host."""

    program: str
    sign: str
    """A part of the names of its hosts."""
    logins: tuple[tuple[str, ...], ...]
    """Commands of which one must succeed if a person is logged in."""
    find: Callable[["Calls", PullRequest], str]
    """The address of the open request of a branch; empty if there is none."""
    create: Callable[["Calls", PullRequest], str]
    """Opens a request, and returns its address."""
    command: Callable[[PullRequest], str]
    """The command for a shell with which a person opens the request."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NoHost:
    """Why no program can open a request: for each one, that it is missing or not logged in."""

    reason: str


def find_host(remote: Remote, root: Path, environment: Mapping[str, str]) -> tuple[CodeHost, Calls] | NoHost:
    """The code host of a remote with its program, if that is installed and logged in."""
    reasons, missing = [], []
    for host in _likely(remote):
        program = shutil.which(host.program, path=path_outside(root, environment))
        if program is None:
            missing.append(host.program)
            continue
        calls = Calls(program=program, root=root, environment=environment)
        at = ("--hostname", remote.host) if remote.host else ()
        if any(calls.tried(*words, *at).code == 0 for words in host.logins):
            return host, calls
        reasons.append(f"{host.program} is not logged in{f' to {remote.host}' if remote.host else ''}")
    if missing:
        names = f"neither {' nor '.join(missing)} is" if len(missing) > 1 else f"{missing[0]} is not"
        reasons.append(f"{names} installed")
    return NoHost(reason=" and ".join(reasons))


def known_by_ssh(remote: Remote, root: Path, environment: Mapping[str, str]) -> Remote:
    """A remote with the real name of its host, which may be an alias in the settings of ssh."""
    host = remote.host
    program = shutil.which("ssh", path=path_outside(root, environment)) if remote.is_ssh else None
    if program is not None and "." not in host:
        told = run_bounded([program, "-G", "--", host], root, environment, SSH_PATIENCE).out.decode("utf-8", "replace")
        rows = (line.partition(" ") for line in told.splitlines())
        host = next((value.strip().lower() for name, _, value in rows if name == "hostname"), host)
    return replace(remote, host=SSH_HOSTS.get(host, host))


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
    words = ("--head", request.branch, "--state", "open", "--limit", "30", "--json", "url,headRepositoryOwner")
    # other forks may have a branch of this name
    owner = request.pushed.owner.lower() if request.pushed else ""
    for each in _listed(calls("pr", "list", *_gh_repository(request), *words)):
        found = each.get("headRepositoryOwner")
        login = str(found.get("login", "")).lower() if isinstance(found, dict) else ""
        if not owner or not login or login == owner:
            return str(each.get("url", ""))
    return ""


def _made_by_gh(calls: Calls, request: PullRequest) -> str:
    told = calls(*_gh_words(request))
    return _last_address(told)


def _gh_repository(request: PullRequest) -> tuple[str, ...]:
    return (f"--repo={request.target.host}/{request.target.path}",) if request.target and request.repository else ()


def _gh_words(request: PullRequest) -> tuple[str, ...]:
    base = (f"--base={request.base}",) if request.base else ()
    draft = ("--draft",) if request.draft else ()
    head = f"{request.pushed.owner}:{request.branch}" if request.pushed and request.fork else request.branch
    text = (f"--title={request.title}", f"--body-file={request.body}")
    return ("pr", "create", f"--head={head}", *base, *draft, *_gh_repository(request), *text)


def _gh_command(request: PullRequest) -> str:
    return shlex.join(("gh", *_gh_words(request)))


def _found_by_glab(calls: Calls, request: PullRequest) -> str:
    query = f"state=opened&per_page=30&source_branch={quote(request.branch, safe='')}"
    source = _read(_glab(calls, request, _project(request.fork))).get("id") if request.fork else None
    for each in _listed(_glab(calls, request, f"{_project(request.repository)}/merge_requests?{query}")):
        if source is None or each.get("source_project_id") == source:
            return str(each.get("web_url", ""))
    return ""


def _made_by_glab(calls: Calls, request: PullRequest) -> str:
    target: dict[str, Any] = {}
    if request.fork or not request.base:
        target = _read(_glab(calls, request, _project(request.repository)))
    document = {
        "source_branch": request.branch,
        "target_branch": request.base or str(target.get("default_branch", "")),
        "title": f"{DRAFT if request.draft else ''}{request.title}",
        "description": request.body.read_text(encoding="utf-8"),
        **({"target_project_id": target.get("id")} if request.fork else {}),
    }
    place = f"{_project(request.fork or request.repository)}/merge_requests"
    given = json.dumps(document).encode()
    told = _glab(calls, request, place, "--method", "POST", *JSON, "--input", "-", given=given)
    return str(_read(told).get("web_url", ""))


def _glab(calls: Calls, request: PullRequest, place: str, *words: str, given: bytes = b"") -> str:
    host = ("--hostname", request.target.host) if request.target and request.target.host else ()
    return calls("api", place, *words, *host, given=given)


def _project(path: str) -> str:
    """The address of a project; glab itself knows that of the folder as `:id`."""
    return f"projects/{quote(path, safe='') if path else ':id'}"


def _glab_command(request: PullRequest) -> str:
    base = (f"--target-branch={request.base}",) if request.base else ()
    draft = ("--draft",) if request.draft else ()
    head = (f"--head={request.fork}", f"--repo={request.repository}") if request.fork else ()
    words = ("glab", "mr", "create", f"--source-branch={request.branch}", *base, *draft, *head)
    # glab reads no text from a file
    text = f'--description="$(cat {shlex.quote(str(request.body))})"'
    return f"{shlex.join((*words, f'--title={request.title}'))} {text}"


def _listed(text: str) -> list[dict[str, Any]]:
    found = _parsed(text)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _read(text: str) -> dict[str, Any]:
    found = _parsed(text)
    return found if isinstance(found, dict) else {}


def _parsed(text: str) -> Any:
    # a program may print a notice before its answer, such as «[warn] ...»
    for start in re.finditer(r"^\s*[\[{]", text, re.MULTILINE):
        with suppress(ValueError, RecursionError):
            return json.loads(text[start.start() :])
    raise RequestFailed("The answer of the code host is no JSON.", "Try again: dualgate pr")


def _last_address(text: str) -> str:
    words = [word for word in text.split() if urlsplit(word).scheme in ("http", "https")]
    return words[-1] if words else ""


HOSTS = (
    CodeHost(
        program="gh",
        sign="github",
        # the first fails if any account of the host has an old login, the second is unknown to an old gh
        logins=(("auth", "status"), ("auth", "status", "--active")),
        find=_found_by_gh,
        create=_made_by_gh,
        command=_gh_command,
    ),
    CodeHost(
        program="glab",
        sign="gitlab",
        logins=(("auth", "status"),),
        find=_found_by_glab,
        create=_made_by_glab,
        command=_glab_command,
    ),
)
