import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.said.blocks.block_samples import DATA, ralph_block
from tests.support import Dualgate

ODD = ralph_block(EXIT_SIGNAL="true false")
CODES = [
    (ralph_block(), (), 0),
    (ODD, (), 1),
    ("nothing here", (), 3),
    (ralph_block(), ("--kind", "packet"), 3),
    (ralph_block() + "\n", ("--strict",), 0),
    (f"```\n{ralph_block()}\n```", ("--strict",), 1),
    (ralph_block(), ("--kind", "prose"), 2),
]


@pytest.mark.parametrize(("text", "words", "code"), CODES)
def test_the_exit_code_says_valid_invalid_or_nothing(
    dualgate: Dualgate, tmp_path: Path, text: str, words: tuple[str, ...], code: int
) -> None:
    (tmp_path / "answer.txt").write_text(text)

    assert dualgate("parse", str(tmp_path / "answer.txt"), *words).code == code


def test_for_programs_it_is_one_object(dualgate: Dualgate, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(ODD)

    found = json.loads(dualgate("parse", str(tmp_path / "answer.txt"), "--json").out)

    assert (found["kind"], found["valid"], found["blocks_found"]) == ("RALPH_STATUS", False, 1)
    assert found["problems"] == [
        {
            "code": "illegal_value",
            "severity": "error",
            "message": "EXIT_SIGNAL must be true or false: true false",
            "field": "EXIT_SIGNAL",
            "line": 7,
        }
    ]


def test_for_people_the_offending_line_is_shown(dualgate: Dualgate, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(ODD)

    shown = dualgate("parse", str(tmp_path / "answer.txt")).out

    assert shown.startswith("RALPH_STATUS: invalid\n  STATUS: COMPLETE\n")
    assert "error: line 7: EXIT_SIGNAL must be true or false: true false\n      7 | EXIT_SIGNAL: true false\n" in shown


def test_lists_and_sections_of_a_packet_are_shown_as_such(dualgate: Dualgate) -> None:
    shown = dualgate("parse", str(DATA.parent / "packets" / "code_review_fix_requests.txt")).out

    assert shown.startswith("PHASE_PACKET: valid\n  Phase: CODE_REVIEW\n")
    assert "\n  FixRequest:\n    - id: FR-1\n      file: " in shown


def test_any_bytes_on_standard_input_get_an_answer(environment: dict[str, str]) -> None:
    words = [sys.executable, "-m", "dualgate", "parse", "-", "--json"]
    content = b"\xff\x00\n" + ralph_block().encode().replace(b"RECOMMENDATION: ", b"RECOMMENDATION: \xff")

    ended = subprocess.run(words, input=content, env=environment, capture_output=True)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert json.loads(ended.stdout)["kind"] == "RALPH_STATUS"


def test_a_file_that_is_not_there_is_a_usage_error(dualgate: Dualgate) -> None:
    ended = dualgate("parse", "gone.txt")

    assert (ended.code, "gone.txt" in ended.err) == (2, True)


def test_a_schema_is_printed_by_its_name_and_all_without_one(dualgate: Dualgate) -> None:
    one, all_ = dualgate("schema", "ralph-status"), dualgate("schema")

    assert json.loads(one.out)["title"] == "ralph-status"
    names = ["ralph-status", "phase-status", "phase-packet", "fix-request", "loop-state", "verification"]
    assert list(json.loads(all_.out)) == [
        *names,
        "report",
        "status",
        "sessions",
        "notice",
        "estimate",
        "queue",
        "queue-notice",
    ]
    assert dualgate("schema", "nonsense").code == 2
