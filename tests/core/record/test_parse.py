import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.record.parse import Kind, parse
from dualgate.core.said.blocks.phase_text import emit_phase_status
from tests.core.record.test_loop_document import PRINTED
from tests.core.said.blocks.block_samples import DATA, a_phase_status, ralph_block

PACKET = (DATA.parent / "packets" / "green.txt").read_text(encoding="utf-8")
RALPH, PHASE = ralph_block(), emit_phase_status(a_phase_status())

TEXTS = [
    ("", None, 0),
    ("I am done.", None, 0),
    ("In the GREEN Phase all is well.", None, 0),
    (RALPH, "RALPH_STATUS", 1),
    (PHASE, "PRP_PHASE_STATUS", 1),
    (PACKET, "PHASE_PACKET", 1),
    (PRINTED, "LOOP_STATE", 1),
    ('the fields "session_id" and "current_phase"', None, 0),
    (f"{PACKET}\n{RALPH}\n", "RALPH_STATUS", 2),
    (f"{RALPH}\n{PACKET}\n", "PHASE_PACKET", 2),
    (f"{RALPH}\n{PHASE}\n", "PRP_PHASE_STATUS", 2),
    (f"{PHASE}\n{RALPH}\n", "RALPH_STATUS", 2),
    (f"{RALPH}\nPhase: GREEN\nStatus: passed\n", "RALPH_STATUS", 2),
    (f"{PACKET}\n{RALPH[:-5]}\n", "PHASE_PACKET", 1),
]


@pytest.mark.parametrize(("text", "kind", "count"), TEXTS)
def test_the_last_complete_document_counts(text: str, kind: str | None, count: int) -> None:
    reading = parse(text)

    assert (reading.kind, reading.blocks_found) == (kind, count)
    assert reading.valid == (kind is not None)


def test_only_the_kind_that_is_asked_for_is_found() -> None:
    text = f"{PACKET}\n{RALPH}\n{PHASE}\n"

    found = {kind: parse(text, kind).kind for kind in Kind}

    assert found == {
        Kind.RALPH: "RALPH_STATUS",
        Kind.PHASE: "PRP_PHASE_STATUS",
        Kind.PACKET: "PHASE_PACKET",
        Kind.STATE: None,
    }


def test_a_broken_object_is_a_broken_state_document_where_one_is_asked_for() -> None:
    reading = parse('{"status": "running"', Kind.STATE)

    assert (reading.kind, reading.valid, reading.problems[0].code) == ("LOOP_STATE", False, "not_json")


def test_a_block_inside_a_json_string_is_no_block() -> None:
    assert parse(json.dumps({"result": RALPH})).kind is None


def test_strictly_a_warning_makes_invalid_and_an_extension_does_not() -> None:
    fenced = f"```\n{RALPH}\n```\n"
    extended = PHASE.replace("PHASE: GREEN", "PHASE: QA")

    assert (parse(fenced).valid, parse(fenced, strict=True).valid) == (True, False)
    assert parse(extended, strict=True).valid
    assert [problem.code for problem in parse(extended).problems] == ["extension"]


@pytest.mark.parametrize("text", [RALPH, PHASE, PACKET, PRINTED, ""])
def test_the_reading_is_plain_data(text: str) -> None:
    document = parse(text).as_document()

    assert list(document) == ["kind", "valid", "fields", "problems", "blocks_found"]
    assert json.loads(json.dumps(document)) == document


@given(st.one_of(st.text(), st.binary()), st.sampled_from([None, *Kind]), st.booleans())
def test_any_text_gets_an_answer(text: str | bytes, kind: Kind | None, strict: bool) -> None:
    reading = parse(text, kind, strict=strict)

    assert not reading.honoured
    assert reading.kind is not None or not reading.valid
