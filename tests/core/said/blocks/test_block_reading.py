import json

import pytest

from dualgate.core.said.blocks import BlockKind, one_line
from dualgate.core.said.blocks.last_block import read_block
from dualgate.core.said.blocks.phase_text import emit_phase_status
from dualgate.core.values.problems import Reading, is_valid
from dualgate.core.values.vocabulary import Phase
from tests.core.said.blocks.block_samples import (
    FIELDS,
    PHASE_EXAMPLES,
    RALPH_EXAMPLES,
    RALPH_TEMPLATES,
    a_phase_status,
    ralph_block,
    sample,
)

FALSE = ralph_block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false", RECOMMENDATION="Next: go on")
FLAT = {"status": "COMPLETE", "exit_signal": True}


def codes(reading: Reading) -> list[str]:
    return [problem.code for problem in reading.problems]


@pytest.mark.parametrize("name", [*RALPH_EXAMPLES, *PHASE_EXAMPLES])
def test_every_example_of_the_documents_is_valid_even_strictly(name: str) -> None:
    reading = read_block(sample(name), strict=True)

    assert (reading.valid, reading.problems, reading.blocks_found) == (True, (), 1)


@pytest.mark.parametrize("name", [*RALPH_TEMPLATES, "phase_template"])
def test_every_template_is_found_and_invalid(name: str) -> None:
    reading = read_block(sample(name))

    assert (reading.kind is None, reading.valid, reading.blocks_found) == (False, False, 1)


def test_fields_of_a_claim_have_the_names_of_the_document_and_typed_values() -> None:
    assert read_block(ralph_block()).as_document() == {
        "kind": "RALPH_STATUS",
        "valid": True,
        "fields": {**FIELDS, "TASKS_COMPLETED_THIS_LOOP": 1, "FILES_MODIFIED": 2, "EXIT_SIGNAL": True},
        "problems": [],
        "blocks_found": 1,
    }


def test_fields_of_a_record_are_nested_in_the_order_of_the_document() -> None:
    document = read_block(sample("phase_green_breaker_open")).as_document()

    assert json.loads(json.dumps(document["fields"])) == {
        "TIMESTAMP": "2026-01-13T11:00:00Z",
        "PHASE": "GREEN",
        "STATUS": "BLOCKED",
        "ITERATION": 8,
        "PROGRESS_PERCENT": 60,
        "TESTS": {"TOTAL": 10, "PASSING": 6, "FAILING": 4, "SKIPPED": 0},
        "FILES": {"CREATED": 3, "MODIFIED": 5, "DELETED": 0},
        "CIRCUIT_BREAKER": {"STATE": "OPEN", "NO_PROGRESS_COUNT": 3},
        "DUAL_GATE": {"GATE_1": False, "GATE_2": False, "CAN_EXIT": False},
        "BLOCKERS": [
            "No progress for 3 iterations on test: should_handle_edge_case",
            "Possible design issue with current approach",
        ],
        "EXIT_SIGNAL": False,
        "RECOMMENDATION": "Circuit breaker open - consider alternative implementation approach or split feature",
    }
    assert list(document["fields"])[-3:] == ["BLOCKERS", "EXIT_SIGNAL", "RECOMMENDATION"]


def test_problems_are_told_with_code_severity_field_and_line() -> None:
    (problem,) = read_block("prose\n" + ralph_block(EXIT_SIGNAL="true false")).as_document()["problems"]

    assert problem == {
        "code": "illegal_value",
        "severity": "error",
        "field": "EXIT_SIGNAL",
        "line": 8,
        "message": "EXIT_SIGNAL must be true or false: true false",
    }


def test_the_kind_is_that_of_the_last_complete_block() -> None:
    claim, record = ralph_block(), emit_phase_status(a_phase_status())

    assert read_block(f"{record}\n{claim}").kind == "RALPH_STATUS"
    assert read_block(f"{claim}\n{record}").kind == "PRP_PHASE_STATUS"
    assert read_block(f"{claim}\n{record}").blocks_found == 2


