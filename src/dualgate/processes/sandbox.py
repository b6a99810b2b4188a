"""The sandbox (bubblewrap, Linux): which paths a job may reach, and whether bubblewrap works here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.doctor.mounts import PRIVATE, Access, Mounts, bwrap_words
from dualgate.errors import SandboxUnusable
from dualgate.processes import relay
from dualgate.processes.job import Job
from dualgate.processes.outside import path_outside

_PROGRAM = "bwrap"
# credentials in the home folder
_HIDDEN_AT_HOME = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".pgpass", ".my.cnf"),
    *(".config/gcloud", ".config/gh", ".config/git/credentials", ".npmrc", ".pypirc", ".cargo/credentials.toml"),
    *(".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium"),
    *(".terraform.d", ".config/rclone", ".vault-token"),
)
# sockets of services that would act for the program outside the sandbox
_HIDDEN_SOCKETS = (
    *("/run/user", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock"),
    *("/run/systemd/private", "/run/dbus/system_bus_socket"),
)
# Variable -> folder, for tools that fail if they cannot write their cache. Those with more in them stay where they are:
# poetry's has its virtual environments, and projects link to pnpm's.
_CACHES = {
    "UV_CACHE_DIR": "uv",
    "PIP_CACHE_DIR": "pip",
    "npm_config_cache": "npm",
    "YARN_CACHE_FOLDER": "yarn",
    "GOCACHE": "go-build",
    "GRADLE_USER_HOME": "gradle",
    "DENO_DIR": "deno",
    "PRE_COMMIT_HOME": "pre-commit",
}
# what runs in the sandbox talks to itself without a proxy
_PROXIED = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), f"http://127.0.0.1:{relay.PORT}"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1,::1"),
    "NODE_USE_ENV_PROXY": "1",
}
_INSTALL = "Install it (apt install bubblewrap, dnf install bubblewrap), or pass --sandbox none."
_NAMESPACES = (
    "It needs user namespaces: in a container allow them (such as --security-opt seccomp=unconfined), on Ubuntu give "
    "bwrap an AppArmor profile, elsewhere see user.max_user_namespaces. Or pass --sandbox none."
)
_PROBE_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The settings that all confined jobs of a run share."""

    program: str
    project: Path
    home: Path
    network: bool = True
    sealed: tuple[Path, ...] = ()
    """Always hidden, whatever the other fields say: sessions and snapshots."""
    attempts: Path | None = None
    """A folder among the sealed ones in which a job can leave requests, to be refused and recorded."""
    hidden: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    proxy: Path | None = None
    """The socket of a proxy that is the only way out."""
    caches: Path | None = None
    """A folder for the caches of tools in the sandbox: who could write the user's own could change what they run."""

    def wrap(self, job: Job) -> tuple[str, ...]:
        """The command that runs a job in the sandbox. Paths are looked up for each job, since some come and go."""
        mounts = Mounts(
            places=self._places(job),
            network=self.network and not self.proxy,
            as_root=_is_root(),
            variables=self._variables(job),
        )
        argv = (*_relay(), str(self.proxy), *job.argv) if self.proxy else job.argv
        return bwrap_words(self.program, mounts, str(job.cwd.resolve()), argv)

    def _variables(self, job: Job) -> dict[str, str]:
        """The folders of the caches of tools, unless the user chose others."""
        caches = _CACHES if self.caches and self.caches.is_dir() else {}
        chosen = {name: f"{self.caches}/{place}" for name, place in caches.items() if name not in job.environment}
        return chosen | (_PROXIED if self.proxy else {})

    def _places(self, job: Job) -> dict[str, Access]:
        """Access by path; for a path that is named twice, the later entry wins."""
        caches = (self.caches,) if self.caches else ()
        _make_folders((*job.writable, *caches))
        places = dict.fromkeys(_existing((self.home, *_program_folders(job))), Access.READ_ONLY)
        places |= dict.fromkeys(_existing(_temporary_folder(job.environment)), Access.EMPTY)
        places |= _hidden((*(self.home / name for name in _HIDDEN_AT_HOME), *map(Path, _HIDDEN_SOCKETS)))
        places |= _hidden(self.hidden)
        writable = _existing((*caches, *self._allowed(job), self.project))
        places |= dict.fromkeys(writable, Access.WRITABLE)
        if job.reads_only:
            inside = (path for path in writable if Path(path).is_relative_to(self.project.resolve()))
            places |= dict.fromkeys(inside, Access.READ_ONLY)
        if self.proxy:
            places |= dict.fromkeys(_existing((Path(_relay()[-1]), self.proxy)), Access.WRITABLE)
            places[_relay()[-1]] = Access.READ_ONLY
        open_in_sealed = dict.fromkeys(_existing((self.attempts,) if self.attempts else ()), Access.WRITABLE)
        places |= _hidden(self.sealed) | open_in_sealed
        return places | dict.fromkeys(_around_hidden(places), Access.WRITABLE)

    def _allowed(self, job: Job) -> Iterator[Path]:
        """The writable paths of the settings and of the job, without those inside a sealed one: they would open it.

        Nor is a link opened that leads out of a writable place: a job may have made it.
        """
        sealed = {path.resolve() for path in self.sealed}
        given = [Path(os.path.normpath(path)) for path in (*self.writable, *job.writable)]
        for path in given:
            around = (root for root in (self.project, *given) if path.is_relative_to(root))
            is_inside = all(path.resolve().is_relative_to(root.resolve()) for root in around if root != path)
            if is_inside and sealed.isdisjoint((path.resolve(), *path.resolve().parents)):
                yield path


