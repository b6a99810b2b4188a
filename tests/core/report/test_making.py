"""The report as a whole: its verdict, its criteria, its usage, its commands, and what it never holds."""

from dataclasses import replace

import pytest

from dualgate.core.evidence.sensitivity import Standing
from dualgate.core.report.bounding import (
    LONGEST_LINE,
    LONGEST_SPECIFICATION,
    LONGEST_TEXT,
    MOST_ITERATIONS,
    MOST_MOMENTS,
)
from dualgate.core.report.values import MomentKind, PhaseDiff, ReportedCommit, ReportedCriterion, SessionEnd
from dualgate.core.secrets.redaction import redactor_of
from dualgate.core.values.answer import Usage
from dualgate.core.values.changes import FileChange, FileDiff
from dualgate.core.values.commits import (
    CommitFailed,
    CommitMade,
    CommitPlan,
    CommitPlanned,
    CommitRefusal,
    RequestOpened,
)
from dualgate.core.values.events import PhaseSkipped, SessionAborted, SessionFailed, SessionPaused
from dualgate.core.values.limits import Limits, Thresholds
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbeState, WeakCriterion
from dualgate.core.values.specification import CriterionStatus, Kind, Plan
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import CommitUse, Decision, Phase, Status, Workflow
from dualgate.testing import done
from tests.core.report.session import Session, in_green, of_ralph, proven, result

PATIENT = Limits(
    max_iterations=10**6, thresholds={phase: Thresholds(no_progress=10**6, same_error=10**6) for phase in Phase}
)


def conclusion(session: Session) -> tuple[SessionEnd, str]:
    made = session.report().conclusion
    return made.end, made.sentence


def test_a_proven_run_says_so_first() -> None:
    sentence = "Proven: 1 of 1 criterion holds, 3 of 3 tests pass, and both gates opened in every phase"

    assert conclusion(proven()) == (SessionEnd.PROVEN, sentence)


def test_a_run_that_its_author_reviewed_says_so() -> None:
    session = proven(lineup=replace(Session().started.lineup, every=("claude",)))
    session.state = replace(session.state, qa_agent="claude", writers=("claude",))

    assert session.report().conclusion.reasons == ("The agent that wrote the code also reviewed it.",)
    assert session.report().review_note


def test_a_skipped_phase_is_the_reason_for_not_proven() -> None:
    session = in_green()
    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.turn(Decision.NEXT_PHASE, after)
    session.add(PhaseSkipped(at=session.now, by="Ann", phase=Phase.QA, goes_on=True))

    made = session.report().conclusion

    assert (made.end, made.reasons) == (SessionEnd.NOT_PROVEN, ("a person skipped QA",))
    assert made.sentence == "Completed, not proven: 0 of 1 criterion holds, 3 of 3 tests pass"


def test_a_halted_run_names_its_reason_and_the_ways_on() -> None:
    session = in_green().turn(Decision.STUCK, status=Status.HALTED, halt="no progress in 3 iterations")

    made = session.report().conclusion

    assert made.sentence == "Halted in GREEN after 1 iteration: no progress in 3 iterations"
    assert "dualgate resume --reset" in made.ways_on


def test_a_skipped_phase_is_named_in_a_halted_run_too() -> None:
    session = in_green()
    session.add(PhaseSkipped(at=session.now, by="Ann", phase=Phase.GREEN, goes_on=True))

    assert session.report().conclusion.reasons == ("a person skipped GREEN",)


def test_a_session_that_could_not_begin_is_halted() -> None:
    session = Session()
    session.add(SessionFailed(at=session.now, reason="no tests"))

    assert conclusion(session) == (SessionEnd.HALTED, "Halted in RED after 0 iterations: no tests")


def test_the_commits_the_refusal_and_the_request_are_named() -> None:
    session = in_green()
    plan = CommitPlan(use=CommitUse.PHASE, branch="dualgate/x")
    made = CommitMade(at=session.now, phase=Phase.RED, tree="t", branch="dualgate/x", commit="c", subject="s", files=2)
    session.add(CommitPlanned(at=session.now, plan=plan))
    session.add(made)
    session.add(replace(made, commit="", tree="u"))  # nothing new
    session.add(CommitFailed(at=session.now, phase=Phase.GREEN, tree="v", refusal=CommitRefusal(reason="no")))
    session.add(RequestOpened(at=session.now, by="ann", branch="b", commit="c", remote="origin", url="https://x/1"))

    report = session.report()

    assert (report.branch, report.not_committed, report.pull_request) == ("dualgate/x", "no", "https://x/1")
    assert report.commits == (ReportedCommit(phase=Phase.RED, commit="c", subject="s", files=2),)


