"""What a reviewer is told: evidence, and no word of an author."""

import re
from dataclasses import replace

from dualgate.core.prompt.detail import DETAILS, Cutter
from dualgate.core.prompt.review import (
    fitting_diffs,
    history_of_tests,
    loop_results,
    material_for,
    minor_for,
    review_words,
)
from dualgate.core.prompt.writing import prepare, write_prompt
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.brief import Brief
from dualgate.core.values.changes import FileChange, FileDiff
from dualgate.core.values.claim import NoteKind, PhaseNote
from dualgate.core.values.fix_request import FixSeverity
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.specification import CriterionState, CriterionStatus, Kind
from dualgate.core.values.state import LoopState, Memory, Proof, Rejection, ReviewContext
from dualgate.core.values.vocabulary import Phase
from dualgate.prompts import load_templates
from dualgate.testing import NOW, a_fix, a_spec, a_state, failed, passed, skipped

TEMPLATES = prepare(load_templates())
PROOF = Proof(
    baseline=(passed("test_old"), failed("test_ac2_cap"), failed("test_broken")),
    red=(passed("test_old"), failed("test_ac2_cap", digest="d2"), failed("test_ac1"), failed("test_broken")),
    proven=(passed("test_old"), passed("test_ac2_cap", digest="d2"), passed("test_ac1"), failed("test_broken")),
    flaky=("tests/test_x.py::test_old",),
    green_runs=2,
)


def in_qa(**values: object) -> LoopState:
    return a_state(**{"phase": Phase.QA, "proof": PROOF, **values})


def a_diff(path: str, lines: int, **values: object) -> FileDiff:
    text = f"--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,{lines} @@\n" + "".join(f"+line {n}\n" for n in range(lines))
    return FileDiff(**{"path": path, "change": FileChange.CHANGED, "diff": text, "added": lines, **values})  # type: ignore[arg-type]


def prompt_of(state: LoopState, brief: Brief | None = None) -> str:
    return write_prompt(a_spec(), state, TEMPLATES, brief or Brief()).text


def test_each_test_of_a_criterion_is_shown_from_red_to_green() -> None:
    first, second = history_of_tests(a_spec(), in_qa())

    assert first.tests == ("tests/test_x.py::test_ac1: absent before, failed in RED, passed now",)
    assert second.tests == (
        "tests/test_x.py::test_ac2_cap: failed before (its code changed), failed in RED, passed now",
    )
    many = replace(PROOF, proven=tuple(passed(f"test_ac1_{n}") for n in range(9)))
    assert history_of_tests(a_spec(), in_qa(proof=many))[0].tests[-1] == "and 4 more tests"


def test_the_results_of_the_loop_are_told() -> None:
    check = CriterionState(id="AC-2", text="clean", kind=Kind.CHECK, state=CriterionStatus.PASSES, proof=("make lint",))

    assert [*loop_results(in_qa(criteria_states=(check,)))] == [
        "Tests: 3 passed, 1 failed, in 2 green runs of the whole suite.",
        "Failing before the run and still: tests/test_x.py::test_broken.",
        "Flaky: tests/test_x.py::test_old.",
        "Check AC-2: `make lint` passes.",
    ]
    assert [*loop_results(a_state(phase=Phase.QA))] == ["Tests: none."]


def test_the_largest_diffs_are_left_out_first_and_named_with_the_command() -> None:
    small, large = a_diff("small.py", 3), a_diff("large.py", 20_000)
    logo = FileDiff(path="logo\n.png", change=FileChange.NEW)
    brief = Brief(diffs=(small, large, logo), diff_command="dualgate snapshot diff 1a2b --file")

    text = prompt_of(in_qa(), brief)

    assert "small.py (changed, +3 -0)\n\n    --- a/small.py\n" in text
    assert "    +line 2\n" in text
    assert "- large.py (changed, +20000 -0)\n- logo\\n.png (new)\n" in text
    assert "    dualgate snapshot diff 1a2b --file PATH\n" in text
    assert "8999" not in text
    assert fitting_diffs((small, large), 1 << 20).left_out == ()


def test_a_weakened_test_is_asked_about_with_its_own_lines() -> None:
    proof = Proof(
        baseline=(passed("test_a", line=5), passed("test_b", line=9), passed("test_c", line=13)),
        red=(passed("test_a", line=5), skipped("test_b", line=10), passed("test_c", line=14)),
    )
    diff = (
        "--- a/tests/test_x.py\n+++ b/tests/test_x.py\n@@ -4,12 +4,13 @@\n \n def test_a():\n-    assert a == 1\n"
        "+    assert a\n     pass\n \n+@pytest.mark.skip\n def test_b():\n     assert b\n \n \n"
        " def test_c():\n     assert c\n"
    )
    changed = FileDiff(path="tests/test_x.py", change=FileChange.CHANGED, diff=diff)

    text = prompt_of(in_qa(proof=proof), Brief(diffs=(changed,)))

    question = text.partition("- T-1: ")[2].partition("\n## ")[0]
    assert question.startswith("tests/test_x.py::test_b (skipped in RED): do the criteria ask for that?\n")
    assert "    +@pytest.mark.skip\n     def test_b():" in question
    assert ("assert a == 1" in question, "test_c" in question) == (False, False)
    assert "    T-1: <justified | not justified> <FILE:LINE> <why>\n" in text