def test_a_kind_that_was_asked_for_is_the_only_one_that_is_read() -> None:
    claim, record = ralph_block(), emit_phase_status(a_phase_status())

    assert read_block(f"{claim}\n{record}", [BlockKind.RALPH_STATUS]).honoured
    assert read_block(claim, [BlockKind.PRP_PHASE_STATUS]) == Reading()


def test_a_record_never_signals() -> None:
    assert not read_block(sample("phase_green_complete")).honoured


NOT_HONOURED = [
    pytest.param(ralph_block(STATUS="IN_PROGRESS"), None, id="not complete"),
    pytest.param(ralph_block(STATUS="BLOCKED"), None, id="blocked"),
    pytest.param(ralph_block(without=("STATUS",)), None, id="no status"),
    pytest.param(ralph_block(TESTS_STATUS="FAILING"), None, id="failing tests"),
    pytest.param(ralph_block(TESTS_STATUS="NOT_RUN"), None, id="tests not run"),
    pytest.param(ralph_block(TESTS_STATUS="PASSING"), Phase.RED, id="passing tests in RED"),
    pytest.param(ralph_block(FILES_MODIFIED="some"), None, id="illegal value elsewhere"),
    pytest.param(ralph_block("EXIT_SIGNAL: false"), None, id="both true and false"),
    pytest.param(ralph_block("FILES_MODIFIED: 3"), None, id="another field twice"),
    pytest.param(ralph_block("second line of the recommendation"), None, id="stray line"),
]


@pytest.mark.parametrize(("text", "phase"), NOT_HONOURED)
def test_a_signal_that_is_not_honoured_makes_the_block_invalid_and_says_why(text: str, phase: Phase | None) -> None:
    reading = read_block(text, phase=phase)

    assert (reading.valid, reading.honoured) == (False, False)
    assert reading.problems


def test_the_reason_stands_at_the_line_of_the_signal() -> None:
    (problem,) = read_block(ralph_block(STATUS="BLOCKED")).problems

    assert (problem.code, problem.field, problem.line) == ("blocked_exit", "EXIT_SIGNAL", 7)


def test_missing_fields_do_not_keep_a_signal_from_being_honoured() -> None:
    absent = ("TASKS_COMPLETED_THIS_LOOP", "FILES_MODIFIED", "TESTS_STATUS", "WORK_TYPE", "RECOMMENDATION")

    assert read_block(ralph_block(without=absent)).honoured


def test_a_signal_that_is_read_is_kept_in_the_fields_honoured_or_not() -> None:
    assert read_block(ralph_block(STATUS="BLOCKED")).fields["EXIT_SIGNAL"] is True


TOLERATED = [
    ralph_block().replace("\n", "\r\n"),
    ralph_block() + " ",
    f"```\n{ralph_block()}\n```",
    ralph_block(EXIT_SIGNAL="True"),
    ralph_block(EXIT_SIGNAL="true (done)"),
    ralph_block("UNKNOWN: x"),
    ralph_block(without=("WORK_TYPE",)),
    ralph_block().replace("STATUS: C", "**STATUS:** C"),
    f"{ralph_block()}\n---RALPH_STATUS---\nSTATUS:",
    json.dumps(FLAT),
]


@pytest.mark.parametrize("text", TOLERATED)
def test_strict_mode_turns_warnings_into_invalid(text: str) -> None:
    assert read_block(text).honoured
    strictly = read_block(text, strict=True)
    assert (strictly.valid, strictly.honoured) == (False, False)


@pytest.mark.parametrize("phase", [Phase.QA, Phase.BUILD])
def test_an_extension_is_valid_even_strictly(phase: Phase) -> None:
    reading = read_block(emit_phase_status(a_phase_status(phase=phase)), strict=True)

    assert (reading.valid, codes(reading)) == (True, ["extension"])
    assert is_valid(reading.problems, strict=True)


def test_a_block_that_never_ends_is_said_and_found_nowhere() -> None:
    reading = read_block("prose\n" + ralph_block()[:-1])

    assert (reading.kind, reading.valid, reading.blocks_found) == (None, False, 0)
    assert [(problem.code, problem.line) for problem in reading.problems] == [("unterminated", 2)]


