"""Runs that send their traces to a collector: each span once, in the tree of the session, and nothing that was said."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loop.conftest import Dying
from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate
from tests.traces.collector import Collector, collecting

SECRET = "s3cr3t-header-value"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


def exported(dualgate: Dualgate, tmp_path: Path) -> dict[str, str]:
    """The ids of all spans that a later export gives, with their names."""
    assert dualgate("traces", "export", "--file", str(tmp_path / "spans.jsonl")).code == 0
    lines = [json.loads(line) for line in (tmp_path / "spans.jsonl").read_text().splitlines()]
    spans = [line["resourceSpans"][0]["scopeSpans"][0]["spans"][0] for line in lines]
    return {span["spanId"]: span["name"] for span in spans}


def test_a_proven_run_sends_each_span_once_and_nothing_that_was_said(
    rehearse: Dualgate, dualgate: Dualgate, collector: Collector, tmp_path: Path
) -> None:
    green = GREEN.replace('phase = "GREEN"\n', 'phase = "GREEN"\nsays = "the answer is unmistakable"\n')
    by_variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address,
        "OTEL_EXPORTER_OTLP_HEADERS": f"x-key={SECRET}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
    }

    ended = rehearse(RED + green + REST, "--traces", **by_variables)

    assert (ended.code, ended.err) == (0, "")
    found = dict(zip(collector.ids, (span["name"] for span in collector.spans), strict=True))
    assert (found, len(found)) == (exported(dualgate, tmp_path), len(collector.ids))
    (session,) = collector.named("invoke_workflow tdd")
    assert (session["parent"], session["dualgate.standing"], session["dualgate.calls"]) == ("", "proven", 5)
    phases = [span["name"] for span in collector.spans if span["parent"] == session["id"]]
    assert phases == ["baseline", *(f"phase {name}" for name in ("RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"))]
    sent = json.dumps(collector.spans)
    assert [text for text in ("unmistakable", "double(2)", SECRET) if text in sent] == []
    path, headers = collector.requests[0]
    assert (path, headers["x-key"], headers["Content-Encoding"]) == ("/v1/traces", SECRET, "gzip")
    session_files = [path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in content for content in session_files)


def test_a_killed_run_is_completed_in_the_trace_by_the_next_one(
    dying: Dying, dualgate: Dualgate, collector: Collector, tmp_path: Path
) -> None:
    dying(14, "after", DUALGATE_OTEL_ENDPOINT=collector.address)

    ended = dualgate("resume", DUALGATE_OTEL_ENDPOINT=collector.address)

    assert ended.code == 0
    # what was under way when it was killed may come again, under the same ids
    assert set(collector.ids) == exported(dualgate, tmp_path).keys()
    first, second = {span["id"]: span for span in collector.named("invoke_workflow tdd")}.values()
    assert (first["dualgate.standing"], second["dualgate.standing"]) == ("process died", "proven")
    assert (second["parent"], second["trace"]) == (first["id"], first["trace"])
