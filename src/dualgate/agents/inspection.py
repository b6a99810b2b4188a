"""Client -> AgentState: its program, version and login, as far as they are known without a paid call."""

import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.agents.client import Client, Errand
from dualgate.agents.environment import client_environment
from dualgate.agents.logins import login_of
from dualgate.core.values.control import Control
from dualgate.core.values.vocabulary import Login
from dualgate.errors import ProgramNotFound
from dualgate.processes.job import Job, read_tail
from dualgate.processes.outside import is_inside
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor

VERSION_SECONDS = 30.0
VERSION_BYTES = 4096
VERSION = re.compile(r"\b\d+\.\d+(?:\.\d+)?(?:[-+.][\w.-]+)?")
CACHE = Path("dualgate", "versions.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """`login_from` is the variable or file of the login; only a call shows whether the login still works."""

    name: str
    path: str | None
    version: str | None
    login: Login
    login_from: str | None
    missing: tuple[str, ...]
    """Missing parts without which the agent cannot be used, each with its fix."""

    @property
    def usable(self) -> bool:
        return not self.missing


def inspect_agent(client: Client, supervisor: Supervisor, project: Path, platform: str = sys.platform) -> AgentState:
    """Look at an agent. A program that lies in the project is not run, so that its version stays unknown."""
    environment = supervisor.environment
    path = shutil.which(client.program, path=environment.get("PATH", ""))
    login, login_from = login_of(client, environment, platform)
    missing = (
        *(() if path else (f"the program '{client.program}': {client.install}",)),
        *((f"a login: {client.log_in}",) if login is Login.NOT_FOUND else ()),
    )
    is_foreign = path is not None and not is_inside(Path(path), project, environment)
    version = _version(client, path, supervisor) if path and is_foreign else None
    return AgentState(name=client.name, path=path, version=version, login=login, login_from=login_from, missing=missing)


def _version(client: Client, path: str, supervisor: Supervisor) -> str | None:
    """The version of a program, cached until the file of the program changes."""
    cache = _cache_file(supervisor.environment)
    known = _read_cache(cache)
    try:
        real = Path(path).resolve()
        stamp = f"{real}:{real.stat().st_mtime_ns}:{real.stat().st_size}"
    except OSError:
        return None
    if stamp in known:
        return known[stamp]
    version = _asked_version(client, path, supervisor)
    if version and cache:
        others = {key: value for key, value in known.items() if not key.startswith(f"{real}:")}
        _write_cache(cache, {**others, stamp: version})
    return version


def _asked_version(client: Client, path: str, supervisor: Supervisor) -> str | None:
    with scratch_folder("version") as folder:
        job = Job(
            argv=(path, "--version"),
            cwd=folder,
            environment=client_environment(client, Errand(may_edit=False), supervisor.environment),
            stdout=folder / "stdout",
            stderr=folder / "stderr",
        )
        control = Control(cancel=threading.Event(), clock=time.monotonic).within(VERSION_SECONDS)
        try:
            supervisor.supervise(job, control)
        except ProgramNotFound:
            return None
        found = VERSION.search(read_tail(job.stdout, VERSION_BYTES))
        return found[0] if found else None


def _cache_file(environment: Mapping[str, str]) -> Path | None:
    if folder := environment.get("XDG_CACHE_HOME"):
        return Path(folder) / CACHE
    return Path(environment["HOME"], ".cache") / CACHE if environment.get("HOME") else None


def _read_cache(cache: Path | None) -> dict[str, str]:
    """The cached versions; empty if the cache is missing or invalid."""
    try:
        known = json.loads(cache.read_text(encoding="utf-8")) if cache else {}
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write_cache(cache: Path, known: Mapping[str, str]) -> None:
    beside = cache.with_name(f"{cache.name}.{os.getpid()}")
    with suppress(OSError):
        cache.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(known, indent=1), encoding="utf-8")
        beside.replace(cache)
