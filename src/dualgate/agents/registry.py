"""The agents by name. A new one is a file beside this, and a line below."""

from collections.abc import Callable
from pathlib import Path

from dualgate.agents.base import Agent
from dualgate.agents.command import CommandAgent
from dualgate.agents.rehearsal import RehearsalAgent, load_script

# name -> how to make it from what follows the name (`rehearsal:lying`), the project and the time limit of a call
AGENTS: dict[str, Callable[[str, Path, float | None], Agent]] = {
    "command": lambda argument, project, timeout: CommandAgent(command=argument, project=project, timeout=timeout),
    "rehearsal": lambda argument, project, timeout: RehearsalAgent(
        script=load_script(argument or "honest"), project=project, timeout=timeout
    ),
}