FLAT_JSON = [
    pytest.param(json.dumps(FLAT), id="one line"),
    pytest.param(json.dumps({key.upper(): value for key, value in FLAT.items()}), id="capitals"),
    pytest.param(f"\n{json.dumps({**FLAT, 'files_modified': 2, 'tests_status': 'PASSING'}, indent=2)}\n", id="pretty"),
    pytest.param(f"```json\n{json.dumps(FLAT, indent=2)}\n```\n", id="fenced"),
    pytest.param(json.dumps({**FLAT, "exit_signal": "true", "files_modified": "2"}), id="values as strings"),
    pytest.param(json.dumps({**FLAT, "extra": {"status": "BLOCKED"}}), id="unknown member"),
]


@pytest.mark.parametrize("text", FLAT_JSON)
def test_flat_json_counts_as_a_block(text: str) -> None:
    reading = read_block(text)

    assert (reading.kind, reading.valid, reading.honoured) == ("RALPH_STATUS", True, True)
    assert (reading.blocks_found, codes(reading)[0]) == (1, "json")


BAD_JSON = [
    pytest.param('{"status": "COMPLETE", "exit_signal": true, "exit_signal": false}', id="twice"),
    pytest.param('{"status": "COMPLETE", "exit_signal": true, "EXIT_SIGNAL": false}', id="twice, spelled otherwise"),
    pytest.param('{"status": "COMPLETE", "exit_signal": true, "Exit_Signal": false}', id="neither spelling"),
    pytest.param('{"status": "COMPLETE", "exit_signal": 1}', id="a number for the signal"),
    pytest.param('{"status": "COMPLETE", "exit_signal": null}', id="null"),
    pytest.param('{"status": ["COMPLETE"], "exit_signal": true}', id="a list"),
    pytest.param('{"status": "COMPLETE", "exit_signal": true, "files_modified": -1}', id="negative"),
    pytest.param('{"status": "COMPLETE", "exit_signal": true, "files_modified": 1.5}', id="fraction"),
    pytest.param(f'{{"status": "COMPLETE", "exit_signal": true, "files_modified": {"9" * 5000}}}', id="huge"),
    pytest.param('{"status": "COMPLETE", "exit_signal": true, "recommendation": "a\\nb"}', id="two lines"),
    pytest.param('{"status": "IN_PROGRESS", "exit_signal": true}', id="contradiction"),
]


@pytest.mark.parametrize("text", BAD_JSON)
def test_json_is_held_to_the_rules_of_a_block(text: str) -> None:
    reading = read_block(text)

    assert (reading.kind, reading.valid, reading.honoured) == ("RALPH_STATUS", False, False)


NO_FLAT_JSON = [
    pytest.param(f"Here it is:\n{json.dumps(FLAT)}", id="prose before"),
    pytest.param(f"{json.dumps(FLAT)}\n{json.dumps(FLAT)}", id="two objects"),
    pytest.param(json.dumps([FLAT]), id="list"),
    pytest.param(json.dumps({"result": FLAT}), id="nested"),
    pytest.param(json.dumps({"status": "COMPLETE", "note": "exit_signal"}), id="no signal"),
    pytest.param('{"status": "COMPLETE", "exit_signal": true', id="torn"),
    pytest.param('{"status": "COMPLETE", "exit_signal": tru}', id="broken"),
    pytest.param("```\nstatus exit_signal\n```", id="fence without an object"),
    pytest.param('{"a":' * 40_000 + '"status exit_signal"' + "}" * 40_000, id="forty thousand deep"),
    pytest.param(json.dumps({**FLAT, "recommendation": "x" * 300_000}), id="longer than any block"),
    pytest.param(json.dumps({"result": f"done\n{ralph_block()}\n"}), id="block inside a JSON string"),
    pytest.param(json.dumps(ralph_block()), id="a JSON string that is a block"),
]


@pytest.mark.parametrize("text", NO_FLAT_JSON)
def test_other_json_decides_nothing(text: str) -> None:
    assert read_block(text) == Reading()


def test_a_block_outweighs_json_in_the_same_text() -> None:
    assert not read_block(f"{FALSE}\n{json.dumps(FLAT)}").honoured


