"""Every number an agent gives, beside the loop's own."""

from pathlib import Path

from dualgate.core.evidence.claims import check_claims
from dualgate.core.said.response import read_response
from dualgate.core.said.work_report import read_work_report
from dualgate.core.values.answer import Answer
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim, WorkReport
from dualgate.core.values.phase_status import CaseCounts, FileCounts
from dualgate.core.values.suite import Counts
from dualgate.core.values.vocabulary import Phase, SuiteStatus

DATA = Path(__file__).parents[2] / "data"
CHANGES = Changes(tree="t", modified=("a.py",), added=("b.py",), rewritten=("a.py", "c.py"))


def sample(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def checked(claim: Claim, counts: Counts | None = None) -> dict[str, tuple[str, str]]:
    found = check_claims(claim, SuiteStatus.PASSING, counts, CHANGES)
    return {each.claim: (each.claimed, each.measured) for each in found}


def test_what_a_packet_and_a_phase_block_report_is_kept_with_the_claim() -> None:
    text = sample("packets/refactor_none_needed.txt") + "\n" + sample("blocks/phase_green_progress_made.txt")

    claim = read_response(Answer(text=text), Phase.REFACTOR)

    assert claim.report == read_work_report(text, Phase.REFACTOR)
    assert (claim.report.no_refactoring, claim.report.changed_files) == (True, ())
    assert claim.report.tests is not None
    assert read_work_report("nothing of the kind", Phase.BUILD) == WorkReport()


def test_only_one_packet_says_that_no_refactoring_is_needed() -> None:
    report = read_work_report(sample("packets/refactor.txt"), Phase.REFACTOR)

    assert not report.no_refactoring
    assert report.changed_files


def test_counts_of_a_phase_block_are_compared_with_the_run() -> None:
    report = WorkReport(tests=CaseCounts(passing=9, failing=1), files=FileCounts(created=1, modified=1, deleted=1))

    assert checked(Claim(report=report), Counts(passed=8, xpassed=1, error=2, xfailed=1)) == {
        "TESTS.PASSING": ("9", "9"),
        "TESTS.FAILING": ("1", "2"),
        "TESTS.SKIPPED": ("0", "1"),
        "TESTS.TOTAL": ("10", "12"),
        "FILES.CREATED": ("1", "1"),
        "FILES.MODIFIED and DELETED": ("2", "2"),
    }
    assert list(checked(Claim(report=WorkReport(tests=CaseCounts())), None)) == []


def test_a_packet_may_name_files_of_earlier_calls_but_none_that_nobody_changed() -> None:
    named = Claim(report=WorkReport(changed_files=("./a.py", "c.py", "other.py")))
    silent = Claim(report=WorkReport(changed_files=()))

    assert checked(named) == {"Changed files": ("a.py, c.py, other.py", "a.py, c.py")}
    assert checked(silent) == {"Changed files": ("none", "a.py")}


def test_tests_that_were_not_run_are_no_claim_about_them() -> None:
    assert checked(Claim(tests_status=SuiteStatus.NOT_RUN)) == {}
    assert checked(Claim(tests_status=SuiteStatus.FAILING)) == {"TESTS_STATUS": ("FAILING", "PASSING")}
