"""dualgate, killed at any moment of a run and of going on with it, again and again: it ends as if it had not been."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.crash.places import PHASES, Nursery, Place, a_place, check_as_if_undisturbed
from tests.crash.scale import KILLS
from tests.support import Ended

KILLS_OF_A_TEST = 10
KILLED = -9

Tell = Callable[[str, object], None]


def timed(place: Place, life: float | None = None) -> tuple[Ended, float]:
    """A run, and how long it lived."""
    begun = time.monotonic()
    ended = place.go_on(life=life)
    return ended, time.monotonic() - begun


@pytest.mark.parametrize("seed", range(-(-KILLS // KILLS_OF_A_TEST)))
def test_a_run_that_is_killed_at_any_moment_ends_as_if_it_had_not_been(
    seed: int, tmp_path: Path, plain_nursery: Nursery, record_property: Tell
) -> None:
    chance = random.Random(seed)
    _, longest = timed(a_place(tmp_path / "undisturbed", plain_nursery))
    left, number = min(KILLS_OF_A_TEST, KILLS - seed * KILLS_OF_A_TEST), 0
    while left:
        number += 1
        place = a_place(tmp_path / str(number), plain_nursery)
        ended, lived = timed(place, chance.uniform(0.0, longest))
        if ended.code != KILLED:
            longest = lived  # the machine has become quicker
        while ended.code == KILLED:
            left -= 1
            record_property("killed after", (place.kinds or ["nothing"])[-1])
            ended, _ = timed(place, chance.uniform(0.0, longest) if left else None)
        check_as_if_undisturbed(place, place.go_on())


def test_tests_that_are_killed_are_run_again_and_nobody_is_asked_for_that(
    tmp_path: Path, plain_nursery: Nursery
) -> None:
    place = a_place(tmp_path / "place", plain_nursery, TEST_REST="0.3")
    run = place.begin(*place.start_words)
    kill_tests(run)
    place.until(lambda kinds: "call.ended" in kinds)
    kill_tests(run)

    check_as_if_undisturbed(place, place.end())


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("phase", PHASES)
def test_a_file_that_killed_tests_left_costs_no_iteration(
    tmp_path: Path, plain_nursery: Nursery, phase: str, times: int
) -> None:
    place = a_place(tmp_path / "place", plain_nursery, TEST_REST="0.3", AGENT_REST="0.3")
    calls = PHASES.index(phase)
    run = place.begin(*place.start_words)
    place.until(lambda kinds: kinds[-1:] == ["call.started"] and kinds.count("call.ended") == calls)
    psutil.Process(run).kill()  # what is known of the tree goes with it, so every phase runs the tests again
    place.end()
    for _ in range(times):
        known = len(place.kinds)
        run = place.begin("resume", "--json")
        place.until(lambda kinds, known=known: kinds[known:] and kinds[-1] == "suite.started")  # type: ignore[misc]
        kill_with_tests(run)
        place.end()
        (place.project / "scratch.tmp").write_text("half")

    check_as_if_undisturbed(place, place.go_on())


def kill_with_tests(run: int) -> None:
    """A run, then the tests that it left."""
    tests = [child for child in psutil.Process(run).children(recursive=True) if "check.sh" in child.cmdline()]
    psutil.Process(run).kill()
    for child in tests:
        with suppress(psutil.NoSuchProcess):
            child.kill()


def kill_tests(run: int) -> None:
    """The next that it runs."""
    while True:
        for child in psutil.Process(run).children():
            with suppress(psutil.NoSuchProcess):
                if "check.sh" in child.cmdline():
                    child.kill()
                    return
