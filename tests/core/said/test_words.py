import pytest

from dualgate.core.said.signature import repeats_error
from dualgate.core.said.words import closing_question, guessed_work_type, markers, says_complete, shown_error
from dualgate.core.values.vocabulary import WorkType

MARKED = [
    ("Done.\n<promise>COMPLETE</promise>\n", ("<promise>COMPLETE</promise>",)),
    ("LOOP_COMPLETE", ("LOOP_COMPLETE",)),
    ("  <loop-complete/>  \r\n", ("<loop-complete/>",)),
    ("I will print <promise>COMPLETE</promise> later", ()),
    ("not LOOP_COMPLETE yet", ()),
]


@pytest.mark.parametrize(("text", "found"), MARKED)
def test_marks_of_other_loops_count_on_a_line_of_their_own(text: str, found: tuple[str, ...]) -> None:
    assert markers(text) == found


ASKED = [
    ("I see two ways.\n\nShould I use Postgres or SQLite?\n", "Should I use Postgres or SQLite?"),
    ("Which one?\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\n", "Which one?"),
    ('- **May I drop the table "old"?**', '- **May I drop the table "old"?**'),
    ("x" * 600 + " or not?", "x" * 492 + " or not?"),
]
NOT_ASKED = [
    "",
    "Why does it fail? Because of the cache.\nIt is mended now.",
    "The note says what should happen on a timeout.",
    "## What is next?",
    "> Should I use Postgres?",
    "    what = ask()?",
    "```sql\nselect ?",
    "??",
]


@pytest.mark.parametrize(("text", "question"), ASKED)
def test_an_answer_may_end_with_a_question(text: str, question: str) -> None:
    assert closing_question(text) == question


@pytest.mark.parametrize("text", NOT_ASKED)
def test_a_heading_a_quotation_or_code_asks_nothing(text: str) -> None:
    assert closing_question(text) == ""


ERRORS = [
    ("Error: cannot find module 'left-pad'", True),
    ("I tried.\nTypeError: x is not a function\nGoing on.", True),
    ("error[E0308]: mismatched types", True),
    ("FAILED tests/test_a.py::test_b - assert 1 == 2", True),
    ("fatal: not a git repository", True),
    ("E   AssertionError: assert 1 == 2", True),
    ("src/a.c:3:5: error: expected ';'", True),
    ("x.ts(3,5): error TS2304: Cannot find name", True),
    ("npm ERR! code ELIFECYCLE", True),
    ("--- FAIL: TestX (0.00s)", True),
    ("- Error: it broke", True),
    ("**Error:** it broke", True),
    ("thread 'main' panicked at src/main.rs:3", True),
    ("Wrapped call 1 in an exception guard.", False),
    ("Improved error handling in part 1; see the error section.", False),
    ("The error: none of it matters here", False),
    ("errors are rare", False),
]


@pytest.mark.parametrize(("text", "shows"), ERRORS)
def test_showing_an_error_is_not_writing_about_errors(text: str, shows: bool) -> None:
    assert bool(shown_error(text)) is shows


@pytest.mark.parametrize(
    ("text", "says"),
    [("All tasks are complete.", True), ("everything passes", True), ("two tasks are incomplete", False), ("", False)],
)
def test_words_of_completion_are_known_from_others(text: str, says: bool) -> None:
    assert says_complete(text) is says


KINDS = [
    ("I wrote three tests for it", WorkType.TESTING),
    ("Updated the README", WorkType.DOCUMENTATION),
    ("Refactored the parser", WorkType.REFACTORING),
    ("Implemented the login", WorkType.IMPLEMENTATION),
    ("Thinking.", None),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_the_kind_of_work_is_guessed_from_words(text: str, kind: WorkType | None) -> None:
    assert guessed_work_type(text) is kind


def test_the_same_error_three_times_is_stuck_however_its_numbers_differ() -> None:
    same = ["Error: line 3 is bad", "Error: line 4 is bad", "Error: line 5 is bad"]

    assert repeats_error(same, 3)
    assert repeats_error(["other", *same], 3)
    assert not repeats_error(same[:2], 3)
    assert not repeats_error([*same, ""], 3)
    assert not repeats_error([*same, "Error: another thing"], 3)
