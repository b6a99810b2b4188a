"""What the packets of a phase say, whoever wrote them."""

from pathlib import Path

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.said.response import read_response
from dualgate.core.said.work_report import PACKETS, read_work_report
from dualgate.core.values.answer import Answer
from dualgate.core.values.limits import Limits
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import facts
from tests.core.said.blocks.block_samples import ralph_block

DATA = Path(__file__).parents[2] / "data" / "packets"


def packet(name: str, **values: str) -> str:
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    for key, value in values.items():
        text = "\n".join(f"{key}: {value}" if line.startswith(f"{key}:") else line for line in text.splitlines())
    return text


def test_a_phase_knows_its_packets() -> None:
    assert PACKETS.keys() == set(Phase)
    assert read_work_report(packet("documentation"), Phase.DOCUMENT).warnings == ()
    assert read_work_report(packet("green", Status="failed"), Phase.BUILD).shut == ()


@pytest.mark.parametrize("status", ["failed", "needs-fix", "needs-diagnosis", "integration-subtask-created"])
def test_a_status_other_than_passed_closes_gate_2(status: str) -> None:
    text = f"{packet('green', Status=status)}\n\n{ralph_block()}\n"

    claim = read_response(Answer(text=text), Phase.GREEN)

    assert not claim.exit_signal
    assert claim.problems == (f"the GREEN packet says Status: {status}",)
    assert claim.report.needs_diagnosis is (status == "needs-diagnosis")


def test_a_passed_packet_leaves_the_signal_as_it_is() -> None:
    claim = read_response(Answer(text=f"{packet('green')}\n\n{ralph_block()}\n"), Phase.GREEN)

    assert (claim.exit_signal, claim.report.shut, claim.report.warnings) == (True, (), ())


def test_a_missing_packet_only_warns() -> None:
    claim = read_response(Answer(text=ralph_block()), Phase.GREEN)
    verdict = judge(facts(Phase.GREEN, claim), Limits())

    assert (verdict.outcome, verdict.warnings) == (Outcome.PASS, ("the answer holds no GREEN packet",))


def test_a_status_that_is_none_closes_gate_2_and_one_that_is_not_written_only_warns() -> None:
    illegal = read_work_report(packet("green", Status="passed | failed"), Phase.GREEN)
    unwritten = read_work_report(packet("green").replace("Status:", "State:"), Phase.GREEN)

    assert len(illegal.shut) == 1
    assert unwritten.shut == ()
    assert "Status is missing" in unwritten.warnings[0]


def test_the_packet_of_another_phase_says_nothing() -> None:
    report = read_work_report(packet("red", Status="failed"), Phase.GREEN)

    assert (report.shut, report.warnings) == ((), ("the answer holds no GREEN packet",))


def test_the_last_complete_packet_counts() -> None:
    assert not read_work_report(f"{packet('green', Status='failed')}\n\n{packet('green')}", Phase.GREEN).shut


def test_both_packets_of_a_review_are_one_list_in_the_order_of_work() -> None:
    text = f"{packet('code_review_fix_requests')}\n\n{packet('architecture')}"

    report = read_work_report(text, Phase.QA)

    assert [request.id for request in report.findings] == ["FR-2", "FR-1", "FR-4", "FR-5", "FR-3"]
    assert (report.blocking, report.errors) == (4, ())
    assert [reason.split(" ", 2)[1] for reason in report.shut] == ["CODE_REVIEW", "ARCHITECTURE"]


def test_findings_that_are_counted_but_not_requested_block_too() -> None:
    text = packet("code_review").replace("Critical: 0", "Critical: 2")

    assert read_response(Answer(text=text), Phase.QA).blocking_findings == 2


def test_a_cycle_and_an_unknown_id_are_named_and_what_could_be_read_is_kept() -> None:
    cycle = packet("code_review_fix_requests").replace("- dependsOn: none", "- dependsOn: FR-1")
    unknown = packet("code_review_fix_requests").replace("- dependsOn: none", "- dependsOn: FR-9")

    assert read_work_report(cycle, Phase.QA).errors == ("these FixRequests wait for each other: FR-1 -> FR-2 -> FR-1",)
    assert read_work_report(unknown, Phase.QA).errors == ("FR-2 depends on FR-9, which is no FixRequest here",)
    assert {request.id for request in read_work_report(cycle, Phase.QA).findings} == {"FR-1", "FR-2", "FR-3"}
    assert read_work_report(cycle, Phase.QA).blocking == 2


def test_a_packet_with_much_wrong_is_told_in_part() -> None:
    report = read_work_report("Phase: RED\nStatus: passed\nNotes: none\n", Phase.RED)

    assert report.warnings[0].endswith("more")


def test_a_line_of_the_template_is_no_finding() -> None:
    text = "- severity: critical | major | minor\n- severity: major\n"

    assert read_response(Answer(text=text), Phase.QA).blocking_findings == 1


INVALID = ("Changed files:", "Files changed:")


@pytest.mark.parametrize("spoiled", [("", ""), INVALID], ids=["valid", "not valid"])
@pytest.mark.parametrize(
    "counts",
    ["Critical: 1 | Major: 1 | Minor: 0", "Critical: 1, Major: 1, Minor: 0", "- Critical: 1\n- Major: 1\n- Minor: 0"],
)
def test_counted_findings_block_however_the_packet_is_written(counts: str, spoiled: tuple[str, str]) -> None:
    written = packet("code_review").replace("Critical: 0 | Major: 0 | Minor: 1", counts.replace("\n", "\n  "))
    assert counts.splitlines()[0] in written

    assert read_work_report(written.replace(*spoiled), Phase.QA).blocking == 2


SHORT_REVIEW = """\
Phase: CODE_REVIEW
Status: needs-fix
Issues Found:
  Critical: 0 | Major: 1 | Minor: 0

FixRequest:

### FixRequest
- id: FR-1
- file: src/a.py
- location: line 3
- severity: major
- category: error-handling
- description: the error is lost
- proposedFix: raise it
- routeTo: implementer
"""


def test_a_short_fix_request_is_followed() -> None:
    report = read_work_report(SHORT_REVIEW, Phase.QA)

    (request,) = report.findings
    assert (request.id, request.description, request.depends_on) == ("FR-1", "the error is lost", ())
    assert (request.verification_command, request.rationale, report.errors, report.blocking) == ("", "", (), 1)


def test_a_fix_request_without_what_is_needed_cannot_be_followed() -> None:
    report = read_work_report(SHORT_REVIEW.replace("- description: the error is lost\n", ""), Phase.QA)

    assert (report.findings, report.errors) == ((), ("FixRequest[1].description is missing",))


def test_a_review_need_not_say_that_it_asks_for_nothing() -> None:
    assert read_work_report("Phase: CODE_REVIEW\nStatus: passed\n", Phase.QA).errors == ()


def test_an_answer_without_any_packet_of_its_phase_is_known() -> None:
    assert not read_work_report("Verdict: APPROVE\n", Phase.QA).has_packets
    assert read_work_report(SHORT_REVIEW, Phase.QA).has_packets
