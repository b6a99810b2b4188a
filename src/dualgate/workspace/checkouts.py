"""A tree of a repository -> a folder outside of it that holds the tree, and beside it what its tests need.

Ignored files such as `.env` are copied, installed packages are linked. The repository itself is not touched.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dualgate.languages.registry import INSTALLED, LANGUAGES
from dualgate.workspace.revisions import GITLINK, Revisions, open_revisions, run_git

MANAGED = frozenset({".tox", ".nox"})
"""Folders in which a tool makes environments: linked one by one, since the tool may write beside them."""
NEVER_CARRIED = frozenset(
    [
        *(".git", ".hg", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".coverage"),
        *(".dualgate", ".prp-session", ".eggs", "htmlcov", ".cache", ".idea", ".vscode", ".DS_Store"),
        *(name for language in LANGUAGES for name in (*language.built, *language.never_walked)),
    ]
)
"""Caches and builds, which every tree makes for itself."""
LARGEST_CARRIED = 64 << 20
"""The most bytes of ignored files that are copied for one path."""
TAKEN_OVER = r"^(filter\..*|core\.(autocrlf|eol|symlinks|precomposeunicode|ignorecase|longpaths)|lfs\..*)$"
"""Settings of a repository by which git writes its files."""
RETARGETED = "node_modules"
"""A folder whose links may lead back into the project: packages of a workspace."""
PROGRAMS = ".bin"
STORES = frozenset({".pnpm", ".store"})
"""Hidden folders of packages. Others are caches, into which tools would write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Ignored paths of the work tree that every tree gets, and those that are left out."""

    copied: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Too large to be copied."""


def find_carried(revisions: Revisions) -> Carried:
    """Look through the ignored files of the work tree."""
    copied, linked, left_out = list[str](), list[str](), list[str]()
    for name in revisions.ignored():
        for path in _of_managed(revisions.root, name.rstrip("/")):
            place = revisions.root / path
            if is_installed(place):
                linked.append(path)
            elif NEVER_CARRIED.isdisjoint(PurePosixPath(path).parts) and not path.endswith((".pyc", ".egg-info")):
                (copied if _size(place) <= LARGEST_CARRIED else left_out).append(path)
    return Carried(copied=tuple(copied), linked=tuple(linked), left_out=tuple(left_out))


def _of_managed(root: Path, path: str) -> Iterable[str]:
    """The environments in a folder that a tool manages; else the path itself."""
    if PurePosixPath(path).name not in MANAGED:
        return [path]
    with suppress(OSError):
        return [f"{path}/{each.name}" for each in (root / path).iterdir() if is_installed(each)]
    return []


def is_installed(place: Path) -> bool:
    """Whether a folder holds installed packages."""
    return place.is_dir() and (place.name in INSTALLED or (place / "pyvenv.cfg").is_file())


def _size(place: Path) -> int:
    """The bytes in a path, counted until they are too many."""
    if not place.is_dir() or place.is_symlink():
        with suppress(OSError):
            return place.lstat().st_size
        return 0
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                total += Path(folder, name).lstat().st_size
        if total > LARGEST_CARRIED:
            break
    return total


def check_out(revisions: Revisions, tree: str, commit: str, folder: Path, carried: Carried) -> tuple[str, ...]:
    """Write a tree into a new folder, as a repository of its own at a commit; returns what could not be written."""
    write_tree(revisions, tree, commit, folder)
    problems = tuple(_write_submodules(revisions, tree, folder))
    for path in carried.copied:
        _copy(revisions.root / path, folder / path)
    for path in carried.linked:
        _link(revisions.root, folder, path)
    return problems


def write_tree(revisions: Revisions, tree: str, commit: str, folder: Path) -> None:
    """Write a tree into a new repository that borrows the objects of another one."""
    folder.mkdir(parents=True)
    form = "sha256" if len(tree) > 40 else "sha1"
    run_git(folder, ["init", "--quiet", "--template=", f"--object-format={form}", "--initial-branch=main", "."])
    own = folder / ".git"
    (own / "info").mkdir(exist_ok=True)
    (own / "objects" / "info" / "alternates").write_text(f"{revisions.objects}\n{revisions.own_objects}\n")
    for name in ("info/attributes", "shallow"):
        with suppress(OSError):
            shutil.copyfile(revisions.place(name), own / name)
    if tags := revisions.tags():
        (own / "packed-refs").write_text(f"{tags}\n")
    for name, value in revisions.local_settings(TAKEN_OVER):
        run_git(folder, ["config", "--add", name, value])
    storage = revisions.place("lfs")
    if storage.is_dir():
        run_git(folder, ["config", "lfs.storage", str(storage)])
    # a file of LFS whose content is not here is a pointer in the work tree too; nothing is downloaded
    run_git(folder, ["config", "lfs.skipdownloaderrors", "true"])
    if commit:
        run_git(folder, ["update-ref", "--no-deref", "HEAD", commit])
    run_git(folder, ["read-tree", "--reset", "-u", tree])


def _write_submodules(revisions: Revisions, tree: str, folder: Path) -> Iterator[str]:
    links = [(path, entry.id) for path, entry in revisions.entries(tree).items() if entry.mode == GITLINK]
    for number, (path, commit) in enumerate(links):
        if not (revisions.root / path / ".git").exists():
            continue  # not checked out here either
        inner = open_revisions(revisions.root / path, revisions.folder / f"submodule-{number}")
        if not (found := inner.tree(commit)):
            yield f"the commit {commit[:12]} of the submodule {path} is not here: git submodule update --init {path}"
            continue
        with suppress(OSError):
            (folder / path).rmdir()
        write_tree(inner, found, commit, folder / path)
        yield from _write_submodules(inner, found, folder / path)


def _copy(source: Path, target: Path) -> None:
    """Copy an ignored file or folder; what cannot be read is left out, and so are sockets and pipes."""
    with suppress(OSError, shutil.Error):
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, target, symlinks=True, ignore=_not_copied, dirs_exist_ok=True)
        elif source.is_symlink() or source.is_file():
            shutil.copy2(source, target, follow_symlinks=False)


def _not_copied(folder: str, names: list[str]) -> set[str]:
    places = ((name, Path(folder, name)) for name in names)
    return {
        name
        for name, place in places
        if name in NEVER_CARRIED or not (place.is_file() or place.is_dir() or place.is_symlink())
    }


def _link(root: Path, folder: Path, path: str) -> None:
    source, target = root / path, folder / path
    with suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.name == RETARGETED:
            link_packages(root, folder, path)
        else:
            target.symlink_to(source)


def link_packages(root: Path, folder: Path, path: str) -> None:
    """Link the packages of a folder one by one; those that are part of the project lead to the tree itself.

    Whatever is installed into the new folder, or removed from it, leaves the first one as it is.
    """
    source, target = root / path, folder / path
    target.mkdir(parents=True)
    for each in sorted(source.iterdir()):
        if each.name == PROGRAMS or (each.name.startswith("@") and each.is_dir() and not each.is_symlink()):
            link_packages(root, folder, f"{path}/{each.name}")
            continue
        if source.name == PROGRAMS and each.is_symlink():
            (target / each.name).symlink_to(each.readlink())
            continue
        if each.name.startswith(".") and each.name not in STORES:
            if each.is_file():
                shutil.copy2(each, target / each.name)
            continue
        real = each.resolve()
        own = real.is_relative_to(root) and RETARGETED not in real.relative_to(root).parts
        (target / each.name).symlink_to(folder / real.relative_to(root) if own else each)
