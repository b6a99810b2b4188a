"""The stays in phases: when each began and ended, how, and between which trees."""

from dualgate.core.report.values import StayEnd
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.changes import Changes, Edits, RolledBack, Ticked
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.events import PersonEdited, PhaseSkipped, SessionPaused, SessionResumed
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import Respec
from dualgate.core.values.verdict import Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status
from tests.core.report.session import Session, in_green, of_ralph, proven


def ends(session: Session) -> list[tuple[Phase, StayEnd]]:
    return [(stay.phase, stay.end) for stay in session.report().stays]


def trees(session: Session) -> list[tuple[str, str]]:
    return [(stay.before, stay.after) for stay in session.report().stays]


def test_each_phase_of_a_proven_run_has_one_stay_that_passed() -> None:
    report = proven().report()

    assert [stay.end for stay in report.stays] == [StayEnd.PASSED] * 5
    assert [(stay.iterations, stay.calls) for stay in report.stays] == [(1, 1)] * 5
    assert all(stay.ended for stay in report.stays)


def test_a_running_phase_has_not_ended() -> None:
    stay = in_green().call().report().stays[-1]

    assert (stay.phase, stay.end, stay.ended, stay.calls) == (Phase.GREEN, StayEnd.OPEN, None, 1)


def test_a_call_that_is_retried_is_no_iteration() -> None:
    assert in_green().turn(Decision.RETRY).report().stays[-1].iterations == 0


def test_a_stay_goes_from_the_tree_before_it_to_the_tree_that_was_judged_last() -> None:
    session = in_green().turn(changes=Changes(tree="second"))

    assert trees(session) == [("start", "t"), ("t", "second")]


def test_a_tree_that_is_rolled_back_is_the_restored_one() -> None:
    session = in_green().turn(changes=Changes(tree="broken"), event={"rolled_back": RolledBack(tree="green")})

    assert trees(session)[-1] == ("t", "green")


def test_ticks_edits_of_a_person_and_amendments_are_part_of_the_tree() -> None:
    session = of_ralph().baseline().turn(event={"ticked": Ticked(tasks=("a",), tree="ticked")})
    assert trees(session) == [("start", "ticked")]

    session.add(PersonEdited(at=session.now, edits=Edits(modified=("a.py",), tree="edited")))
    assert trees(session) == [("start", "edited")]

    amended = Amendment(outcome=AmendmentOutcome.ACCEPTED)
    session.add(AmendmentDecided(at=session.now, amendment=amended, tree="amended"))
    assert trees(session) == [("start", "amended")]


def test_without_a_baseline_no_tree_is_known() -> None:
    assert trees(Session()) == [("", "")]


def test_a_rejected_review_a_skipped_phase_and_tests_to_rewrite_end_a_stay() -> None:
    session = in_green().turn(Decision.REWRITE_TESTS, Phase.RED)
    session.turn(Decision.KEEP_TESTS, Phase.GREEN)
    session.add(PhaseSkipped(at=session.now, by="Ann", phase=Phase.GREEN, goes_on=True))

    assert ends(session) == [
        (Phase.RED, StayEnd.PASSED),
        (Phase.GREEN, StayEnd.REWRITING),
        (Phase.RED, StayEnd.PASSED),
        (Phase.GREEN, StayEnd.SKIPPED),
        (Phase.REFACTOR, StayEnd.OPEN),
    ]


def test_broken_checks_send_the_work_back_as_a_rejection_does() -> None:
    session = in_green()
    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.turn(Decision.NEXT_PHASE, after)
    verdict = Verdict(outcome=Outcome.REJECT, gate_1=False, gate_2=False)
    move = Move(decision=Decision.REJECTED, phase=Phase.GREEN)
    session.add(ChecksFailed(at=session.now, results=(), verdict=verdict, move=move))

    assert ends(session)[-2:] == [(Phase.QA, StayEnd.REJECTED), (Phase.GREEN, StayEnd.OPEN)]


def test_a_changed_specification_leads_back_to_red() -> None:
    session = in_green()
    session.add(SessionPaused(at=session.now, reason="manual"))
    session.add(
        SessionResumed(at=session.now, by="Ann", limits=Limits(), prp_text="# New", respec=Respec(reopened=("AC-2",)))
    )

    assert ends(session)[-2:] == [(Phase.GREEN, StayEnd.RESPECIFIED), (Phase.RED, StayEnd.OPEN)]


def test_a_halt_leaves_the_stay_open() -> None:
    session = in_green().turn(Decision.STUCK, status=Status.HALTED, halt="stuck")

    assert ends(session)[-1] == (Phase.GREEN, StayEnd.OPEN)
