"""The title of a JavaScript test -> its file, for reports that name none: TAP of mocha, and XML of an older mocha."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from dualgate.languages.javascript import LANGUAGE
from dualgate.languages.written import WrittenCase, written_cases

MANIFEST = "package.json"
_MADE = frozenset({"node_modules", "dist", "build", "coverage", "vendor"})
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", *LANGUAGE.test_folders})
_TEST_FILE = re.compile(LANGUAGE.test_files)
_FILES_KEPT = 4096
_LARGEST = 1 << 20


def files_by_title(folder: Path) -> dict[str, str]:
    """Each title, after those of its groups, with the path of its file below the folder; empty if several have it."""
    found: dict[str, str] = {}
    for path in _test_files(folder) if (folder / MANIFEST).is_file() else ():
        for case in _cases(path, _content(folder / path)):
            title = " ".join(case.names)
            found[title] = path if found.get(title, path) == path else ""
    return found


@lru_cache(maxsize=_FILES_KEPT)  # most files are the same in each run of a session
def _cases(path: str, content: bytes) -> tuple[WrittenCase, ...]:
    return written_cases(path, content)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    except OSError:
        return b""


def _test_files(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if each not in _MADE and not each.startswith("."))
        place = os.path.relpath(folder, root)
        holds_tests = not _TEST_FOLDERS.isdisjoint(place.split("/"))
        for name in sorted(files):
            if name.endswith(LANGUAGE.silent_endings) and (holds_tests or _TEST_FILE.fullmatch(name)):
                yield os.path.normpath(f"{place}/{name}")
