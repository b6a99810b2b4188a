"""The form of a status block in a prompt, and the line that tells its call from every other."""

from dataclasses import replace

import pytest

from dualgate.core.record.parse import parse
from dualgate.core.said.blocks import emit_ralph_status, read_ralph_status, status_form
from dualgate.core.said.blocks.origin import why_not_of_this_call
from dualgate.core.values.problems import Found, Malformed
from dualgate.core.values.vocabulary import Phase
from tests.core.said.blocks.block_samples import A_RALPH_STATUS, FIELDS, ralph_block

TOKEN = "a1b2c3d4"


def filled_in(form: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in form.splitlines())


@pytest.mark.parametrize("phase", Phase)
def test_the_form_has_every_field_and_no_value_of_it_is_legal(phase: Phase) -> None:
    form = status_form(phase, TOKEN)

    read = read_ralph_status(filled_in(form))

    assert all(line.startswith("    ") for line in form.splitlines())
    assert isinstance(read, Malformed)
    assert {problem.field for problem in read.errors} == set(FIELDS)
    assert read.fields is not None
    assert read.fields.call == TOKEN


def test_the_form_as_it_stands_in_a_prompt_is_no_block() -> None:
    assert parse(status_form(Phase.GREEN, TOKEN)).kind is None


WORDS = {
    "STATUS": "IN_PROGRESS | COMPLETE | BLOCKED",
    "TASKS_COMPLETED_THIS_LOOP": "number",
    "FILES_MODIFIED": "number",
    "TESTS_STATUS": "PASSING | FAILING | NOT_RUN",
    "WORK_TYPE": "IMPLEMENTATION | TESTING | DOCUMENTATION | REFACTORING",
    "EXIT_SIGNAL": "true | false",
}


PLACEHOLDERS = [
    *((field, f"<{words}>") for field, words in WORDS.items()),
    *((field, f"[{words}]") for field, words in WORDS.items()),
    *WORDS.items(),
    ("RECOMMENDATION", "<one line>"),
    ("RECOMMENDATION", "[one line]"),
]


@pytest.mark.parametrize(("field", "value"), PLACEHOLDERS)
def test_a_placeholder_in_any_field_keeps_the_signal_from_counting(field: str, value: str) -> None:
    block = ralph_block(without=(), **{field: value})

    assert isinstance(read_ralph_status(block), Malformed)
    assert not parse(block).honoured


def test_the_line_with_the_token_is_a_known_extension() -> None:
    block = ralph_block(f"CALL: {TOKEN}")

    reading, found = parse(block, strict=True), read_ralph_status(block)

    assert (reading.valid, reading.honoured, reading.problems) == (True, True, ())
    assert reading.fields["CALL"] == TOKEN
    assert isinstance(found, Found)
    assert emit_ralph_status(found.fields) == block


@pytest.mark.parametrize("value", [f"`{TOKEN}`", f"{TOKEN} (this call)", f'"{TOKEN}"', TOKEN.upper()])
def test_a_token_may_be_decorated(value: str) -> None:
    found = read_ralph_status(ralph_block(f"CALL: {value}"))

    assert isinstance(found, Found)
    assert why_not_of_this_call(ralph_block(), found.fields, "", TOKEN) == ()


@pytest.mark.parametrize("value", ["<token>", "[token of the call]", "one two"])
def test_a_token_that_is_no_word_is_illegal(value: str) -> None:
    assert isinstance(read_ralph_status(ralph_block(f"CALL: {value}")), Malformed)


def test_an_empty_token_is_none() -> None:
    found = read_ralph_status(ralph_block("CALL:"))

    assert isinstance(found, Found)
    assert found.fields.call == ""


def test_json_may_carry_the_token_too() -> None:
    found = read_ralph_status(f'{{"status": "COMPLETE", "exit_signal": true, "call": "{TOKEN}"}}')

    assert isinstance(found, Found)
    assert found.fields.call == TOKEN


def test_an_emitted_token_must_be_a_word() -> None:
    with pytest.raises(ValueError, match="CALL"):
        emit_ralph_status(replace(A_RALPH_STATUS, call="two words"))