def test_an_aborted_a_paused_and_a_running_session_say_so() -> None:
    session = in_green()
    assert conclusion(session) == (
        SessionEnd.RUNNING,
        "Running: GREEN, iteration 1; 0 of 1 criterion holds, 3 of 3 tests pass",
    )
    session.add(SessionPaused(at=session.now, reason="user_interrupt"))
    assert conclusion(session) == (SessionEnd.PAUSED, "Paused in GREEN: user interrupt")
    session.add(SessionAborted(at=session.now, by="Ann"))
    assert conclusion(session)[0] is SessionEnd.ABORTED


def test_a_run_of_ralph_counts_its_tasks() -> None:
    plan = Plan(file="PLAN.md", done=("a",), open=("b",))

    session = of_ralph(plan=plan).baseline().turn(plan=plan)

    assert conclusion(session)[1] == "Running: BUILD, iteration 2; 1 done, 1 open, 3 of 3 tests pass"
    assert session.report().tasks == plan


def test_a_session_without_tests_says_so() -> None:
    assert conclusion(of_ralph())[1] == "Running: BUILD, iteration 1; no test ran"


def the_criterion(session: Session) -> ReportedCriterion:
    (only,) = session.report().criteria
    return only


def test_a_criterion_has_the_points_at_which_it_was_first_red_and_since_when_it_is_green() -> None:
    session = in_green().turn(criteria=(result(CriterionStatus.GREEN, "test_free"),))

    found = the_criterion(session)

    assert found.red is not None
    assert found.green is not None
    assert (found.red.phase, found.green.phase, found.green.iteration) == (Phase.RED, Phase.GREEN, 1)
    assert found.proof == ("test_free",)


def test_a_criterion_that_fails_again_is_not_green() -> None:
    session = in_green().turn(criteria=(result(CriterionStatus.GREEN, "test_free"),))
    session.turn(criteria=(result(CriterionStatus.FAILING, "test_free"),))

    assert (the_criterion(session).red is None, the_criterion(session).green) == (False, None)


def test_a_criterion_keeps_its_first_red_and_begins_again_without_a_test() -> None:
    session = Session().baseline().turn(criteria=(result(CriterionStatus.RED, "test_free"),))
    first = the_criterion(session).red
    session.turn(criteria=(result(CriterionStatus.FAILING, "test_free"),))
    session.turn(criteria=(result(CriterionStatus.RED, "test_free"),))
    assert the_criterion(session).red == first

    session.turn(criteria=(result(CriterionStatus.NO_TEST),))
    assert the_criterion(session).red is None


KILLED = Probe(
    file="a.py", line=1, kind=ProbeKind.MUTANT, text="`1` → `2`", state=ProbeState.KILLED, killed_by=("test_free",)
)
SURVIVING = replace(KILLED, line=2, state=ProbeState.SURVIVING, killed_by=(), survived=("test_free",))
OF_OTHERS = replace(SURVIVING, line=3, survived=("test_old",))
UNKNOWN = replace(SURVIVING, line=4, state=ProbeState.UNKNOWN, survived=())
PROBES = ProbeReport(probes=(KILLED, SURVIVING, OF_OTHERS, UNKNOWN), left_out=1, problems=("b.c: no Python",))


def test_the_sensitivity_of_a_criterion_counts_the_probes_that_its_tests_ran() -> None:
    session = in_green().turn(probes=PROBES, criteria=(result(CriterionStatus.GREEN, "test_free"),))
    session.state = replace(session.state, proof=replace(session.state.proof, sensitive=("AC-1",)))

    seen, totals = the_criterion(session).sensitivity, session.report().probes

    assert seen is not None
    assert totals is not None
    assert (seen.standing, seen.reason, seen.killed, seen.surviving) == (
        Standing.PROVEN,
        "",
        1,
        ("`a.py:2` `1` → `2`",),
    )
    assert (totals.killed, len(totals.surviving), totals.unknown, totals.left_out) == (1, 2, 1, 1)


@pytest.mark.parametrize(
    ("proof", "standing", "reason"),
    [
        (Proof(), Standing.UNMEASURED, "not measured"),
        (Proof(weak=(WeakCriterion(id="AC-1", reason="it passes anyway"),)), Standing.WEAK, "it passes anyway"),
    ],
)
def test_a_criterion_without_proof_of_its_sensitivity_says_why(proof: Proof, standing: Standing, reason: str) -> None:
    session = in_green()
    session.state = replace(session.state, proof=proof)

    seen = the_criterion(session).sensitivity

    assert seen is not None
    assert (seen.standing, seen.reason, seen.killed) == (standing, reason, 0)


def test_a_criterion_that_a_review_answers_has_no_sensitivity() -> None:
    session = in_green().turn(criteria=(result(CriterionStatus.MET, "README.md:3", kind=Kind.REVIEW),))

    assert the_criterion(session).sensitivity is None


def test_usage_is_counted_by_phase_and_agent_and_agrees_with_the_total() -> None:
    session = in_green().call(usage=Usage(input=100, output=20), cost_usd=0.5).call("codex", cost_usd=0.25)

    report = session.report()

    rows = {(row.phase, row.agent): row for row in report.usage}
    assert rows[Phase.GREEN, "claude"].used.tokens == 120
    assert rows[Phase.GREEN, "codex"].used.cost_usd == 0.25
    assert rows[Phase.RED, "claude"].seconds == 2.0
    assert sum((row.used.cost_usd for row in report.usage), 0.0) == report.used.cost_usd
    assert report.agents == ("claude", "codex")


