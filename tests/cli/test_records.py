"""The files of a session after real runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.record.loop_document import read_loop_state
from dualgate.core.said.blocks.phase_text import read_log
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.problems import Found
from dualgate.store.home import METRICS
from dualgate.store.projections import BREAKER, STATUS_LOG, rebuild
from tests.support import Dualgate, contradictions


@pytest.fixture
def folder(environment: dict[str, str]) -> Path:
    return Path(environment["HOME"]) / ".bp-sessions" / "doubling"


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def records(folder: Path) -> list[PhaseStatus]:
    blocks = read_log((folder / STATUS_LOG).read_bytes())
    assert all(isinstance(block, Found) for block in blocks)
    return [block.fields for block in blocks if isinstance(block, Found)]


def test_a_whole_run_leaves_records_metrics_and_the_breaker_as_its_journal_makes_them(
    dualgate: Dualgate, folder: Path
) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")

    told = records(folder)
    assert [record for record in told if contradictions(record)] == []
    complete = [(record.phase, record.iteration) for record in told if record.status == "COMPLETE"]
    assert complete == [("RED", 1), ("GREEN", 1), ("REFACTOR", 1), ("DOCUMENT", 1), ("QA", 1)]
    assert all(record.progress_percent == 100 and record.can_exit for record in told if record.status == "COMPLETE")
    assert (told[-1].files.created, told[-1].files.modified, told[-1].tests.passing) == (5, 0, 3)
    rows = read(folder / METRICS)["rows"]
    assert [(row["phase"], row["decision"], row["overall"]) for row in rows] == [
        ("RED", "next_phase", 10),
        ("GREEN", "next_phase", 55),
        ("REFACTOR", "next_phase", 70),
        ("DOCUMENT", "next_phase", 85),
        ("QA", "project_complete", 100),
    ]
    assert (rows[0]["cost_usd"], rows[0]["test_runs"] > 0) == (None, True)
    assert (read(folder / BREAKER)["state"], read(folder / BREAKER)["history"]) == ("CLOSED", [])
    state = read_loop_state((folder / "loop-state.json").read_bytes())
    assert (state.problems, state.fields["progress"]) == ((), 100)
    written = {name: (folder / name).read_bytes() for name in (STATUS_LOG, METRICS, BREAKER, "loop-state.json")}
    rebuild(folder)
    assert {name: (folder / name).read_bytes() for name in written} == written


ASKING = [
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": "t1",
                    "name": "AskUserQuestion",
                    "input": {"questions": [{"question": "Which unit?", "options": []}]},
                }
            ],
        },
    },
    {"type": "result", "subtype": "success", "is_error": False, "result": "I would like to know.", "num_turns": 1},
]


def test_a_question_is_an_event_and_halts_where_that_is_wanted(
    dualgate: Dualgate, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "answer.jsonl").write_text("\n".join(map(json.dumps, ASKING)) + "\n")
    asking = f"cat {tmp_path / 'answer.jsonl'}"

    halted = dualgate("run", "SPEC.md", "--agent-command", asking, "--on-question", "halt")
    assumed = dualgate("run", "SPEC.md", "--agent-command", asking, "--max-iterations", "2", "--fresh")

    assert halted.code == 4
    assert "the agent asks: Which unit?; the run halts" in halted.out
    assert "halted in RED after 1 iteration: the agent asks: Which unit?" in halted.out
    assert assumed.code == 3
    kinds = [line["kind"] for line in dualgate("log", "--json").lines]
    assert kinds.count("question.asked") == 2
    prompt = (folder / "calls" / "0002-RED-prompt.md").read_text()
    assert "## What you asked" in prompt
    assert "- Which unit?" in prompt


@pytest.mark.parametrize(("workflow", "phase"), [("tdd", "RED"), ("ralph", "BUILD")])
def test_a_question_in_plain_words_halts_either_workflow_where_that_is_wanted(
    dualgate: Dualgate, workflow: str, phase: str
) -> None:
    asking = "echo 'I see two ways. Postgres or SQLite?'"

    ended = dualgate("run", "SPEC.md", "--workflow", workflow, "--agent-command", asking, "--on-question", "halt")

    assert ended.code == 4
    assert f"halted in {phase} after 1 iteration: the agent asks: I see two ways. Postgres or SQLite?" in ended.out
