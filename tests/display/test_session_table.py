"""The table of `status --all` and `sessions`."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from dualgate.core.record.metrics import Figures
from dualgate.core.record.session_state import Standing
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.vocabulary import BreakerState, Phase, Status, Workflow
from dualgate.display.lines import Tone
from dualgate.display.session_table import WIDE, ago, table_lines
from dualgate.testing import NOW
from tests.display.displays import WIDTHS, drawn, require_same

FIGURES = Figures(
    status=Status.RUNNING,
    phase=Phase.GREEN,
    iteration=3,
    percent=32,
    workflow=Workflow.TDD,
    proven=False,
    self_reviewed=False,
    halted_by=None,
    tests=CaseCounts(passing=455, failing=3),
    breaker=BreakerState.CLOSED,
    agent="claude:opus",
    calls=7,
    iterations=5,
    tokens=1_234_567,
    cost_usd=12.5,
    calls_without_cost=0,
    agent_seconds=1.0,
    test_seconds=1.0,
    last_activity=NOW,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str = "a1b2c3d4-e5f6-4890-abcd-ef1234567890"
    archived: bool = False
    project: str = "/home/ada/code/inflection"
    worktree_of: str = ""
    specification: str = "docs/specs/pluralise-irregular-nouns.md"
    standing: Standing = Standing.RUNNING
    figures: Figures | None = FIGURES
    last_activity: datetime | None = NOW
    waits_for_approval: bool = False
    problem: str = ""


UNKNOWN = replace(FIGURES, cost_usd=None, tokens=None)
DAMAGED = "journal.jsonl:3: damaged"
ROWS = (
    Row(),
    Row(id="deadbeef", standing=Standing.DIED, project="/code/特性", figures=UNKNOWN),
    Row(id="0badcafe", standing=Standing.HALTED, archived=True),
    Row(id="00000000", standing=Standing.UNREADABLE, figures=None, last_activity=None, problem=DAMAGED),
)
LATER = NOW + timedelta(minutes=12)


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_table_of_all_sessions(columns: int) -> None:
    require_same("sessions", table_lines(ROWS, LATER, columns, with_projects=True), columns)


def test_running_sessions_and_dead_ones_stand_out() -> None:
    lines = table_lines(ROWS[:3], LATER, WIDE, with_projects=False)

    assert [line.tone for line in lines] == [Tone.QUIET, Tone.GOOD, Tone.BAD, Tone.BAD]
    assert lines[0].text.split()[:3] == ["ID", "state", "spec"]


@pytest.mark.parametrize("columns", range(60, 200))
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    lines = table_lines(ROWS, LATER, columns, with_projects=True)

    assert len(drawn(lines, columns).splitlines()) == len(lines)
    assert all("a1b2c3d4" in line.text for line in lines[1:2])


def test_hostile_names_steer_nothing() -> None:
    name = "\x1b[31m/evil\nrow\u202e"
    hostile = Row(project=name, specification=name, figures=replace(FIGURES, agent=name))

    for columns in WIDTHS:
        assert all(sign.isprintable() for line in table_lines([hostile], NOW, columns, True) for sign in line.text)


AGES = [(0, "0s ago"), (59, "59s ago"), (60, "1m ago"), (7199, "1h ago"), (200_000, "2d ago"), (-5, "0s ago")]


@pytest.mark.parametrize(("seconds", "text"), AGES)
def test_the_time_since_the_last_event(seconds: int, text: str) -> None:
    assert ago(NOW, NOW + timedelta(seconds=seconds)) == text


def test_a_session_in_a_worktree_names_its_repository_first() -> None:
    row = Row(project="/home/ada/code/shop.worktrees/csv-export", worktree_of="/home/ada/code/shop")

    assert any("shop: csv-export" in line.text for line in table_lines([row], LATER, 240, True))
