"""The complete packets in tests/data: valid to the letter, and printed back as they stand."""

import json
from pathlib import Path

import pytest

from dualgate.core.said.packets import PacketPhase, emit_packet, parse_packet, read_packet, read_packets

DATA = Path(__file__).parents[3] / "data" / "packets"
EXAMPLES = sorted(DATA.glob("*.txt"))


def example(name: str) -> str:
    return (DATA / f"{name}.txt").read_text(encoding="utf-8")


def test_there_is_an_example_of_each_phase() -> None:
    phases = {packet.phase for path in EXAMPLES for packet in read_packets(path.read_text(encoding="utf-8"))}
    assert phases == set(PacketPhase)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_valid_in_strict_mode(path: Path) -> None:
    result = parse_packet(path.read_bytes(), strict=True)
    assert result.problems == ()
    assert (result.kind, result.valid, result.blocks_found) == ("PHASE_PACKET", True, 1)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_printed_back_as_it_stands(path: Path) -> None:
    (packet,) = read_packets(path.read_text(encoding="utf-8"))
    assert emit_packet(packet.fields) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_fields_of_an_example_are_json(path: Path) -> None:
    (packet,) = read_packets(path.read_text(encoding="utf-8"))
    assert json.loads(json.dumps(packet.fields)) == packet.fields


def test_red_fields_have_the_documents_names() -> None:
    fields = parse_packet(example("red")).fields
    assert list(fields) == [
        "Phase",
        "Status",
        "Test file",
        "Test command",
        "Changed files",
        "AgentTaskStatus",
        "TestRunStatus",
        "Test type",
        "Type source",
        "Confidence",
        "Type Selection Reasoning",
        "Failure Excerpt",
        "What tests verify",
        "TestIntent",
        "Notes",
    ]
    assert fields["Changed files"][1] == {
        "file": "src/shop/basket.py",
        "description": "stub of apply_voucher, so that the tests can be collected",
    }
    assert fields["TestIntent"]["Non-goals"] == "vouchers that end, vouchers for one article"


def test_green_inventory_is_lists_with_signatures_kept_whole() -> None:
    fields = parse_packet(example("green")).fields
    assert fields["Diff inventory"] == {
        "New exports": ["Basket.apply_voucher(code: str, at: datetime | None = None)", "VoucherUsed"],
        "Modified exports": ["Money"],
        "Internal only": [],
    }


def test_refactor_without_refactoring_gives_decision_and_reasons() -> None:
    decision = parse_packet(example("refactor_none_needed")).fields["Decision"]
    assert decision == {
        "Decision": "No Refactoring Needed",
        "Reasons": [
            "apply_voucher is eleven lines with one branch and shares nothing with its neighbours",
            "the only repeated expression is the sum, which Basket.total holds already",
        ],
    }


def test_code_review_without_requests_has_an_empty_list() -> None:
    fields = parse_packet(example("code_review")).fields
    assert fields["FixRequest"] == []
    assert fields["Issues Found"] == {"Critical": 0, "Major": 0, "Minor": 1}
    assert fields["Minor Issues"] == [
        {"location": "src/shop/basket.py:31", "description": "the comment repeats the line below it"}
    ]


def test_fix_requests_have_the_documents_twelve_keys() -> None:
    requests = parse_packet(example("code_review_fix_requests")).fields["FixRequest"]
    assert isinstance(requests, list)
    assert " ".join(requests[2]) == (
        "id file location severity category description proposedFix verificationCommand routeTo confidence"
        " rationale dependsOn"
    )
    assert [request["dependsOn"] for request in requests] == [["FR-2"], [], ["FR-1", "FR-2"]]
    assert requests[1]["proposedFix"].endswith("if hmac.compare_digest(code, known):\n    return voucher")


def test_architecture_fields_are_typed() -> None:
    reading = read_packet(example("architecture"))
    assert reading is not None
    assert reading.fields["Context"] == {"Task": "12", "Subtask": "12.3", "Last subtask": True}
    assert reading.fields["Integration Subtask"] == {
        "ID": "12.4",
        "Title": "Let the checkout use the basket's own sum",
        "Dependencies": ["12.1", "12.3"],
    }


def test_documentation_fields_are_typed() -> None:
    fields = parse_packet(example("documentation")).fields
    assert fields["Modules affected"] == {"count": 2, "modules": ["shop", "views"]}
    assert fields["Task-Master Update"] == {"Saved to subtask": "12.4", "Files documented": 3, "modules": 2}
    assert fields["Module Documentation"][0] == {"file": "src/shop/CLAUDE.md", "state": "updated"}
    assert fields["Root Documentation"] == {"links": 2, "state": "added"}
    assert fields["Last subtask"] is True
