"""One test for each rule of the packets, named by it."""

from pathlib import Path
from typing import Any

import pytest

from dualgate.core.said.packets import emit_packet, parse_packet, read_packet, read_packets

DATA = Path(__file__).parents[3] / "data" / "packets"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in DATA.glob("*.txt")}
RED, GREEN, REFACTOR, NONE_NEEDED = (TEXTS[name] for name in ("red", "green", "refactor", "refactor_none_needed"))
REVIEW, FIXES, ARCHITECTURE, DOCUMENTATION = (
    TEXTS[name] for name in ("code_review", "code_review_fix_requests", "architecture", "documentation")
)


def altered(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def without(text: str, key: str) -> str:
    """The text without a key and what stands below it, up to the next blank line or key."""
    head, _, tail = text.partition(f"\n{key}")
    lines = tail.split("\n")[1:]
    while lines and lines[0][:1] in (" ", "-", "#"):
        lines.pop(0)
    return "\n".join((head, *lines))


def errors(text: str) -> list[tuple[str, str | None]]:
    return [(p.code, p.field) for p in parse_packet(text).problems if p.severity == "error"]


def warnings(text: str) -> list[tuple[str, str | None]]:
    return [(p.code, p.field) for p in parse_packet(text).problems if p.severity == "warning"]


def fields_of(text: str) -> dict[str, Any]:
    packet = read_packet(text)
    assert packet is not None
    assert packet.is_valid, packet.problems
    return dict(packet.fields)


REQUIRED = [
    (RED, "Status"),
    (RED, "Test file"),
    (RED, "Test command"),
    (RED, "Changed files"),
    (RED, "AgentTaskStatus"),
    (RED, "TestRunStatus"),
    (RED, "Test type"),
    (RED, "Type source"),
    (RED, "Confidence"),
    (RED, "Type Selection Reasoning"),
    (RED, "What tests verify"),
    (RED, "TestIntent"),
    (RED, "Notes"),
    (GREEN, "Diff inventory"),
    (REFACTOR, "Refactorings Applied"),
    (REFACTOR, "Preserved Invariants"),
    (NONE_NEEDED, "Preserved Invariants"),
    (REVIEW, "Files reviewed"),
    (REVIEW, "Issues Found"),
    (REVIEW, "FixRequest"),
    (ARCHITECTURE, "Context"),
    (ARCHITECTURE, "Files reviewed"),
    (ARCHITECTURE, "IntegrationVerdict"),
    (DOCUMENTATION, "Context"),
    (DOCUMENTATION, "Modules affected"),
    (DOCUMENTATION, "Last subtask"),
    (DOCUMENTATION, "Task-Master Update"),
]


@pytest.mark.parametrize(("text", "key"), REQUIRED, ids=lambda value: value[:24].replace("\n", " "))
def test_missing_required_field_is_named(text: str, key: str) -> None:
    result = parse_packet(without(text, key))
    assert not result.valid
    assert ("missing_field", key) in [(problem.code, problem.field) for problem in result.problems]
    assert f"{key} is missing" in [str(problem) for problem in result.problems]


MISSING_BELOW = [
    (RED, "  Given: a basket with two articles and a voucher of ten percent\n", "TestIntent.Given"),
    (GREEN, "- Internal only: none\n", "Diff inventory.Internal only"),
    (REFACTOR, "- Data structures: Basket.lines, Money\n", "Preserved Invariants.Data structures"),
    (ARCHITECTURE, "- Full Task Review: performed\n", "IntegrationVerdict.Full Task Review"),
    (FIXES, "- severity: critical\n", "FixRequest[2].severity"),
]


@pytest.mark.parametrize(("text", "line", "field"), MISSING_BELOW, ids=[case[2] for case in MISSING_BELOW])
def test_missing_field_of_a_record_is_named(text: str, line: str, field: str) -> None:
    assert errors(altered(text, line, "")) == [("missing_field", field)]


ILLEGAL = [
    (RED, "Status: passed", "Status: done", "Status"),
    (RED, "TestRunStatus: failed", "TestRunStatus: passed", "TestRunStatus"),
    (RED, "Test type: Unit", "Test type: Fuzz", "Test type"),
    (RED, "Confidence: high", "Confidence: low", "Confidence"),
    (RED, "Phase: RED", "Phase: PURPLE", "Phase"),
    (REFACTOR, "Extract function in src/shop/basket.py: the", "Extracted the", "Refactorings Applied"),
    (NONE_NEEDED, "Decision: No Refactoring Needed", "Decision: Later", "Decision"),
    (REVIEW, "Files reviewed: 3", "Files reviewed: many", "Files reviewed"),
    (REVIEW, "Files reviewed: 3", "Files reviewed: -3", "Files reviewed"),
    (REVIEW, "Files reviewed: 3", "Files reviewed: ٣", "Files reviewed"),
    (REVIEW, "Critical: 0 |", "Critical: zero |", "Issues Found"),
    (REVIEW, "FixRequest: none", "FixRequest: two", "FixRequest"),
    (REVIEW, "[src/shop/basket.py:31] the comment repeats the line below it", "unused", "Minor Issues"),
    (ARCHITECTURE, ", Last subtask: Yes", "", "Context"),
    (ARCHITECTURE, "1 orphaned components", "mostly", "IntegrationVerdict.Integration status"),
    (DOCUMENTATION, "Context: Task 12,", "Context: Job 12,", "Context"),
    (DOCUMENTATION, "Last subtask: Yes", "Last subtask: Perhaps", "Last subtask"),
    (DOCUMENTATION, "2 - shop, views", "two - shop, views", "Modules affected"),
    (DOCUMENTATION, "Files documented: 3", "Files: 3", "Task-Master Update"),
    (DOCUMENTATION, "CLAUDE.md - updated", "CLAUDE.md - deleted", "Module Documentation"),
    (DOCUMENTATION, "2 links in root", "Links in root", "Root Documentation"),
    (FIXES, "- id: FR-3", "- id: third", "FixRequest[3].id"),
    (FIXES, "- severity: critical", "- severity: huge", "FixRequest[2].severity"),
    (FIXES, "- category: security", "- category: luck", "FixRequest[2].category"),
    (FIXES, "- routeTo: refactorer", "- routeTo: nobody", "FixRequest[3].routeTo"),
    (FIXES, "- confidence: medium", "- confidence: some", "FixRequest[2].confidence"),
    (FIXES, "- dependsOn: FR-2", "- dependsOn: the other", "FixRequest[1].dependsOn"),
]


@pytest.mark.parametrize(("text", "old", "new", "field"), ILLEGAL, ids=[case[2] for case in ILLEGAL])
def test_illegal_value_is_named_and_left_out(text: str, old: str, new: str, field: str) -> None:
    broken = altered(text, old, new)
    assert ("illegal_value", field) in errors(broken)
    packet = read_packet(broken)
    assert packet is not None
    assert not packet.is_valid
    assert field not in packet.fields


def test_red_must_have_seen_its_test_fail() -> None:
    (problem,) = parse_packet(altered(RED, "TestRunStatus: failed", "TestRunStatus: passed")).problems
    assert problem.message == "TestRunStatus must be failed: 'passed'"
    assert problem.line == RED.split("\n").index("TestRunStatus: failed") + 1


PLACEHOLDERS = [
    (RED, "Phase: RED", "Phase: RED | GREEN | REFACTOR", "Phase"),
    (RED, "Phase: RED", "Phase: [phase]", "Phase"),
    (RED, "Status: passed", "Status: passed | failed", "Status"),
    (RED, "Test file: tests/test_basket.py", "Test file: [path to test file]", "Test file"),
    (
        RED,
        "- Test 1: a voucher of ten percent lowers the sum of the basket",
        "- Test 1: [description]",
        "What tests verify",
    ),
    (
        RED,
        "Contract surface: Basket.apply_voucher(code: str) -> None, VoucherUsed",
        "Contract surface: [expected exports: function names, classes, types]",
        "TestIntent.Contract surface",
    ),
    (REVIEW, "Files reviewed: 3", "Files reviewed: N", "Files reviewed"),
    (REVIEW, "- [src/shop/basket.py:31] the comment", "- [file:line] the comment", "Minor Issues"),
    (ARCHITECTURE, "Task 12, Subtask 12.3", "Task [ID], Subtask [ID]", "Context"),
    (ARCHITECTURE, "compliance: passed", "compliance: passed | [issue]", "IntegrationVerdict.Structure compliance"),
    (ARCHITECTURE, "ID: 12.4", "ID: X.Y", "Integration Subtask.ID"),
    (DOCUMENTATION, "2 - shop, views", "2 - [list]", "Modules affected"),
    (DOCUMENTATION, "Task 12, Subtask 12.4", "Task [ID], Subtask [ID]", "Context"),
    (DOCUMENTATION, "Saved to subtask 12.4", "Saved to subtask [ID]", "Task-Master Update"),
    (REFACTOR, "- Rename in src/shop/basket.py: ", "- Rename in [file]: ", "Refactorings Applied"),
    (
        REFACTOR,
        "- Rename in src/shop/basket.py: `tmp` became `discounted`, which is what it holds",
        "- Rename in a.py: [why]",
        "Refactorings Applied",
    ),
    (GREEN, "src/shop/money.py - multiplication that rounds half to even", "[file path] - [brief]", "Changed files"),
]


@pytest.mark.parametrize(("text", "old", "new", "field"), PLACEHOLDERS, ids=lambda v: str(v)[:30])
def test_placeholder_of_the_template_is_an_error(text: str, old: str, new: str, field: str) -> None:
    assert ("placeholder", field) in errors(altered(text, old, new))


def test_bracketed_list_of_names_is_no_placeholder() -> None:
    text = altered(RED, "Edge cases covered: second use, sum that", "Edge cases covered: [second use, sum] that")
    assert parse_packet(text, strict=True).valid


COMMON_TEMPLATE = """\
Phase: RED | GREEN | REFACTOR | CODE_REVIEW | ARCHITECTURE | DOCUMENTATION
Status: passed | failed | needs-fix | needs-diagnosis | integration-subtask-created
Test file: [path to test file]
Test command: [exact command to run tests]
Changed files:
- [file path] - [brief description of change]
"""


def test_template_of_the_document_is_found_and_invalid() -> None:
    result = parse_packet(COMMON_TEMPLATE)
    assert (result.kind, result.valid, result.blocks_found) == ("PHASE_PACKET", False, 1)
    assert result.fields == {}
    assert errors(COMMON_TEMPLATE) == [
        ("placeholder", "Phase"),
        ("placeholder", "Status"),
        ("placeholder", "Test file"),
        ("placeholder", "Test command"),
        ("placeholder", "Changed files"),
        ("missing_field", "Notes"),
    ]


# the extensions as the document prints them, below common fields that are filled in
TEMPLATES = {
    "red": [
        "AgentTaskStatus",
        "Test type",
        "Type source",
        "Confidence",
        "Type Selection Reasoning",
        "Failure Excerpt",
        "What tests verify",
        "What tests verify",
        *(f"TestIntent.{key}" for key in ("Summary", "Given", "When", "Then", "Contract surface", "Non-goals")),
        "TestIntent.Edge cases covered",
    ],
    "green": [
        *(f"Diff inventory.{key}" for key in ("New exports", "Modified exports", "Internal only")),
        "Success Excerpt",
    ],
    "refactor": [
        "Refactorings Applied",
        *(f"Preserved Invariants.{key}" for key in ("Module interfaces", "Data structures", "Side effects")),
        "Test Verification Excerpt",
    ],
    "refactor_none_needed": ["Decision"],
    "code_review": ["Files reviewed", "Test Verification", "Issues Found", "FixRequest", "Minor Issues"],
    "architecture": [
        "Context",
        "Files reviewed",
        *(f"IntegrationVerdict.{key}" for key in ("Structure compliance", "Integration status", "Full Task Review")),
        "FixRequest",
        *(f"Integration Subtask.{key}" for key in ("ID", "Title", "Dependencies")),
    ],
    "documentation": [
        "Context",
        "Modules affected",
        "Last subtask",
        "Task-Master Update",
        "Module Documentation",
        "Root Documentation",
    ],
    "fix_request": [
        *(f"FixRequest[1].{key}" for key in ("file", "location", "severity", "category", "description")),
        *(f"FixRequest[1].{key}" for key in ("proposedFix", "verificationCommand", "routeTo", "confidence")),
        *(f"FixRequest[1].{key}" for key in ("rationale", "dependsOn")),
    ],
}


@pytest.mark.parametrize(("name", "fields"), TEMPLATES.items(), ids=TEMPLATES.keys())
def test_template_of_an_extension_is_found_and_invalid(name: str, fields: list[str]) -> None:
    text = (DATA / "templates" / f"{name}.txt").read_text(encoding="utf-8")
    assert parse_packet(text).blocks_found == 1
    assert [field for _, field in errors(text)] == fields


def test_nothing_is_found_in_a_text_without_a_phase_line() -> None:
    result = parse_packet("All tests pass. Phase two comes next.\nPhase: 2\nPhase: planning the work\n  Phase: RED\n")
    assert (result.kind, result.valid, result.blocks_found) == (None, False, 0)
    assert read_packet("") is None


def test_status_block_is_no_packet() -> None:
    assert read_packets("---PRP_PHASE_STATUS---\nPHASE: RED\nSTATUS: IN_PROGRESS\n---END_PRP_PHASE_STATUS---\n") == ()


def test_last_complete_packet_counts() -> None:
    result = parse_packet(RED + "\n" + GREEN + "\nPhase: REFACTOR\nStatus: passed\n")
    assert result.fields["Phase"] == "GREEN"
    assert result.blocks_found == 3
    assert [problem.code for problem in result.problems] == ["incomplete_packet"]


def test_packet_without_notes_is_found_and_names_them() -> None:
    result = parse_packet(altered(RED, "Notes: none\n", ""))
    assert (result.kind, result.valid) == ("PHASE_PACKET", False)
    assert [str(problem) for problem in result.problems] == ["Notes is missing"]


def test_all_packets_of_an_answer_are_offered() -> None:
    packets = read_packets(f"Here is my review.\n\n{FIXES}\n{ARCHITECTURE}\nVerdict: REJECT\n")
    assert [packet.phase for packet in packets if packet.is_valid] == ["CODE_REVIEW", "ARCHITECTURE"]
    assert packets[1].line == FIXES.count("\n") + 4


@pytest.mark.parametrize("key", ["Status: passed", "Test file: tests/test_basket.py", "Type source: heuristics"])
def test_field_without_a_value_is_named(key: str) -> None:
    name = key.partition(":")[0]
    assert errors(altered(RED, key, f"{name}:")) == [("empty_field", name)]


def test_notes_may_not_be_empty() -> None:
    assert errors(altered(RED, "Notes: none", "Notes:")) == [("empty_field", "Notes")]


def test_notes_go_on_over_several_lines() -> None:
    text = altered(RED, "Notes: none\n", "Notes: first\n\n- second: with a colon\nStatus: still notes\n")
    assert fields_of(text)["Notes"] == "first\n\n- second: with a colon\nStatus: still notes"


ENDS = [
    "---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---\n",
    "---PRP_PHASE_STATUS---\nPHASE: RED\n",
    "```\n---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---\n```\n",
    "Verdict: APPROVE\nmore\n",
    "**Verdict:** REJECT\n",
    "---\n\n## The other review\n\nPhase: GREEN\n",
]


@pytest.mark.parametrize("end", ENDS)
def test_notes_end_where_something_else_begins(end: str) -> None:
    packets = read_packets(altered(RED, "Notes: none\n", f"Notes: mind the rounding\n\n{end}"))
    assert packets[0].is_valid
    assert packets[0].fields["Notes"] == "mind the rounding"


def test_what_follows_notes_none_is_no_part_of_the_packet() -> None:
    assert parse_packet(RED + "\nI am done.\nCoverage: 80 %\n", strict=True).valid


def test_notes_keep_a_fence_that_is_closed() -> None:
    text = altered(RED, "Notes: none\n", "Notes: try\n```\nmake\n```\n")
    assert fields_of(text)["Notes"] == "try\n```\nmake\n```"


@pytest.mark.parametrize("length", [4, 16])
def test_excerpt_outside_five_to_fifteen_lines_warns(length: int) -> None:
    head, _, rest = GREEN.partition("lines):\n")
    excerpt = "  passed\n" * length
    text = f"{head}lines):\n{excerpt}\n{rest[rest.index('Notes:') :]}"
    assert warnings(text) == [("excerpt_length", "Success Excerpt")]
    assert parse_packet(text).valid
    assert not parse_packet(text, strict=True).valid


COUNTS = [
    ("Critical: 1 | Major: 1 | Minor: 2", []),
    ("Critical: 1 | Major: 1 | Minor: 1", []),
    ("Critical: 0 | Major: 1 | Minor: 2", ["Issues Found says Critical: 0, but the packet has 1"]),
    ("Critical: 1 | Major: 2 | Minor: 2", ["Issues Found says Major: 2, but the packet has 1"]),
    ("Critical: 1 | Major: 1 | Minor: 3", ["Issues Found says Minor: 3, but the packet has 2"]),
    ("Critical: 1 | Major: 1 | Minor: 0", ["Issues Found says Minor: 0, but the packet has 1"]),
]


@pytest.mark.parametrize(("counts", "said"), COUNTS)
def test_issue_counts_that_disagree_with_the_requests_warn(counts: str, said: list[str]) -> None:
    result = parse_packet(altered(FIXES, "Critical: 1 | Major: 1 | Minor: 2", counts))
    assert [str(problem) for problem in result.problems] == said
    assert result.valid


def test_passed_in_spite_of_blocking_requests_warns() -> None:
    assert warnings(altered(FIXES, "needs-fix", "passed")) == [("status_mismatch", "Status")]


def test_created_integration_subtask_must_be_there() -> None:
    text = ARCHITECTURE[: ARCHITECTURE.index("Integration Subtask (if")] + "Notes: none\n"
    assert errors(text) == [("missing_field", "Integration Subtask")]


def test_integration_subtask_that_the_status_does_not_name_warns() -> None:
    assert warnings(altered(ARCHITECTURE, "integration-subtask-created", "needs-fix")) == [
        ("status_mismatch", "Status")
    ]


def test_integration_subtask_may_be_none() -> None:
    head = altered(ARCHITECTURE[: ARCHITECTURE.index("  ID:")], "integration-subtask-created", "needs-fix")
    fields = fields_of(altered(head, "(if created):", "(if created): none") + "\nNotes: none\n")
    assert "Integration Subtask" not in fields


@pytest.mark.parametrize("written", ["1 orphaned component", "01 Orphaned components", "all connected"])
def test_integration_status_is_read_in_its_exact_words(written: str) -> None:
    status = fields_of(altered(ARCHITECTURE, "1 orphaned components", written))["IntegrationVerdict"]
    assert status["Integration status"] in ("1 orphaned components", "all connected")


def test_last_subtask_needs_module_and_root_documentation() -> None:
    text = DOCUMENTATION[: DOCUMENTATION.index("Module Documentation")] + "Notes: none\n"
    assert errors(text) == [("missing_field", "Module Documentation"), ("missing_field", "Root Documentation")]
    assert parse_packet(altered(text, "Last subtask: Yes", "Last subtask: No"), strict=True).valid


def test_module_and_root_documentation_belong_to_the_last_subtask() -> None:
    text = altered(DOCUMENTATION, "Last subtask: Yes", "Last subtask: No")
    assert warnings(text) == [("status_mismatch", "Module Documentation"), ("status_mismatch", "Root Documentation")]


def test_modules_that_are_counted_otherwise_than_listed_warn() -> None:
    assert warnings(altered(DOCUMENTATION, "2 - shop", "3 - shop")) == [("count_mismatch", "Modules affected")]


def test_no_modules_are_none() -> None:
    text = altered(altered(DOCUMENTATION, "2 - shop, views", "0 - none"), "Yes", "No")
    assert parse_packet(text).fields["Modules affected"] == {"count": 0, "modules": []}


def test_unknown_field_is_reported_and_kept_out() -> None:
    text = altered(RED, "AgentTaskStatus:", "Coverage: 80 %\nof all lines\n\nAgentTaskStatus:")
    result = parse_packet(text)
    assert [str(problem) for problem in result.problems] == ["Coverage is not a field of this packet and is ignored"]
    assert "Coverage" not in result.fields
    assert fields_of(text) == fields_of(RED)


def test_field_of_another_phase_is_unknown_even_below_an_excerpt() -> None:
    text = altered(GREEN, "\nNotes:", "\nFailure Excerpt:\n  none\n\nNotes:")
    assert warnings(text) == [("unknown_field", "Failure Excerpt")]
    assert fields_of(text) == fields_of(GREEN)


def test_unknown_key_of_a_record_is_reported_and_kept_out() -> None:
    text = altered(FIXES, "- severity: critical\n", "- impact: all shops\n  and views\n- severity: critical\n")
    assert warnings(text) == [("unknown_field", "FixRequest[2].impact")]
    assert fields_of(text) == fields_of(FIXES)


def test_verdict_inside_a_packet_is_an_extension_even_in_strict_mode() -> None:
    text = altered(REVIEW, "FixRequest: none\n", "FixRequest: none\n\nVerdict: APPROVE\n")
    assert warnings(text) == [("extension", "Verdict")]
    assert parse_packet(text, strict=True).valid


def test_decision_and_refactorings_are_in_conflict() -> None:
    text = altered(REFACTOR, "Preserved", "Decision: No Refactoring Needed\n- all is well\n\nPreserved")
    assert errors(text) == [("conflict", "Decision")]


def test_no_refactoring_needed_may_still_show_its_tests() -> None:
    excerpt = "Test Verification Excerpt (5-15 lines):\n" + "  passed\n" * 5
    fields = fields_of(altered(NONE_NEEDED, "Notes:", f"{excerpt}\nNotes:"))
    assert fields["Test Verification Excerpt"] == "\n".join(["passed"] * 5)
    assert excerpt in emit_packet(fields)


def test_decision_needs_a_reason() -> None:
    lines = [line for line in NONE_NEEDED.split("\n") if not line.startswith(("- apply", "- the only"))]
    assert errors("\n".join(lines)) == [("empty_field", "Decision")]


def test_field_given_twice_with_one_value_warns() -> None:
    assert warnings(altered(RED, "Confidence: high", "Confidence: high\nConfidence: high")) == [
        ("duplicate_field", "Confidence")
    ]


def test_field_given_twice_with_two_values_is_an_error() -> None:
    assert errors(altered(RED, "Status: passed", "Status: passed\nStatus: failed")) == [("duplicate_field", "Status")]


def test_commands_of_an_agent_are_text_and_nothing_else() -> None:
    fields = fields_of(altered(RED, "pytest tests/test_basket.py -q", "rm -rf $HOME; `touch x`"))
    assert fields["Test command"] == "rm -rf $HOME; `touch x`"


def test_packet_knows_its_phase_status_and_changes() -> None:
    (packet,) = read_packets(GREEN)
    assert (packet.phase, packet.fields["Status"], packet.fix_requests) == ("GREEN", "passed", ())
    assert packet.fields["Changed files"][1] == {
        "file": "src/shop/money.py",
        "description": "multiplication that rounds half to even",
    }


def test_changed_files_may_be_none_but_not_silent() -> None:
    assert fields_of(altered(REVIEW, "Changed files: none", "Changed files:\n- none"))["Changed files"] == []
    assert errors(altered(REVIEW, "Changed files: none", "Changed files:")) == [("empty_field", "Changed files")]


def test_minor_issues_may_be_absent() -> None:
    text = altered(
        altered(REVIEW, "Minor: 1", "Minor: 0"),
        "Minor Issues (non-blocking):\n- [src/shop/basket.py:31] the comment repeats the line below it\n",
        "",
    )
    assert "Minor Issues" not in fields_of(text)
    assert emit_packet(fields_of(text)) == text.replace("\n\n\n", "\n\n")
    assert "Minor Issues (non-blocking): none" in emit_packet(fields_of(text) | {"Minor Issues": []})


def test_minor_issue_without_brackets_is_read() -> None:
    fields = fields_of(altered(REVIEW, "[src/shop/basket.py:31] the", "src/shop/basket.py:31: the"))
    assert fields["Minor Issues"] == fields_of(REVIEW)["Minor Issues"]


def test_excerpt_keeps_its_own_indentation() -> None:
    assert fields_of(RED)["Failure Excerpt"].split("\n")[1] == '    assert basket.total == Money("18.00")'


UNWRITABLE: list[dict[str, Any]] = [
    {"Test file": "two\nlines"},
    {"Test command": "x\nPhase: GREEN"},
    {"Test file": ""},
    {"Status": "done"},
    {"Coverage": "80 %"},
    {"Test file": None},
    {"Changed files": [{"file": "a.py"}]},
    {"TestIntent": {"Summary": "no more"}},
]


@pytest.mark.parametrize("values", UNWRITABLE, ids=str)
def test_value_that_the_form_cannot_carry_is_not_written(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cannot contain"):
        emit_packet(fields_of(RED) | values)


@pytest.mark.parametrize("name", fields_of(RED))
def test_packet_that_lacks_a_field_is_not_written(name: str) -> None:
    with pytest.raises(ValueError, match=r"cannot contain|is not a valid PacketPhase"):
        emit_packet({key: value for key, value in fields_of(RED).items() if key != name})
