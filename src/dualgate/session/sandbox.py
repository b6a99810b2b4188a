"""Settings -> the sandbox for the jobs of a run, if one is configured."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import SandboxKind
from dualgate.errors import SettingError
from dualgate.processes.sandbox import Confinement, require_bwrap
from dualgate.session.host import Host
from dualgate.settings import Settings
from dualgate.store.sessions import session_folder, sessions_home, snapshot_store


@contextmanager
def confined(settings: Settings, host: Host) -> Iterator[None]:
    """Start agents and tests in the configured sandbox until the block ends."""
    confinement = confinement_of(settings, host.project, host.environment)
    if confinement is None:
        yield
        return
    with host.supervisor.confined_by(confinement.wrap):
        yield


def confinement_of(settings: Settings, project: Path, environment: Mapping[str, str]) -> Confinement | None:
    """The configured sandbox, or None. Raises an error if it cannot be used, before any work starts."""
    chosen = settings.sandbox
    if SandboxKind(chosen.kind) is SandboxKind.NONE:
        return None
    if settings.env.up and not chosen.network:
        raise SettingError(
            "Tests without a network cannot reach what [env] up starts.", "Leave out sandbox.network = false, or [env]."
        )
    home = Path(environment.get("HOME") or Path.home())
    logins = (folder for client in CLIENTS.values() for folder in client.folders(environment))
    return Confinement(
        program=require_bwrap(environment),
        project=project,
        home=home,
        network=chosen.network,
        sealed=(
            sessions_home(environment),
            session_folder(project, environment),
            snapshot_store(project, environment),
        ),
        hidden=(*logins, *(_placed(path, home, project) for path in chosen.hidden)),
        writable=tuple(_placed(path, home, project) for path in chosen.writable),
    )


def _placed(path: str, home: Path, project: Path) -> Path:
    return home / path[2:] if path.startswith("~/") else project / path
