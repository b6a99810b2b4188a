from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dualgate.core.gates.halts import HALTS
from dualgate.core.record.halting import (
    HALT_SCHEMA,
    WAYS_SCHEMA,
    FailingTest,
    halt_document,
    halt_report,
    next_ways,
    ways_document,
)
from dualgate.core.values.changes import Violation
from dualgate.core.values.state import Attempt, LoopState, Memory
from dualgate.core.values.team import Out
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Status, WayOn
from dualgate.testing import a_state, failed

REASONS = ("2 failing: tests/test_x.py::test_a, tests/test_x.py::test_b", "no test names AC-2")
TRIED = Attempt(iteration=3, said="All done", changed=("a.py",), result="; ".join(REASONS))


def halted(cause: HaltCause | None = HaltCause.NO_PROGRESS, **values: Any) -> LoopState:
    reasons = f"GREEN: no progress in 3 iterations: {'; '.join(REASONS)}"
    memory = Memory(
        reasons=(*REASONS, "a reminder"),
        failing=(failed("test_a"), failed("test_b")),
        violations=(Violation(path="tests/test_x.py", rule="frozen"),),
        false_claims=("TESTS_STATUS was given as PASSING, measured FAILING",),
    )
    decision = HALTS[cause].decision if cause else Decision.STUCK
    defaults: dict[str, Any] = {
        "phase": Phase.GREEN,
        "iteration": 3,
        "status": Status.HALTED,
        "halted_by": cause,
        "ended_by": decision,
        "halt_reason": reasons,
        "memory": memory,
        "attempts": (TRIED,),
        "outs": {"codex": Out(reason="no login")},
    }
    return a_state(**{**defaults, **values})


def test_a_halt_names_each_fact_once() -> None:
    report = halt_report(halted())

    assert report is not None
    assert report.why == "no progress in 3 iterations"
    assert report.evidence == ("no test names AC-2", "a reminder")
    assert report.failing == tuple(
        FailingTest(id=f"tests/test_x.py::test_{name}", message="assert 1 == 2") for name in "ab"
    )
    assert report.violations == ("tests/test_x.py: frozen",)
    assert report.false_claims == ("TESTS_STATUS was given as PASSING, measured FAILING",)
    assert (report.tried, report.agents_out, report.more_failing) == ((TRIED,), ("codex: no login",), 0)


def test_only_the_first_failing_tests_are_listed_and_the_others_counted() -> None:
    many = Memory(failing=tuple(failed(f"test_{number}") for number in range(8)))

    report = halt_report(halted(memory=many))

    assert report is not None
    assert (len(report.failing), report.more_failing) == (5, 3)


def test_what_keeps_the_gate_shut_names_failing_tests_where_their_results_are_not_known() -> None:
    report = halt_report(halted(memory=Memory(reasons=REASONS)))

    assert report is not None
    assert report.evidence == REASONS


WHYS = [
    ("the tests cannot be run", "", "the tests cannot be run"),
    ("GREEN: the budget is spent. Continue with: dualgate resume --max-cost 4", "dualgate resume --max-cost 4", None),
    ("GREEN: the budget is spent. Go on with: dualgate resume --max-cost 4", "dualgate resume --max-cost 4", None),
]


@pytest.mark.parametrize(("reason", "way_on", "why"), WHYS)
def test_the_reason_is_told_without_its_phase_and_command(reason: str, way_on: str, why: str | None) -> None:
    report = halt_report(halted(HaltCause.BUDGET, halt_reason=reason, way_on=way_on, memory=Memory()))

    assert report is not None
    assert report.why == (why or "the budget is spent")


def test_a_session_that_is_not_halted_has_no_report() -> None:
    assert halt_report(a_state()) is None
    assert halt_document(None) is None


@pytest.mark.parametrize("cause", [None, *HaltCause])
def test_every_cause_is_explained_with_commands_and_fits_the_schema(cause: HaltCause | None) -> None:
    state = halted(cause, way_on="dualgate resume --max-cost 4" if cause is HaltCause.BUDGET else "")

    report, ways = halt_report(state), next_ways(state)

    assert report is not None
    assert report.when
    assert bool(report.advice) is (cause not in (None, HaltCause.RESET, HaltCause.ABORTED))
    assert ways
    assert all(way.command.startswith("dualgate ") and way.effect for way in ways)
    Draft202012Validator(HALT_SCHEMA).validate(halt_document(report))
    Draft202012Validator(WAYS_SCHEMA).validate(ways_document(ways))


def test_the_next_commands_fit_the_state_of_the_session() -> None:
    def found(state: LoopState, **values: bool) -> list[tuple[WayOn, str]]:
        return [(each.way, each.effect) for each in next_ways(state, **values)]

    running = a_state()
    assert found(running)[0] == (WayOn.FOLLOW, "follow the run")
    assert found(running, is_alive=False)[0] == (WayOn.RESUME, "continue")
    assert found(replace(running, status=Status.COMPLETED))[0][0] is WayOn.READ
    assert found(replace(running, status=Status.PAUSED)) == [(WayOn.RESUME, "continue")]
    assert found(halted(HaltCause.BLOCKED))[0] == (WayOn.RESUME, "continue when that is fixed")
    assert found(halted(HaltCause.RESET))[0] == (WayOn.RESUME, "continue")
    assert found(halted(HaltCause.ABORTED))[1] == (WayOn.RESET, "undo the abort, continue")
    assert [way for way, _ in found(halted(HaltCause.BLOCKED), spec_changed=True)][:2] == [
        WayOn.RESPEC,
        WayOn.KEEP_SPEC,
    ]
