"""Facts, LoopState -> the tasks whose boxes dualgate ticks, if a person wants that.

The agent's count of finished tasks is a claim. It counts in an iteration whose tests are green and in which more tests
pass than ever before, or in which tests notice that the code of this call is broken.
"""

import re

from dualgate.core.gates.build import tests_pass
from dualgate.core.spec.plan import newly_done
from dualgate.core.values.case_names import names
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.probes import VALUE_PROBES, Probe, ProbeState
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseOutcome, CaseResult

# the id that a task begins with: T-3, **FEE-12**, T001
_ID = re.compile(r"\W*(?P<id>[A-Z]+-?\d+)\b")


def tasks_to_tick(facts: Facts, state: LoopState) -> tuple[str, ...]:
    """As many open tasks as the agent counts: first those that a new test names or that name it, then in order."""
    seen = facts.observed
    plan = seen.plan
    if plan is None or plan.stories or plan.is_gone or not tests_pass(seen) or not _shows_work(seen, state):
        return ()
    count = (facts.claimed.tasks_completed or 0) - (newly_done(state.plan, plan) or 0)
    linked = [task for task in plan.open if _is_linked(task, seen)]
    others = [task for task in plan.open if task not in linked]
    return (*linked, *others)[: max(0, count)]


def _shows_work(seen: Observed, state: LoopState) -> bool:
    before = state.breaker.best.passing or 0
    noticed = {probe.file for probe in _killed(seen)} & {*seen.changes.paths}
    return bool(seen.fresh and seen.counts.passed > before) or bool(noticed)


def _killed(seen: Observed) -> list[Probe]:
    probes = seen.probes.probes if seen.probes else ()
    return [probe for probe in probes if probe.kind in VALUE_PROBES and probe.state is ProbeState.KILLED]


def _is_linked(task: str, seen: Observed) -> bool:
    found = _ID.match(task)
    as_named = Criterion(id=found["id"] if found else task, text=task, line=0)
    return any(names(CaseResult(id=name, outcome=CaseOutcome.PASSED), as_named) for name in seen.fresh)
