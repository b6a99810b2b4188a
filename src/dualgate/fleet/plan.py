"""A request for a worktree -> its plan: where it is, what it is made from, and what it gets. Nothing is written."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dualgate.core.values.naming import branch_of, is_name
from dualgate.core.values.notation import in_line, listed
from dualgate.errors import WorktreeRefused
from dualgate.fleet.inputs import Inputs, find_inputs
from dualgate.fleet.outside import find_outside
from dualgate.fleet.sharing import is_shareable
from dualgate.settings import Settings
from dualgate.workspace.checkouts import RETARGETED
from dualgate.workspace.linked import Checkout, changed_files, is_ignored, read_checkout, submodules_of, tree_bytes

SPARE = 64 << 20
"""Bytes that must be free beside the files of a worktree."""
OWN_ENVIRONMENT = ".venv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The request of a person."""

    name: str
    ref: str = "HEAD"
    files: tuple[str, ...] = ()
    """Files of the project that the run names: the specification, the task list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorktreePlan:
    name: str
    checkout: Checkout
    path: Path
    project: str
    """The folder of the project, seen from the root of the checkout."""
    branch: str
    ref: str
    commit: str
    inputs: Inputs
    shared: Mapping[str, Path] = field(default_factory=dict)
    """Virtual environments: the path in the worktree, and the environment whose packages it reads."""
    environment: str = ""
    """The one of them that replaces an activated environment outside of the checkout."""
    linked: tuple[str, ...] = ()
    """Folders of Node packages, which are linked one by one."""
    duplicated: tuple[str, ...] = ()
    """Other folders of installed packages, which are copied."""
    submodules: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Tracked files with uncommitted changes: they stay in the checkout."""


def plan_worktree(project: Path, wanted: Wanted, settings: Settings, environment: Mapping[str, str]) -> WorktreePlan:
    """Plan a worktree beside the repository of a project. Raises WorktreeRefused with what to do instead."""
    if not is_name(wanted.name):
        raise WorktreeRefused(
            f"'{wanted.name}' cannot name a worktree and its branch.",
            "Use letters, digits, dots, dashes and underscores, as in: --worktree csv-export",
        )
    checkout = read_checkout(project)
    commit = checkout.commit(wanted.ref)
    if not commit:
        raise WorktreeRefused(f"There is no commit '{wanted.ref}' here.", "Name another with --from REF.")
    folder = os.path.relpath(project, checkout.root)
    named = (os.path.normpath(os.path.join(folder, file)) for file in wanted.files)  # noqa: PTH118
    files = [file for file in named if not file.startswith(("../", "/"))]  # one outside is read where it is
    hidden = [os.path.join(folder, each) for each in settings.sandbox.hidden if not each.startswith(("~", "/"))]  # noqa: PTH118
    inputs = find_inputs(checkout, commit, settings.worktree.copy, files, hidden)
    shared = {path: checkout.root / path for path in inputs.installed if is_shareable(checkout.root / path)}
    outside = find_outside(project, checkout.root, environment)
    own = os.path.normpath(os.path.join(folder, OWN_ENVIRONMENT))  # noqa: PTH118
    rest = [path for path in inputs.installed if path not in shared]
    return WorktreePlan(
        name=wanted.name,
        checkout=checkout,
        path=_place(checkout, wanted.name, settings),
        project=folder,
        branch=branch_of(wanted.name),
        ref=wanted.ref,
        commit=commit,
        inputs=inputs,
        shared=shared | ({own: outside} if outside else {}),
        environment=own if outside else "",
        linked=tuple(path for path in rest if Path(path).name == RETARGETED),
        duplicated=tuple(path for path in rest if Path(path).name != RETARGETED),
        submodules=tuple(submodules_of(checkout.root, commit)),
        changed=changed_files(checkout.root),
    )


def _place(checkout: Checkout, name: str, settings: Settings) -> Path:
    """The folder of a worktree: beside the repository, unless a setting names another place."""
    beside = f"../{checkout.main.name.removesuffix('.git')}.worktrees"
    given = Path(settings.worktree.folder or beside).expanduser()
    place = Path(os.path.normpath(checkout.main / given)).resolve() / name
    for inside in (checkout.folder, checkout.main, checkout.root):
        is_free = inside != checkout.folder and is_ignored(checkout, place)
        if place.is_relative_to(inside) and not is_free:
            raise WorktreeRefused(
                f"The worktree would be {place}, inside the repository: its files would show up in your checkout.",
                "Name a folder outside with the setting worktree.folder, or one that git ignores.",
            )
    return place


def path_there(plan: WorktreePlan, word: str) -> str:
    """A whole path of the checkout or of a shared environment as the worktree has it; any other word as it is."""
    for path, source in (*plan.shared.items(), ("", plan.checkout.root)):
        if Path(word).is_relative_to(source):
            return str(plan.path / path / Path(word).relative_to(source))
    return word


def free_bytes(place: Path) -> int:
    return shutil.disk_usage(place).free


def require_room(plan: WorktreePlan, free_at: Callable[[Path], int] = free_bytes) -> None:
    """Raise WorktreeRefused if the disk has no room for the files of a worktree."""
    needed = tree_bytes(plan.checkout, plan.commit) + SPARE
    place = next(each for each in plan.path.parents if each.is_dir())
    free = free_at(place)
    if free < needed:
        raise WorktreeRefused(
            f"{place} has {free >> 20} MB free, and the worktree needs {needed >> 20} MB.",
            "Make room, or name a folder on another disk with the setting worktree.folder.",
        )
    if not os.access(place, os.W_OK):
        raise WorktreeRefused(
            f"{place} is not writable, so no worktree can be made in it.",
            "Name another folder with the setting worktree.folder.",
        )


def plan_rows(plan: WorktreePlan) -> Iterator[tuple[str, str]]:
    """The place, the base and the inputs of a worktree, as rows for people."""
    base = plan.commit[:12] if plan.ref == plan.commit else f"{plan.ref} ({plan.commit[:12]})"
    yield "Worktree", f"{plan.path}, branch {plan.branch}, from {base}"
    yield from (("copied", in_line(path)) for path in plan.inputs.copied)
    for path, source in plan.shared.items():
        yield "shared", f"{path} reads the packages of {source}"
    yield from (("linked", f"{path}, package by package") for path in plan.linked)
    yield from (("copied", f"{path}/ (installed packages)") for path in plan.duplicated)
    yield from (("cloned", f"{path} (submodule)") for path in plan.submodules)
    if plan.changed:
        yield "left", f"in your checkout: {_names(plan.changed)} with uncommitted changes"
    if plan.inputs.left_out:
        yield "left", f"in your checkout: {_names(plan.inputs.left_out)}, untracked; worktree.copy adds some"
    if plan.inputs.ignored:
        yield "left", f"in your checkout: {_names(plan.inputs.ignored)}, ignored by git; worktree.copy adds some"


def _names(paths: Iterable[str]) -> str:
    return listed(map(in_line, paths))


def plan_record(plan: WorktreePlan) -> dict[str, object]:
    return {
        "name": plan.name,
        "path": str(plan.path),
        "repository": str(plan.checkout.main),
        "branch": plan.branch,
        "from": plan.ref,
        "commit": plan.commit,
        "copied": list(plan.inputs.copied),
        "shared": {path: str(source) for path, source in plan.shared.items()},
        "linked": list(plan.linked),
        "packages_copied": list(plan.duplicated),
        "submodules": list(plan.submodules),
        "left_changed": list(plan.changed),
        "left_untracked": list(plan.inputs.left_out),
        "left_ignored": list(plan.inputs.ignored),
    }
