"""A session that is resumed and paused without end: it counts right, and nothing of it grows but the journal."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.crash.places import PHASES, Nursery, Place, a_place
from tests.crash.scale import CYCLES

LINES_OF_A_CYCLE = ["session.resumed", "session.paused"]
BYTES_OF_A_CYCLE = 4096

Tell = Callable[[str, object], None]


def paused_while_it_waits(place: Place) -> None:
    """Resume the session, and pause it as soon as it says that it goes on."""
    length = len(journal(place).splitlines())
    run = place.begin(*(("resume", "--json") if length else place.start_words))
    is_waiting = b"session.resumed" if length else b"turn.ended"
    while not any(is_waiting in line for line in journal(place).splitlines()[length:]):
        time.sleep(0.005)
    os.kill(run, signal.SIGTERM)
    assert place.end().code == 130


def journal(place: Place) -> bytes:
    path = place.session / "journal.jsonl"
    return path.read_bytes() if path.exists() else b""


def files(place: Place) -> list[str]:
    """All that is kept for this home, but for what the database keeps beside itself while it is open."""
    found = (path for path in (place.root / "all" / "home").rglob("*") if path.is_file())
    return sorted(str(path) for path in found if not path.name.endswith(("-wal", "-shm")))


def test_a_session_that_is_paused_and_resumed_without_end_stays_as_it_is(
    tmp_path: Path, plain_nursery: Nursery, record_property: Tell
) -> None:
    place = a_place(tmp_path / "place", plain_nursery)
    waiting = replace(place, variables={"AGENT_FAILS": "1", "DUALGATE_RETRY_DELAY": "100000"})
    paused_while_it_waits(waiting)
    kept, lines = files(place), len(place.kinds)
    spent = []
    for _ in range(CYCLES):
        begun = time.monotonic()
        paused_while_it_waits(waiting)
        spent.append(time.monotonic() - begun)
    kept_before_going_on = files(place)

    ended = place.call("resume", "--retry-delay", "0", "--json")

    cycles = journal(place).splitlines(keepends=True)[lines:][: 2 * CYCLES]
    assert place.kinds[lines:][: 2 * CYCLES] == LINES_OF_A_CYCLE * CYCLES
    assert sum(map(len, cycles)) < BYTES_OF_A_CYCLE * CYCLES
    assert kept_before_going_on == kept
    assert (ended.code, ended.lines[-1]["phases_completed"], ended.lines[-1]["agent_calls"]) == (0, PHASES, 6)
    assert place.call("replay").code == 0
    tenth = max(1, CYCLES // 10)
    early, late = (round(sorted(part)[len(part) // 2], 3) for part in (spent[:tenth], spent[-tenth:]))
    record_property("seconds of a cycle", f"early {early}, late {late}:")
