"""A session event by event: what its records, its metrics and the history of its breaker say."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.gates.breaker import breaker_after, notice_of
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.checking import held_verdict
from dualgate.core.machine.history import apply, begin
from dualgate.core.machine.moves import decide, reject
from dualgate.core.record.metrics import Spent, figures_of, first_metrics, metrics_after, spent_after
from dualgate.core.said.blocks.phase_text import emit_phase_status
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble, Usage
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckEnded, CheckResult, CheckRun, ChecksFailed, CheckState
from dualgate.core.values.claim import Claim, Review, WorkReport
from dualgate.core.values.control import WaitSkipped
from dualgate.core.values.events import (
    BaselineTaken,
    BreakerCooled,
    CallDelayed,
    CallEnded,
    CallInterrupted,
    CallStarted,
    Event,
    PhaseSkipped,
    ProvenAgain,
    SessionAborted,
    SessionFailed,
    SessionHalted,
    SessionPaused,
    SessionReset,
    SessionResumed,
    SuiteEnded,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.limits import Limits
from dualgate.core.values.phase_status import CaseCounts, FileCounts, PhaseStatus
from dualgate.core.values.probes import ProbeReport, ProbesEnded, WeakCriterion
from dualgate.core.values.specification import CriterionState, Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Counts
from dualgate.core.values.team import AgentSwitched, Wait
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import BreakerState, Decision, Phase, Status, Workflow, WorkStatus
from dualgate.testing import NOW, a_fix, a_report, a_start, done, facts, failed, not_done, passed, skipped
from tests.support import contradictions

LATER = NOW + timedelta(minutes=5)


def review_that_rejects(*fixes: FixRequest) -> Claim:
    report = WorkReport(findings=fixes, blocking=len(fixes))
    return done(Phase.QA, review=Review.REJECT, report=report, blocking_findings=len(fixes))


class Session:
    """A session that is told event by event; every record it brings must be one that can be written."""

    def __init__(self, **values: Any) -> None:
        start = a_start(**values)
        self.state = begin(start)
        self.metrics, self.said = first_metrics(start, self.state)

    def tell(self, *events: Event) -> tuple[PhaseStatus, ...]:
        for event in events:
            before, self.state = self.state, apply(self.state, event)
            self.metrics, self.said = metrics_after(self.metrics, event, before, self.state)
            assert all(emit_phase_status(record) for record in self.said)
        return self.said

    def turn(self, claim: Claim | None = None, **observed: Any) -> tuple[PhaseStatus, ...]:
        return self.tell(a_turn(self.state, claim, **observed))

    def at(self, phase: Phase) -> "Session":
        self.state = replace(self.state, phase=phase)
        self.metrics = replace(self.metrics, view=replace(self.metrics.view, phase=phase))
        return self


def a_turn(state: LoopState, claim: Claim | None = None, **observed: Any) -> TurnEnded:
    seen = replace(facts(state.phase, claim, **observed), iteration=state.iteration + 1, past=state.failures)
    verdict = judge(seen, state.limits)
    notice = notice_of(seen.claimed, verdict)
    breaker = breaker_after(state.breaker, state.phase, measure(seen), state.limits, notice)
    move = decide(state, seen, verdict, breaker)
    return TurnEnded(at=LATER, facts=seen, verdict=verdict, breaker=breaker, move=move)


def settled(*created: str, **values: Any) -> TreeSettled:
    return TreeSettled(at=LATER, changes=Changes(tree="t", created=created, **values))


def ran(*results: Any, known: bool = False, **values: Any) -> SuiteEnded:
    return SuiteEnded(at=LATER, report=a_report(*results, **values), known=known)


def call(number: int, phase: Phase, iteration: int) -> CallStarted:
    return CallStarted(at=LATER, number=number, phase=phase, iteration=iteration)


BASELINE = BaselineTaken(at=LATER, tree="start", results=(passed("test_old"),), suites=("pytest",))


def test_a_session_begins_with_the_record_of_its_first_phase() -> None:
    (record,) = Session().said

    assert (record.phase, record.status, record.iteration, record.progress_percent) == (
        Phase.RED,
        WorkStatus.IN_PROGRESS,
        1,
        0,
    )
    assert record.recommendation == "Write failing tests for every acceptance criterion"
    assert Session(workflow=Workflow.RALPH).said[0].phase is Phase.BUILD


def test_every_test_run_is_told_with_its_counts() -> None:
    session = Session()
    (baseline,) = session.tell(ran(passed("test_a")))
    session.tell(BASELINE)

    (record,) = session.at(Phase.GREEN).tell(ran(passed("test_a"), failed("test_b"), skipped("test_c")))

    assert (
        baseline.recommendation == "Baseline: 1 test passes; next: write failing tests for every acceptance criterion"
    )
    assert record.tests == CaseCounts(passing=1, failing=1, skipped=1)
    assert record.recommendation == "Make 1 failing test pass: tests/test_x.py::test_b"
    assert (record.blockers, record.progress_percent) == (("1 failing: tests/test_x.py::test_b",), 33)


def test_what_a_run_asks_for_next() -> None:
    session = Session()
    session.tell(BASELINE)

    assert session.tell(ran(failed("test_a")))[0].recommendation == (
        "Write failing tests for every acceptance criterion: 1 test fails now"
    )
    (broken,) = session.tell(ran(problems=("no report",)))
    assert (broken.recommendation, broken.blockers) == (
        "Fix the test run: no report",
        ("the test run is not trusted: no report",),
    )
    (green,) = session.at(Phase.GREEN).tell(ran(passed("test_a"), passed("test_b")))
    assert green.recommendation == "2 tests pass; proceed to REFACTOR when both gates are open"
    (qa,) = session.at(Phase.QA).tell(ran(passed("test_a")))
    assert qa.recommendation == "1 test passes; complete the work when both gates are open"
    (two,) = session.at(Phase.GREEN).tell(ran(failed("test_a"), failed("test_b")))
    assert two.recommendation == "Make 2 failing tests pass, first: tests/test_x.py::test_a"


def test_a_baseline_with_failures_and_criteria_says_what_is_to_be_done() -> None:
    criteria = tuple(CriterionState(id=f"AC-{n}", kind=Kind.NEW, text="") for n in (1, 2, 3))

    (record,) = Session(criteria=criteria).tell(ran(passed("test_a"), failed("test_own")))

    assert record.recommendation == "Baseline: 1 test passes, 1 test fails; next: write failing tests for 3 criteria"
    assert Session(criteria=criteria[:1]).said[0].recommendation == "Write failing tests for 1 criterion"


def test_tests_that_failed_before_any_work_are_no_blockers_but_of_build() -> None:
    own = replace(BASELINE, results=(failed("test_own"),))
    session, build = Session(), Session(workflow=Workflow.RALPH)
    session.tell(own)
    build.tell(own)

    (record,) = session.at(Phase.GREEN).tell(ran(passed("test_a"), failed("test_own")))
    (changed,) = session.tell(ran(failed("test_own", digest="d2")))
    (in_build,) = build.tell(ran(failed("test_own")))

    assert (record.tests.failing, record.blockers) == (1, ())
    assert record.recommendation.startswith("1 test passes, 1 failed before any work; proceed to REFACTOR")
    assert changed.blockers == in_build.blockers == ("1 failing: tests/test_x.py::test_own",)


def test_a_new_iteration_drops_what_the_last_one_said_of_the_tests() -> None:
    session = Session().at(Phase.GREEN)
    session.tell(BASELINE)
    session.turn(failing=(failed("test_b"),), counts=Counts(passed=2, failed=1))

    (record,) = session.tell(call(2, Phase.GREEN, 2), settled("a.py"), ran(passed("test_a"), passed("test_b")))

    assert (record.tests.failing, record.blockers, record.progress_percent) == (0, (), 99)


def test_a_phase_begins_with_its_failing_tests_or_the_findings_of_the_review() -> None:
    session = Session()
    counts, failing = Counts(passed=1, failed=2), (failed("test_ac1"), failed("test_ac2"))

    _, green = session.turn(counts=counts, failing=failing)
    session.at(Phase.QA)
    _, one = session.turn(review_that_rejects(a_fix(1)))
    session.at(Phase.QA)
    _, two = session.turn(review_that_rejects(a_fix(2, file="b.py"), a_fix(3, file="c.py")))

    assert green.blockers == ("2 failing: tests/test_x.py::test_ac1, tests/test_x.py::test_ac2",)
    assert green.recommendation == "Make 2 failing tests pass, first: tests/test_x.py::test_ac1"
    assert one.recommendation == "Fix a finding of the review, FR-1 in src/a.py: an error is lost"
    assert two.recommendation == "Fix 2 findings, first FR-2 in b.py: an error is lost"


NAMES = ("test_a", "test_b", "test_c")
RUNS = st.lists(st.sets(st.sampled_from(NAMES)), min_size=1, max_size=2)
CLAIMS = st.sampled_from([done(Phase.GREEN), not_done(), not_done(failure=Failure(kind=Trouble.CRASH))])


@given(st.lists(st.tuples(RUNS, CLAIMS, st.booleans()), max_size=6))
def test_no_record_of_a_run_contradicts_itself(turns: list[tuple[list[set[str]], Claim, bool]]) -> None:
    session = Session()
    told = [*session.said, *session.tell(ran(passed("test_old"))), *session.tell(BASELINE)]
    for number, (runs, claim, changes) in enumerate(turns, 1):
        if session.state.status is not Status.RUNNING:
            break
        told += session.tell(call(number, session.state.phase, session.state.iteration + 1))
        told += session.tell(settled(*(["a.py"] if changes else [])))
        for failing in runs:
            results = [failed(name) if name in failing else passed(name) for name in NAMES]
            told += session.tell(ran(*results))
        counts = Counts(passed=len(NAMES) - len(runs[-1]), failed=len(runs[-1]))
        wrong = tuple(failed(name) for name in sorted(set.union(*runs)))
        told += session.turn(claim, counts=counts, failing=wrong)

    assert [record for record in told if contradictions(record)] == []


def test_a_run_of_some_tests_leaves_the_rest_as_it_was() -> None:
    session = Session().at(Phase.GREEN)
    session.tell(BASELINE, ran(passed("a"), passed("b"), failed("c"), failed("d"), skipped("e")))

    (record,) = session.tell(ran(passed("c"), failed("d"), only=("c", "d")))

    assert record.tests == CaseCounts(passing=3, failing=1, skipped=1)


def test_changed_files_are_told_by_what_they_are_since_the_start() -> None:
    session = Session()
    session.tell(replace(BASELINE, outputs=("build/*",)), call(1, Phase.RED, 1))

    (record,) = session.tell(
        settled("a.py", added=("a.py", "build/x"), rewritten=("b.py", "c.py"), removed=("c.py",)),
    )

    assert record.files == FileCounts(created=1, modified=1, deleted=1)
    assert session.tell(settled()) == ()


def test_a_turn_that_does_not_pass_tells_what_keeps_gate_1_shut() -> None:
    session = Session()

    (record,) = session.turn(red=("test_ac1",), uncovered=("AC-2",))

    assert (record.status, record.iteration, record.progress_percent) == (WorkStatus.IN_PROGRESS, 1, 50)
    assert (record.gate_1, record.gate_2, record.exit_signal, record.can_exit) == (False, True, True, False)
    assert record.blockers == (
        "no failing new test names AC-2",
        "AC-2 needs a new or changed test that fails; 2 needed, 1 found",
    )
    assert record.recommendation.startswith("Continue: no failing new test names AC-2")


def test_that_the_signal_is_missing_is_no_blocker_of_gate_1() -> None:
    (record,) = Session().turn(not_done())

    assert (record.gate_1, record.gate_2, record.blockers, record.progress_percent) == (True, False, (), 100)


def test_a_phase_that_passes_is_told_with_its_own_iteration_and_the_next_one_begins() -> None:
    session = Session()
    session.turn(not_done())

    ended, begun = session.turn()

    assert (ended.phase, ended.status, ended.iteration, ended.progress_percent) == (
        Phase.RED,
        WorkStatus.COMPLETE,
        2,
        100,
    )
    assert (ended.can_exit, ended.recommendation) == (True, "Phase complete - proceed to GREEN")
    assert (begun.phase, begun.iteration, begun.progress_percent, begun.gate_1) == (Phase.GREEN, 1, 0, False)
    assert begun.tests == ended.tests == CaseCounts(passing=3)


def test_an_iteration_begins_with_both_gates_shut() -> None:
    session = Session()
    session.turn(not_done())

    (record,) = session.tell(call(2, Phase.RED, 2), settled("a.py"))

    assert (record.iteration, record.gate_1, record.gate_2) == (2, False, False)


def test_a_rejection_tells_of_qa_and_then_of_green() -> None:
    session = Session().at(Phase.QA)

    ended, begun = session.turn(done(Phase.QA, review=Review.REJECT, recommendation="no bounds"))

    assert (ended.phase, ended.status) == (Phase.QA, WorkStatus.IN_PROGRESS)
    assert ended.recommendation == "Rejected - back to GREEN: the review says REJECT: no bounds"
    assert begun.phase is Phase.GREEN


def test_a_phase_that_stands_is_told_as_complete_and_takes_no_row() -> None:
    session = Session().at(Phase.REFACTOR)

    ended_, begun = session.tell(ProvenAgain(at=LATER, reason="it stands", turn=a_turn(session.state)))

    assert (ended_.phase, ended_.status, begun.phase) == (Phase.REFACTOR, WorkStatus.COMPLETE, Phase.DOCUMENT)
    assert session.metrics.rows == ()


def test_an_open_breaker_is_a_blocked_record() -> None:
    session = Session().at(Phase.GREEN)
    for _ in range(3):
        (record,) = session.turn(not_done(), counts=Counts(failed=1), failing=(failed("test_a"),))

    assert (record.status, record.breaker) == (WorkStatus.BLOCKED, BreakerState.OPEN)
    assert record.recommendation.startswith("Circuit breaker open - GREEN: the same error in 3 iterations")
    assert session.metrics.breaker_changes[-1].reason == "the same error in 3 iterations"


def test_a_halt_without_the_breaker_says_so() -> None:
    failed_login = not_done(failure=Failure(kind=Trouble.AUTHENTICATION, message="need a key"))

    (record,) = Session().turn(failed_login)

    assert (record.status, record.breaker) == (WorkStatus.BLOCKED, BreakerState.CLOSED)
    assert record.recommendation == "Halted - RED: authentication, need a key"


def test_a_failed_call_changes_nothing_of_the_progress() -> None:
    session = Session()
    session.turn(red=("test_ac1",), uncovered=("AC-2",))

    (record,) = session.turn(Claim(failure=Failure(kind=Trouble.CRASH)), counts=Counts(), red=())

    assert (record.progress_percent, record.iteration, record.tests) == (50, 2, CaseCounts(passing=3))
    assert session.metrics.rows[-1].decision is Decision.RETRY


def test_the_end_of_all_phases_is_told() -> None:
    (record,) = Session().at(Phase.QA).turn(done(Phase.QA, review=Review.APPROVE))

    assert (record.status, record.recommendation) == (WorkStatus.COMPLETE, "All phases complete")


def test_a_pause_and_every_kind_of_halt_are_told() -> None:
    paused = Session().tell(SessionPaused(at=LATER, reason="user_interrupt"))[0]
    failed_ = Session().tell(SessionFailed(at=LATER, reason="no program"))[0]
    over = Session().tell(SessionHalted(at=LATER, decision=Decision.BUDGET_EXHAUSTED, reason="time is over"))[0]
    aborted = Session().tell(SessionPaused(at=LATER, reason="manual"), SessionAborted(at=LATER, by="ada"))[0]

    assert (paused.status, "user_interrupt" in paused.recommendation) == (WorkStatus.IN_PROGRESS, True)
    assert (failed_.status, failed_.blockers) == (WorkStatus.BLOCKED, ("no program",))
    assert over.recommendation == "Halted - time is over"
    assert aborted.blockers == ("aborted by ada",)


def opened(**values: Any) -> Session:
    session = Session(**values)
    for _ in range(3):
        session.turn(not_done(), red=(), uncovered=("AC-1", "AC-2"))
    return session


def test_a_reset_closes_the_breaker_in_the_record_and_in_its_history() -> None:
    session = opened()

    (record,) = session.tell(SessionReset(at=LATER, by="ada", guidance="smaller steps"))

    assert (record.breaker, record.no_progress_count) == (BreakerState.CLOSED, 0)
    assert record.recommendation == "Reset by ada: smaller steps; continue with: dualgate resume"
    assert [(s.before, s.after, s.reason, s.iteration) for s in session.metrics.breaker_changes] == [
        ("CLOSED", "HALF_OPEN", "no progress in 2 iterations", 2),
        ("HALF_OPEN", "OPEN", "no progress in 3 iterations", 3),
        ("OPEN", "CLOSED", "reset by ada", 3),
    ]
    assert session.tell(SessionReset(at=LATER, by="ada"))[0].recommendation == (
        "Reset by ada; continue with: dualgate resume"
    )
    goes_on = SessionReset(at=LATER, by="ada", goes_on=True)
    assert session.tell(goes_on)[0].recommendation == "Reset by ada"


def test_a_cool_down_is_a_shift_to_half_open() -> None:
    session = opened()

    (record,) = session.tell(BreakerCooled(at=LATER))

    assert (record.breaker, session.metrics.breaker_changes[-1].reason) == (
        BreakerState.HALF_OPEN,
        "the cool-down is over: one trial iteration",
    )
    session.turn(not_done(), red=("test_ac1",), uncovered=("AC-2",))
    assert session.metrics.breaker_changes[-1].reason == "progress was measured"


def test_a_skipped_cool_down_is_a_shift_to_half_open_with_who_asked_for_it() -> None:
    session = opened(limits=Limits(cooldown=600.0))

    (record,) = session.tell(WaitSkipped(at=LATER, by="ada"))

    assert (record.breaker, record.recommendation) == (BreakerState.HALF_OPEN, "Wait skipped by ada")
    assert session.metrics.breaker_changes[-1].reason == "the cool-down was skipped by ada"


def test_a_skipped_phase_is_never_told_as_complete() -> None:
    skipped_, begun = opened().tell(PhaseSkipped(at=LATER, by="ada", phase=Phase.RED))
    last = Session().at(Phase.QA).tell(PhaseSkipped(at=LATER, by="ada", phase=Phase.QA))

    assert (skipped_.phase, skipped_.status) == (Phase.RED, WorkStatus.BLOCKED)
    assert skipped_.recommendation == "Skipped by ada, not proven"
    assert (begun.phase, begun.breaker) == (Phase.GREEN, BreakerState.CLOSED)
    assert [record.status for record in last] == [WorkStatus.BLOCKED]


def test_a_phase_begins_with_a_closed_breaker() -> None:
    session = Session()
    for _ in range(2):
        session.turn(not_done())

    session.turn(red=("test_ac1", "test_ac2"))

    assert [each.reason for each in session.metrics.breaker_changes] == [
        "no progress in 2 iterations",
        "GREEN begins",
    ]


STUCK_AGENT = not_done(status=WorkStatus.BLOCKED, recommendation="need a password")


def test_blocked_is_in_the_record_and_in_the_history_of_the_breaker_with_its_reason() -> None:
    session = Session().at(Phase.GREEN)

    (record,) = session.turn(STUCK_AGENT)
    session.turn(not_done())

    assert (record.breaker, record.no_progress_count) == (BreakerState.HALF_OPEN, 0)
    assert record.blockers[-1] == "the agent says it is blocked: need a password"
    assert [(each.before, each.after, each.reason) for each in session.metrics.breaker_changes] == [
        ("CLOSED", "HALF_OPEN", "the agent says BLOCKED: need a password"),
        ("HALF_OPEN", "CLOSED", "the agent is not blocked any more"),
    ]


def test_the_second_blocked_opens_the_breaker_and_a_resume_closes_it() -> None:
    session = Session().at(Phase.GREEN)
    session.turn(STUCK_AGENT)

    (record,) = session.turn(STUCK_AGENT)
    session.tell(SessionResumed(at=LATER, by="ada", limits=session.state.limits))

    assert (record.breaker, record.status) == (BreakerState.OPEN, WorkStatus.BLOCKED)
    assert record.recommendation == "Blocked - GREEN: need a password; give it, then: dualgate resume"
    assert (session.state.breaker.state, session.state.breaker.blocked) == (BreakerState.CLOSED, "")
    assert session.metrics.breaker_changes[-1].reason == "resumed by ada"
    assert session.metrics.view.breaker is BreakerState.CLOSED


def ended(**answer: Any) -> CallEnded:
    return CallEnded(
        at=LATER, number=1, exit_code=0, ending=Ending.EXITED, seconds=2.5, answer=Answer(text="", **answer)
    )


def test_a_row_tells_what_a_turn_took_and_cost() -> None:
    session = Session()
    usage = Usage(input=100, output=20, cached=50)
    session.tell(call(1, Phase.RED, 1), ended(usage=usage, cost_usd=0.25))
    session.tell(ran(seconds=1.25), ran(seconds=1.25), ran(seconds=9.0, known=True))
    session.tell(SessionPaused(at=LATER, reason="manual"))
    session.state = replace(session.state, status=begin(a_start()).status)

    session.turn(not_done(), red=("test_ac1",), uncovered=("AC-2",), changes=Changes(tree="t", created=("a.py",)))

    (row,) = session.metrics.rows
    assert (row.call, row.phase, row.iteration, row.decision) == (1, Phase.RED, 1, Decision.CONTINUE)
    assert (row.agent_seconds, row.test_seconds, row.test_runs) == (2.5, 2.5, 2)
    assert (row.input_tokens, row.output_tokens, row.cached_tokens, row.cost_usd) == (100, 20, 50, 0.25)
    assert (row.tests, row.files_changed, row.progress, row.overall) == (CaseCounts(passing=3), 1, 50, 1)


def test_a_row_has_every_call_since_the_turn_before() -> None:
    session = Session().at(Phase.GREEN)
    told = {"usage": Usage(input=100, output=20), "cost_usd": 0.25}
    session.tell(call(1, Phase.GREEN, 1), CallInterrupted(at=LATER, number=1))
    session.tell(call(2, Phase.GREEN, 1), ended(**told), call(3, Phase.QA, 1), ended(**told))

    session.turn(not_done(), failing=(failed("test_a"),))
    session.tell(call(4, Phase.GREEN, 2), ended(**told))
    session.turn(not_done(), failing=(failed("test_a"),))

    first, second = session.metrics.rows
    assert (first.call, first.calls, first.input_tokens, first.cost_usd, first.agent_seconds) == (2, 3, 200, 0.5, 5.0)
    assert (second.call, second.calls, second.input_tokens, second.agent_seconds) == (4, 1, 100, 2.5)


def test_what_the_agent_does_not_tell_is_not_guessed() -> None:
    session = Session()
    session.tell(call(1, Phase.RED, 1), ended())

    session.turn()

    (row,) = session.metrics.rows
    assert (row.input_tokens, row.cost_usd, row.progress, row.overall) == (None, None, 100, 10)


def test_a_phase_proven_without_a_call_is_told_with_its_reason_and_spends_nothing() -> None:
    session = Session().at(Phase.REFACTOR)

    ended, begun = session.tell(ProvenAgain(at=LATER, reason="no code changed since", turn=a_turn(session.state)))

    assert (ended.phase, ended.status, begun.phase) == (Phase.REFACTOR, WorkStatus.COMPLETE, Phase.DOCUMENT)
    assert ended.recommendation == "Phase complete - proceed to DOCUMENT (no code changed since)"
    assert session.metrics.rows == ()


LINT = CheckResult(name="lint", command="ruff check .", state=CheckState.BROKEN, reason="exits with 1: F401")


def held_back(state: LoopState) -> ChecksFailed:
    verdict = held_verdict([LINT])
    return ChecksFailed(at=LATER, results=(LINT,), verdict=verdict, move=reject(state, verdict))


def test_a_review_that_is_held_back_is_recorded_with_the_check_that_fails() -> None:
    session, last = Session().at(Phase.QA), Session().at(Phase.QA)
    last.state = replace(last.state, qa_attempts=3)

    ended, begun = session.tell(held_back(session.state))
    (halted,) = last.tell(held_back(last.state))

    assert (ended.phase, ended.status, begun.phase) == (Phase.QA, WorkStatus.IN_PROGRESS, Phase.GREEN)
    assert (ended.recommendation, ended.blockers) == (
        f"Not reviewed - back to GREEN: {LINT.sentence}",
        (LINT.sentence,),
    )
    assert (halted.status, halted.recommendation.startswith("Halted - QA: QA rejected 4 times")) == (
        WorkStatus.BLOCKED,
        True,
    )


def test_a_change_of_agents_is_told_in_the_records_and_each_row_says_who_was_asked() -> None:
    session = Session()
    switch = AgentSwitched(at=LATER, phase=Phase.RED, agent="codex", before="claude", reason="usage_limit")

    (told,) = session.tell(switch)
    session.tell(replace(a_turn(session.state), agent="codex"))

    assert told.recommendation == "asking codex instead of claude: usage_limit"
    assert [row.agent for row in session.metrics.rows] == ["codex"]


def test_a_wait_for_a_full_hour_is_on_record() -> None:
    wait = Wait(until=LATER, reason="3 calls in the last hour, of 3", setting="max_calls_per_hour")

    (record,) = Session().tell(CallDelayed(at=NOW, wait=wait))

    assert record.recommendation == "Wait until 2026-01-16T10:05+00:00: 3 calls in the last hour, of 3"


def test_the_time_of_checks_counts_with_that_of_the_tests() -> None:
    check = CheckRun(command="make lint", exit_code=0, seconds=1.5)
    spent = spent_after(Spent(test_seconds=1.0), CheckEnded(at=LATER, check=check), Phase.GREEN)

    assert (spent.test_seconds, spent.test_runs) == (2.5, 0)
    assert spent_after(spent, CheckEnded(at=LATER, check=check, known=True), Phase.GREEN) is spent


def test_a_follow_up_belongs_to_the_iteration_and_is_the_call_of_the_next_if_it_changed_files() -> None:
    session = Session()
    session.tell(BASELINE, call(1, Phase.RED, 1))
    session.tell(replace(call(2, Phase.RED, 1), follows=1))
    session.turn(not_done())
    session.turn(not_done())

    assert [(row.call, row.calls) for row in session.metrics.rows] == [(1, 2), (2, 0)]


def test_the_figures_of_a_session_are_those_of_its_last_turn() -> None:
    session = Session()
    session.tell(replace(a_turn(session.state, not_done()), agent="codex"))

    figures = figures_of(session.state, session.metrics)

    assert (figures.phase, figures.iteration, figures.iterations) == (Phase.RED, 1, 1)
    assert (figures.tests, figures.breaker) == (CaseCounts(passing=3), BreakerState.CLOSED)
    assert (figures.tokens, figures.cost_usd, figures.proven, figures.self_reviewed) == (None, None, False, False)


def test_the_time_of_probes_counts_with_that_of_the_tests() -> None:
    ended = ProbesEnded(at=LATER, report=ProbeReport(seconds=1.5))
    spent = spent_after(Spent(test_seconds=1.0), ended, Phase.GREEN)

    assert (spent.test_seconds, spent.test_runs) == (2.5, 0)
    assert spent_after(spent, ProbesEnded(at=LATER, report=ended.report, known=True), Phase.GREEN) is spent


REWRITES = [
    (Decision.REWRITE_TESTS, Phase.RED, "Back to RED to rewrite tests - AC-1: `test_a` notices nothing"),
    (Decision.KEEP_TESTS, Phase.GREEN, "On to GREEN with the old tests: AC-1 has no rewritten test"),
]


@pytest.mark.parametrize(("decision", "phase", "sentence"), REWRITES)
def test_a_return_for_tests_is_on_record_with_its_reason(decision: Decision, phase: Phase, sentence: str) -> None:
    weak = (WeakCriterion(id="AC-1", reason="`test_a` notices nothing"),)
    seen = facts(Phase.GREEN, weak=weak, probes=ProbeReport())
    verdict = replace(judge(seen, Limits()), reasons=("AC-1 has no rewritten test",))
    move = Move(decision=decision, phase=phase)
    turn = TurnEnded(at=LATER, facts=seen, verdict=verdict, breaker=Breaker(), move=move)

    assert Session().at(Phase.GREEN).tell(turn)[0].recommendation == sentence


def test_a_run_of_another_tree_says_nothing_of_the_present_one() -> None:
    session = Session()
    session.tell(ran(passed("a")))
    view = session.metrics.view

    said = session.tell(replace(ran(failed("a")), trial="the old tree"))

    assert (said, session.metrics.view) == ((), view)
