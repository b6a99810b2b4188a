import pytest

from dualgate.core.said.response import read_response
from dualgate.core.values.answer import Answer, Failure, Trouble
from dualgate.core.values.claim import Review
from dualgate.core.values.vocabulary import Phase, WorkStatus
from tests.core.said.blocks.block_samples import ralph_block


def test_a_complete_block_with_the_signal_is_honoured() -> None:
    claim = read_response(Answer(text=f"All well.\n{ralph_block()}\n"), Phase.GREEN)

    assert claim.exit_signal
    assert claim.problems == ()


NOT_HONOURED = [
    (ralph_block(STATUS="IN_PROGRESS"), Phase.GREEN, "STATUS is IN_PROGRESS"),
    (ralph_block(TESTS_STATUS="FAILING"), Phase.GREEN, "GREEN ends with PASSING"),
    (ralph_block(), Phase.RED, "RED ends with FAILING"),
    (ralph_block("EXIT_SIGNAL: false"), Phase.GREEN, "twice with different values"),
    ("I am done, everything passes!", Phase.GREEN, "no complete RALPH_STATUS block"),
    (ralph_block(EXIT_SIGNAL="yes"), Phase.GREEN, "EXIT_SIGNAL"),
]


@pytest.mark.parametrize(("text", "phase", "why"), NOT_HONOURED)
def test_a_signal_that_does_not_fit_is_not_honoured(text: str, phase: Phase, why: str) -> None:
    claim = read_response(Answer(text=text), phase)

    assert not claim.exit_signal
    assert why in " ".join(str(problem) for problem in claim.problems)


