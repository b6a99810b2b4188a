"""Rooms: everything that a turn works with. The loop is their only user."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dualgate.agents.base import Agent
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.amendments import AmendmentDecided
from dualgate.core.values.brief import Brief
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.specification import Plan, Specification
from dualgate.core.values.state import LoopState
from dualgate.processes.sandbox import not_confined
from dualgate.runners.base import Runner
from dualgate.session.check_runs import CheckRuns
from dualgate.session.probe_runs import ProbeRuns
from dualgate.session.suite_runs import SuiteRuns
from dualgate.store.requests import Inbox
from dualgate.workspace.base import Workspace

if TYPE_CHECKING:
    from jinja2 import Environment


def no_tasks(before: Plan | None) -> None:
    """The task list of a workflow that has none."""
    del before


def one_call_more(state: LoopState) -> LoopState:
    return replace(state, total_agent_calls=state.total_agent_calls + 1)


def nothing_decided() -> None:
    """The default of `Rooms.decided`: no turn was cut off after its amendment was decided."""


def not_yet(number: int) -> bool:
    """The default of `Rooms.is_answered`: every call is made."""
    del number
    return False


def nothing_to_add(state: LoopState) -> Brief:
    """The default of `Rooms.brief`: a prompt says what the state says."""
    del state
    return Brief()


def no_edits() -> tuple[str, ...]:
    """The default of `Rooms.spec_edits`: the specification has no file."""
    return ()


def nothing_to_commit(state: LoopState, control: Control) -> LoopState:
    """The default of `Rooms.commit`: git is only read."""
    del control
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """Everything that a turn works with. `record` journals an event and returns the state after it."""

    prp: Specification
    templates: "Environment"
    team: Mapping[str, Agent]
    """The agents by their names in the lineup."""
    runner: Runner
    worktree: Workspace
    suites: SuiteRuns
    checks: CheckRuns
    probes: ProbeRuns
    record: Callable[[Event], LoopState]
    now: Callable[[], datetime]
    idle_timeout: float | None = None
    tasks: Callable[[Plan | None], Plan | None] = no_tasks
    """Reads the task list in the work tree, given the previous one."""
    ticked: Callable[[str, Collection[str]], bytes | None] | None = None
    """Returns a task list with the boxes of tasks ticked; None if the agent ticks them."""
    cut_off: LoopState | None = None
    """The state before a turn that was cut off after its call; its finished steps are not repeated."""
    inbox: Inbox = field(default_factory=Inbox)
    redactor: Redactor = field(default_factory=Redactor)
    counted: Callable[[LoopState], LoopState] = one_call_more
    """Returns the state with one more call, and with the spending of all calls so far."""
    is_answered: Callable[[int], bool] = not_yet
    """Whether the journal holds the answer to the call with this number, from a turn that was cut off."""
    decided: Callable[[], AmendmentDecided | None] = nothing_decided
    """The amendment decision of a turn that was cut off, if it was recorded."""
    spec_edits: Callable[[], tuple[str, ...]] = no_edits
    """The changes of a person in the file of the specification."""
    brief: Callable[[LoopState], Brief] = nothing_to_add
    """The material of the next prompt beside the state."""
    refused: Callable[[Iterable[str]], tuple[str, ...] | None] = not_confined
    """Returns what the sandbox refused to tests with these messages; None without a sandbox."""
    commit: Callable[[LoopState, Control], LoopState] = nothing_to_commit
    """Commits what a gate proved, if a person asked for it."""
