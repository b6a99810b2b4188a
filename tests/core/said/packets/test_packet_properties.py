"""Whatever is written: an answer, no exception; and what is emitted reads the same."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.packets import emit_packet, parse_packet, read_packet, read_packets
from dualgate.core.said.packets.packet import PacketStatus
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixSeverity, RouteTo

DATA = Path(__file__).parents[3] / "data" / "packets"
EXAMPLES = [path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*.txt"))]
LINES = sorted({line for text in EXAMPLES for line in text.split("\n")})
MARKS = ["**", "`", "- ", "  ", "### ", "```", "~~~", "\t", "\r", "none", " | ", "[x]", ": ", " - ", "\n", "\n\n"]
MARKS += ["(", ",", "\x0b", "\u2028", "\x00", "---", "Phase: RED", "Notes: ", "1. ", " in "]

words = st.text(alphabet="ab é:,(-", max_size=9).map("x{}x".format)
paths = st.text(alphabet="abc", min_size=1, max_size=5).map("src/{}.py".format)
blocks = st.lists(st.one_of(words, words.map("  {}".format), st.just("")), min_size=1, max_size=9).map(
    lambda lines: "\n".join(("first", *lines, "last"))
)
texts = st.one_of(words, st.tuples(words, words).map("\n".join))
names = st.lists(st.sampled_from(["load", "save(a, b)", "Map<K, V>", "run(f: () -> int, n)"]), max_size=3)
counts = st.integers(0, 10**17)
ids = st.integers(0, 99).map("FR-{}".format)


Fields = dict[str, Any]


def some(strategy: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, min_size=least, max_size=3)


def word(*words: str) -> st.SearchStrategy[str]:
    return st.sampled_from([str(each) for each in words])


def record(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[Fields]:
    """A mapping whose keys are written with underscores for blanks."""
    return st.fixed_dictionaries({name.replace("_", " "): value for name, value in values.items()})


requests = record(
    id=ids,
    file=paths,
    location=words,
    severity=word(*FixSeverity),
    category=word(*FixCategory),
    description=texts,
    proposedFix=texts,
    verificationCommand=words,
    routeTo=word(*RouteTo),
    confidence=word(*FixConfidence),
    rationale=texts,
    dependsOn=some(ids),
)
intents = st.fixed_dictionaries(
    dict.fromkeys(("Summary", "Given", "When", "Then", "Contract surface", "Non-goals", "Edge cases covered"), texts)
)
REQUIRED = {
    "RED": record(
        AgentTaskStatus=word("completed", "failed"),
        TestRunStatus=st.just("failed"),
        Test_type=word("Unit", "Integration"),
        Type_source=word("directive", "task-master", "heuristics", "user"),
        Confidence=word("high", "medium"),
        Type_Selection_Reasoning=texts,
        Failure_Excerpt=blocks,
        What_tests_verify=some(texts, 1),
        TestIntent=intents,
    ),
    "GREEN": record(
        Diff_inventory=record(New_exports=names, Modified_exports=names, Internal_only=names),
        Success_Excerpt=blocks,
    ),
    "REFACTOR": record(
        Refactorings_Applied=some(record(type=st.just("Rename"), file=paths, reason=texts), 1),
        Preserved_Invariants=record(Module_interfaces=texts, Data_structures=texts, Side_effects=texts),
        Test_Verification_Excerpt=blocks,
    )
    | record(
        Decision=record(Decision=st.just("No Refactoring Needed"), Reasons=some(texts, 1)),
        Preserved_Invariants=some(texts, 1),
    ),
    "CODE_REVIEW": record(
        Files_reviewed=counts,
        Test_Verification=blocks,
        Issues_Found=record(Critical=counts, Major=counts, Minor=counts),
        FixRequest=some(requests),
    ),
    "ARCHITECTURE": record(
        Context=record(Task=paths, Subtask=paths, Last_subtask=st.booleans()),
        Files_reviewed=counts,
        IntegrationVerdict=record(
            Structure_compliance=st.just("passed") | words,
            Integration_status=st.just("all connected") | counts.map("{} orphaned components".format),
            Full_Task_Review=word("performed", "skipped (not last subtask)"),
        ),
        FixRequest=some(requests),
    ),
    "DOCUMENTATION": record(
        Context=record(Task=paths, Subtask=paths),
        Modules_affected=record(count=counts, modules=names),
        Last_subtask=st.booleans(),
        **{"Task-Master_Update": record(Saved_to_subtask=paths, Files_documented=counts, modules=counts)},
    ),
}
OPTIONAL: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "REFACTOR": {"Test Verification Excerpt": blocks},
    "CODE_REVIEW": {"Minor Issues": some(record(location=paths, description=texts))},
    "ARCHITECTURE": {"Integration Subtask": record(ID=paths, Title=words, Dependencies=names)},
    "DOCUMENTATION": {
        "Module Documentation": some(record(file=paths, state=word("created", "updated"))),
        "Root Documentation": record(links=counts, state=word("added", "updated", "verified")),
    },
}


@st.composite
def packets(draw: st.DrawFn) -> Fields:
    phase = draw(st.sampled_from(sorted(REQUIRED)))
    optional = draw(st.fixed_dictionaries({}, optional=OPTIONAL.get(phase, {})))
    return {
        "Phase": phase,
        "Status": draw(word(*PacketStatus)),
        "Test file": draw(paths),
        "Test command": draw(words),
        "Changed files": draw(some(record(file=paths, description=texts | st.just("")))),
        **draw(REQUIRED[phase]),
        **optional,
        "Notes": draw(st.just("none") | words | blocks),
    }


@st.composite
def spoilt_examples(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(EXAMPLES))
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 9))
        text = text[:where] + draw(st.sampled_from(MARKS) | st.sampled_from(LINES)) + text[where + cut :]
    return text


@given(packets())
def test_emit_then_parse_is_identity(fields: Fields) -> None:
    packet = read_packet(emit_packet(fields))
    assert packet is not None
    assert packet.fields == fields


@given(packets())
def test_what_is_emitted_has_the_exact_form(fields: Fields) -> None:
    codes = {problem.code for problem in parse_packet(emit_packet(fields)).problems}
    assert not codes & {"form", "decoration", "stray_text", "line_ends", "trailing_blanks", "unknown_field"}


@given(spoilt_examples())
def test_whatever_is_valid_can_be_printed_and_reads_the_same(text: str) -> None:
    for packet in read_packets(text):
        if packet.is_valid:
            again = read_packet(emit_packet(packet.fields))
            assert again is not None
            assert again.fields == packet.fields


@given(st.text() | st.binary())
def test_any_text_and_any_bytes_give_an_answer(text: str | bytes) -> None:
    assert parse_packet(text).blocks_found == len(read_packets(text))


def test_of_a_flood_of_packets_all_are_counted_and_the_last_are_read() -> None:
    text = EXAMPLES[0] * 300
    assert parse_packet(text).blocks_found == 300
    assert [packet.line for packet in read_packets(text)][-1] == 299 * EXAMPLES[0].count("\n") + 1
    assert len(read_packets(text)) == 200


@given(st.lists(st.sampled_from(LINES + MARKS), max_size=60).map("\n".join), st.booleans())
def test_any_mixture_of_lines_gives_an_answer(text: str, strict: bool) -> None:
    result = parse_packet("Phase: CODE_REVIEW\n" + text, strict=strict)
    assert result.kind == "PHASE_PACKET"
    assert all(problem.message for problem in result.problems)


LARGE = [
    ("one long line", "Phase: RED " * 50_000),
    ("many starts", "Phase: RED\n" * 5_000),
    ("blank lines below an excerpt", "Phase: GREEN\nSuccess Excerpt:\n" + "\n" * 100_000 + "```\nx\n```\n" * 10_000),
    ("fences that never close", "Phase: GREEN\n" + "Success Excerpt:\n```python\n" * 20_000),
    ("one field again", "Phase: GREEN\nSuccess Excerpt:\n" + "  x\n" * 50_000 + "Success Excerpt: y\n" * 20_000),
    ("brackets in one line", "Phase: GREEN\nDiff inventory:\n- New exports: " + "[" * 300_000),
    ("stars in one line", "Phase: RED\nTest file: " + "*" * 300_000 + "\n" + "`" * 300_000),
    ("requests", "Phase: CODE_REVIEW\nFixRequest:\n" + "### FixRequest\n- id: FR-1\n" * 5_000),
    ("separators", "Phase: REFACTOR\nRefactorings Applied:\n- " + "x in " * 100_000),
    ("remarks", "Phase: REFACTOR\nTest file: a" + " (" * 150_000),
    ("blanks in one line", "Phase: RED\nStatus" + " " * 300_000 + "x\nStatus (" + " " * 300_000),
    ("unknown fields", "Phase: RED\n" + "Odd: x\n" * 50_000),
]  # fmt: skip


@pytest.mark.parametrize("text", [case[1] for case in LARGE], ids=[case[0] for case in LARGE])
def test_large_adversarial_text_is_invalid_and_answered(text: str) -> None:
    result = parse_packet(text)
    assert not result.valid
    assert len(result.problems) < 100
    assert result.blocks_found == (5_000 if text.startswith("Phase: RED\nPhase") else "\n" in text)
