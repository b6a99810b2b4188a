"""Two programs that want one work tree at once, again and again: one has it, the other says who does."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.crash.places import PATIENCE, Nursery, Place, a_place, check_as_if_undisturbed
from tests.crash.scale import RACES

SLOW = {"AGENT_REST": "60"}

Tell = Callable[[str, object], None]


def raced(racers: list[Place]) -> tuple[str, str, list[int]]:
    """Let both begin at once and stop the one that goes on: what the other was told, who was owner, both codes."""
    processes = [racer.begin(*(("resume",) if racer.has_session else racer.start_words)) for racer in racers]
    refused = first_to_end(racers)
    winner = 1 - refused
    told = racers[refused].end()
    racers[winner].until(lambda kinds: kinds[-1:] == ["call.started"])
    os.kill(processes[winner], signal.SIGTERM)
    return told.err, f"process {processes[winner]}, since ", [told.code, racers[winner].end().code]


def first_to_end(racers: list[Place]) -> int:
    """Which one has said why it does not go on."""
    deadline = time.monotonic() + PATIENCE
    while True:
        told = [(racer.root / f"err{racer.name}").read_text() for racer in racers]
        for number, text in enumerate(told):
            if "Watch it with" in text:
                return number
        assert time.monotonic() < deadline, told
        time.sleep(0.01)


def test_of_two_that_begin_at_once_one_is_owner_and_the_other_says_who(
    tmp_path: Path, plain_nursery: Nursery, record_property: Tell
) -> None:
    place = a_place(tmp_path / "place", plain_nursery)
    other = Nursery(spawner=plain_nursery.spawner)
    racers = [
        replace(place, name="one", variables=SLOW),
        replace(place, name="other", variables=SLOW, nursery=other),
    ]
    for _ in range(RACES):
        told, owner, codes = raced(racers)

        assert (codes, owner in told) == ([6, 130], True), told
        assert "Watch it with 'dualgate status' or 'dualgate log'; 'dualgate pause' stops it" in told
        record_property("raced", "one owner, one refused")
    check_as_if_undisturbed(place, place.go_on())
