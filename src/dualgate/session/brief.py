"""LoopState -> Brief: what is read from disk for the next prompt."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from dualgate.core.evidence.checks import usable_checks
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.answer import Recalled
from dualgate.core.values.brief import Brief
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Phase

INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md")
"""Files in which projects tell people and agents how to work on them."""


START = "the start of the run"


class ChangedFiles(Protocol):
    """The changes of a run in its work tree."""

    def diffs(self, state: LoopState) -> tuple[FileDiff, ...]: ...

    def saved_as(self, tree: str, label: str) -> str: ...


def briefing(
    project: Path,
    suites: Callable[[], tuple[Suite, ...]],
    recall: Callable[[LoopState], tuple[Recalled, ...]],
    changed: ChangedFiles | None = None,
    redactor: Redactor | None = None,
    program: str = "dualgate",
    ticks: bool = False,
) -> Callable[[LoopState], Brief]:
    """Returns a function that reads what the next prompt needs beside the state.

    `program` starts dualgate; empty if agents cannot use it: a sandbox hides the snapshots.
    """

    def brief(state: LoopState) -> Brief:
        checks = tuple(check.command for check in usable_checks(state))
        known = replace(first_brief(project, suites()), checks=checks, recalled=recall(state), ticks=ticks)
        if changed is None or state.phase is not Phase.QA or not state.proof.start_tree:
            return known
        start = changed.saved_as(state.proof.start_tree, START)
        command = f"{program} snapshot diff {start} --file" if program else ""
        diffs = changed.diffs(state)
        return replace(known, diffs=redactor.value(diffs) if redactor else diffs, diff_command=command)

    return brief


def first_brief(project: Path, suites: tuple[Suite, ...]) -> Brief:
    """The material of the first prompt, without any memory."""
    return Brief(suites=suites, instructions=instructions_in(project))


def instructions_in(project: Path) -> tuple[str, ...]:
    return tuple(name for name in INSTRUCTIONS if (project / name).is_file())
