"""Where a session goes on that was cut off."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.machine.history import apply
from dualgate.core.machine.resuming import CutOff, can_go_on, cut_off, cut_off_after
from dualgate.core.team.pace import continued
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome, AmendmentTried
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble, Usage
from dualgate.core.values.changes import Changes, Edits, RolledBack, Ticked
from dualgate.core.values.checks import CheckEnded, CheckRun, CheckStarted
from dualgate.core.values.configuring import ConfigurationDecided, Reconfiguration
from dualgate.core.values.events import (
    BaselineTaken,
    CallEnded,
    CallInterrupted,
    CallStarted,
    Event,
    PersonEdited,
    QuestionAsked,
    SessionAborted,
    SessionFailed,
    SessionPaused,
    SessionReset,
    SessionResumed,
    SuiteEnded,
    SuiteStarted,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.probes import ProbeReport, ProbesEnded, ProbesStarted
from dualgate.core.values.specification import Respec
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import TrialEnded, TrialStarted
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.verdict import Move
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.errors import JournalDamaged
from dualgate.testing import NOW, a_call, a_report, a_start, a_state, facts, passed

BASELINE = BaselineTaken(at=NOW, tree="start", results=(passed("test_old"),), after="rested")
CALL = CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1, tree="rested")
ANSWERED = CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(text=""))
SETTLED = TreeSettled(at=NOW, changes=Changes(tree="settled", created=("a.py",)))
TRIED = SuiteStarted(at=NOW, command=("pytest",))
RAN = SuiteEnded(at=NOW, report=a_report(passed("test_a"), tree="tested"))
VOID = SuiteEnded(at=NOW, report=a_report(passed("test_a"), tree="tested", written=("x",)))
PAUSED = SessionPaused(at=NOW, reason="user_interrupt", tree="left")
RESUMED = SessionResumed(at=NOW, by="me", limits=Limits(max_iterations=7))
EDITED = PersonEdited(at=NOW, edits=Edits(modified=("a.py",), tree="theirs", start_tree="start2"))


CHECKING = CheckStarted(at=NOW, command="make lint")
CHECKED = CheckEnded(at=NOW, check=CheckRun(command="make lint", exit_code=0, tree="checked"))
WRITING = CheckEnded(at=NOW, check=CheckRun(command="make lint", exit_code=0, tree="checked", written=("x",)))


def found(*events: Event) -> CutOff:
    return cut_off((a_start(prp_text="the text"), BASELINE, *events))


def test_a_session_goes_on_with_the_trees_that_it_names() -> None:
    assert found(CALL, ANSWERED, SETTLED, PAUSED).trees == {"start", "rested", "settled", "left"}


def test_a_turn_in_which_a_session_was_given_up_goes_on_where_it_was() -> None:
    paused, aborted = found(CALL, ANSWERED, SETTLED, TRIED, PAUSED), SessionAborted(at=NOW, by="me")

    again = found(CALL, ANSWERED, SETTLED, TRIED, PAUSED, aborted, SessionReset(at=NOW, by="me"))

    assert (again.answered, again.changes, again.reached) == (ANSWERED, SETTLED.changes, "left")
    assert replace(again, state=paused.state, before=paused.before) == paused


def test_a_turn_that_was_cut_off_is_judged_by_the_counts_that_a_reset_began_anew() -> None:
    stale = replace(a_state(), breaker=replace(a_state().breaker, no_progress=2))
    at_work = replace(found(CALL, ANSWERED, SETTLED), before=stale, state=stale)

    again = cut_off_after(at_work, SessionReset(at=NOW, by="me"), stale)

    assert (again.answered, again.before.breaker.no_progress) == (ANSWERED, 0)


def a_turn(**values: Any) -> TurnEnded:
    seen = facts(Phase.RED)
    move = Move(decision=Decision.CONTINUE, phase=Phase.RED)
    return TurnEnded(at=NOW, facts=seen, verdict=judge(seen, Limits()), breaker=a_state().breaker, move=move, **values)


def test_at_rest_it_goes_on_from_the_tree_that_was_last_seen() -> None:
    rest = found()

    assert (rest.call, rest.tree, rest.measured_from, rest.reached) == (None, "rested", "rested", "rested")
    assert (rest.spec, rest.before, rest.call) == ("the text", rest.state, None)


def test_a_call_that_never_ended_is_interrupted_and_nobody_knows_where_it_got_to() -> None:
    cut = found(CALL)

    assert (cut.answered, cut.measured_from, cut.reached) == (None, "rested", None)
    assert (cut.state.total_agent_calls, cut.before.total_agent_calls) == (1, 0)


def test_where_it_was_paused_what_came_after_is_a_persons() -> None:
    assert found(CALL, PAUSED).reached == "left"
    assert found(CALL, PAUSED, RESUMED).reached == "left"
    assert found(CALL, PAUSED, RESUMED, CallInterrupted(at=NOW, number=1)).reached == "left"
    assert found(CALL, PAUSED, RESUMED, replace(CALL, number=2)).reached is None


def test_an_interrupted_call_that_was_told_joins_the_next() -> None:
    cut = found(CALL, RESUMED, CallInterrupted(at=NOW, number=1, paths=("a.py",)))

    assert (cut.call, cut.joins, cut.tree, cut.reached) == (None, True, "rested", None)
    assert cut.state.touched.agent == ("a.py",)


def test_every_finished_step_of_the_turn_is_kept() -> None:
    asked = QuestionAsked(at=NOW, number=1, questions=("?",))
    cut = found(CALL, ANSWERED, asked, SETTLED, TRIED, VOID, TRIED, RAN, SessionFailed(at=NOW, reason="x"))

    assert (cut.answered, cut.asked, cut.changes) == (ANSWERED, True, SETTLED.changes)
    assert (cut.runs, cut.tree, cut.reached) == ((RAN.report,), "tested", "tested")


def test_what_a_person_changed_since_makes_the_tree_be_looked_at_anew() -> None:
    cut = found(CALL, ANSWERED, SETTLED, TRIED, RAN, PAUSED, RESUMED, EDITED)

    assert (cut.answered, cut.changes, cut.runs, cut.tree) == (ANSWERED, None, (), "theirs")
    assert (cut.measured_from, cut.before.proof.start_tree) == ("theirs", "start2")


def test_where_tests_were_cut_off_nobody_knows_what_they_left() -> None:
    cut = found(CALL, ANSWERED, SETTLED, TRIED, RAN, TRIED)

    assert (cut.testing, cut.reached, cut.changes, cut.runs) == (True, None, SETTLED.changes, (RAN.report,))
    assert found(CALL, ANSWERED, SETTLED, TRIED, PAUSED).reached == "left"
    assert found(CALL, ANSWERED, SETTLED, TRIED, PAUSED, RESUMED, TRIED).reached is None


def test_evidence_of_a_tree_that_is_settled_again_does_not_count_and_the_first_tree_stays_known() -> None:
    again = TreeSettled(at=NOW, changes=Changes(tree="settled again", created=("a.py", "scratch.tmp")))
    cut = found(CALL, ANSWERED, SETTLED, TRIED, RAN, CHECKING, CHECKED, TRIED, RESUMED, again, TRIED)

    assert (cut.changes, cut.runs, cut.checks, cut.testing) == (again.changes, (), (), True)
    assert (cut.settled, cut.tree, cut.measured_from) == ("settled", "settled again", "rested")
    assert cut.trees >= {"settled", "settled again", "rested"}
    assert found(CALL, ANSWERED, SETTLED, TRIED, EDITED).settled == ""


def test_a_turn_that_ended_leaves_nothing_open() -> None:
    back = RolledBack(tree="green")

    assert found(CALL, ANSWERED, SETTLED, RAN, a_turn()).tree == "tested"
    assert found(CALL, ANSWERED, SETTLED, RAN, a_turn(rolled_back=back)).tree == "green"
    ticked = Ticked(tasks=("one",), tree="ticked")
    assert found(CALL, ANSWERED, SETTLED, RAN, a_turn(ticked=ticked)).tree == "ticked"


def test_the_tree_of_red_is_given_back_and_an_amendment_is_not_decided_twice() -> None:
    reviewer = replace(CALL, number=2, phase=Phase.QA), replace(ANSWERED, number=2, phase=Phase.QA)
    tried = AmendmentTried(at=NOW, test_id="t", tree="mine")
    decided = AmendmentDecided(at=NOW, amendment=Amendment(outcome=AmendmentOutcome.REFUSED), tree="amended")
    by_reviewer = TreeSettled(at=NOW, changes=Changes(tree="settled"))
    under_way = (CALL, ANSWERED, SETTLED, *reviewer, by_reviewer, tried)

    cut = found(*under_way, TRIED, RAN)
    after = found(*under_way, TRIED, RAN, decided, TRIED, RAN)

    assert (cut.swapped_for, cut.answered, cut.reviewed) == ("mine", ANSWERED, reviewer[1])
    assert (cut.changes, cut.runs) == (SETTLED.changes, ())
    assert (after.decided, after.swapped_for, after.runs, after.joins) == (decided, "", (RAN.report,), False)
    assert found(*under_way, decided).tree == "amended"
    assert found(*under_way, replace(decided, tree="")).joins  # of a journal that did not tell it


def test_a_run_of_a_trial_is_no_evidence_and_the_tree_is_restored() -> None:
    started, ended = TrialStarted(at=NOW, label="x", tree="mine"), TrialEnded(at=NOW, label="x", tree="mine")
    under_way = (CALL, ANSWERED, SETTLED, TRIED, RAN, started)

    cut, over = found(*under_way, TRIED, RAN), found(*under_way, TRIED, RAN, ended)

    assert (cut.swapped_for, cut.tree, cut.runs, cut.testing) == ("mine", "mine", (RAN.report,), False)
    assert (over.swapped_for, over.tree, over.runs) == ("", "mine", (RAN.report,))
    assert found(*under_way, TRIED, RESUMED).swapped_for == ""  # it was restored before that was recorded


def test_a_trial_within_another_restores_the_outer_tree() -> None:
    outer, inner = (TrialStarted(at=NOW, label=label, tree=label) for label in ("outer", "inner"))
    under_way = (CALL, ANSWERED, SETTLED, outer, inner, TRIED)

    after_inner = found(*under_way, TrialEnded(at=NOW, label="inner", tree="inner"))

    assert (found(*under_way).swapped_for, after_inner.swapped_for) == ("outer", "outer")
    assert found(*under_way, TrialEnded(at=NOW, label="outer", tree="outer")).swapped_for == ""


def test_a_decision_on_configuration_is_kept_and_ends_the_switch_of_the_tree() -> None:
    proposed = Reconfiguration(tree="new", paths=("tox.ini",))
    decided = ConfigurationDecided(at=NOW, proposed=proposed, note="accepted", tree="new", proven_tree="frozen")
    under_way = (CALL, ANSWERED, SETTLED, TrialStarted(at=NOW, label="x", tree="settled"), decided)

    cut = found(*under_way, TRIED, RAN)

    assert (cut.configured, cut.swapped_for, cut.runs) == (decided, "", (RAN.report,))
    assert (found(*under_way).tree, cut.state.proof.proven_tree) == ("new", "frozen")
    assert found(*under_way, EDITED).configured is None


def test_a_run_that_is_recorded_after_its_trial_is_evidence() -> None:
    """Its tree was switched only to leave out the files that the run before it wrote."""
    trial = (TrialStarted(at=NOW, label="x", tree="mine"), TRIED, TrialEnded(at=NOW, label="x", tree="after"))

    cut = found(CALL, ANSWERED, SETTLED, *trial, RAN)

    assert (cut.runs, cut.swapped_for, cut.tree, cut.testing) == ((RAN.report,), "", "tested", False)


def test_a_review_of_an_amendment_that_never_ended_leaves_the_turn_as_it_was() -> None:
    reviewer = replace(CALL, number=2, phase=Phase.QA)
    cut = found(CALL, ANSWERED, SETTLED, reviewer)
    told = found(CALL, ANSWERED, SETTLED, reviewer, RESUMED, CallInterrupted(at=NOW, number=2))

    assert (cut.reviewer, cut.reviewed) == (reviewer, None)
    assert (told.reviewer, told.answered, told.changes) == (None, ANSWERED, SETTLED.changes)
    assert (told.state.total_agent_calls, told.before.total_agent_calls) == (2, 0)


def test_a_specification_that_was_adopted_is_the_one_to_go_on_by() -> None:
    assert found(PAUSED, replace(RESUMED, prp_text="another")).spec == "another"


@pytest.mark.parametrize("events", [[], [CALL]])
def test_what_does_not_begin_with_a_session_is_no_journal(events: list[Event]) -> None:
    with pytest.raises(JournalDamaged):
        cut_off(events)


GOES_ON = [
    (a_state(), True),
    (a_state(status=Status.PAUSED), True),
    (a_state(status=Status.COMPLETED), False),
    (a_state(status=Status.HALTED, ended_by=Decision.STUCK), False),
    (a_state(status=Status.HALTED, ended_by=Decision.BUDGET_EXHAUSTED), True),
    (a_state(status=Status.HALTED), True),
]


@pytest.mark.parametrize(("state", "expected"), GOES_ON)
def test_only_a_run_that_went_nowhere_waits_for_a_reset(state: LoopState, expected: bool) -> None:
    assert can_go_on(state) is expected


def test_going_on_takes_new_limits_and_lets_what_was_mended_count_anew() -> None:
    halted = a_state(status=Status.HALTED, halt_reason="x", failed_calls=7, blocked=2, seconds_worked=5.0)

    state = apply(halted, RESUMED)

    assert (state.status, state.halt_reason, state.failures.failed_calls, state.failures.blocked) == (
        Status.RUNNING,
        None,
        0,
        0,
    )
    assert (state.limits.max_iterations, state.seconds_worked) == (7, 5.0)
    reset = apply(a_state(status=Status.HALTED), SessionReset(at=NOW, by="me"))
    assert apply(reset, RESUMED).status is Status.RUNNING


def answered(number: int, session: str | None = "s1", failure: Trouble | None = None, used: int = 5) -> CallEnded:
    answer = Answer(
        agent="codex",
        session_id=session,
        usage=Usage(input=used),
        failure=Failure(kind=failure) if failure else None,
    )
    return replace(ANSWERED, number=number, answer=answer, phase=Phase.RED)


def started(number: int) -> CallStarted:
    return replace(CALL, number=number)


def next_session(*events: Event, **values: Any) -> str | None:
    rest = found(*events)
    call = a_call(session_id=rest.state.session_id, number=rest.state.total_agent_calls + 1, **values)
    thread = continued(rest.thread, call)
    return thread.session if thread else None


def test_the_agents_own_session_goes_on_where_the_last_call_ended_well() -> None:
    assert next_session(CALL) is None
    assert next_session(CALL, answered(1)) == "s1"
    assert next_session(CALL, answered(1), SETTLED, a_turn(), PAUSED, RESUMED) == "s1"
    assert next_session(CALL, answered(1), phase=Phase.GREEN) is None
    assert next_session(CALL, answered(1, session=None)) is None


def test_a_call_that_was_cut_off_or_left_its_session_in_doubt_begins_a_fresh_one() -> None:
    assert next_session(CALL, answered(1), a_turn(), started(2)) is None
    assert next_session(CALL, answered(1), a_turn(), started(2), CallInterrupted(at=NOW, number=2)) is None
    assert next_session(CALL, answered(1, failure=Trouble.CRASH)) is None
    assert next_session(CALL, answered(1, failure=Trouble.USAGE_LIMIT)) == "s1"


def test_a_change_of_agents_leaves_what_a_call_that_was_cut_off_changed_with_the_next() -> None:
    switch = AgentSwitched(at=NOW, phase=Phase.RED, agent="codex", before="claude", reason="limited")

    assert found(CALL, CallInterrupted(at=NOW, number=1), switch).joins


def test_what_the_calls_of_a_session_used_is_added_up() -> None:
    one = found(CALL, answered(1), a_turn(), started(2), answered(2, session=None, used=2))
    other = found(CALL, answered(1), a_turn(), started(2), answered(2, session="s2", used=2))

    assert one.thread
    assert (one.thread.session, one.thread.usage.input) == ("s1", 7)
    assert other.thread
    assert other.thread.usage.input == 2


def test_a_limit_of_which_nobody_said_when_it_ends_is_tried_when_a_person_goes_on() -> None:
    halted = a_state(status=Status.HALTED, ended_by=Decision.RATE_LIMITED, limited_calls=1)

    assert apply(halted, RESUMED).failures.limited_calls == 0
    assert (
        apply(replace(halted, failures=replace(halted.failures, limited_until=NOW)), RESUMED).failures.limited_calls
        == 1
    )


REOPENED = replace(RESUMED, prp_text="another text", respec=Respec(reopened=("AC-2",)))


def test_a_turn_is_not_gone_on_with_once_a_changed_specification_took_its_phase_back() -> None:
    back = found(CALL, ANSWERED, SETTLED, TRIED, RAN, PAUSED, REOPENED)

    assert (back.call, back.answered, back.changes, back.runs) == (None, None, None, ())
    assert (back.spec, back.tree, back.joins, back.reached) == ("another text", "rested", True, "left")


def test_a_specification_that_reopens_nothing_leaves_a_turn_where_it_was() -> None:
    on = found(CALL, ANSWERED, SETTLED, PAUSED, replace(REOPENED, respec=Respec(dropped=("AC-2",))))
    between = found(PAUSED, REOPENED)

    assert (on.answered, on.changes, on.spec) == (ANSWERED, SETTLED.changes, "another text")
    assert (between.call, between.joins, between.spec) == (None, False, "another text")


def test_a_check_that_ended_is_kept_and_one_that_did_not_is_run_again() -> None:
    cut = found(CALL, ANSWERED, SETTLED, TRIED, RAN, CHECKING)
    ended = found(CALL, ANSWERED, SETTLED, TRIED, RAN, CHECKING, CHECKED)

    assert (cut.answered, cut.runs, cut.checks, cut.testing, cut.reached) == (ANSWERED, (RAN.report,), (), True, None)
    assert (ended.checks, ended.tree, ended.testing) == ((CHECKED.check,), "checked", False)
    assert found(CALL, ANSWERED, SETTLED, TRIED, RAN, CHECKING, WRITING).checks == ()
    assert found(CALL, ANSWERED, SETTLED, TRIED, RAN, CHECKING, CHECKED, EDITED).checks == ()


SECOND = replace(CALL, number=2, tree="tested", follows=1)
GIVEN = replace(ANSWERED, number=2)
UNCHANGED = TreeSettled(at=NOW, changes=Changes(tree="tested"))
CHANGED = TreeSettled(at=NOW, changes=Changes(tree="changed", modified=("a.py",)))
FIRST_TURN = (CALL, ANSWERED, SETTLED, TRIED, RAN)


def test_a_follow_up_belongs_to_the_turn_of_the_call_that_it_follows() -> None:
    asked = found(*FIRST_TURN, SECOND)

    assert (asked.call, asked.answered, asked.changes) == (CALL, ANSWERED, SETTLED.changes)
    assert (asked.follow_up, asked.followed, asked.reached) == (SECOND, None, None)
    assert (asked.before.total_agent_calls, asked.state.total_agent_calls) == (0, 2)
    assert len(asked.runs) == 1


def test_the_answer_to_a_follow_up_is_kept_and_the_first_answer_is_judged_by_the_tree_before_it() -> None:
    given, settled = found(*FIRST_TURN, SECOND, GIVEN), found(*FIRST_TURN, SECOND, GIVEN, CHANGED)

    assert (given.answered, given.followed, given.reached) == (ANSWERED, GIVEN, None)
    assert (settled.changes, settled.follow_up_changes) == (SETTLED.changes, CHANGED.changes)
    assert (settled.before_follow_up, settled.tree, settled.reached) == ("tested", "changed", "changed")
    assert settled.trees == {"start", "rested", "settled", "tested", "changed"}


def test_a_follow_up_that_changed_files_is_the_next_turn() -> None:
    cut = found(*FIRST_TURN, SECOND, GIVEN, CHANGED, a_turn())

    assert (cut.call, cut.answered, cut.changes, cut.settled) == (SECOND, GIVEN, CHANGED.changes, "changed")
    assert (cut.follow_up, cut.runs, cut.measured_from, cut.reached) == (None, (), "tested", "changed")
    assert (cut.before.iteration, cut.before.total_agent_calls) == (1, 1)


def test_a_follow_up_that_changed_nothing_ends_with_its_turn() -> None:
    cut = found(*FIRST_TURN, SECOND, GIVEN, UNCHANGED, a_turn())

    assert (cut.call, cut.follow_up, cut.tree, cut.reached) == (None, None, "tested", "tested")


def test_a_follow_up_that_did_not_end_leaves_the_first_answer_and_what_it_changed_is_examined_with_it() -> None:
    unchanged = found(*FIRST_TURN, SECOND, PAUSED, RESUMED, CallInterrupted(at=NOW, number=2))
    changed = found(*FIRST_TURN, SECOND, CallInterrupted(at=NOW, number=2, paths=("a.py",)))

    assert (unchanged.answered, unchanged.changes, unchanged.follow_up) == (ANSWERED, SETTLED.changes, None)
    assert (changed.answered, changed.changes, changed.runs, changed.reached) == (ANSWERED, None, (), None)


def test_what_a_person_edits_after_a_follow_up_is_examined_again() -> None:
    cut = found(*FIRST_TURN, SECOND, GIVEN, CHANGED, EDITED)

    assert (cut.changes, cut.follow_up_changes, cut.followed) == (None, None, GIVEN)
    assert found(*FIRST_TURN, SECOND, GIVEN, CHANGED, EDITED, SETTLED).changes == SETTLED.changes


BROKEN = ProbesStarted(at=NOW, seconds=60.0)
PROBED = ProbesEnded(at=NOW, report=ProbeReport(tree="probed"))


def test_probes_that_ended_are_taken_over_and_others_are_made_again() -> None:
    cut, ended = found(CALL, ANSWERED, SETTLED, RAN, BROKEN), found(CALL, ANSWERED, SETTLED, RAN, BROKEN, PROBED)

    assert (cut.probes, cut.testing, cut.reached) == (None, True, None)
    assert (ended.probes, ended.testing, ended.reached) == (PROBED.report, False, "probed")
    assert found(CALL, ANSWERED, SETTLED, RAN, BROKEN, PROBED, EDITED).probes is None
    trial = TrialStarted(at=NOW, label="RED", tree="settled")
    assert found(CALL, ANSWERED, SETTLED, trial, BROKEN, PROBED).probes is None
