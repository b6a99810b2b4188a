from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.gates.ticking import tasks_to_tick
from dualgate.core.values.changes import Changes
from dualgate.core.values.facts import Facts
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbeState
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Counts
from dualgate.core.values.verdict import Breaker, Marks
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_state, facts, failed, not_done

OPEN = Plan(open=("T-1 add a fee", "T-2 round it", "say it"), file="fix_plan.md")
WORKED = Changes(tree="t", modified=("fee.py",))


def before(passing: int = 2, plan: Plan = OPEN) -> LoopState:
    return a_state(plan=plan, breaker=Breaker(best=Marks(passing=passing)))


def seen(count: int | None = 1, **observed: Any) -> Facts:
    values = {"plan": OPEN, "fresh": ("t.py::test_x",), "changes": WORKED, **observed}
    return facts(Phase.BUILD, not_done(tasks_completed=count), **values)


def test_as_many_tasks_as_the_agent_counts_are_ticked_in_their_order() -> None:
    assert tasks_to_tick(seen(), before()) == ("T-1 add a fee",)
    assert tasks_to_tick(seen(2), before()) == ("T-1 add a fee", "T-2 round it")
    assert tasks_to_tick(seen(9), before()) == OPEN.open


def test_a_task_that_a_new_test_names_comes_first() -> None:
    assert tasks_to_tick(seen(fresh=("t.py::test_t2_rounds",)), before()) == ("T-2 round it",)
    named = replace(OPEN, open=("a", "make `test_fee_of_two` pass"))
    assert tasks_to_tick(seen(plan=named, fresh=("t.py::test_fee_of_two",)), before()) == named.open[1:]


NOTHING = [
    seen(0),
    seen(None),
    seen(fresh=()),
    seen(counts=Counts(passed=2)),
    seen(failing=(failed("test_a"),)),
    seen(green_runs=0),
    seen(plan=None),
    seen(plan=replace(OPEN, stories=True)),
    seen(plan=replace(OPEN, is_gone=True)),
]


@pytest.mark.parametrize("shown", NOTHING)
def test_without_a_count_a_green_run_or_a_new_test_nothing_is_ticked(shown: Facts) -> None:
    assert tasks_to_tick(shown, before()) == ()


def test_boxes_that_are_ticked_already_count() -> None:
    now = replace(OPEN, open=OPEN.open[1:], done=OPEN.open[:1])

    assert tasks_to_tick(seen(1, plan=now), before()) == ()
    assert tasks_to_tick(seen(2, plan=now), before()) == ("T-2 round it",)


@pytest.mark.parametrize(
    ("file", "state", "tasks"),
    [
        ("fee.py", ProbeState.KILLED, OPEN.open[:1]),
        ("fee.py", ProbeState.SURVIVING, ()),
        ("old.py", ProbeState.KILLED, ()),
    ],
)
def test_changed_code_whose_break_a_test_notices_is_work_too(
    file: str, state: ProbeState, tasks: tuple[str, ...]
) -> None:
    probe = Probe(file=file, line=1, function="fee", kind=ProbeKind.VALUE_STUB, text="returns 1", state=state)

    assert tasks_to_tick(seen(fresh=(), probes=ProbeReport(probes=(probe,))), before()) == tasks
