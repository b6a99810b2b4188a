"""mocha loads all test files before any test: find the one that it could not load, and run the others without it."""

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from dualgate.runners.unbuilt import is_missing_module

_CALL = re.compile(r"(?<![\w-])mocha(?=\s|$)")
# who needs a missing module; a file whose import has no such export is named with its line before the error
_NEEDED_BY = re.compile(
    r"Require stack:\n- (?P<required>\S.*)|imported from (?P<imported>\S.*)|^(?:file://)?(?P<import>/.*):\d+$",
    re.MULTILINE,
)
NO_FILES = "No test files found"


def is_mocha(command: str) -> bool:
    return _CALL.search(command) is not None


def waiting_file(output: str, project: Path) -> str:
    """The test file that mocha could not load since work is missing; empty if it failed for another reason."""
    found = _NEEDED_BY.search(output)
    if found is None:
        return ""
    file = os.path.relpath(next(filter(None, found.groups())).strip(), project.resolve())
    return file if is_missing_module(output, file, project) else ""


def without_files(command: Sequence[str], files: Iterable[str]) -> tuple[str, ...]:
    """The command of a shell or a program, in which mocha leaves out some files."""
    flags = [word for file in files for word in ("--ignore", file)]
    if not flags:
        return tuple(command)
    words: list[str] = []
    for word in command:
        if " " in word:  # a script
            words.append(_CALL.sub(lambda call: f"{call[0]} {shlex.join(flags)}", word, count=1))
        else:
            words += [word, *flags] if _CALL.search(word) else [word]
    return tuple(words)
