"""What the packets of a phase say, whoever wrote them."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.said.response import read_response
from dualgate.core.said.work_report import PACKETS, read_work_report
from dualgate.core.values.answer import Answer
from dualgate.core.values.claim import WorkReport
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Again, Weighed
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


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.QA])
def test_work_needs_no_packet(phase: Phase) -> None:
    assert read_work_report("Done.", phase) == WorkReport()


def test_a_review_without_its_packets_is_asked_for_once_more_and_then_only_warns() -> None:
    claim = read_response(Answer(text=f"Verdict: APPROVE\n\n{ralph_block()}"), Phase.QA)
    first = facts(Phase.QA, claim)
    second = replace(first, weighed=Weighed(asked=(Again.PACKETS,)))
    missing = ("the answer has no CODE_REVIEW packet", "the answer has no ARCHITECTURE packet")

    assert judge(first, Limits()).outcome is Outcome.STAY
    assert (judge(second, Limits()).outcome, judge(second, Limits()).warnings) == (Outcome.PASS, missing)


def test_a_status_that_is_illegal_closes_gate_2_and_one_that_is_not_written_says_nothing() -> None:
    illegal = read_work_report(packet("green", Status="passed | failed"), Phase.GREEN)
    unwritten = read_work_report(packet("green").replace("Status:", "State:"), Phase.GREEN)

    assert len(illegal.shut) == 1
    assert (unwritten.shut, unwritten.warnings) == ((), ())


def test_the_packet_of_another_phase_says_nothing() -> None:
    report = read_work_report(packet("red", Status="failed"), Phase.GREEN)

    assert report == WorkReport(changed_files=report.changed_files)


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
    assert read_work_report(unknown, Phase.QA).errors == ("FR-2 depends on FR-9, which is not a FixRequest here",)
    assert {request.id for request in read_work_report(cycle, Phase.QA).findings} == {"FR-1", "FR-2", "FR-3"}
    assert read_work_report(cycle, Phase.QA).blocking == 2


SHORT_RED = """\
Phase: RED
Status: passed
TestIntent:
  Summary: a voucher lowers the sum once
  Contract surface: Basket.apply_voucher(code: str) -> None,
    VoucherUsed
  Non-goals: [what is not implemented]
