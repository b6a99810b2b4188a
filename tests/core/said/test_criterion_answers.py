import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.criterion_answers import read_answers, read_justifications
from dualgate.core.said.response import read_response
from dualgate.core.values.answer import Answer
from dualgate.core.values.vocabulary import Phase

READ = [
    ("AC-5: met src/pkg/__init__.py:12 exported", ("AC-5", True, "src/pkg/__init__.py", 12, "exported")),
    ("- **AC-5**: not met `CHANGELOG.md:3` — no entry", ("AC-5", False, "CHANGELOG.md", 3, "no entry")),
    ("| AC-5 | met | src/a.py:12 | why |", ("AC-5", True, "src/a.py", 12, "why")),
    ("AC-5 — yes, src/a.py line 12", ("AC-5", True, "src/a.py", 12, "")),
    ("AC-5: src/no/file.py:3 met because it is", ("AC-5", True, "src/no/file.py", 3, "because it is")),
    ("AC-5: fulfilled (./src/a.py#L12)", ("AC-5", True, "src/a.py", 12, "")),
    ("1. AC-5: ❌ Makefile:3 broken", ("AC-5", False, "Makefile", 3, "broken")),
    ("* `AC-5`: met\n  in `docs/x.md:4`\n\nmore", ("AC-5", True, "docs/x.md", 4, "in")),
    ("AC-5 is met: `setup.cfg` line 4", ("AC-5", True, "setup.cfg", 4, "")),
    ("S03-AC1 met tests/x.py:1", ("S03-AC1", True, "tests/x.py", 1, "")),
    ("> [x] FR-001 (review): Met - src/x.ts:10:5", ("FR-001", True, "src/x.ts", 10, "")),
    ("AC-5: met (src/a.py, lines 3-9)", ("AC-5", True, "src/a.py", 3, "")),
    ("**AC-5:** _not met_ .gitignore:1 x", ("AC-5", False, ".gitignore", 1, "x")),
    ("AC-5: isn't fully met a_b/_legacy.py", ("AC-5", False, "a_b/_legacy.py", None, "")),
    ("AC-5: no, nothing says so", ("AC-5", False, "", None, "nothing says so")),
    ("AC-5: entry is there, no problem, met a.md:1", ("AC-5", True, "a.md", 1, "entry is there, no problem")),
]


@pytest.mark.parametrize(("text", "answer"), READ)
def test_an_answer_is_read_whatever_its_order_and_decoration(text: str, answer: tuple[object, ...]) -> None:
    (read,) = read_answers(text)

    assert (read.id, read.met, read.file, read.line, read.reason) == answer


@pytest.mark.parametrize(
    "text",
    [
        "AC-5: met | not met FILE:LINE why",
        "    AC-5: met FILE:LINE why",
        "AC-5: met or not met",
        "AC-5 tests were met with joy",
        "AC-5: the changelog",
        "see AC-5: met a.py:1",
        "## AC-5",
        "met a.py:1",
    ],
)
def test_what_only_mentions_a_criterion_or_repeats_the_form_is_no_answer(text: str) -> None:
    assert read_answers(text) == ()


def test_the_last_answer_counts_and_may_leave_the_place_to_an_earlier_one() -> None:
    assert [each.met for each in read_answers("AC-1: met a.py:1\nAC-1: not met b.py:2")] == [False]
    assert [each.place for each in read_answers("AC-1: met a.py:1\n\n# Summary\nac1: met")] == ["a.py:1"]
    assert [each.place for each in read_answers("AC-1: met\nAC-1: met a.py")] == ["a.py"]


def test_answers_are_read_in_a_review_alone() -> None:
    answer = Answer(text="AC-1: met a.py:1")

    assert len(read_response(answer, Phase.QA).answers) == 1
    assert read_response(answer, Phase.GREEN).answers == ()


@given(st.text(alphabet=st.sampled_from("AC-15:metno|*_` /.\n(#L→x"), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(each.id for each in read_answers(text))


def test_an_answer_to_ac_11_is_none_to_ac_1_1() -> None:
    answers = read_answers("AC-1.1: met a.py:1\nAC-11: not met b.py:2\n")

    assert [(answer.id, answer.met) for answer in answers] == [("AC-1.1", True), ("AC-11", False)]


JUSTIFICATIONS = [
    ("T-1: justified tests/test_a.py:3 AC-2 takes it away", ("T-1", True, "tests/test_a.py", 3, "AC-2 takes it away")),
    ("- **T-2**: not justified `src/a.py:9` it holds still", ("T-2", False, "src/a.py", 9, "it holds still")),
    ("| T-3 | unjustified | tests/a.py:1 | |", ("T-3", False, "tests/a.py", 1, "")),
]


@pytest.mark.parametrize(("text", "answer"), JUSTIFICATIONS)
def test_an_answer_about_a_test_says_whether_it_is_justified(text: str, answer: tuple[object, ...]) -> None:
    (found,) = read_justifications(text)

    assert (found.id, found.met, found.file, found.line, found.reason) == answer
    assert read_answers(text) == ()


def test_the_form_of_a_justification_is_no_answer() -> None:
    assert (
        read_justifications("T-1: justified FILE:LINE why\nT-1: justified / not justified a.py:1\nT-1: met a.py:1")
        == ()
    )


ANSWERS = "AC-5: met fees.py:10 names follow\nT-1: not justified tests/test_a.py:3 it was needed\n"
PLACES = ["{}", "\n{}", "\n## Answers\n\n{}", "\n- {}", "\n### Criteria\n{}"]


@pytest.mark.parametrize("place", PLACES)
def test_answers_between_and_inside_packets_leave_the_packets_whole(place: str) -> None:
    review = (
        "Phase: CODE_REVIEW\nStatus: needs-fix\nFixRequest:\n### FixRequest\n- id: FR-1\n- file: fees.py\n"
        "- location: line 16\n- severity: major\n- description: floats\n- proposedFix: integers\n"
        "- routeTo: implementer\n"
        f"{place.format(ANSWERS)}\nPhase: ARCHITECTURE\nStatus: passed\nFixRequest: none\n{place.format(ANSWERS)}\n"
        "Verdict: REJECT\n"
    )

    claim = read_response(Answer(text=review), Phase.QA)

    assert [request.id for request in claim.report.findings] == ["FR-1"]
    assert claim.report.errors == ()
    assert [(answer.id, answer.met) for answer in (*claim.answers, *claim.justifications)] == [
        ("AC-5", True),
        ("T-1", False),
    ]
