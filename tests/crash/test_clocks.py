"""A clock that is set in the middle of a run, or while nothing runs: no time is negative, no order is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.crash.places import Moment, Nursery, Place, Plan, a_place, check_as_if_undisturbed
from tests.crash.scale import CLOCK_STEPS

HOUR = 3600
JUMPS = [-3 * HOUR, 3 * HOUR]


def jump(place: Place, seconds: int, step: int) -> Plan:
    return Plan(below=place.root / "all", step=step, moment=Moment.CLOCK, value=seconds)


def check_times(place: Place) -> None:
    metrics = json.loads((place.session / "metrics.json").read_text())
    times: list[Any] = [metrics["agent_seconds"], metrics["test_seconds"]]
    times += [row[name] for row in metrics["rows"] for name in ("agent_seconds", "test_seconds")]
    times += [event["data"]["seconds"] for event in place.events() if event["kind"] == "call.ended"]
    assert min(times) >= 0
    assert max(times) < HOUR


@pytest.mark.parametrize("seconds", JUMPS)
@pytest.mark.parametrize("step", CLOCK_STEPS)
def test_a_clock_that_is_set_during_a_run_changes_nothing_about_it(
    seconds: int, step: int, tmp_path: Path, faulty_nursery: Nursery
) -> None:
    place = a_place(tmp_path / "place", faulty_nursery, TZ="Europe/Berlin")

    ended = place.go_on(plan=jump(place, seconds, step))

    check_as_if_undisturbed(place, ended)
    check_times(place)


@pytest.mark.parametrize("seconds", JUMPS)
def test_a_clock_that_is_set_while_nothing_runs_changes_nothing_about_the_session(
    seconds: int, tmp_path: Path, faulty_nursery: Nursery
) -> None:
    place = a_place(tmp_path / "place", faulty_nursery)
    died = place.go_on(plan=Plan(below=place.root / "all", step=150, moment=Moment.BEFORE))

    ended = place.go_on(plan=jump(place, seconds, 1))

    assert died.code == -9
    check_as_if_undisturbed(place, ended)
    check_times(place)
    again = place.call(*place.start_words, plan=jump(place, seconds, 1))
    ids = {session["id"] for session in place.call("sessions", "--json").lines[0]["sessions"]}
    assert (again.code, len(ids)) == (3, 2)  # its work is there already, so that no test is red
