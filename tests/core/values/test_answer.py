from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dualgate.core.values.answer import (
    NAME_LENGTH,
    Answer,
    AnswerFormat,
    CallEnd,
    Ending,
    Failure,
    Trouble,
    conclude,
    last_line,
)

END = CallEnd(now=datetime(2026, 11, 15, tzinfo=UTC))
SAID = Answer(text="All done.")
LIMITED = Answer(text="Wait.", failure=Failure(kind=Trouble.USAGE_LIMIT, message="You have hit your limit"))
ENDS = [
    (SAID, END, None),
    (Answer(text=" \n"), END, Failure(kind=Trouble.EMPTY, message="the answer is empty")),
    (SAID, replace(END, exit_code=3), Failure(kind=Trouble.CRASH, message="exit code 3: All done.")),
    (SAID, replace(END, exit_code=3, stderr="a\nboom\n"), Failure(kind=Trouble.CRASH, message="exit code 3: boom")),
    (Answer(), replace(END, exit_code=3), Failure(kind=Trouble.CRASH, message="exit code 3")),
    (Answer(text="x\n---END---"), replace(END, exit_code=3), Failure(kind=Trouble.CRASH, message="exit code 3")),
    (
        Answer(text="x", format=AnswerFormat.JSON),
        replace(END, exit_code=3),
        Failure(kind=Trouble.CRASH, message="exit code 3"),
    ),
    (SAID, replace(END, exit_code=124), Failure(kind=Trouble.TIMED_OUT)),
    (SAID, replace(END, exit_code=None, ending=Ending.TIMED_OUT), Failure(kind=Trouble.TIMED_OUT)),
    (LIMITED, replace(END, exit_code=None, ending=Ending.IDLE), Failure(kind=Trouble.IDLE)),
    (LIMITED, replace(END, exit_code=None, ending=Ending.FLOODED), Failure(kind=Trouble.FLOODED)),
    (LIMITED, replace(END, exit_code=1), LIMITED.failure),
]


@pytest.mark.parametrize(("answer", "end", "failure"), ENDS)
def test_a_call_is_good_only_if_it_ended_by_itself_with_0_and_said_something(
    answer: Answer, end: CallEnd, failure: Failure | None
) -> None:
    assert conclude(answer, end).failure == failure


def test_what_is_too_long_for_a_name_is_none() -> None:
    named = Answer(text="x", model="m" * NAME_LENGTH, session_id="s", stop_reason="end")
    long = "x" * (NAME_LENGTH + 1)

    assert conclude(named, END) == named
    assert conclude(replace(named, model=long, session_id=long, stop_reason=long), END) == Answer(text="x")


def test_a_failure_is_told_with_the_words_of_the_cli() -> None:
    assert Failure(kind=Trouble.QUOTA, message="no credit").sentence == "quota, no credit"
    assert Failure(kind=Trouble.QUOTA).sentence == "quota"


def test_the_last_line_of_nothing_is_nothing() -> None:
    assert (last_line(" \n"), last_line("a\nb \n")) == ("", "b")


def test_a_failure_says_what_mends_it_where_that_is_known() -> None:
    failure = Failure(kind=Trouble.AUTHENTICATION, message="Invalid API key", hint="log in")

    assert failure.sentence == "authentication, Invalid API key (log in)"
    assert replace(failure, hint="").sentence == "authentication, Invalid API key"
