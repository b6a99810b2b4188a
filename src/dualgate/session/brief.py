"""LoopState -> Brief: what is read from disk for the next prompt."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dualgate.core.evidence.checks import usable_checks
from dualgate.core.values.answer import Recalled
from dualgate.core.values.brief import Brief
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Suite

INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md")
"""Files in which projects tell people and agents how to work on them."""


def briefing(
    project: Path, suites: tuple[Suite, ...], recall: Callable[[LoopState], tuple[Recalled, ...]]
) -> Callable[[LoopState], Brief]:
    """Returns a function that reads what the next prompt needs beside the state."""

    def brief(state: LoopState) -> Brief:
        checks = tuple(check.command for check in usable_checks(state))
        return replace(first_brief(project, suites), checks=checks, recalled=recall(state))

    return brief


def first_brief(project: Path, suites: tuple[Suite, ...]) -> Brief:
    """What is known before the first call, without any memory."""
    return Brief(suites=suites, instructions=instructions_in(project))


def instructions_in(project: Path) -> tuple[str, ...]:
    return tuple(name for name in INSTRUCTIONS if (project / name).is_file())
