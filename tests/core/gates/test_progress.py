import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.gates.progress import overall_progress, phase_progress
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Review
from dualgate.core.values.limits import Limits
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import Plan
from dualgate.core.values.vocabulary import Phase, Workflow
from dualgate.testing import a_state, done, facts, failed, not_done

TDD = (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA)
OVERALL = [
    ({"phase": Phase.RED}, 0),
    ({"phase": Phase.RED, "iteration": 5}, 5),
    ({"phase": Phase.GREEN, "iteration": 5, "phases_completed": (Phase.RED,)}, 32),
    ({"phase": Phase.GREEN, "iteration": 40, "phases_completed": (Phase.RED,)}, 55),
    ({"phase": Phase.QA, "iteration": 1, "phases_completed": TDD}, 100),
    ({"phase": Phase.DOCUMENT, "phases_completed": TDD[:2], "phases_forced": (Phase.REFACTOR,)}, 70),
    # a rejection leads back: what a person skipped on the way lies ahead again
    ({"phase": Phase.GREEN, "phases_completed": (Phase.RED,), "phases_forced": (Phase.REFACTOR,)}, 10),
    ({"phase": Phase.BUILD, "workflow": Workflow.RALPH, "iteration": 3}, 30),
]


@pytest.mark.parametrize(("values", "percent"), OVERALL)
def test_the_whole_run_is_weighed_as_documented(values: dict[str, object], percent: int) -> None:
    assert overall_progress(a_state(**values)) == percent


NOTHING = CaseCounts()
PARTLY = [
    (facts(Phase.RED, red=("test_ac1",), uncovered=("AC-2",)), NOTHING, 50),
    (facts(Phase.RED, red=("test_x",), uncovered=("AC-1", "AC-2")), NOTHING, 50),
    (facts(Phase.RED, red=(), uncovered=("AC-1", "AC-2")), NOTHING, 0),
    (facts(Phase.RED, broken=("test_old",)), NOTHING, 99),
    (facts(Phase.GREEN, failing=(failed("test_a"),)), CaseCounts(passing=6, failing=4), 60),
    (facts(Phase.GREEN, green_runs=1), CaseCounts(passing=3), 99),
    (facts(Phase.GREEN, failing=(failed("test_a"),)), NOTHING, 99),
    (facts(Phase.REFACTOR, not_done(), failing=(failed("test_a"),)), NOTHING, 10),
    (facts(Phase.REFACTOR, failing=(failed("test_a"),)), NOTHING, 50),
    (facts(Phase.DOCUMENT, changes=Changes(tree="t", documents=("README.md",))), NOTHING, 44),
    (facts(Phase.QA, not_done()), NOTHING, 33),
    (facts(Phase.QA, done(Phase.QA, review=Review.APPROVE, blocking_findings=1)), NOTHING, 66),
    (facts(Phase.QA, done(Phase.QA, review=Review.REJECT)), NOTHING, 66),
    (facts(Phase.BUILD, failing=(failed("test_a"),), plan=Plan(done=("a",), open=("b", "c", "d"))), NOTHING, 25),
    (facts(Phase.BUILD, failing=(failed("test_a"),)), CaseCounts(passing=1, failing=1), 50),
]


@pytest.mark.parametrize(("seen", "tests", "percent"), PARTLY)
def test_a_phase_is_as_far_as_was_measured(seen: object, tests: CaseCounts, percent: int) -> None:
    assert phase_progress(seen, judge(seen, Limits()), tests, Limits()) == percent  # type: ignore[arg-type]


def test_no_document_is_missed_where_none_is_asked_for() -> None:
    seen = facts(Phase.DOCUMENT, failing=(failed("test_a"),), changes=Changes(tree="t"))
    limits = Limits(documents=0, adr_required=False)

    assert phase_progress(seen, judge(seen, limits), NOTHING, limits) == 66


@pytest.mark.parametrize("phase", [Phase.RED, Phase.GREEN, Phase.DOCUMENT])
def test_a_phase_is_whole_where_its_evidence_is(phase: Phase) -> None:
    seen = facts(phase, not_done())

    assert phase_progress(seen, judge(seen, Limits()), NOTHING, Limits()) == 100
