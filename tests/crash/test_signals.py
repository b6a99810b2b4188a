"""A run that is stopped in the middle of anything pauses, and goes on to the same end."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crash.places import PHASES, Nursery, Place, a_place, check_as_if_undisturbed

SLOW = "20"
# what is slow, and how its middle is known by the events so far
MIDDLES: dict[str, tuple[str, Callable[[list[str]], bool]]] = {
    "baseline": ("TEST_REST", lambda kinds: kinds[-1:] == ["suite.started"]),
    "call": ("AGENT_REST", lambda kinds: kinds[-1:] == ["call.started"]),
}


def stopped(place: Place, number: signal.Signals, is_there: Callable[[list[str]], bool], *words: str) -> int:
    """The exit code of a run that was told to stop when it was there."""
    run = place.begin(*(words or (("resume", "--json") if place.has_session else place.start_words)))
    place.until(is_there)
    os.kill(run, number)
    return place.end().code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("middle", MIDDLES)
def test_a_stop_in_the_middle_pauses_and_the_run_ends_as_if_it_had_not_been(
    middle: str, number: signal.Signals, tmp_path: Path, plain_nursery: Nursery
) -> None:
    variable, is_there = MIDDLES[middle]
    place = a_place(tmp_path / "place", plain_nursery)

    code = stopped(replace(place, variables={variable: SLOW}), number, is_there)

    assert (code, place.kinds[-1], place.at_work()) == (130, "session.paused", [])
    check_as_if_undisturbed(place, place.go_on())


def test_a_stop_in_the_tests_of_a_turn_asks_no_agent_again(tmp_path: Path, plain_nursery: Nursery) -> None:
    place = a_place(tmp_path / "place", plain_nursery)
    stopped(replace(place, variables={"AGENT_REST": SLOW}), signal.SIGTERM, MIDDLES["call"][1])

    resumed = len(place.kinds)
    code = stopped(
        replace(place, variables={"TEST_REST": SLOW}), signal.SIGINT, lambda kinds: "suite.started" in kinds[resumed:]
    )

    assert (code, place.at_work()) == (130, [])
    check_as_if_undisturbed(place, place.go_on())


def test_what_a_person_adds_after_a_stop_is_not_the_work_of_the_call_that_was_cut_off(
    tmp_path: Path, plain_nursery: Nursery
) -> None:
    place = a_place(tmp_path / "place", plain_nursery)
    begun = replace(place, variables={"AGENT_REST": SLOW})
    run = begun.begin(*begun.start_words)
    place.until(lambda _: (place.project / "tests/ac2.t").exists())
    os.kill(run, signal.SIGTERM)
    place.end()

    (place.project / "notes.txt").write_text("mine")
    ended = place.go_on()

    (interrupted,) = [event["data"]["paths"] for event in place.events() if event["kind"] == "call.interrupted"]
    assert ended.code == 0, ended.err
    assert interrupted == ["tests/ac1.t", "tests/ac2.t"]
    assert ended.lines[-1]["touched"]["person"] == ["notes.txt"]
    assert "notes.txt" not in ended.lines[-1]["touched"]["agent"]


def test_a_stop_in_a_wait_is_heard_at_once(tmp_path: Path, plain_nursery: Nursery) -> None:
    place = a_place(tmp_path / "place", plain_nursery)
    failing = replace(place, variables={"AGENT_FAILS": "1", "DUALGATE_RETRY_DELAY": "600"})

    code = stopped(failing, signal.SIGTERM, lambda kinds: kinds[-1:] == ["turn.ended"])
    ended = place.call("resume", "--retry-delay", "0", "--json")

    assert (code, ended.code, ended.lines[-1]["phases_completed"]) == (130, 0, PHASES)
    assert ended.lines[-1]["agent_calls"] == 6


def test_the_time_of_a_rest_is_journaled_and_counts_for_no_limit(tmp_path: Path, plain_nursery: Nursery) -> None:
    place = a_place(tmp_path / "place", plain_nursery, AGENT_REST="1")
    run = place.begin(*place.start_words)
    place.until(MIDDLES["call"][1])

    os.kill(run, signal.SIGTSTP)
    time.sleep(1.5)
    os.kill(run, signal.SIGCONT)
    ended = place.end()

    rests = [event["data"]["seconds"] for event in place.events() if event["kind"] == "run.suspended"]
    assert (ended.code, len(rests), rests[0] > 1) == (0, 1, True)
