"""Files that two test runs wrote -> patterns of the outputs of test runs."""

from collections.abc import Collection, Iterator
from glob import escape
from pathlib import PurePosixPath

from dualgate.core.values.changes import ANY_NUMBER, VOLATILE


def output_patterns(first: Collection[str], second: Collection[str], present: Collection[str]) -> tuple[str, ...]:
    """Patterns of the files that two test runs wrote, among all files that are present afterwards.

    A folder counts as a whole if the runs wrote all its files. A name with a number that only one run wrote counts
    with any number.
    """
    written = frozenset(first) | frozenset(second)
    folders = _own_folders(written, present)
    names = {path for path in written if not any(path.startswith(f"{folder}/") for folder in folders)}
    twice = {_with_any_number(path) for path in first} & {_with_any_number(path) for path in second}
    patterns = {_pattern(path, first, second, twice) for path in names}
    return tuple(sorted({*patterns, *(f"{escape(folder)}/*" for folder in folders)}))


def _pattern(path: str, first: Collection[str], second: Collection[str], twice: Collection[str]) -> str:
    volatile = _with_any_number(path)
    return volatile if (path in first) != (path in second) and volatile in twice else escape(path)


def _with_any_number(path: str) -> str:
    return ANY_NUMBER.join(escape(part) for part in VOLATILE.split(path))


def _own_folders(written: Collection[str], present: Collection[str]) -> set[str]:
    """The outermost folders that contain written files only, except the root of the project."""
    shared = {folder for path in present if path not in written for folder in _folders(path)}
    own = {folder for path in written for folder in _folders(path)} - shared
    return {folder for folder in own if not any(outer in own for outer in _folders(folder))}


def _folders(path: str) -> Iterator[str]:
    return (folder.as_posix() for folder in PurePosixPath(path).parents if folder.name)
