"""The folders of a project that detection looks at: not too deep, and nothing that was installed or built."""

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dualgate.languages.interpreter import ENVIRONMENT_FOLDERS, read_text

DEEPEST = 4
FOREIGN = frozenset(
    {*ENVIRONMENT_FOLDERS, "node_modules", "site-packages", "__pycache__", "build", "dist", "target", "vendor"}
)
# a project in such a folder is what tests work on, and no project of its own
MATERIAL = frozenset({"test", "tests", "testing", "__tests__", "spec", "fixtures", "testdata", "data", "templates"})
TEST_MODULE = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One folder by its path from the root, and the names of its files."""

    path: str
    files: frozenset[str]

    def holds(self, path: str) -> bool:
        return self.path == "." or path == self.path or path.startswith(f"{self.path}/")

    @property
    def may_be_project(self) -> bool:
        return MATERIAL.isdisjoint(PurePosixPath(self.path).parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A project, or a member of a larger one: its own folder, and those below it that are no projects themselves."""

    root: Path
    home: Folder
    folders: tuple[Folder, ...]
    environment: Mapping[str, str]

    @property
    def folder(self) -> Path:
        return self.root / self.home.path

    def where(self, name: str) -> str:
        """A file of its folder as a person would name it."""
        return name if self.home.path == "." else f"{self.home.path}/{name}"

    def text(self, name: str) -> str:
        return read_text(self.folder / name) if name in self.home.files else ""

    def test_modules(self) -> list[PurePosixPath]:
        """Test modules of Python, seen from the root."""
        return sorted(
            PurePosixPath(folder.path, name)
            for folder in self.folders
            for name in folder.files
            if name.endswith(".py") and TEST_MODULE.fullmatch(name)
        )

    def has_file(self, name: str) -> bool:
        return any(name in folder.files for folder in self.folders)


def walk(root: Path) -> list[Folder]:
    """The folders of a project, the root first. Links are not followed, and what cannot be read is passed over."""
    found: list[Folder] = []
    waiting = deque([(root, ".", 0)])
    while waiting:
        place, path, depth = waiting.popleft()
        files: set[str] = set()
        for entry in _entries(place):
            if not entry.is_dir(follow_symlinks=False):
                files.add(entry.name)
            elif depth < DEEPEST and entry.name not in FOREIGN and not entry.name.startswith("."):
                waiting.append((place / entry.name, PurePosixPath(path, entry.name).as_posix(), depth + 1))
        found.append(Folder(path=path, files=frozenset(files)))
    return found


def _entries(place: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return


def parts(root: Path, folders: Iterable[Folder], signs: Iterable[str], environment: Mapping[str, str]) -> list[Part]:
    """The root, and each folder below it that has one of these files."""
    folders, wanted = list(folders), frozenset(signs)
    homes = [each for each in folders if each.path == "." or (each.may_be_project and wanted & each.files)]
    nearest: dict[str, list[Folder]] = {home.path: [] for home in homes}
    for folder in folders:
        owner = max((home.path for home in homes if home.holds(folder.path)), key=lambda path: (path != ".", len(path)))
        nearest[owner].append(folder)
    return [Part(root=root, home=home, folders=tuple(nearest[home.path]), environment=environment) for home in homes]