def require_bwrap(environment: Mapping[str, str], project: Path | None = None) -> str:
    """The path of bubblewrap, tried once. Raises SandboxUnusable with a fix if it does not work.

    A program inside the project is never bubblewrap: an agent may have written it.
    """
    if sys.platform != "linux":
        raise SandboxUnusable(
            "The sandbox needs bubblewrap, which exists for Linux only.",
            "Run dualgate in a container or a virtual machine, or pass --sandbox none.",
        )
    path = path_outside(project, environment) if project else environment.get("PATH", os.defpath)
    program = shutil.which(_PROGRAM, path=path)
    if program is None:
        raise SandboxUnusable("There is no program 'bwrap', which makes the sandbox.", _INSTALL)
    words = bwrap_words(program, Mounts(places={}, network=False, as_root=_is_root()), "/", ("/bin/sh", "-c", ":"))
    try:
        tried = subprocess.run(words, capture_output=True, text=True, timeout=_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnusable(f"{program} cannot be run: {error}.", _INSTALL) from error
    if tried.returncode != 0:
        said = tried.stderr.strip().splitlines()[-1:] or [f"it ended with {tried.returncode}"]
        raise SandboxUnusable(f"{program} cannot make a sandbox here: {said[0]}", _NAMESPACES)
    return program


def _relay() -> tuple[str, ...]:
    """The command of the relay, by an interpreter that is not in a folder that the sandbox hides."""
    return (os.path.realpath(sys.executable), "-I", "-S", os.path.realpath(relay.__file__))


def _is_root() -> bool:
    return os.geteuid() == 0


def _make_folders(paths: Iterable[Path]) -> None:
    """Make writable folders that a job could not make in the sandbox. A path with a suffix is a file."""
    for path in paths:
        if not path.suffix:
            with suppress(OSError):
                path.mkdir(parents=True, exist_ok=True)


def _temporary_folder(environment: Mapping[str, str]) -> Iterable[Path]:
    """TMPDIR, if it is set to an absolute path."""
    given = environment.get("TMPDIR", "")
    return (Path(given),) if given.startswith("/") and given.strip("/") else ()


def _program_folders(job: Job) -> Iterable[Path]:
    """The top folders of a job's programs below temporary folders.

    The top folder, since a program may link to its package, and a virtual environment has more than programs.
    """
    named = (job.argv[0], *job.environment.get("PATH", "").split(os.pathsep))
    for path in (form for word in named if word.startswith("/") for form in (Path(word), Path(word).resolve())):
        for place in (*map(Path, PRIVATE), *_temporary_folder(job.environment)):
            if path.is_relative_to(place) and path != place:
                yield place / path.relative_to(place).parts[0]


def _existing(paths: Iterable[Path]) -> list[str]:
    """The resolved paths of those that exist, so that a link leads to the same place in the sandbox."""
    return [str(path.resolve()) for path in paths if path.exists()]


def _hidden(paths: Sequence[Path]) -> dict[str, Access]:
    """Drop hidden paths nested in another: mounting them would reveal an empty folder."""
    found = {path.resolve() for path in paths if path.exists()}
    outer = (path for path in found if found.isdisjoint(path.parents))
    return {str(path): Access.EMPTY if path.is_dir() else Access.BLANK for path in outer}


def _around_hidden(places: Mapping[str, Access]) -> Iterator[str]:
    """The folders between a writable place and a hidden one in it, which a job could move away. A mount stays."""
    for path, access in places.items():
        above = [str(folder) for folder in Path(path).parents]
        root = next((folder for folder in above if folder in places), "")
        if root and access in (Access.EMPTY, Access.BLANK) and places[root] is Access.WRITABLE:
            yield from above[: above.index(root)]


def not_confined(texts: Iterable[str]) -> None:
    """Stands for a sandbox that refuses nothing, since there is none."""
    del texts