def test_where_the_lines_of_a_test_are_not_known_its_file_is_shown() -> None:
    proof = Proof(baseline=(passed("test_a[1]"), passed("test_a[2]")), red=(passed("test_a[1]"),))
    state, brief = in_qa(proof=proof), Brief(diffs=(a_diff("tests/test_x.py", 99),))
    words = review_words(state, material_for(a_spec(), state, brief, 1), Cutter(DETAILS[0]))

    (doubt,) = words["doubts"]
    assert (doubt["how"], doubt["diff"].count("\n")) == ("fewer cases, 2 cases before, 1 now", 40)
    assert doubt["diff"].endswith("[cut]")
    bare = review_words(state, material_for(a_spec(), state, Brief(), 1), Cutter(DETAILS[-1]))
    assert bare["doubts"][0]["diff"] == ""


def test_several_tests_are_shown_with_all_lines_of_their_file() -> None:
    gone = tuple(passed(f"test_{n}", line=n + 1) for n in range(30))
    proof = Proof(baseline=gone, red=(passed("test_new", digest="n"),))

    text = prompt_of(in_qa(proof=proof), Brief(diffs=(a_diff("tests/test_x.py", 2),)))

    assert "- T-1: tests/test_x.py::test_0, " in text
    assert "and 25 more (removed in RED)" in text


def test_a_changed_requirement_is_listed_and_needs_no_answer() -> None:
    text = prompt_of(in_qa())

    assert "Tests of the project that RED changed because a criterion asks for it; they failed then:\n\n" in text
    assert ("T-1" in text, "- tests/test_x.py::test_ac2_cap\n" in text) == (False, True)


def test_a_changed_test_that_still_passes_as_it_was_is_listed_and_needs_no_answer() -> None:
    baseline, red = (passed("test_fee"),), (passed("test_fee", digest="d2"), failed("test_ac1", digest="n"))
    proof = Proof(baseline=baseline, red=red, upheld=("tests/test_x.py::test_fee",))

    text = prompt_of(in_qa(proof=proof))

    assert "Their versions from before the run pass on this code too" in text
    assert ("T-1" in text, "- tests/test_x.py::test_fee\n" in text) == (False, True)


def test_no_word_of_an_author_reaches_the_reviewer() -> None:
    note = PhaseNote(phase=Phase.GREEN, iteration=1, kind=NoteKind.NOTE, text="trust me")
    context = ReviewContext(false_claims=("GREEN: FILES_MODIFIED was given as 1",), notes=("GREEN: the suite is slow",))

    text = prompt_of(in_qa(notes=(note,), review_context=context))

    assert ("trust me" in text, "FILES_MODIFIED was given" in text) == (False, False)
    assert "- GREEN: the suite is slow\n" in text


def test_minor_findings_are_for_the_refactorer_after_a_rejection() -> None:
    minor = Finding(request=a_fix(2, severity=FixSeverity.MINOR), state=FindingState.ADVICE, review=1)
    major = Finding(request=a_fix(3), state=FindingState.ADVICE, review=1)
    reviews = Reviews(count=1, findings=(minor, major))
    rejected = a_state(phase=Phase.REFACTOR, reviews=reviews, rejections=(Rejection(at=NOW, reason="r"),))

    assert minor_for(rejected) == (minor,)
    assert minor_for(replace(rejected, rejections=())) == minor_for(replace(rejected, phase=Phase.GREEN)) == ()


SPEC = """\
# Parking fees

## Goal

`parking.fee.fee(minutes)` tells what parking costs, in cents. The machine prints it on the ticket.

## Context

The house has one machine at each exit. It knows how long a car stood, not since when.

## Acceptance Criteria

- AC-1: The first half hour is free: `fee(30)` is 0.
- AC-2: After that each begun hour costs 200, the first included: `fee(31)` is 200, `fee(61)` is 400.
- AC-3: No day costs more than 1500.
- AC-4: CHANGELOG.md names the function. [review]
"""


def test_the_form_of_the_answer_is_a_small_part_of_a_small_run() -> None:
    brief = Brief(diffs=tuple(a_diff(path, 25) for path in ("parking/fee.py", "tests/test_fee.py", "README.md")))

    prompt = write_prompt(read_specification(SPEC), in_qa(memory=Memory()), TEMPLATES, brief)

    assert prompt.form_share < 0.2


def test_code_and_tests_are_shown_before_documents_and_data() -> None:
    data = tuple(a_diff(f"tests/data/{number}.json", 3) for number in range(300))
    code, guide = a_diff("fees.py", 200), a_diff("docs/guide.md", 10)

    fitting = fitting_diffs((*data, guide, code), 2_000)
    large = tuple(a_diff(f"big_{number}.py", 2_000) for number in range(20))
    text = prompt_of(in_qa(limits=Limits(prompt_tokens=12_000)), Brief(diffs=(*data, *large)))

    assert code in fitting.shown
    assert guide in fitting.shown
    assert {each.path.partition("/")[0] for each in fitting.left_out} == {"tests"}
    assert "- big_19.py (changed, +2000 -0)\n" in text
    assert re.search(r"- tests/data/: \d+ files\n", text)
