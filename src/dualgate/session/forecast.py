"""Settings, the size of the work -> an estimate of its usage, by earlier sessions of the project. Nothing is run."""

from collections.abc import Sequence
from pathlib import Path

from dualgate.core.money.estimate import Estimate, estimate, joined
from dualgate.core.values.specification import Specification
from dualgate.core.values.vocabulary import PHASES, Workflow
from dualgate.session.team import choice_for, label_of
from dualgate.settings import Settings
from dualgate.store.earlier import earlier_sessions


def forecast(settings: Settings, workflow: Workflow, size: int, folders: Sequence[Path]) -> Estimate:
    """The estimate of a run of this many criteria or tasks, by the session folders of the project."""
    chosen = (label_of(choice_for(settings, phase)) for phase in PHASES[workflow])
    return estimate(earlier_sessions(*folders), workflow, joined(filter(None, chosen)), size)


def size_of_work(spec: Specification, workflow: Workflow) -> int:
    """The criteria of a specification, or its open tasks."""
    return len(spec.criteria) if workflow is Workflow.TDD else sum(not task.done for task in spec.tasks)
