"""Ids stay with their text."""

import random
import time

import pytest

from dualgate.core.spec.identity import keep_ids, retired_after, same_words
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.specification import Criterion, Specification, starting_states


def spec(*texts: str) -> Specification:
    """Criteria as the reader numbers them; `X-1: text` has a written id."""
    criteria = []
    for number, text in enumerate(texts, start=1):
        own, mark, rest = text.partition(": ")
        criteria.append(
            Criterion(id=own if mark else f"AC-{number}", text=rest if mark else text, line=number, named=bool(mark))
        )
    return Specification(title="", goal="", criteria=tuple(criteria), text="")


TEXTS = ("it doubles numbers", "it halves texts", "it knows its name")
OLD = spec(*TEXTS).criteria
CASES = [
    ("unchanged", TEXTS, "AC-1 AC-2 AC-3"),
    ("the middle one removed", ("it doubles numbers", "it knows its name"), "AC-1 AC-3"),
    ("turned round", ("it knows its name", "it halves texts", "it doubles numbers"), "AC-3 AC-2 AC-1"),
    ("one put first", ("it prints", *TEXTS), "AC-4 AC-1 AC-2 AC-3"),
    ("case and marks", ("It **doubles** numbers.", "it halves  texts;", "it knows its name"), "AC-1 AC-2 AC-3"),
    ("nearly the same", ("it doubles all numbers", "it halves texts", "it knows its own name"), "AC-1 AC-2 AC-3"),
    ("another in its place", ("it doubles numbers", "an empty list is refused", "it knows its name"), "AC-1 AC-4 AC-3"),
    ("written ids win", ("it knows its name", "AC-1: it halves texts", "it doubles numbers"), "AC-3 AC-1 AC-4"),
    ("a written id for the same text", ("X-7: it doubles numbers", "it halves texts"), "X-7 AC-2"),
    ("the same text twice", ("it halves texts", "it halves texts"), "AC-2 AC-4"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "ids"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_id_stays_with_its_text(texts: tuple[str, ...], ids: str) -> None:
    assert [each.id for each in keep_ids(OLD, spec(*texts)).criteria] == ids.split()


def test_a_new_number_is_one_that_no_criterion_ever_had() -> None:
    found = keep_ids(OLD[:1], spec("it doubles numbers", "it prints", "it reads"), retired=("AC-2", "ac9"))

    assert [each.id for each in found.criteria] == ["AC-1", "AC-10", "AC-11"]


def test_numbers_are_counted_for_each_story() -> None:
    old = (Criterion(id="US1-AC2", text="logs in", line=1), Criterion(id="AC-7", text="prints", line=2))
    new = Criterion(id="US1-AC1", text="an account can be deleted", line=1)
    odd = Criterion(id="extra", text="something else that is new", line=1)

    found = keep_ids(old, Specification(title="", goal="", criteria=(new, odd), text=""))

    assert [each.id for each in found.criteria] == ["US1-AC3", "extra-1"]


def test_the_best_match_comes_first_and_each_old_one_is_used_once() -> None:
    old = spec("the total of row 10 is 40 cents").criteria

    found = keep_ids(old, spec("the total of row 11 is 41 cents", "the total of row 10 is 41 cents"))

    assert [each.id for each in found.criteria] == ["AC-2", "AC-1"]


def test_long_texts_are_compared_by_their_words() -> None:
    long = " ".join(f"word{number}" for number in range(60))

    found = keep_ids(spec("other", long).criteria, spec(long.replace("word9 ", "word nine ")))

    assert found.criteria[0].id == "AC-2"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Returns  the\nname.", "returns the name", True),
        ("`add` works – still", "add works - still", True),
        ("returns 1.5", "returns 15", False),
        ("returns -1", "returns 1", False),
        ("2*3 is 6", "23 is 6", False),
        ("prints `A`", "prints `a`", False),
        ("is 4", "is 5", False),
    ],
)
def test_words_are_the_same_without_decoration_and_marks(one: str, other: str, same: bool) -> None:
    assert same_words(one, other) is same


def test_the_reader_says_which_ids_are_written() -> None:
    read = read_specification("# X\n\n## Acceptance Criteria\n\n- it doubles\n- S03-AC1: it halves\n")

    assert [(each.id, each.named) for each in read.criteria] == [("AC-1", False), ("S03-AC1", True)]


def test_removed_ids_are_retired_until_they_are_written_again() -> None:
    now = starting_states(OLD[1:])

    assert retired_after(("AC-9", "AC-1", "AC-2", "AC-9"), now) == ("AC-9", "AC-1")


def test_a_thousand_criteria_take_a_moment_though_all_of_them_changed() -> None:
    words = [f"word{number}" for number in range(300)]
    pick = random.Random(1)
    texts = [" ".join(pick.choices(words, k=25)) for _ in range(1000)]
    old = starting_states(spec(*texts).criteria)
    edited = [f"{text} too" for text in reversed(texts)]

    begun = time.process_time()
    found = keep_ids(old, spec(*edited))

    assert time.process_time() - begun < 5
    assert [each.id for each in found.criteria] == [f"AC-{number}" for number in range(1000, 0, -1)]
