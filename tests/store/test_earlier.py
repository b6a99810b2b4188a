"""Earlier sessions for an estimate: the completed ones, by the files beside their journals."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.events import SessionStarted
from dualgate.core.values.specification import Plan, starting_states
from dualgate.core.values.team import Lineup
from dualgate.core.values.vocabulary import Workflow
from dualgate.store.codec import pack
from dualgate.store.earlier import earlier_sessions, size_of
from dualgate.store.projections import rebuild
from dualgate.store.reading import read_journal
from dualgate.testing import a_spec, a_start

RECORDED = Path(__file__).parent.parent / "data" / "journals" / "format2"


def keep(folder: Path, name: str, criteria: int = 2, agent: str = "claude", written: bool = True) -> Path:
    """Keep a recorded session, as one of this agent with this many criteria."""
    first, *rest = read_journal(RECORDED / name)
    assert isinstance(first.event, SessionStarted)
    states = starting_states(a_spec(criteria).criteria) if criteria else ()
    started = replace(first.event, criteria=states, lineup=Lineup(every=(agent,)))
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(
        b"".join(pack(replace(each, before="")) for each in (replace(first, event=started), *rest))
    )
    if written:
        rebuild(folder)
    return folder


def test_completed_sessions_of_the_folder_and_its_archive_count(tmp_path: Path) -> None:
    keep(tmp_path / "s", "resumed", 3)
    keep(tmp_path / "s" / "archive" / "a", "rejected", 5, "codex")
    keep(tmp_path / "s" / "archive" / "b", "halted")

    found = earlier_sessions(tmp_path / "s")

    assert [(each.agent, each.size, each.workflow) for each in found] == [
        ("claude", 3, Workflow.TDD),
        ("codex", 5, Workflow.TDD),
    ]
    assert [(each.calls, each.tokens, each.cost_usd) for each in found] == [(8, None, None), (8, None, None)]


@pytest.mark.parametrize("content", [b"", b"{", b'{"seq": 1}', b"\xff"])
def test_a_session_whose_files_are_broken_is_left_out(tmp_path: Path, content: bytes) -> None:
    folder = keep(tmp_path / "s", "resumed")
    (folder / "loop-state.json").write_bytes(content)

    assert earlier_sessions(folder) == []


def test_a_session_without_files_or_without_criteria_is_left_out(tmp_path: Path) -> None:
    keep(tmp_path / "s", "resumed", written=False)
    keep(tmp_path / "s" / "archive" / "a", "rejected", 0)
    (tmp_path / "s" / "archive" / "empty").mkdir()

    assert earlier_sessions(tmp_path / "s") == []
    assert earlier_sessions(tmp_path / "nothing") == []


def test_the_size_of_a_task_list_is_that_of_its_open_tasks() -> None:
    plan = Plan(open=("a", "b"), done=("c",))

    assert size_of(a_start(workflow=Workflow.RALPH, plan=plan)) == 2
    assert size_of(a_start(workflow=Workflow.RALPH)) == 0
