"""The folders of a project that detection searches: not too deep, without installed or built ones."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from dualgate.languages.parts import Folder, Part
from dualgate.languages.registry import LANGUAGES

DEEPEST = 4
FOREIGN = frozenset(name for language in LANGUAGES for name in (*language.installed, *language.built))
# a project in such a folder is test data, not a part of this project
MATERIAL = frozenset({"test", "tests", "testing", "spec", "fixtures", "data", "templates"}).union(
    *(language.test_folders for language in LANGUAGES)
)


def walk(root: Path) -> list[Folder]:
    """The folders of a project, the root first. Links are not followed, and unreadable folders are skipped."""
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
    homes = [each for each in folders if each.path == "." or (wanted & each.files and _may_be_project(each))]
    nearest: dict[str, list[Folder]] = {home.path: [] for home in homes}
    for folder in folders:
        owner = max((home.path for home in homes if home.holds(folder.path)), key=lambda path: (path != ".", len(path)))
        nearest[owner].append(folder)
    return [Part(root=root, home=home, folders=tuple(nearest[home.path]), environment=environment) for home in homes]


def _may_be_project(folder: Folder) -> bool:
    return MATERIAL.isdisjoint(PurePosixPath(folder.path).parts)
