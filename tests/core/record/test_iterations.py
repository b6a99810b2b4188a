from dataclasses import replace
from datetime import timedelta

from dualgate.core.gates.judge import judge
from dualgate.core.record.iterations import Iteration, Place, changes_in, iterations, place_of, used_in
from dualgate.core.values.answer import Answer, Ending, Usage
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckEnded, CheckRun
from dualgate.core.values.events import (
    BaselineTaken,
    CallEnded,
    CallStarted,
    ProvenAgain,
    SuiteEnded,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.testing import NOW, a_report, a_state, facts, failed, passed

LATER = NOW + timedelta(seconds=90)
FACTS = facts(Phase.GREEN)
TURN = TurnEnded(
    at=LATER,
    facts=FACTS,
    verdict=judge(FACTS, Limits()),
    breaker=Breaker(),
    move=Move(decision=Decision.CONTINUE, phase=Phase.GREEN),
)
CALL = CallStarted(at=NOW, number=1, phase=Phase.GREEN, iteration=1, tree="before")
ENDED = CallEnded(
    at=NOW,
    number=1,
    exit_code=0,
    ending=Ending.EXITED,
    seconds=2.0,
    answer=Answer(usage=Usage(input=90, output=10), cost_usd=0.5),
)
RUN = SuiteEnded(at=NOW, report=a_report(passed("a"), failed("b"), failed("new")))
CHECK = CheckEnded(at=NOW, check=CheckRun(command="make lint", exit_code=0))
BASELINE = BaselineTaken(at=NOW, tree="t", results=(failed("a"), passed("b"), passed("old")))


def names(ids: tuple[str, ...]) -> list[str]:
    return [each.rpartition("::")[2] for each in ids]


def test_an_iteration_has_its_calls_runs_checks_and_changed_results() -> None:
    settled = TreeSettled(at=NOW, changes=Changes(tree="t"))

    (found,) = iterations((BASELINE, CALL, ENDED, settled, RUN, CHECK, TURN))

    assert (found.number, found.started, found.seconds, found.trees) == (1, NOW, 90.0, ("before", "t"))
    assert (found.calls, found.ended, found.runs, found.checks) == ((CALL,), (ENDED,), (RUN,), (CHECK,))
    tests = found.tests
    assert (names(tests.fixed), names(tests.broken)) == (["a"], ["b"])
    assert (names(tests.new), names(tests.gone)) == (["new"], ["old"])
    assert names(tuple(result.id for result in tests.failing)) == ["b", "new"]


def test_the_next_iteration_is_compared_with_the_last_whole_run_on_its_own_tree() -> None:
    other_tree = replace(RUN, trial="the tree of RED", report=a_report(passed("b")))
    selected = SuiteEnded(at=NOW, report=a_report(passed("b"), only=("b",)))

    first, second = iterations((BASELINE, CALL, RUN, TURN, CALL, other_tree, selected, TURN))

    assert (first.number, second.number, second.runs) == (1, 2, (selected,))
    assert (names(second.tests.fixed), second.tests.gone) == (["b"], ())


def test_an_iteration_without_a_trusted_run_has_no_results() -> None:
    untrusted = SuiteEnded(at=NOW, report=a_report(passed("a"), problems=("killed",)))

    (found,) = iterations((BASELINE, untrusted, replace(TURN, at=NOW)))

    assert (found.tests.new, found.seconds, found.trees) == ((), 0.0, ("", "t"))


def test_the_usage_of_an_iteration_is_that_of_its_calls() -> None:
    found = Iteration(number=1, started=NOW, turn=TURN, ended=(ENDED, ENDED))

    used = used_in(found, {})

    assert (used.calls, used.tokens, used.cost_usd) == (2, 200, 1.0)


def test_an_event_belongs_to_the_iteration_that_is_under_way() -> None:
    before = a_state(phase=Phase.RED, iteration=2)
    again = ProvenAgain(at=NOW, reason="r", turn=TURN)

    assert place_of(CALL, before, 7) == Place(phase=Phase.RED, iteration=3, number=7)
    assert place_of(TURN, before, 7) == place_of(again, before, 7) == Place(phase=Phase.GREEN, iteration=1, number=7)


def test_selected_tests_say_nothing_about_the_others() -> None:
    assert changes_in((passed("a"), passed("b")), (passed("b"),), is_whole=False).gone == ()
