"""Jobs inside of a sandbox (bubblewrap, Linux): what they may reach, and whether there can be one here at all."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.doctor.mounts import PRIVATE, Access, Mounts, bwrap_words
from dualgate.errors import SandboxUnusable
from dualgate.processes.job import Job

_PROGRAM = "bwrap"
# at home: what lets one in elsewhere
_HIDDEN_AT_HOME = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".pgpass", ".my.cnf"),
    *(".config/gcloud", ".config/gh", ".config/git/credentials", ".npmrc", ".pypirc", ".cargo/credentials.toml"),
    *(".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium"),
    *(".terraform.d", ".config/rclone", ".vault-token"),
)
# through which a program gets others to work for it
_HIDDEN_SOCKETS = ("/run/user", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock")
_INSTALL = "Install it (apt install bubblewrap, dnf install bubblewrap), or leave --sandbox out."
_NAMESPACES = (
    "It needs user namespaces: in a container allow them (such as --security-opt seccomp=unconfined), on Ubuntu give "
    "bwrap an AppArmor profile, elsewhere see user.max_user_namespaces. Or leave --sandbox out."
)
_PROBE_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What every confined job of a run has in common."""

    program: str
    project: Path
    home: Path
    network: bool = True
    sealed: tuple[Path, ...] = ()
    """Out of reach whatever else is said: sessions and snapshots."""
    hidden: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()

    def wrap(self, job: Job) -> tuple[str, ...]:
        """The words of a job inside; where places lie is looked up now, since some come and go."""
        mounts = Mounts(places=self._places(job), network=self.network, as_root=_is_root())
        return bwrap_words(self.program, mounts, str(job.cwd.resolve()), job.argv)

    def _places(self, job: Job) -> dict[str, Access]:
        """Of what is said twice of a place, the later holds."""
        _make_missing(job.writable)
        places = dict.fromkeys(_real((self.home, *_tools(job))), Access.READ_ONLY)
        places |= dict.fromkeys(_real(_temporary(job.environment)), Access.EMPTY)
        places |= _covered((*(self.home / name for name in _HIDDEN_AT_HOME), *map(Path, _HIDDEN_SOCKETS)))
        places |= _covered(self.hidden)
        places |= dict.fromkeys(_real((*self.writable, *job.writable, self.project)), Access.WRITABLE)
        return places | _covered(self.sealed)


def require_bwrap(environment: Mapping[str, str]) -> str:
    """The path of bubblewrap, tried once; an error that says what to do where it cannot be used."""
    if sys.platform != "linux":
        raise SandboxUnusable(
            "The sandbox is bubblewrap, which there is for Linux only.",
            "Run dualgate in a container or a virtual machine, or leave --sandbox out.",
        )
    program = shutil.which(_PROGRAM, path=environment.get("PATH"))
    if program is None:
        raise SandboxUnusable("The sandbox is asked for, and there is no program 'bwrap'.", _INSTALL)
    words = bwrap_words(program, Mounts(places={}, network=False, as_root=_is_root()), "/", ("/bin/sh", "-c", ":"))
    try:
        tried = subprocess.run(words, capture_output=True, text=True, timeout=_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnusable(f"{program} cannot be run: {error}.", _INSTALL) from error
    if tried.returncode != 0:
        said = tried.stderr.strip().splitlines()[-1:] or [f"it ended with {tried.returncode}"]
        raise SandboxUnusable(f"{program} cannot make a sandbox here: {said[0]}", _NAMESPACES)
    return program


def _is_root() -> bool:
    return os.geteuid() == 0


def _make_missing(paths: Iterable[Path]) -> None:
    """A folder that a job keeps its things in and could not make inside. What has an ending is a file."""
    for path in paths:
        if not path.suffix:
            with suppress(OSError):
                path.mkdir(parents=True, exist_ok=True)


def _temporary(environment: Mapping[str, str]) -> Iterable[Path]:
    """A temporary folder that is not one of the usual ones."""
    given = environment.get("TMPDIR", "")
    return (Path(given),) if given.startswith("/") and given.strip("/") else ()


def _tools(job: Job) -> Iterable[Path]:
    """Where the programs of a job lie, if that is in a temporary folder: all of what was put there together.

    A program may be a link to its package, and a virtual environment has more than programs.
    """
    named = (job.argv[0], *job.environment.get("PATH", "").split(os.pathsep))
    for path in (form for word in named if word.startswith("/") for form in (Path(word), Path(word).resolve())):
        for place in (*map(Path, PRIVATE), *_temporary(job.environment)):
            if path.is_relative_to(place) and path != place:
                yield place / path.relative_to(place).parts[0]


def _real(paths: Iterable[Path]) -> list[str]:
    """By where they really lie: a link is followed outside, and leads to the same place inside."""
    return [str(path.resolve()) for path in paths if path.exists()]


def _covered(paths: Sequence[Path]) -> dict[str, Access]:
    """What lies in another of them is not named: it would be seen there, if empty."""
    found = {path.resolve() for path in paths if path.exists()}
    outer = (path for path in found if found.isdisjoint(path.parents))
    return {str(path): Access.EMPTY if path.is_dir() else Access.BLANK for path in outer}
