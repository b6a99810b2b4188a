"""An environment of its own for a tree whose lock files are other than those of the work tree."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from shutil import rmtree, which

from dualgate.core.values.control import Control
from dualgate.processes.job import Job, output_tail
from dualgate.processes.jobs import Jobs
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.prepare import LOCKS
from dualgate.verify.trees import Trees, Written

INSTALL_SECONDS = 900.0
OUTPUT_SHOWN = 300
REQUIREMENTS = "requirements*.txt"
PIP = "{python} -m venv .venv && .venv/bin/python -m pip install --quiet pytest {files}"
INSTALLS: Mapping[str, tuple[str, str]] = {
    "uv.lock": ("uv", "uv sync --frozen --all-groups"),
    "poetry.lock": ("poetry", "poetry install --no-interaction"),
    "pdm.lock": ("pdm", "pdm sync --dev"),
    "Pipfile.lock": ("pipenv", "pipenv sync --dev"),
    "package-lock.json": ("npm", "npm ci --no-audit --no-fund"),
    "npm-shrinkwrap.json": ("npm", "npm ci --no-audit --no-fund"),
    "pnpm-lock.yaml": ("pnpm", "pnpm install --frozen-lockfile"),
    "yarn.lock": ("yarn", "yarn install --frozen-lockfile"),
}
"""Lock file -> its program, and the command that installs what it locks."""
OWN_ENVIRONMENT = ".venv"
IN_PROJECT = {"POETRY_VIRTUALENVS_IN_PROJECT": "1", "PIPENV_VENV_IN_PROJECT": "1", "PIPENV_IGNORE_VIRTUALENVS": "1"}
OF_ENVIRONMENT = ("VIRTUAL_ENV", "CONDA_PREFIX", "UV_NO_SYNC", "UV_PROJECT_ENVIRONMENT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A tree with an environment that fits it, or the reason why it has that of the work tree."""

    written: Written
    note: str = ""


def other_locks(trees: Trees, tree: str, work_tree: str) -> tuple[str, ...]:
    """Lock files of a tree that the work tree has in another version."""
    ours, theirs = (trees.sides.revisions.entries(each) for each in (tree, work_tree))
    names = (path for path in ours if any(fnmatch(PurePosixPath(path).name, pattern) for pattern in LOCKS))
    return tuple(path for path in names if ours[path] != theirs.get(path))


def installed(
    trees: Trees, written: Written, locks: tuple[str, ...], setup: str, jobs: Jobs, control: Control
) -> Installed:
    """Install what the lock files of a tree name into the tree itself; the project's own environment is not touched."""
    names = ", ".join(locks[:3])
    commands = [_own_setup(setup)] if setup else list(install_commands(written.root, locks, written.environment))
    if not commands:
        return Installed(written=written, note=f"the base has another {names}, and the environment of the work tree")
    linked = _unlinked(trees, written.root)
    environment = bare_environment(written.environment, [target for _, target in linked])
    folder = written.root if not setup else written.project
    for command in commands:
        if problem := install_failure(command, folder, environment, jobs, control):
            _linked_again(linked)
            why = f"'{command}' failed: {problem}"
            note = (
                f"the base has another {names}, which cannot be installed, so it has the environment of the work tree"
            )
            return Installed(written=written, note=f"{note}: {why}")
    own = written.root / OWN_ENVIRONMENT
    if (own / "bin" / "python").exists():
        path = f"{own / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
        environment |= {"VIRTUAL_ENV": str(own), "PATH": path}
    return Installed(written=replace(written, environment=environment))


def borrowing(trees: Trees, written: Written, owner: Written) -> Written:
    """A tree with what was installed for another one."""
    for path in {*trees.carried.linked, OWN_ENVIRONMENT}:
        place, theirs = written.root / path, owner.root / path
        if theirs.is_dir() and not theirs.is_symlink():
            rmtree(place, ignore_errors=True)  # holds links only
            place.unlink(missing_ok=True)
            place.symlink_to(theirs)
    installed = {name: owner.environment[name] for name in ("PATH", "VIRTUAL_ENV") if name in owner.environment}
    return replace(written, environment={**written.environment, **installed})


def _own_setup(setup: str) -> str:
    """A set-up command in an environment of the tree: it must not install into that of the project."""
    return f'python3 -m venv .venv && PATH="$PWD/.venv/bin:$PATH" VIRTUAL_ENV="$PWD/.venv" && export PATH && {setup}'


def bare_environment(environment: Mapping[str, str], linked: list[Path]) -> dict[str, str]:
    """The environment without the project's own, so that nothing is installed into it."""
    active = [Path(environment[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environment.get(name)]
    theirs = {str(place / "bin") for place in (*linked, *active)} | {str(place.resolve() / "bin") for place in active}
    path = [each for each in environment.get("PATH", os.defpath).split(os.pathsep) if each not in theirs]
    kept = {name: value for name, value in environment.items() if name not in OF_ENVIRONMENT}
    return {**kept, **IN_PROJECT, "PATH": os.pathsep.join(path)}


def install_commands(root: Path, locks: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[str]:
    """The commands that install lock files of the root, for programs that are there."""
    search = environment.get("PATH")
    for path in locks:
        program, command = INSTALLS.get(path, ("", ""))
        if program and which(program, path=search):
            yield command
    files = sorted(each.name for each in root.glob(REQUIREMENTS))
    python = which("python3", path=search)
    if python and any(fnmatch(path, REQUIREMENTS) for path in locks):
        yield PIP.format(python=python, files=" ".join(f"-r {name}" for name in files))


def _unlinked(trees: Trees, root: Path) -> list[tuple[Path, Path]]:
    """Take the links to the environments of the project out of a tree; returns them."""
    found = []
    for path in trees.carried.linked:
        link = root / path
        if link.is_symlink():
            found.append((link, link.readlink()))
            link.unlink()
    return found


def _linked_again(links: list[tuple[Path, Path]]) -> None:
    for link, target in links:
        if not link.exists():
            link.symlink_to(target)


def install_failure(command: str, folder: Path, environment: Mapping[str, str], jobs: Jobs, control: Control) -> str:
    """Run a command that installs packages; returns why it failed, or nothing."""
    with scratch_folder("install") as scratch:
        job = Job(
            argv=("/bin/sh", "-c", command),
            cwd=folder,
            environment=environment,
            stdout=scratch / "stdout",
            stderr=scratch / "stderr",
        )
        ended = Supervisor(environment, jobs).supervise(job, control.within(INSTALL_SECONDS))
        return "" if ended.code == 0 else output_tail(job, OUTPUT_SHOWN).strip() or f"exit code {ended.code}"
