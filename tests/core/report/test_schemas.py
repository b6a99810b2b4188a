"""The schemas hold what the parsers give, and refuse what they refuse."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dualgate.core.record.parse import parse
from dualgate.core.report.schemas import SCHEMAS, schema
from dualgate.core.said.blocks.phase_text import emit_phase_status
from tests.core.record.test_loop_document import PRINTED
from tests.core.said.blocks.block_samples import DATA, a_phase_status, ralph_block

PACKETS = sorted((DATA.parent / "packets").glob("*.txt"))
READ = [
    ("ralph-status", ralph_block()),
    ("phase-status", emit_phase_status(a_phase_status())),
    ("loop-state", PRINTED),
    *(("phase-packet", path.read_text(encoding="utf-8")) for path in PACKETS),
]
OPTIONAL = {"Minor Issues", "Integration Subtask", "Module Documentation", "Root Documentation"}


def is_legal(name: str, fields: Any) -> bool:
    return bool(Draft202012Validator(schema(name)).is_valid(fields))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))

    assert schema(name)["title"] == name


@pytest.mark.parametrize(("name", "text"), READ)
def test_what_is_read_is_legal(name: str, text: str) -> None:
    assert is_legal(name, parse(text).as_document()["fields"])


@pytest.mark.parametrize(("name", "text"), READ)
def test_without_any_required_field_it_is_not(name: str, text: str) -> None:
    fields = parse(text).as_document()["fields"]
    required = fields.keys() - OPTIONAL - ({"Test Verification Excerpt"} if "Decision" in fields else set())

    for missing in required:
        assert not is_legal(name, {key: value for key, value in fields.items() if key != missing})


def test_the_fix_requests_of_a_review_are_legal_one_by_one() -> None:
    text = (DATA.parent / "packets" / "code_review_fix_requests.txt").read_text(encoding="utf-8")
    requests = parse(text).fields["FixRequest"]

    assert len(requests) == 3
    assert all(is_legal("fix-request", request) for request in requests)
    assert not is_legal("fix-request", requests[0] | {"severity": "huge"})


def test_a_signal_without_complete_is_refused() -> None:
    fields = parse(ralph_block()).as_document()["fields"]

    assert not is_legal("ralph-status", fields | {"STATUS": "IN_PROGRESS"})
    assert is_legal("ralph-status", fields | {"STATUS": "IN_PROGRESS", "EXIT_SIGNAL": False})
