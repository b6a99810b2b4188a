"""Markdown of a verification: for a job summary and a comment."""

from markdown_it import MarkdownIt

from dualgate.core.values.specification import CriterionStatus, Kind
from dualgate.core.values.suite import CaseOutcome
from dualgate.core.values.verification import CaseChange, CaseState, CriterionProof, ProbeCounts, Rule, Weight
from dualgate.display.verification.markdown import LIMIT, MARKER, verification_markdown
from dualgate.testing import a_finding, a_verification

PARSER = MarkdownIt("commonmark").enable("table")


def test_a_verified_change_is_short_and_can_be_found_again() -> None:
    page = verification_markdown(a_verification(cases=()))

    assert page == f"{MARKER}\n\n### dualgate: verified\n\nwork tree against main (bbbbbbb)\n\ntests: none\n"


def test_findings_stand_in_a_table_with_their_ids() -> None:
    finding = a_finding(file="tests/test_x.py", line=7, text="fails now")

    page = verification_markdown(a_verification(finding))

    assert f"| refused | `{finding.test}` fails now (`tests/test_x.py:7`) | `{finding.id}` |" in page.splitlines()


def test_a_sentence_that_names_its_test_or_place_does_not_name_them_twice() -> None:
    named = a_finding(test="test_a", text="test_a fails on the head: assert 1")
    placed = a_finding(Rule.UNTESTED, test="", file="fee.py", line=9, text="no test runs `fee.py:9` discount")

    page = verification_markdown(a_verification(named, placed))

    assert "| refused | `test_a` fails on the head: assert 1 |" in page
    assert "| refused | no test runs `fee.py:9` discount |" in page


def test_changes_of_tests_criteria_and_notes_are_folded_and_what_is_accepted_is_told() -> None:
    renamed = CaseChange(id="test_new", states=(CaseState.RENAMED,), renamed_from="test_old", head=CaseOutcome.PASSED)
    page = verification_markdown(
        a_verification(
            a_finding(accepted="agreed with the *owner*"),
            a_finding(Rule.FLAKY, Weight.NOTE, text="differs"),
            cases=(renamed,),
            probes=ProbeCounts(killed=3),
            criteria=(
                CriterionProof(
                    id="AC-1", text="it <b>works</b>", kind=Kind.NEW, state=CriterionStatus.GREEN, tests=("test_a",)
                ),
            ),
        )
    )

    assert page.count("<details>") == page.count("</details>") == 3
    assert "| `test_new` (was `test_old`) | renamed |  | passed |  |  |" in page
    assert "agreed with the &#42;owner&#42;" in page
    assert "| `AC-1` it &#60;b&#62;works&#60;/b&#62; | new | green | `test_a` |" in page
    assert "probes: 3 killed" in page


def test_a_long_page_is_cut_between_rows_and_says_so() -> None:
    findings = [a_finding(test=f"tests/test_x.py::test_<é>_{n}_{'x' * 300}") for n in range(2000)]
    cases = tuple(CaseChange(id=f"test_{n}", states=(CaseState.NEW,)) for n in range(2000))

    page = verification_markdown(a_verification(*findings, cases=cases))

    assert len(page.encode()) <= LIMIT
    assert page.endswith("Cut to 64 KB. `dualgate verify --json` has everything.\n")
    assert page.count("<details>") == page.count("</details>")
    rows = [line for line in page.splitlines() if line.startswith("| refused")]
    assert f"and {2000 - len(rows)} more" in page
    assert all(row.endswith(" |") for row in rows)


def test_hostile_names_stay_in_their_cells() -> None:
    name = "a|b`c</details>\n<script>[x](y)\\"

    page = verification_markdown(
        a_verification(
            a_finding(test=name, file=name, text=name), cases=(CaseChange(id=name, states=(CaseState.NEW,)),)
        )
    )

    tokens = PARSER.parse(page)
    inside = [child for token in tokens for child in token.children or ()]
    assert {child.content for child in inside if child.type == "html_inline"} <= {"<code>", "</code>"}
    assert not any(child.type.startswith("link") for child in inside)
    assert sum(token.type == "td_open" for token in tokens) == 3 + 6
