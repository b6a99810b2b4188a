"""The part of an agent's own limits that stays for the person."""

from datetime import UTC, datetime, timedelta

import pytest

from dualgate.core.queue.needs import Needs
from dualgate.core.queue.planning import Policy, plan
from dualgate.core.queue.reserve import kept_for_person
from dualgate.core.values.answer import LimitUse
from dualgate.core.values.limit_report import LimitReport
from dualgate.core.values.queue import Job, JobState
from dualgate.core.values.replacing import replace

NOW = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)
SOON, LATER = NOW + timedelta(hours=1), NOW + timedelta(days=3)


def report(*used: float, at: datetime = NOW, until: datetime | None = SOON) -> LimitReport:
    return LimitReport(at=at, use=tuple(LimitUse(window="five_hour", used=each, resets_at=until) for each in used))


def a_job(name: str, agent: str = "claude", state: JobState = JobState.RUNNING, **reports: LimitReport) -> Job:
    return Job(id=name, spec=f"{name}.md", number=1, agent=agent, state=state, reports=reports)


@pytest.mark.parametrize(
    ("found", "percent", "is_kept"),
    [
        (report(0.81), 20, True),
        (report(0.80), 20, False),
        (report(1.2), 20, True),
        (report(0.81), 0, False),
        (report(0.2, 0.9), 20, True),
        (report(0.9, until=NOW), 20, False),
        (report(0.9, until=None), 20, False),
    ],
)
def test_a_limit_is_kept_for_the_person_once_its_used_share_exceeds_the_rest(
    found: LimitReport, percent: int, is_kept: bool
) -> None:
    assert bool(kept_for_person([a_job("a", claude=found)], percent, "", NOW)) is is_kept


def test_the_newest_report_of_an_agent_counts_and_the_limit_that_ends_last() -> None:
    old = a_job("a", state=JobState.PROVEN, claude=report(0.95, at=NOW - timedelta(hours=1)))
    new = a_job("b", claude=report(0.3))
    both = LimitReport(at=NOW, use=(*report(0.9).use, *report(0.9, until=LATER).use, *report(0.9).use))

    assert kept_for_person([old, new], 20, "", NOW) == {}
    assert kept_for_person([new, old], 20, "", NOW) == {}
    assert kept_for_person([a_job("c", claude=both)], 20, "", NOW)["claude"].until == LATER


def test_an_agent_that_took_over_counts_by_its_own_name_and_one_without_a_name_for_all() -> None:
    fallen = a_job("a", codex=report(0.9))
    unnamed = a_job("b", agent="", claude=report(0.9))

    assert kept_for_person([fallen], 20, "", NOW).keys() == {"codex"}
    with_model = replace(fallen, reports={"claude:opus": report(0.9)})
    assert kept_for_person([with_model], 20, "", NOW).keys() == {"claude"}
    assert kept_for_person([unnamed], 20, "", NOW).keys() == {""}
    assert kept_for_person([unnamed], 20, "claude", NOW).keys() == {"claude"}


def test_jobs_of_that_agent_wait_until_the_limit_resets_and_those_that_run_are_paused() -> None:
    jobs = [
        a_job("done", state=JobState.PROVEN, claude=report(0.85)),
        a_job("runs"),
        a_job("next", state=JobState.QUEUED),
        a_job("other", agent="codex", state=JobState.QUEUED),
    ]

    found = plan(jobs, Needs(), Policy(jobs=2, reserve=20), NOW, ["runs"])

    assert (found.start, found.hold, found.next_at) == (("other",), ("runs",), SOON)
    assert found.waiting == {
        "next": "waits: 85% of the agent's limit five_hour is used; the rest is your reserve until "
        "2026-01-01T23:00+00:00"
    }
    assert plan(jobs, Needs(), Policy(jobs=3, reserve=20), SOON, ["runs"]).start == ("next", "other")
    assert plan(jobs, Needs(), Policy(jobs=3), NOW, ["runs"]).start == ("next", "other")
