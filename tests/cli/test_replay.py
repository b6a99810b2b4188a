"""The decisions of whole runs, made again from their journals."""

import json
import shutil
from pathlib import Path

from tests.support import Dualgate


def test_a_run_that_halted_is_decided_again_and_under_other_limits(
    dualgate: Dualgate, environment: dict[str, str]
) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--json")
    journal = Path(environment["HOME"]) / ".bp-sessions" / "doubling" / "journal.jsonl"
    before = journal.read_bytes()

    same, told = dualgate("replay"), dualgate("replay", "--json")
    other = dualgate("replay", "--what-if", "breaker.GREEN.no_progress=1")
    longer = dualgate("replay", "--json", "--what-if", "max_iterations=50")

    assert (same.code, same.err, told.lines[0]["same"]) == (0, "", True)
    assert same.out.endswith("Every one came out as it is recorded.\n")
    assert other.code == 1
    assert "the run would have gone another way" in other.out
    assert "events after it belong to the run as it was, and are not compared." in other.out
    assert (longer.code, longer.lines[0]["what_if"], longer.lines[0]["differences"]) == (0, ["max_iterations=50"], [])
    assert journal.read_bytes() == before

    lines = [json.loads(line) for line in before.splitlines()]
    turn = next(line for line in lines if line["kind"] == "turn.ended" and not line["data"]["verdict"]["gate_1"])
    turn["data"]["verdict"]["gate_1"] = True
    # as an older version wrote it: without digests, by which the change itself would be seen, and without a seal
    journal.write_text("".join(json.dumps({**line, "before": ""}) + "\n" for line in lines))
    shutil.rmtree(journal.parents[1] / ".seals")
    forged, forged_told = dualgate("replay"), dualgate("replay", "--json").lines[0]

    assert forged.code == 1
    assert f"Event {turn['seq']}, GREEN 1: not the same are gate_1." in forged.out
    (difference,) = forged_told["differences"]
    assert (difference["recorded"]["gate_1"], difference["recomputed"]["gate_1"]) == (True, False)


def test_where_there_is_no_session_nothing_is_replayed(dualgate: Dualgate) -> None:
    ended = dualgate("replay", "--json")

    assert (ended.code, ended.lines[0]["error"]["kind"]) == (1, "SessionMissing")