def commands(session: Session, **around: object) -> list[str]:
    return [each.command for each in session.report(**around).commands]  # type: ignore[arg-type]


SUITE = Suite(name="pytest", command=("python", "-m", "pytest"))


def test_the_commands_verify_the_session_again() -> None:
    assert commands(in_green(suites=(SUITE,))) == [
        "cd /project",
        "python -m pytest",
        "dualgate verify --base cccccccccccc --spec PRP.md --test-command 'python -m pytest'",
        "dualgate replay",
        "dualgate log a1b2c3d4 --evidence",
    ]


def test_commands_that_cannot_work_are_left_out() -> None:
    session = of_ralph(test_command=()).baseline(commit="")

    assert commands(session, archived=True, session_dir="a b") == [
        "cd /project",
        "PRP_SESSION_DIR='a b' dualgate log a1b2c3d4 --evidence",
    ]


def test_several_suites_are_found_by_verify_itself() -> None:
    session = of_ralph(suites=(SUITE, SUITE), test_command=("a", "&&", "b")).baseline()

    assert "dualgate verify --base cccccccccccc" in commands(session)


def test_the_title_is_that_of_the_specification() -> None:
    assert in_green().report().title == "Parking fees"
    assert in_green(prp_text="").report().title


HOSTILE = "\x1b[31m\u202eevil\x00"


def test_no_text_steers_a_terminal_or_holds_a_secret() -> None:
    secret = redactor_of({"API_TOKEN": "tk-1234567890abcdef"})
    claim = done(Phase.GREEN, recommendation=f"{HOSTILE} tk-1234567890abcdef")
    session = in_green(prp_text=f"# {HOSTILE}\n").turn(claim=claim, gates=(False, True))
    diff = PhaseDiff(
        phase=Phase.GREEN, number=1, files=(FileDiff(path=HOSTILE, change=FileChange.NEW, diff=f"+{HOSTILE}\n"),)
    )

    report = session.report(hide=secret, diffs=(diff,))

    (caught,) = report.catches
    shown = [
        caught.said,
        report.specification,
        report.title,
        report.diffs[0].files[0].diff,
        report.diffs[0].files[0].path,
    ]
    assert not any({"\x1b", "\u202e", "\x00"} & {*text} for text in shown)
    assert "\\x1b[31m\\u202eevil\\x00 [redacted:API_TOKEN]" in caught.said


def test_a_long_session_stays_bounded_and_says_what_is_left_out() -> None:
    session = in_green(limits=PATIENT)
    for number in range(MOST_ITERATIONS + 10):
        session.turn(reasons=(f"{number} failing",), gates=(False, number % 2 == 0))

    report = session.report()

    assert len(report.timeline) == MOST_MOMENTS
    assert len(report.iterations) == MOST_ITERATIONS
    assert len(report.catches) == 200
    assert {each.section: each.count for each in report.left_out} == {
        "timeline": len(session.gathered.moments) - MOST_MOMENTS,
        "iterations": 11,
        "catches": (MOST_ITERATIONS + 10) // 2 - 200,
    }
    assert all(each.command.endswith("a1b2c3d4") for each in report.left_out)


def test_plain_steps_give_way_first() -> None:
    session = in_green(limits=PATIENT)
    for number in range(MOST_MOMENTS):
        session.turn(reasons=(f"{number}",), gates=(False, number < 10))

    kinds = [moment.kind for moment in session.report().timeline]

    assert (len(kinds), kinds.count(MomentKind.CAUGHT), kinds.count(MomentKind.PASSED)) == (MOST_MOMENTS, 10, 1)


def test_long_texts_are_cut_with_a_note() -> None:
    claim = done(Phase.GREEN, recommendation="x" * 10_000)
    session = in_green(prp_text="y" * (LONGEST_SPECIFICATION + 1)).turn(claim=claim, gates=(False, True))

    report = session.report()

    assert len(report.catches[0].said) < LONGEST_TEXT + 100
    assert "[cut: " in report.catches[0].said
    assert max(map(len, report.specification.split("\n"))) < LONGEST_LINE + 100


def test_documents_are_needed_by_tdd_alone() -> None:
    assert in_green().report().documents_needed == 3
    assert of_ralph().report().documents_needed == 0


def test_the_reviewer_is_named_once_the_review_is_reached() -> None:
    lineup = replace(Session().started.lineup, every=("claude",), by_phase={Phase.QA: ("codex",)})
    session = in_green(lineup=lineup)
    assert (session.report().reviewer, session.report().workflow) == ("", Workflow.TDD)

    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.turn(Decision.NEXT_PHASE, after)
    assert session.report().reviewer == "codex"
