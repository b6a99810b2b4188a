"""dualgate traces export, over a recorded session: a file, standard output, or a collector."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support import Dualgate
from tests.traces.collector import collecting

RECORDED = Path(__file__).parent.parent / "data" / "journals" / "format2" / "resumed"
ID = "5d06dcd1"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The session of another project; its id finds it from anywhere."""
    folder = tmp_path / "home" / ".bp-sessions" / "elsewhere"
    folder.mkdir(parents=True)
    shutil.copy(RECORDED / "journal.jsonl", folder)
    return folder


def test_a_session_is_written_as_one_span_a_line_and_always_the_same(
    dualgate: Dualgate, session: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"

    said = dualgate("traces", "export", ID, "--file", str(first))
    dualgate("traces", "export", ID, "--file", str(second))
    printed = dualgate("traces", "export", ID, "--file", "-")

    assert (said.code, said.out) == (0, f"36 spans written to {first}\n")
    assert first.read_bytes() == second.read_bytes()
    assert printed.lines == [json.loads(line) for line in first.read_text().splitlines()]


def test_a_session_is_sent_to_a_collector(dualgate: Dualgate, session: Path) -> None:
    with collecting() as collector:
        by_flag = dualgate("traces", "export", ID, "--endpoint", collector.address, "--json")
        by_variable = dualgate("traces", "export", ID, OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)

    host = collector.address.removeprefix("http://")
    assert by_flag.lines == [{"format": 1, "spans": 36, "to": host}]
    assert by_variable.out == f"36 spans sent to {host}\n"
    assert collector.ids[:36] == collector.ids[36:]


def test_a_collector_that_is_down_is_named(dualgate: Dualgate, session: Path) -> None:
    failed = dualgate("traces", "export", ID, "--endpoint", "http://127.0.0.1:1/secret", DUALGATE_OTEL_TIMEOUT="1")

    assert (failed.code, failed.out) == (1, "")
    assert "The spans were not sent to 127.0.0.1:1: " in failed.err
    assert "secret" not in failed.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--file", "a", "--endpoint", "http://h"), 2, "--file and --endpoint are two places"),
        (("--file", "-", "--json"), 2, "--json prints the result"),
        (("--file", "."), 1, "Name another file with --file."),
        (("--endpoint", "h:1"), 1, "The endpoint of traces is not an http or https address."),
        (("--file", "x", "nothing"), 1, "There is no session 'nothing' here."),
    ],
)
def test_what_cannot_be_exported_says_why(
    dualgate: Dualgate, session: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    given = words if "nothing" in words else (*words, ID)

    ended = dualgate("traces", "export", *given)

    assert (ended.code, said in ended.err) == (code, True)
