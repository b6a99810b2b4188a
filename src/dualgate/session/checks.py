"""Settings, approved commands -> the checks of a run, with what they are for."""

from collections.abc import Iterable
from pathlib import Path

from dualgate.core.values.checks import Check
from dualgate.languages.tools import purpose_of, tools_in
from dualgate.settings import Settings
from dualgate.workspace.steering.commands import checked_text


def checks_of(project: Path, settings: Settings, validation: Iterable[str] = ()) -> tuple[Check, ...]:
    """The configured checks, then the approved validation commands of the specification."""
    named = dict(settings.checks)
    for command in validation:
        if command not in named.values():
            named[_free_name(command, named)] = command
    return tuple(_check(project, name, command) for name, command in named.items())


def _check(project: Path, name: str, command: str) -> Check:
    tools = tools_in(checked_text(project, [command]))
    by_file = bool(tools) and all(tool.by_file for tool in tools)
    return Check(name=name, command=command, purpose=purpose_of(name, tools), by_file=by_file)


def _free_name(command: str, taken: dict[str, str]) -> str:
    name = next((tool.name for tool in tools_in(command)), "validation")
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)
