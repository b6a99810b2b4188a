"""Commands of agents -> files of the checkout that they name and a worktree will not have."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from dualgate.core.values.notation import split_command
from dualgate.fleet.plan import WorktreePlan
from dualgate.workspace.linked import content_at


def files_left_behind(plan: WorktreePlan, project: Path, commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each command with a file that it names by a relative path, and that is not in the worktree at that path."""
    for command in dict.fromkeys(commands):
        for word in dict.fromkeys(_words(command)):
            if not Path(word).is_absolute() and (project / word).is_file() and not _is_there(plan, word):
                yield command, word


def _words(command: str) -> Iterator[str]:
    """The words of a command; those of the text that it hands to a shell too."""
    for word in split_command(command):
        yield word
        if any(map(str.isspace, word)):
            yield from word.split()


def _is_there(plan: WorktreePlan, word: str) -> bool:
    path = os.path.normpath(os.path.join(plan.project, word))  # noqa: PTH118  as git names it
    folders = (*plan.shared, *plan.linked, *plan.duplicated, *plan.submodules)
    is_given = path in plan.inputs.copied or any(path.startswith(f"{folder}/") for folder in folders)
    return is_given or (not path.startswith("../") and content_at(plan.checkout, plan.commit, path) is not None)