def test_ralph_block_without_the_signal_has_no_problem() -> None:
    claim = read_response(Answer(text=ralph_block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false")), Phase.GREEN)

    assert (claim.exit_signal, claim.problems) == (False, ())


def test_the_signal_of_a_failed_call_is_not_honoured() -> None:
    crashed = Answer(text=ralph_block(), failure=Failure(kind=Trouble.CRASH, message="exit code 1"))

    claim = read_response(crashed, Phase.GREEN)

    assert (claim.exit_signal, claim.problems) == (False, ("EXIT_SIGNAL is true but the call failed (crash)",))


REVIEWS = [
    ("Verdict: APPROVE", Review.APPROVE),
    ("**Verdict:** APPROVE", Review.APPROVE),
    ("Verdict: APPROVE\nno, wait\nVerdict: REJECT", Review.REJECT),
    ("I would say APPROVE", None),
    ("Verdict: APPROVE | REJECT", None),
]


@pytest.mark.parametrize(("text", "review"), REVIEWS)
def test_the_last_verdict_line_is_the_review(text: str, review: Review | None) -> None:
    assert read_response(Answer(text=text), Phase.QA).review is review


def test_critical_and_major_findings_are_counted() -> None:
    text = "- severity: critical\n- **severity**: major\n- severity: minor\nno major problems"

    assert read_response(Answer(text=text), Phase.QA).blocking_findings == 2


def test_an_agent_that_is_blocked_is_heard_in_spite_of_an_illegal_value() -> None:
    text = ralph_block(STATUS="BLOCKED", EXIT_SIGNAL="false", FILES_MODIFIED="none", RECOMMENDATION="Blocked: no key")
    claim = read_response(Answer(text=text), Phase.GREEN)

    assert (claim.status, claim.recommendation) == (WorkStatus.BLOCKED, "Blocked: no key")
    assert len(claim.problems) == 1


def test_tests_that_fail_are_the_fitting_end_of_red() -> None:
    assert read_response(Answer(text=ralph_block(TESTS_STATUS="FAILING")), Phase.RED).exit_signal


WHICH = "Postgres or SQLite?"
ASKING = [
    (Answer(text=WHICH), (WHICH,)),
    (Answer(text=f"{WHICH}\n{ralph_block(STATUS='IN_PROGRESS', EXIT_SIGNAL='false')}"), (WHICH,)),
    (Answer(text=ralph_block(STATUS="BLOCKED", EXIT_SIGNAL="false", RECOMMENDATION=WHICH)), (WHICH,)),
    (Answer(text=ralph_block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false", RECOMMENDATION=WHICH)), ()),
    (Answer(text=f"Anything else?\n{ralph_block()}"), ()),
    (Answer(text=WHICH, failure=Failure(kind=Trouble.CRASH)), ()),
    (Answer(text=WHICH, questions=("by a tool",)), ("by a tool",)),
]


@pytest.mark.parametrize(("answer", "questions"), ASKING)
def test_a_question_at_the_end_of_work_that_is_not_done_is_one(answer: Answer, questions: tuple[str, ...]) -> None:
    assert read_response(answer, Phase.GREEN).questions == questions


def test_a_caller_that_runs_the_tests_itself_hears_the_signal_of_red_with_passing_tests() -> None:
    passing, silent = Answer(text=ralph_block()), Answer(text=ralph_block(TESTS_STATUS="NOT_RUN"))

    assert read_response(passing, Phase.RED, red_may_pass=True).exit_signal
    assert not read_response(silent, Phase.RED, red_may_pass=True).exit_signal


TOKEN = "a1b2c3d4"
OF_ANOTHER_CALL = "the block belongs to another call: CALL is 00000000, and this call is a1b2c3d4"


@pytest.mark.parametrize("phase", list(Phase))
def test_who_documents_or_reviews_without_a_shell_may_say_that_no_test_was_run(phase: Phase) -> None:
    honest = Answer(text=ralph_block(TESTS_STATUS="NOT_RUN"))

    assert read_response(honest, phase, red_may_pass=True).exit_signal is (phase in (Phase.DOCUMENT, Phase.QA))
    assert not read_response(honest, phase).exit_signal


def test_a_block_of_another_call_is_no_signal_and_says_nothing() -> None:
    text = ralph_block("CALL: 00000000", STATUS="BLOCKED", EXIT_SIGNAL="false")

    claim = read_response(Answer(text=text), Phase.GREEN, token=TOKEN)

    assert (claim.exit_signal, claim.has_block, claim.status) == (False, False, None)
    assert claim.problems == (OF_ANOTHER_CALL,)


@pytest.mark.parametrize("more", [(), (f"CALL: {TOKEN}",)])
def test_a_block_with_the_token_of_the_call_or_without_one_counts(more: tuple[str, ...]) -> None:
    claim = read_response(Answer(text=ralph_block(*more)), Phase.GREEN, prompt="Do it.", token=TOKEN)

    assert (claim.exit_signal, claim.problems, claim.warnings) == (True, (), ())


QUOTED = [
    f"Do it.\n{ralph_block()}\nEnd.",
    "\n".join(f"    {line}" for line in ralph_block().splitlines()),
    ralph_block().replace("\n", "\r\n"),
]


@pytest.mark.parametrize("prompt", QUOTED)
def test_a_block_that_stands_in_the_prompt_is_no_signal(prompt: str) -> None:
    claim = read_response(Answer(text=f"As asked:\n{ralph_block()}"), Phase.GREEN, prompt=prompt)

    assert (claim.exit_signal, claim.has_block) == (False, False)
    assert claim.problems == ("the block is copied from the prompt word for word, so it does not count",)


def test_json_that_stands_in_the_prompt_is_no_signal() -> None:
    text = '{"status": "COMPLETE", "exit_signal": true}'

    assert read_response(Answer(text=text), Phase.GREEN, prompt="Do it.").exit_signal
    assert not read_response(Answer(text=text), Phase.GREEN, prompt=f"Such as {text}").exit_signal


LACKING = [
    ("All done.", True),
    (ralph_block(FILES_MODIFIED="some"), True),
    (ralph_block(EXIT_SIGNAL="yes"), True),
    (ralph_block(without=("EXIT_SIGNAL",)), True),
    (ralph_block("CALL: 00000000"), True),
    (ralph_block(), False),
    (ralph_block(EXIT_SIGNAL="false"), False),
    (ralph_block(EXIT_SIGNAL="false", FILES_MODIFIED="some"), False),
    (ralph_block(STATUS="IN_PROGRESS", without=("EXIT_SIGNAL",)), False),
    (ralph_block(STATUS="BLOCKED", FILES_MODIFIED="some"), False),
    (ralph_block(TESTS_STATUS="FAILING"), False),
    ("Postgres or SQLite?", False),
    ("Phase: GREEN\nStatus: failed\nNotes: none\n", False),
]


@pytest.mark.parametrize(("text", "lacks"), LACKING)
def test_only_the_block_is_lacking_if_the_answer_says_nothing_else_against_the_signal(text: str, lacks: bool) -> None:
    assert read_response(Answer(text=text), Phase.GREEN, token=TOKEN).lacks_only_block is lacks


def test_a_call_that_failed_lacks_more_than_a_block() -> None:
    crashed = Answer(text="All done.", failure=Failure(kind=Trouble.CRASH))

    assert not read_response(crashed, Phase.GREEN).lacks_only_block
