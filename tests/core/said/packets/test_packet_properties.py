"""Whatever is written: an answer, no exception; and what is emitted reads the same."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.packets import emit_packet, packet_fields, parse_packet, read_packet, read_packets
from dualgate.core.said.packets.values import (
    AgentTaskStatus,
    ArchitectureDetails,
    CaseType,
    ChangedFile,
    CodeReviewDetails,
    Decision,
    Details,
    DiffInventory,
    DocumentationDetails,
    DocumentState,
    FullTaskReview,
    GreenDetails,
    IntegrationSubtask,
    IntegrationVerdict,
    Intent,
    Invariants,
    IssueCounts,
    LinkState,
    MinorIssue,
    ModuleDocument,
    ModulesAffected,
    NoRefactoringDetails,
    Packet,
    PacketStatus,
    RedDetails,
    RedRunStatus,
    RefactorDecision,
    RefactorDetails,
    Refactoring,
    ReviewContext,
    RootLinks,
    TaskContext,
    TaskMasterUpdate,
    TypeConfidence,
    TypeSource,
)
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixRequest, FixSeverity, RouteTo

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
names = st.lists(st.sampled_from(["load", "save(a, b)", "Map<K, V>", "run(f: () -> int, n)"]), max_size=3).map(tuple)
counts = st.integers(0, 10**17)
ids = st.integers(0, 99).map("FR-{}".format)


def built(made: type, /, **parts: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.builds(made, **parts)


def some(strategy: st.SearchStrategy[object], least: int = 0) -> st.SearchStrategy[object]:
    return st.lists(strategy, min_size=least, max_size=3).map(tuple)


requests = built(
    FixRequest,
    id=ids,
    file=paths,
    location=words,
    severity=st.sampled_from(FixSeverity),
    category=st.sampled_from(FixCategory),
    description=texts,
    proposed_fix=texts,
    verification_command=words,
    route_to=st.sampled_from(RouteTo),
    confidence=st.sampled_from(FixConfidence),
    rationale=texts,
    depends_on=some(ids),
)
details = st.one_of(
    built(
        RedDetails,
        agent_task_status=st.sampled_from(AgentTaskStatus),
        run_status=st.just(RedRunStatus.FAILED),
        case_type=st.sampled_from(CaseType),
        type_source=st.sampled_from(TypeSource),
        confidence=st.sampled_from(TypeConfidence),
        type_reasoning=texts,
        failure_excerpt=blocks,
        verifies=some(texts, 1),
        intent=built(
            Intent,
            summary=texts,
            given=texts,
            when=texts,
            then=texts,
            contract_surface=texts,
            non_goals=texts,
            edge_cases=texts,
        ),
    ),
    built(
        GreenDetails,
        diff_inventory=built(DiffInventory, new_exports=names, modified_exports=names, internal_only=names),
        success_excerpt=blocks,
    ),
    built(
        RefactorDetails,
        refactorings=some(built(Refactoring, kind=st.just("Rename"), file=paths, reason=texts), 1),
        invariants=built(Invariants, module_interfaces=texts, data_structures=texts, side_effects=texts),
        excerpt=blocks,
    ),
    built(
        NoRefactoringDetails,
        decision=built(Decision, decision=st.just(RefactorDecision.NO_REFACTORING_NEEDED), reasons=some(texts, 1)),
        invariants=some(texts, 1),
        excerpt=st.none() | blocks,
    ),
    built(
        CodeReviewDetails,
        files_reviewed=counts,
        verification=blocks,
        issues=built(IssueCounts, critical=counts, major=counts, minor=counts),
        fix_requests=some(requests),
        minor_issues=some(built(MinorIssue, location=paths, description=texts)),
    ),
    built(
        ArchitectureDetails,
        context=built(ReviewContext, task=paths, subtask=paths, last_subtask=st.booleans()),
        files_reviewed=counts,
        verdict=built(
            IntegrationVerdict,
            structure=st.just("passed") | words,
            integration=st.just("all connected") | counts.map("{} orphaned components".format),
            full_review=st.sampled_from(FullTaskReview),
        ),
        fix_requests=some(requests),
        subtask=st.none() | built(IntegrationSubtask, id=paths, title=words, dependencies=names),
    ),
    built(
        DocumentationDetails,
        context=built(TaskContext, task=paths, subtask=paths),
        modules=built(ModulesAffected, count=counts, modules=names),
        last_subtask=st.booleans(),
        update=built(TaskMasterUpdate, subtask=paths, files=counts, modules=counts),
        module_documents=some(built(ModuleDocument, file=paths, state=st.sampled_from(DocumentState))),
        root=st.none() | built(RootLinks, links=counts, state=st.sampled_from(LinkState)),
    ),
)


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    its_details = draw(details)
    assert isinstance(its_details, Details)
    return Packet(
        status=draw(st.sampled_from(PacketStatus)),
        test_file=draw(paths),
        test_command=draw(words),
        changed_files=draw(st.lists(st.builds(ChangedFile, file=paths, description=texts | st.just(""))).map(tuple)),
        details=its_details,
        notes=draw(st.just("") | words | blocks),
    )


@st.composite
def spoilt_examples(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(EXAMPLES))
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 9))
        text = text[:where] + draw(st.sampled_from(MARKS) | st.sampled_from(LINES)) + text[where + cut :]
    return text


@given(packets())
def test_emit_then_parse_is_identity(packet: Packet) -> None:
    reading = read_packet(emit_packet(packet))
    assert reading is not None
    assert reading.fields == packet_fields(packet)
    assert reading.packet in (packet, None)
    assert (reading.packet is None) == any(problem.severity == "error" for problem in reading.problems)


@given(packets())
def test_what_is_emitted_has_the_exact_form(packet: Packet) -> None:
    codes = {problem.code for problem in parse_packet(emit_packet(packet)).problems}
    assert not codes & {"form", "decoration", "stray_text", "line_ends", "trailing_blanks", "unknown_field"}


@given(spoilt_examples())
def test_whatever_is_valid_can_be_printed_and_reads_the_same(text: str) -> None:
    for reading in read_packets(text):
        if reading.packet is not None:
            again = read_packet(emit_packet(reading.packet))
            assert again is not None
            assert again.fields == packet_fields(reading.packet)


@given(st.text() | st.binary())
def test_any_text_and_any_bytes_give_an_answer(text: str | bytes) -> None:
    assert parse_packet(text).blocks_found == len(read_packets(text))


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
    assert result.blocks_found == (5_000 if text.startswith("Phase: RED\nPhase") else "\n" in text)
