"""Settings -> the sandbox for the jobs of a run, if one is configured."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from dualgate.agents.registry import CLIENTS
from dualgate.core.evidence.sandboxed import refused_in_sandbox
from dualgate.core.values.vocabulary import SandboxKind
from dualgate.errors import SandboxUnusable, SettingError
from dualgate.processes.origin import mark_of
from dualgate.processes.private import make_private
from dualgate.processes.proxy import running_proxy
from dualgate.processes.sandbox import Confinement, not_confined, require_bwrap
from dualgate.processes.tags import tree_of
from dualgate.session.host import Host
from dualgate.session.team import every_choice, label_of
from dualgate.settings import AgentChoice, Settings
from dualgate.store.home import attempt_box, sessions_home
from dualgate.store.sessions import session_folder, snapshot_store

REHEARSAL = "rehearsal"
MODEL_HOSTS = "model"
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The sandbox of a run, and the reason if there is no sandbox."""

    kind: SandboxKind
    why: str = ""
    fix: str = ""


@contextmanager
def confined(settings: Settings, host: Host) -> Iterator[None]:
    """Start agents and tests in the configured sandbox until the block ends."""
    confinement = confinement_of(settings, host.project, host.environment)
    if confinement is None:
        yield
        return
    with ExitStack() as stack:
        if confinement.attempts:
            with suppress(OSError):
                make_private(confinement.attempts)
        if settings.sandbox.hosts:
            way_out = stack.enter_context(running_proxy(allowed_hosts(settings, host.environment), _telling(host)))
            confinement = replace(confinement, proxy=way_out)
        stack.enter_context(host.supervisor.confined_by(confinement.wrap))
        yield


def _telling(host: Host) -> Callable[[str], None]:
    return lambda name: host.tell(f"the sandbox refused the host {name}; sandbox.hosts allows more")


def allowed_hosts(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The hosts of `sandbox.hosts`; `model` means those that the agents of the run have, or were given."""
    clients = [CLIENTS[name] for each in _agents(settings) if (name := _name(each)) in CLIENTS]
    given = (environment.get(name, "") for client in clients for name in client.addresses)
    own = [*(host for client in clients for host in client.hosts), *(urlsplit(url).hostname or "" for url in given)]
    named = (host for each in settings.sandbox.hosts for host in (own if each == MODEL_HOSTS else (each,)))
    return tuple(dict.fromkeys(filter(None, named)))


def _agents(settings: Settings) -> dict[AgentChoice, None]:
    return dict.fromkeys(every_choice(settings))


def refusals_of(settings: Settings, host: Host) -> Callable[[Iterable[str]], tuple[str, ...] | None]:
    """Finds in messages of tests what the sandbox of these settings refused; None if there is no sandbox."""
    chosen, home = settings.sandbox, host.environment.get("HOME") or str(Path.home())
    if SandboxKind(chosen.kind) is not SandboxKind.BWRAP:
        return not_confined
    network = chosen.network and not chosen.hosts
    return lambda texts: refused_in_sandbox(texts, str(host.project), home, network=network)


def with_sandbox(settings: Settings, host: Host) -> Settings:
    """The settings with `auto` decided, so that a resumed run has the same sandbox. Reports why there is none."""
    if settings.sandbox.kind is not SandboxKind.AUTO:
        return settings
    choice = choose_sandbox(settings, host.project, host.environment)
    if choice.why:
        host.tell(f"agent and tests are not confined: {choice.why} {choice.fix}".rstrip())
    return settings.but(sandbox=settings.sandbox.but(kind=choice.kind))


def choose_sandbox(settings: Settings, project: Path, environment: Mapping[str, str]) -> Choice:
    """The sandbox that `auto` stands for.

    Of other programs than the known CLIs nobody knows what they must read and write at home, so they are not confined
    unless a person asks for it.
    """
    if settings.sandbox.hosts:
        return Choice(kind=SandboxKind.BWRAP)  # who names the hosts asked for a sandbox
    agents = _agents(settings)
    strangers = [label_of(each) for each in agents if each.command or _name(each) not in CLIENTS]
    if strangers:
        is_played = all(_name(each) == REHEARSAL for each in agents)
        why = "" if is_played else f"{strangers[0]} is not a known CLI." if strangers[0] else "no agent is given."
        return Choice(kind=SandboxKind.NONE, why=why, fix=why and "--sandbox bwrap confines any program.")
    try:
        require_bwrap(environment, project)
    except SandboxUnusable as error:
        return Choice(kind=SandboxKind.NONE, why=error.message, fix=error.next_step)
    return Choice(kind=SandboxKind.BWRAP)


def _name(choice: AgentChoice) -> str:
    return (choice.agent or "").partition(":")[0]


def confinement_of(settings: Settings, project: Path, environment: Mapping[str, str]) -> Confinement | None:
    """The configured sandbox, or None. Raises an error if it cannot be used, before any work starts."""
    chosen = settings.sandbox
    if SandboxKind(chosen.kind) is not SandboxKind.BWRAP:
        return None
    if settings.env.up and (chosen.hosts or not chosen.network):
        raise SettingError(
            "Tests without a network cannot reach what [env] up starts.",
            "Leave out sandbox.network = false and sandbox.hosts, or [env].",
        )
    if chosen.hosts and (proxy := next((name for name in PROXIES if environment.get(name)), "")):
        raise SettingError(
            f"sandbox.hosts has a proxy of its own, and {proxy} names another.", "Leave one of them out."
        )
    home = Path(environment.get("HOME") or Path.home())
    logins = (folder for client in CLIENTS.values() for folder in client.folders(environment))
    return Confinement(
        program=require_bwrap(environment, project),
        project=project,
        home=home,
        network=chosen.network,
        sealed=(
            sessions_home(environment),
            session_folder(project, environment),
            snapshot_store(project, environment),
        ),
        attempts=attempt_box(home, mark_of(project)),
        hidden=(*logins, *(_placed(path, home, project) for path in chosen.hidden)),
        writable=tuple(_placed(path, home, project) for path in chosen.writable),
        caches=_caches(home, environment) / tree_of(project.resolve()),
    )


def _caches(home: Path, environment: Mapping[str, str]) -> Path:
    given = environment.get("XDG_CACHE_HOME", "")
    return (Path(given) if given.startswith("/") else home / ".cache") / "dualgate" / "sandbox"


def _placed(path: str, home: Path, project: Path) -> Path:
    return home / path[2:] if path.startswith("~/") else project / path
