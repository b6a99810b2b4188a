from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from dualgate.core.said.blocks import Found, Malformed, Missing
from dualgate.core.said.blocks.phase_text import emit_phase_status, read_phase_status
from dualgate.core.values.phase_status import CaseCounts, FileCounts, PhaseStatus
from dualgate.core.values.problems import Severity
from dualgate.core.values.vocabulary import Phase
from tests.core.said.blocks.block_samples import A_PHASE_STATUS, PHASE_EXAMPLES, a_phase_status, sample

BLOCK = emit_phase_status(A_PHASE_STATUS)

ILLEGAL = [
    ("TIMESTAMP: 2026-01-13T10:15:00Z", "TIMESTAMP: 2026-01-13T10:15:00", "TIMESTAMP"),
    ("TIMESTAMP: 2026-01-13T10:15:00Z", "TIMESTAMP: 2026-02-30T10:15:00Z", "TIMESTAMP"),
    ("TIMESTAMP: 2026-01-13T10:15:00Z", "TIMESTAMP: yesterday", "TIMESTAMP"),
    ("TIMESTAMP: 2026-01-13T10:15:00Z", "TIMESTAMP: ٢٠٢٦-01-13T10:15:00Z", "TIMESTAMP"),
    ("PHASE: GREEN", "PHASE: BLUE", "PHASE"),
    ("STATUS: IN_PROGRESS", "STATUS: RUNNING", "STATUS"),
    ("ITERATION: 2", "ITERATION: 0", "ITERATION"),
    ("PROGRESS_PERCENT: 60", "PROGRESS_PERCENT: 101", "PROGRESS_PERCENT"),
    ("PROGRESS_PERCENT: 60", "PROGRESS_PERCENT: 60%", "PROGRESS_PERCENT"),
    ("  TOTAL: 10", "  TOTAL: -10", "TESTS.TOTAL"),
    ("  DELETED: 1", "  DELETED: ３", "FILES.DELETED"),
    ("  STATE: CLOSED", "  STATE: closed", "CIRCUIT_BREAKER.STATE"),
    ("  GATE_1: false", "  GATE_1: no", "DUAL_GATE.GATE_1"),
    ("  - 3 tests fail", '  - [blocker description or "none"]', "BLOCKERS"),
    ("TESTS:\n", "TESTS: 10\n", "TESTS"),
    ("BLOCKERS:\n", "BLOCKERS: some\n", "BLOCKERS"),
    ("RECOMMENDATION: Fix the failing tests", "RECOMMENDATION:", "RECOMMENDATION"),
]

TOLERATED = [
    pytest.param(BLOCK.replace("\n", "\r\n"), "crlf", id="CRLF"),
    pytest.param(f"```\n{BLOCK}\n```", "fence", id="code fence"),
    pytest.param(BLOCK.replace("PHASE: G", "**PHASE:** G"), "bold", id="bold field"),
    pytest.param(BLOCK.replace("TESTS:", "**TESTS:**"), "bold", id="bold section"),
    pytest.param(BLOCK.replace("GATE_1: false", "GATE_1: False"), "case", id="False"),
    pytest.param(BLOCK.replace("TOTAL: 10", "TOTAL: 10 (all suites)"), "remark", id="remark"),
    pytest.param(BLOCK.replace("\n\n", "\n"), "form", id="no blank lines"),
    pytest.param(BLOCK.replace("  TOTAL", "\tTOTAL"), "form", id="tab for indentation"),
    pytest.param(BLOCK.replace("  - 3", "- 3"), "form", id="list without indentation"),
    pytest.param(BLOCK.replace("10:15:00Z", "10:15:00+00:00"), "form", id="zone as an offset"),
]

STRAYS = [
    pytest.param(BLOCK.replace("TESTS:\n", "TESTS:\n  - an item\n"), id="item in a section"),
    pytest.param(BLOCK.replace("BLOCKERS:\n", "BLOCKERS:\n  KEY: value\n"), id="field in the list"),
    pytest.param(BLOCK.replace("ITERATION", "  ITERATION"), id="indented without a section"),
    pytest.param(BLOCK.replace("\nEXIT_SIGNAL", "\nand more\nEXIT_SIGNAL"), id="prose"),
]


def found(text: str) -> Found[PhaseStatus]:
    read = read_phase_status(text)
    assert isinstance(read, Found), read
    return read


def malformed(text: str) -> Malformed[PhaseStatus]:
    read = read_phase_status(text)
    assert isinstance(read, Malformed), read
    return read


@pytest.mark.parametrize("name", PHASE_EXAMPLES)
def test_every_example_of_the_document_parses_and_emits_back(name: str) -> None:
    read = found(f"prose before\n{sample(name)}\n\nprose after")

    assert read.problems == ()
    assert emit_phase_status(read.fields) == sample(name)


def test_the_template_is_found_and_invalid() -> None:
    errors = malformed(sample("phase_template")).errors

    assert {"TIMESTAMP", "PHASE", "TESTS.TOTAL", "DUAL_GATE.CAN_EXIT", "BLOCKERS", "RECOMMENDATION"} <= {
        problem.field for problem in errors
    }


def test_sections_are_sections_and_blockers_a_list() -> None:
    read = found(sample("phase_green_breaker_open")).fields

    assert (read.tests, read.tests.total) == (CaseCounts(passing=6, failing=4), 10)
    assert read.files == FileCounts(created=3, modified=5)
    assert len(read.blockers) == 2


def test_blockers_none_is_an_empty_list() -> None:
    assert found(sample("phase_green_complete")).fields.blockers == ()


def test_a_text_without_a_block_is_missing_it() -> None:
    assert read_phase_status(b"nothing") == Missing()


