"""Remove the outputs of test runs before each run with a probe, so that none meets what another one left.

Runs in the project's own Python, so it knows nothing of dualgate.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from fnmatch import translate
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANY_NUMBER = "<n>"
SIGNS = re.compile(r"[*?\[]|<n>")


def remove_outputs(project: str, patterns: Iterable[str], number: str) -> None:
    """Remove the files of a project that match patterns of outputs. `number` is the expression for `<n>` in them."""
    for pattern in patterns:
        matches = re.compile(f"(?:{number})".join(translate(part)[:-2] for part in pattern.split(ANY_NUMBER)))
        for path in list(_files(project, pattern)):
            if matches.fullmatch(path):
                with suppress(OSError):
                    os.unlink(os.path.join(project, path))


def _files(project: str, pattern: str) -> Iterator[str]:
    """The files that a pattern can match, relative to the project; only folders that it leads to are searched."""
    parts = pattern.split("/")
    plain = list(takewhile(lambda part: not SIGNS.search(part), parts))
    if plain == parts:
        yield pattern
        return
    deepest = None if "*" in pattern else len(parts) - 1
    for folder, inner, names in os.walk(os.path.join(project, *plain)):
        below = os.path.relpath(folder, project)
        place = [] if below == os.curdir else below.split(os.sep)
        if len(place) == deepest:
            inner.clear()
        for name in names:
            yield "/".join([*place, name])
