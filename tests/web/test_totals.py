"""Totals over time, and metrics for Prometheus."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from dualgate.core.record.metrics import figures_of, first_metrics
from dualgate.core.values.specification import CriterionStatus
from dualgate.core.values.vocabulary import HaltCause, Status
from dualgate.store.archive import SessionSummary
from dualgate.store.glimpse import Glimpse
from dualgate.testing import a_start, a_state
from dualgate.web.prometheus import Family, metrics_text, written
from dualgate.web.rows import SeenSession
from dualgate.web.totals import causes_of, days_of, totals_of
from tests.web.conftest import Serve

SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="(?:[^"\\\n]|\\.)*"\})? -?\d+(\.\d+)?(e[+-]\d+)?')
CRITERIA = (CriterionStatus.GREEN, CriterionStatus.MET)


def ended(at: datetime, status: Status, cost: float | None = None, cause: HaltCause | None = None) -> SeenSession:
    """A session that began and ended at one moment; a completed one is proven."""
    state = a_state(status=status, last_activity=at, halted_by=cause)
    figures = figures_of(state, first_metrics(a_start(), state)[0])
    figures = replace(figures, cost_usd=cost, proven=status is Status.COMPLETED)
    summary = SessionSummary(
        id="a",
        folder=Path("/a"),
        archived=False,
        bytes=1,
        status=status,
        proven=figures.proven,
        figures=figures,
        started=at,
        last_activity=at,
    )
    return SeenSession(summary=summary, glimpse=Glimpse(seq=1, figures=figures, criteria=CRITERIA))


NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
LATE = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
SESSIONS = [
    ended(NOON, Status.COMPLETED, 3.0),
    ended(LATE, Status.HALTED, 1.0, HaltCause.BUDGET),
    ended(NOON, Status.HALTED),
    ended(NOON, Status.RUNNING, 4.0),
]


def test_cost_for_each_proven_criterion_counts_all_that_was_spent() -> None:
    totals = totals_of(SESSIONS)

    assert (totals["cost_usd"], totals["proven_criteria"], totals["cost_per_proven_criterion"]) == (8.0, 2, 4.0)
    assert causes_of(SESSIONS) == {"budget": 1, "other": 1}
    assert totals_of([])["cost_per_proven_criterion"] is None


def test_a_session_counts_on_the_day_of_the_readers_zone() -> None:
    utc = days_of(SESSIONS, UTC, date(2026, 3, 6), 2)
    berlin = days_of(SESSIONS, ZoneInfo("Europe/Berlin"), date(2026, 3, 6), 2)

    assert [(day["date"], day["halted"]) for day in utc] == [
        ("2026-03-05", {"budget": 1, "other": 1}),
        ("2026-03-06", {}),
    ]
    assert [day["halted"] for day in berlin] == [{"other": 1}, {"budget": 1}]
    assert utc[0] == {
        "date": "2026-03-05",
        "started": 4,
        "proven": 1,
        "not_proven": 0,
        "halted": {"budget": 1, "other": 1},
        "cost_usd": 4.0,
        "proven_criteria": 2,
        "cost_per_proven_criterion": 2.0,
    }


def test_every_line_of_the_metrics_has_the_form_of_prometheus() -> None:
    lines = metrics_text(SESSIONS, 2, 7).splitlines()

    samples = [line for line in lines if not line.startswith("# ")]
    assert all(SAMPLE.fullmatch(line) for line in samples)
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(names) == len(set(names))
    assert {re.split(r"[ {]", line)[0] for line in samples} == set(names)
    assert 'dualgate_sessions{standing="halted"} 2' in lines
    assert 'dualgate_sessions_halted{cause="budget"} 1' in lines
    assert "dualgate_cost_dollars 8" in lines
    assert "dualgate_dashboard_streams 2" in lines


def test_the_number_of_metrics_does_not_grow_with_the_sessions() -> None:
    assert metrics_text(SESSIONS * 50, 0, 0).count("\n") == metrics_text([], 0, 0).count("\n")


def test_labels_are_escaped() -> None:
    family = Family(name="a", about="b", values=[({"x": 'a"b\\c\nd'}, 1)])

    assert list(written(family))[-1] == 'a{x="a\\"b\\\\c\\nd"} 1'


def test_the_metrics_are_served_as_text(recorded: Path, serve: Serve) -> None:
    answer = serve().client.get("/metrics")

    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "dualgate_iterations " in answer.text
