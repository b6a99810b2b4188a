"""What real agents do to a packet: accepted with a warning, refused in strict mode."""

from pathlib import Path
from typing import Any

import pytest

from dualgate.core.said.packets import parse_packet, read_packet, read_packets

DATA = Path(__file__).parents[3] / "data" / "packets"
RED, GREEN, REFACTOR, REVIEW, FIXES, DOCUMENTATION = (
    (DATA / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("red", "green", "refactor", "code_review", "code_review_fix_requests", "documentation")
)
COMMAND = "pytest tests/test_basket.py -q"
THIRD = "### FixRequest\n- id: FR-3"
EXCERPT = GREEN[GREEN.index("  ====") : GREEN.index("\nNotes")]
BARE_EXCERPT = EXCERPT.replace("\n  ", "\n")[2:]


def altered(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def fields_of(text: str | bytes) -> dict[str, Any]:
    packet = read_packet(text)
    assert packet is not None
    assert packet.is_valid, packet.problems
    return dict(packet.fields)


# the text that is meant, the text that was written, the codes of the warnings
WRITTEN = [
    ("crlf", RED, RED.replace("\n", "\r\n"), {"line_ends"}),
    ("trailing blanks", RED, altered(RED, "passed\n", "passed  \n"), {"trailing_blanks"}),
    ("fence around it", RED, f"```text\n{RED}```\nI am done.\n", {"decoration"}),
    ("fence and notes", GREEN, f"~~~~\n{GREEN}~~~~\nI am done.\n", {"decoration"}),
    ("bold keys", RED, altered(RED, "Test file:", "**Test file:**"), {"decoration"}),
    ("bold keys, colon outside", RED, altered(RED, "Test file:", "**Test file**:"), {"decoration"}),
    ("bold phase", RED, altered(RED, "Phase: RED", "**Phase:** RED"), {"decoration"}),
    ("bold value", RED, altered(RED, "Status: passed", "Status: **passed**"), {"decoration"}),
    ("code as value", RED, altered(RED, COMMAND, f"`{COMMAND}`"), {"decoration"}),
    ("heading", RED, altered(RED, "TestIntent:", "### TestIntent:"), {"decoration"}),
    ("heading on phase", RED, altered(RED, "Phase: RED", "## Phase: RED"), {"decoration"}),
    ("heading between", RED, altered(RED, "AgentTask", "### Details of RED\n\nAgentTask"), {"decoration"}),
    ("rule between", RED, altered(RED, "AgentTask", "---\n\nAgentTask"), {"decoration"}),
    ("bold bullets", RED, altered(RED, "Confidence:", "- **Confidence:**"), {"decoration"}),
    ("star items", RED, RED.replace("\n- ", "\n* "), {"decoration"}),
    ("numbered items", RED, RED.replace("\n- Test", "\n1. Test"), {"decoration"}),
    ("bold item", RED, altered(RED, "- Test 1:", "- **Test 1:**"), {"decoration"}),
    ("item without label", RED, altered(RED, "- Test 2: the", "- the"), {"form"}),
    ("key in other letters", RED, altered(RED, "Failure Excerpt (5", "Failure excerpt (5"), {"form"}),
    ("key without hint", RED, altered(RED, " (5-15 lines)", ""), set()),
    ("no blank behind the key", RED, altered(RED, "Status: passed", "Status:passed"), {"form"}),
    ("other letters", RED, altered(RED, "Test type: Unit", "Test type: UNIT"), {"form"}),
    ("phase in other letters", REVIEW, altered(REVIEW, "CODE_REVIEW", "Code Review"), {"form"}),
    ("remark", RED, altered(RED, "TestRunStatus: failed", "TestRunStatus: failed (as it must)"), {"form"}),
    ("remark on a number", REVIEW, altered(REVIEW, "reviewed: 3", "reviewed: 3 # all"), {"form"}),
    ("skipped", RED, altered(RED, "Phase: RED", "Phase: RED (first)"), {"form"}),
    ("dash", RED, altered(RED, "tests/test_basket.py - two", "tests/test_basket.py — two"), {"form"}),
    ("colon", RED, altered(RED, "tests/test_basket.py - two", "`tests/test_basket.py`: two"), {"form"}),
    ("text below its key", RED, altered(RED, "Reasoning: A", "Reasoning:\n  A"), set()),
    ("command in a fence", GREEN, altered(GREEN, f" {COMMAND}", f"\n```\n{COMMAND}\n```"), {"decoration"}),
    ("fenced excerpt", GREEN, altered(GREEN, EXCERPT, f"```\n{BARE_EXCERPT}```\n"), {"decoration", "form"}),
    ("indented fence", GREEN, altered(GREEN, EXCERPT, f"  ```text\n{EXCERPT}  ```\n"), {"decoration"}),
    ("excerpt at the margin", GREEN, altered(GREEN, EXCERPT, BARE_EXCERPT), {"form"}),
    ("fence that is not closed", GREEN, altered(GREEN, EXCERPT, f"```text\n{BARE_EXCERPT}"), {"decoration", "form"}),
    ("excerpt behind its key", GREEN, altered(GREEN, f"lines):\n{EXCERPT}", f"lines): {EXCERPT.lstrip()}"), {"form"}),
    ("stray line", RED, altered(RED, "Status: passed\n", "Status: passed\nAll is well.\n"), {"stray_text"}),
    ("stray before items", RED, altered(RED, "Changed files:\n", "Changed files:\nThese two.\n"), {"stray_text"}),
    ("stray beside items", RED, altered(RED, "Changed files:\n", "Changed files: two\n"), {"stray_text"}),
    ("stray below items", RED, altered(RED, "collected\n", "collected\n\nThat is all.\n"), {"stray_text"}),
    ("stray in a record", RED, altered(RED, "TestIntent:\n", "TestIntent: see below\nSo it is\n"), {"stray_text"}),
    ("record as bullets", RED, altered(RED, "\n  Given:", "\n- **Given:**"), {"decoration"}),
    ("bullets in module list", DOCUMENTATION, altered(DOCUMENTATION, "  src/", "- src/"), {"decoration"}),
    ("one module", DOCUMENTATION, altered(DOCUMENTATION, "across 2 modules", "Across 2 Modules"), {"form"}),
    ("no key before requests", FIXES, altered(FIXES, "FixRequest:\n### ", "### "), set()),
    ("keys for headings", FIXES, altered(FIXES, "\n\n### FixRequest", "\n\n### FixRequest:"), set()),
    ("no headings", FIXES, FIXES.replace("### FixRequest\n", ""), set()),
    ("headings with ids", FIXES, FIXES.replace("### FixRequest\n", "#### **FixRequest** FR\n"), set()),
    ("requests in two places", FIXES, altered(FIXES, THIRD, f"Odd: x\n{THIRD}"), {"unknown_field"}),
    ("requests as yaml", FIXES, altered(FIXES, "\n- file: src/shop/v", "\n  file: src/shop/v"), {"decoration"}),
    ("bom", RED, "\ufeff" + RED, set()),
]  # fmt: skip


@pytest.mark.parametrize(("meant", "text", "codes"), [case[1:] for case in WRITTEN], ids=[case[0] for case in WRITTEN])
def test_decorated_packet_says_the_same_with_a_warning(meant: str, text: str, codes: set[str]) -> None:
    result = parse_packet(text)
    assert {problem.code for problem in result.problems} == codes
    assert fields_of(text) == fields_of(meant)
    assert parse_packet(text, strict=True).valid == (not codes)


def test_packet_as_a_list_is_read() -> None:
    lines = [f"- {line}" if line and line[0] not in " -" else line for line in REVIEW.split("\n")]
    assert fields_of("\n".join(lines)) == fields_of(REVIEW)


def test_plain_bullet_is_an_item_and_no_key() -> None:
    text = altered(
        REFACTOR, "- Data structures: Basket.lines, Money", "- Data structures: Basket.lines, Money\n- Status: odd"
    )
    assert fields_of(text)["Status"] == "passed"
    assert [problem.code for problem in parse_packet(text).problems] == ["unknown_field"]


def test_key_inside_a_fenced_excerpt_is_text() -> None:
    text = altered(GREEN, EXCERPT, "```\nStatus: 500\nNotes: none\n\n\nlast\n```\n")
    assert parse_packet(text).fields["Success Excerpt"] == "Status: 500\nNotes: none\n\n\nlast"


def test_indented_packet_is_a_quotation() -> None:
    assert read_packets("\n".join(f"    {line}" for line in RED.split("\n"))) == ()
    assert read_packets("\n".join(f"> {line}" for line in RED.split("\n"))) == ()


def test_continued_item_and_value_keep_their_lines() -> None:
    text = altered(RED, "- Test 2: the", "- Test 2:\n  refused:\n    the")
    assert parse_packet(text).fields["What tests verify"][1].startswith("refused:\nthe same voucher")


def test_broken_bytes_are_read_with_a_mark_in_their_place() -> None:
    fields = fields_of(RED.encode().replace(b"Summary: A", b"Summary: \xff\x00"))
    assert fields["TestIntent"]["Summary"].startswith("\ufffd\x00 voucher")


def test_phase_in_a_line_without_end_is_no_packet() -> None:
    assert read_packets("Phase: RED" + " " * 100_000 + "Phase: RED") == ()
    assert read_packets("x" * 100_000 + "Phase: RED") == ()


def test_empty_requests_are_asked_to_say_none() -> None:
    (problem,) = parse_packet(altered(REVIEW, "FixRequest: none", "FixRequest:")).problems
    assert str(problem) == "FixRequest has no blocks; write none"


def test_requests_after_none_are_a_contradiction() -> None:
    text = altered(FIXES, "FixRequest:\n### FixRequest\n- id: FR-1", "FixRequest: none\n### FixRequest\n- id: FR-1")
    assert ("illegal_value", "FixRequest") in [(p.code, p.field) for p in parse_packet(text).problems]