@pytest.mark.parametrize(("before", "after", "name"), ILLEGAL)
def test_an_illegal_value_is_named_with_its_line(before: str, after: str, name: str) -> None:
    errors = malformed(BLOCK.replace(before, after)).errors

    assert [(problem.field, problem.code in ("illegal_value", "placeholder")) for problem in errors] == [(name, True)]
    assert errors[0].line == BLOCK[: BLOCK.index(before)].count("\n") + 1


@pytest.mark.parametrize(("text", "code"), TOLERATED)
def test_what_real_agents_do_is_accepted_with_a_warning(text: str, code: str) -> None:
    read = found(text)

    assert read.fields == A_PHASE_STATUS
    assert [(problem.code, problem.severity) for problem in read.problems] == [(code, Severity.WARNING)]


@pytest.mark.parametrize("text", STRAYS)
def test_a_line_out_of_place_is_an_error(text: str) -> None:
    assert "stray_line" in [problem.code for problem in malformed(text).errors]


def test_passing_failing_and_skipped_make_up_the_total() -> None:
    (problem,) = malformed(BLOCK.replace("SKIPPED: 1", "SKIPPED: 2")).errors

    assert (problem.code, problem.field, problem.line) == ("tests_total", "TESTS.TOTAL", 9)


@pytest.mark.parametrize(("gate_1", "gate_2"), [(True, True), (True, False), (False, True), (False, False)])
def test_can_exit_is_gate_1_and_gate_2(gate_1: bool, gate_2: bool) -> None:
    text = emit_phase_status(a_phase_status(gate_1=gate_1, gate_2=gate_2))
    said = "true" if gate_1 and gate_2 else "false"
    wrong = {"true": "false", "false": "true"}[said]

    assert found(text).fields.can_exit is (gate_1 and gate_2)
    (problem,) = malformed(text.replace(f"CAN_EXIT: {said}", f"CAN_EXIT: {wrong}")).errors
    assert problem.code == "can_exit"


def test_a_missing_field_is_an_error() -> None:
    text = BLOCK.replace("ITERATION: 2\n", "").replace("BLOCKERS:\n  - 3 tests fail\n", "")

    assert [(problem.code, problem.field) for problem in malformed(text).errors] == [
        ("missing_field", "ITERATION"),
        ("missing_field", "BLOCKERS"),
    ]


def test_an_unknown_field_is_reported_and_breaks_nothing() -> None:
    text = BLOCK.replace("TESTS:\n", "TESTS:\n  FLAKY: 1\n").replace("\nFILES:", "\nNOTES:\n  - one\n  A: b\nFILES:")
    read = found(text)

    assert read.fields == A_PHASE_STATUS
    assert [problem.field for problem in read.problems] == ["TESTS.FLAKY", "NOTES"]


def test_a_section_given_twice_is_an_error() -> None:
    text = BLOCK.replace("\nBLOCKERS:", "\nBLOCKERS:\n  - another\n\nBLOCKERS:")

    assert [problem.code for problem in malformed(text).errors] == ["conflicting_values"]


@pytest.mark.parametrize(("items", "code"), [("", "empty_list"), ("  - NONE\n", "case")])
def test_other_ways_to_say_no_blocker_warn(items: str, code: str) -> None:
    read = found(BLOCK.replace("  - 3 tests fail\n", items))

    assert read.fields.blockers == ()
    assert [problem.code for problem in read.problems] == [code]


def test_none_beside_a_blocker_is_a_contradiction() -> None:
    text = BLOCK.replace("  - 3 tests fail\n", "  - none\n  - 3 tests fail\n")

    assert [problem.code for problem in malformed(text).errors] == ["conflicting_values"]


@pytest.mark.parametrize("phase", list(Phase))
def test_qa_and_build_are_a_documented_extension(phase: Phase) -> None:
    codes = [problem.code for problem in found(emit_phase_status(a_phase_status(phase=phase))).problems]

    assert codes == (["extension"] if phase in (Phase.QA, Phase.BUILD) else [])


def test_a_block_longer_than_any_block_is_refused_unread() -> None:
    (problem,) = malformed(BLOCK.replace("Fix", "x" * 300_000)).problems

    assert problem.code == "too_long"


@pytest.mark.parametrize("offset", [-5, 0, 2])
def test_times_keep_their_zone(offset: int) -> None:
    at = datetime(2026, 1, 13, 10, 15, 0, 250_000, tzinfo=timezone(timedelta(hours=offset)))
    read = found(emit_phase_status(a_phase_status(timestamp=at))).fields

    assert (read.timestamp, read.timestamp.utcoffset()) == (at, timedelta(hours=offset))


REFUSED: list[dict[str, Any]] = [
    {"timestamp": datetime(2026, 1, 13, tzinfo=UTC).replace(tzinfo=None)},
    {"iteration": 0},
    {"progress_percent": 101},
    {"tests": CaseCounts(passing=-1, failing=1)},
    {"files": FileCounts(created=10**18)},
    {"no_progress_count": -1},
    {"blockers": ("none",)},
    {"blockers": ("two\nlines",)},
    {"blockers": ("a", "None")},
    {"recommendation": ""},
    {"recommendation": "two\nlines"},
    {"recommendation": f"x\n---END_PRP_PHASE_STATUS---\n\n{BLOCK}"},
]


@pytest.mark.parametrize("changed", REFUSED)
def test_the_emitter_cannot_produce_a_violation(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="this cannot be written as a PRP_PHASE_STATUS block"):
        emit_phase_status(a_phase_status(**changed))


def test_what_follows_from_other_fields_cannot_be_stored() -> None:
    stored = {field.name for kind in (PhaseStatus, CaseCounts) for field in fields(kind)}

    assert not stored & {"can_exit", "total"}