Notes: the fixture basket() has two articles
"""


def test_a_packet_with_only_the_fields_that_are_asked_for_is_welcome() -> None:
    report = read_work_report(SHORT_RED, Phase.RED)

    assert (report.shut, report.warnings) == ((), ())
    assert report.notes == "the fixture basket() has two articles"
    assert report.intent == (
        ("Summary", "a voucher lowers the sum once"),
        ("Contract surface", "Basket.apply_voucher(code: str) -> None,\nVoucherUsed"),
    )


def test_the_full_form_gives_the_same() -> None:
    red, none_needed = (
        read_work_report(packet("red"), Phase.RED),
        read_work_report(packet("refactor_none_needed"), Phase.REFACTOR),
    )

    assert dict(red.intent)["Contract surface"] == "Basket.apply_voucher(code: str) -> None, VoucherUsed"
    assert [name for name, _ in red.intent][-1] == "Edge cases covered"
    assert red.notes == ""
    assert none_needed.decisions[0].startswith("No Refactoring Needed: apply_voucher is eleven lines")


def test_an_intent_without_indentation_is_read_too() -> None:
    flat = "Phase: RED\nStatus: passed\nTestIntent: one voucher\nContract surface: apply()\nNotes: none\n"

    assert read_work_report(flat, Phase.RED).intent == (("Summary", "one voucher"), ("Contract surface", "apply()"))


DECISIONS = [
    ("Decision: No Refactoring Needed", Phase.REFACTOR, ("No Refactoring Needed",)),
    ("Decision: No refactoring needed.\n- it is small", Phase.REFACTOR, ("No refactoring needed: it is small",)),
    (
        "Decision: keep one module\n- two callers\n- one reason",
        Phase.GREEN,
        ("keep one module: two callers; one reason",),
    ),
    ("Decisions:\n- keep one module\n- raise KeyError", Phase.DOCUMENT, ("keep one module", "raise KeyError")),
    ("Decisions: keep one module", Phase.GREEN, ("keep one module",)),
    ("**Decisions:**\n1. keep one module", Phase.GREEN, ("keep one module",)),
    ("Decision: none", Phase.GREEN, ()),
    ("Decisions: none", Phase.GREEN, ()),
    ("Decisions:\n- none", Phase.GREEN, ()),
    ("Decision: [what you decided]", Phase.GREEN, ()),
    ("Decision:\n- keep one module", Phase.GREEN, ("keep one module",)),
]


@pytest.mark.parametrize(("lines", "phase", "decisions"), DECISIONS)
def test_decisions_are_kept_with_their_reasons(lines: str, phase: Phase, decisions: tuple[str, ...]) -> None:
    text = f"Phase: {PACKETS[phase][0]}\nStatus: passed\n{lines}\nNotes: none\n"

    report = read_work_report(text, phase)

    assert (report.decisions, report.warnings) == (decisions, ())
    assert report.no_refactoring is lines.casefold().startswith("decision: no refactoring needed")


def test_a_packet_that_also_lists_refactorings_does_not_say_that_none_is_needed() -> None:
    text = (
        "Phase: REFACTOR\nDecision: No Refactoring Needed\nRefactorings Applied:\n- Rename in a.py: clear\nNotes: none"
    )

    assert not read_work_report(text, Phase.REFACTOR).no_refactoring


NO_NOTES = ["none", "None.", "n/a", "none | [what those who follow should know]", "<what the next phase needs>", ""]


@pytest.mark.parametrize("notes", NO_NOTES)
def test_a_note_that_says_none_is_no_note(notes: str) -> None:
    assert read_work_report(f"Phase: GREEN\nStatus: passed\nNotes: {notes}\n", Phase.GREEN).notes == ""


def test_long_notes_are_cut() -> None:
    decisions = "\n".join(f"- number {number}" for number in range(90))
    report = read_work_report(f"Phase: GREEN\nDecisions:\n{decisions}\nNotes: {'y' * 9000}\n", Phase.GREEN)

    assert len(report.notes) < 4100
    assert report.notes.endswith("[…]")
    assert len(report.decisions) == 20


def test_minor_issues_of_a_review_are_kept_in_full_and_short_packets() -> None:
    short = (
        "Phase: CODE_REVIEW\nStatus: passed\nMinor Issues:\n- src/a.py:3: a name is too short\n- the tests are slow\n"
        "Notes: a\n\nPhase: ARCHITECTURE\nStatus: passed\nNotes: b\n"
    )

    full, report = read_work_report(packet("code_review"), Phase.QA), read_work_report(short, Phase.QA)

    assert full.minor == ("src/shop/basket.py:31 the comment repeats the line below it",)
    assert report.minor == ("src/a.py:3 a name is too short", "the tests are slow")
    assert (report.notes, report.warnings) == ("a\nb", ())


def test_build_has_no_packets_but_its_notes_are_kept() -> None:
    report = read_work_report(
        "Phase: BUILD\nStatus: failed\nDecision: use SQLite\nNotes: run migrate first\n", Phase.BUILD
    )

    assert (report.shut, report.warnings) == ((), ())
    assert (report.notes, report.decisions) == ("run migrate first", ("use SQLite",))


def test_a_field_that_cannot_be_read_warns_and_takes_nothing_from_the_others() -> None:
    report = read_work_report(SHORT_RED.replace("TestIntent", "Confidence: low\nTestIntent"), Phase.RED)

    assert report.warnings == (
        "the RED packet has fields that cannot be read: Confidence must be one of high, medium: 'low'",
    )
    assert report.intent
    assert report.notes


def test_many_fields_that_cannot_be_read_are_told_in_part() -> None:
    names = ("Status", "AgentTaskStatus", "TestRunStatus", "Test type", "Type source", "Confidence")
    text = "\n".join(f"{name}: nonsense" for name in names)
    report = read_work_report(f"Phase: RED\n{text}\nNotes: none\n", Phase.RED)

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
