"""The untracked files that a worktree gets from the checkout: inputs of tests and runs, in a list that is shown."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from dualgate.core.values.endings import CODE
from dualgate.languages.registry import INSTALLED
from dualgate.settings.names import PROJECT_FILE
from dualgate.workspace.checkouts import NEVER_CARRIED, is_installed
from dualgate.workspace.linked import Checkout, content_at, untracked_paths

LARGEST = 1 << 20
"""The largest file that is copied unasked."""
MOST_SEEN = 5000
"""The most files that are looked at in an ignored folder."""
BY_NAME = (
    *(".env", ".env.*", ".envrc", "*.local", "*.local.*", "local_settings.*", "settings_local.*"),
    *("*.sqlite", "*.sqlite3", "*.db"),
    *(".python-version", ".node-version", ".nvmrc", ".tool-versions", "CLAUDE.md", "AGENTS.md", PROJECT_FILE),
)
"""Settings and small databases of this machine, and rules for agents, as projects name them."""
GENERATED = CODE | {".so", ".pyd", ".node", ".dylib"}
"""Endings of ignored files beside tracked ones that code imports: a version file, a built extension."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    copied: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Untracked files that no rule ignores and no pattern names: work in progress."""
    ignored: tuple[str, ...] = ()
    """Ignored files that no pattern names, and that are in no cache and no build."""
    installed: tuple[str, ...] = ()
    """Folders with installed packages."""


def find_inputs(
    checkout: Checkout, commit: str, patterns: Sequence[str], given: Iterable[str] = (), hidden: Iterable[str] = ()
) -> Inputs:
    """Look through the untracked files. `given` are files that the run names, `hidden` those that it must not see."""
    out = {os.path.normpath(path) for path in hidden}
    found = [
        [*_files(checkout.root, untracked_paths(checkout.root, ignored=is_ignored))] for is_ignored in (True, False)
    ]
    installed = tuple(path for paths in found for path, is_package in paths if is_package)
    ignored, untracked = ([path for path, is_package in paths if not is_package] for paths in found)
    wanted = [path for path in untracked if _matches(path, patterns or BY_NAME, checkout.root, bool(patterns))]
    wanted += [path for path in ignored if _is_wanted(path, patterns, checkout.root)]
    named = [path for path in given if _differs(checkout, commit, path)]
    copied = dict.fromkeys(path for path in (*wanted, *named) if not _is_below(path, out))
    return Inputs(
        copied=tuple(sorted(copied)),
        left_out=tuple(path for path in untracked if path not in copied),
        ignored=tuple(
            each for each in ignored if each not in copied and not _is_below(each, out) and not _is_by_tool(each)
        ),
        installed=tuple(path for path in installed if not _is_below(path, out)),
    )


def _files(root: Path, names: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The files at paths, and the folders of installed packages among them; caches and builds are left out."""
    for name in names:
        path = name.rstrip("/")
        if is_installed(root / path):
            yield path, True
        elif _is_cache(path):
            continue
        elif name.endswith("/"):
            yield from _inside(root, path)
        else:
            yield path, False


def _inside(root: Path, path: str) -> Iterator[tuple[str, bool]]:
    seen = 0
    for place, folders, names in os.walk(root / path):
        inside = Path(place).relative_to(root).as_posix()
        for folder in sorted(folders):
            if is_installed(Path(place, folder)):
                yield f"{inside}/{folder}", True
        folders[:] = [each for each in folders if not is_installed(Path(place, each)) and each not in NEVER_CARRIED]
        yield from ((f"{inside}/{name}", False) for name in sorted(names) if not _is_cache(name))
        seen += len(names) + len(folders)
        if seen > MOST_SEEN:
            return


def _is_cache(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return not NEVER_CARRIED.isdisjoint(parts) or not {*INSTALLED}.isdisjoint(parts) or path.endswith(".pyc")


def _is_by_tool(path: str) -> bool:
    """Whether a tool wrote an ignored file for people or for itself: a log, the description of an installed package."""
    return PurePosixPath(path).suffix == ".log" or any(part.endswith(".egg-info") for part in PurePosixPath(path).parts)


def _is_wanted(path: str, patterns: Sequence[str], root: Path) -> bool:
    """Whether an ignored file is an input: by a pattern, else by its name, or as code that is generated or built."""
    if patterns:
        return _matches(path, patterns, root, by_person=True)
    is_code = PurePosixPath(path).suffix in GENERATED and _size(root / path) <= LARGEST
    return is_code or _matches(path, BY_NAME, root, by_person=False)


def _matches(path: str, patterns: Sequence[str], root: Path, by_person: bool) -> bool:
    """Whether a pattern names the file or a folder above it; files that are copied unasked must be small."""
    pure = PurePosixPath(path)
    places = [pure, *(each for each in pure.parents if each.name)] if by_person else [pure]
    named = any(fnmatch(str(place), each) or fnmatch(place.name, each) for place in places for each in patterns)
    return named and (by_person or _size(root / path) <= LARGEST)


def _size(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size if file.is_file() else LARGEST + 1
    return LARGEST + 1


def _differs(checkout: Checkout, commit: str, path: str) -> bool:
    """Whether a file of the checkout is missing in a commit, or another one there."""
    with suppress(OSError):
        return (checkout.root / path).read_bytes() != content_at(checkout, commit, path)
    return False


def _is_below(path: str, folders: set[str]) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in folders)


def copy_inputs(origin: Path, root: Path, paths: Iterable[str]) -> None:
    """Copy files with their modes and times; where a link leads is copied, since it may lead to another place there."""
    for path in paths:
        source, target = origin / path, root / path
        with suppress(FileNotFoundError):
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
