"""Rehearsal scripts that a person names in options, by their whole paths: a run in a worktree is in another folder."""

import os
from collections.abc import Mapping
from typing import Any

from dualgate.agents.rehearsal import BUILT_IN

_AGENT = "rehearsal:"


def whole_scripts(flags: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Flags in which each script that is in this folder has its whole path."""
    return {name: _whole(value, folder) for name, value in flags.items()}


def _whole(value: Any, folder: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_whole(each, folder) for each in value)
    return whole_script(value, folder) if isinstance(value, str) else value


def whole_script(word: str, folder: str) -> str:
    """A word of a command, `rehearsal:SCRIPT` or `--option=rehearsal:SCRIPT`, with the whole path of the script."""
    if not (script := script_in(word)):
        return word
    path = os.path.normpath(os.path.join(folder, script))  # noqa: PTH118  as it is written, links and all
    return word.removesuffix(script) + path if os.path.isfile(path) else word  # noqa: PTH113


def script_in(word: str) -> str:
    """The file that a word names as a script; empty if it names none."""
    head, found, script = word.partition(_AGENT)
    is_agent = bool(found) and (not head or (head.startswith("--") and head.endswith("=")))
    return script if is_agent and script not in BUILT_IN else ""