BAD_INPUT = [
    pytest.param(ralph_block()[: len(ralph_block()) // 2], None, False, id="half a block"),
    pytest.param(f"{ralph_block()}\n{FALSE}", "RALPH_STATUS", True, id="two blocks, the last says false"),
    pytest.param(f"{ralph_block()}\n{sample('ralph_template')}", "RALPH_STATUS", False, id="template quoted last"),
    pytest.param(f"{ralph_block()}\n{FALSE}\n{ralph_block()[:-3]}", "RALPH_STATUS", True, id="torn block last"),
    pytest.param(ralph_block("EXIT_SIGNAL: false"), "RALPH_STATUS", False, id="duplicate keys"),
    pytest.param("x" * 1_000_000 + ralph_block(), None, False, id="long line before the delimiter"),
    pytest.param(ralph_block(RECOMMENDATION="x" * 1_000_000), "RALPH_STATUS", False, id="long line in the block"),
    pytest.param(ralph_block(EXIT_SIGNAL="\0true"), "RALPH_STATUS", False, id="NUL before a value"),
    pytest.param(ralph_block().replace("EXIT", "\0EXIT"), "RALPH_STATUS", False, id="NUL before a name"),
    pytest.param(ralph_block().encode("utf-16"), None, False, id="UTF-16"),
    pytest.param(ralph_block().encode().replace(b"true", b"tr\xffe"), "RALPH_STATUS", False, id="invalid UTF-8"),
    pytest.param(ralph_block(FILES_MODIFIED="٢"), "RALPH_STATUS", False, id="unicode digits"),
    pytest.param(ralph_block(EXIT_SIGNAL="ｔｒｕｅ"), "RALPH_STATUS", False, id="full-width value"),
    pytest.param(ralph_block(EXIT_SIGNAL="true\u00a0(x)"), "RALPH_STATUS", False, id="no-break space"),
    pytest.param(ralph_block(EXIT_SIGNAL="\ud800"), "RALPH_STATUS", False, id="lone surrogate"),
    pytest.param(ralph_block("```").replace("\nS", "\n```\nS"), "RALPH_STATUS", False, id="fence inside"),
    pytest.param(f"> {ralph_block()}".replace("\n", "\n> "), None, False, id="quoted"),
    pytest.param(f"    {ralph_block()}".replace("\n", "\n    "), None, False, id="indented"),
]


@pytest.mark.parametrize(("text", "kind", "valid"), BAD_INPUT)
def test_bad_input_gets_an_answer_and_never_a_signal(text: str | bytes, kind: str | None, valid: bool) -> None:
    reading = read_block(text)

    assert (reading.kind, reading.valid, reading.honoured) == (kind, valid, False)


GOOD_INPUT = [
    pytest.param(ralph_block().replace("\n", "\r\n").encode(), id="CRLF"),
    pytest.param(b"\xef\xbb\xbf" + ralph_block().encode(), id="byte order mark"),
    pytest.param(b"\xff\xfe\x00 noise\n" + ralph_block().encode() + b"\n\xff\x00", id="noise around"),
    pytest.param(f"````\n```\n{ralph_block()}\n```\n````", id="fences in fences"),
    pytest.param(f"{sample('ralph_template')}\n{FALSE}\n{ralph_block()}", id="template and earlier block quoted first"),
    pytest.param(f"---RALPH_STATUS---\nSTATUS: BLOCKED\n{ralph_block()}", id="abandoned block before"),
]


@pytest.mark.parametrize("text", GOOD_INPUT)
def test_a_sound_last_block_is_honoured_whatever_stands_around_it(text: str | bytes) -> None:
    assert read_block(text).honoured


LINES = [
    ("plain", "plain"),
    ("  two\n\tlines\u2028more ", "two lines more"),
    ("", "(nothing was said)"),
    ("None", "(None)"),
    ("[todo]", "([todo])"),
    ("word " * 200, "word " * 99 + "word…"),
]


@pytest.mark.parametrize(("text", "line"), LINES)
def test_any_text_can_be_made_a_legal_line(text: str, line: str) -> None:
    assert one_line(text) == line
    emit_phase_status(a_phase_status(blockers=(one_line(text),), recommendation=one_line(text)))
