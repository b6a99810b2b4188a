"""A run that is killed at a line of its journal goes on where it was: nothing is lost, done twice or counted twice."""

from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Dying
from tests.crash.scale import IS_LONG
from tests.loop.scripts import REST
from tests.loop.test_amendments import FILING, REVIEWED, WRONG
from tests.support import Dualgate

PHASES = ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]
WAYS = ("before", "after", "torn")
EVERY_MOMENT = [(number, way) for number in range(2, 39) for way in WAYS]
# GREEN ends with event 22, and the phases after it repeat its steps; a torn line leaves what is there before it
SOME = [(number, way) for number, way in EVERY_MOMENT if way == WAYS[number % 3] or (number <= 22 and way != "torn")]
MOMENTS = EVERY_MOMENT if IS_LONG else SOME


def counted(dualgate: Dualgate) -> Counter[str]:
    return Counter(line["kind"] for line in dualgate("log", "--json").lines)


@pytest.mark.parametrize(("number", "moment"), MOMENTS)
def test_a_run_that_dies_at_any_step_ends_as_if_it_had_not(
    dying: Dying, dualgate: Dualgate, project: Path, number: int, moment: str
) -> None:
    code = dying(number, moment)

    ended = dualgate("resume", "--json")

    assert code == -9
    assert (ended.code, "is incomplete, as a crash leaves it" in ended.err) == (0, moment == "torn")
    assert len(ended.err.splitlines()) == (moment == "torn")
    result = ended.lines[-1]
    assert (result["status"], result["proven"], result["phases_completed"]) == ("completed", True, PHASES)
    kinds = counted(dualgate)
    assert (kinds["call.ended"], kinds["turn.ended"], kinds["baseline.taken"]) == (5, 5, 1)
    assert kinds["call.started"] == result["agent_calls"] == 5 + kinds["call.interrupted"]
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"
    assert result["touched"]["person"] == []


AMENDING = [(number, WAYS[number % 3]) for number in range(15, 27)]


@pytest.mark.parametrize(("number", "moment"), AMENDING)
def test_an_amendment_that_is_cut_off_is_not_filed_again(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path, number: int, moment: str
) -> None:
    script = tmp_path / "script.toml"
    script.write_text(WRONG + FILING + REST)
    dying(number, moment, "run", "SPEC.md", "--agent", f"rehearsal:{script}", *REVIEWED)

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[0]["amendment"]["outcome"]) == (0, "accepted")
    events = dualgate("log", "--json").lines
    started = [event["data"]["number"] for event in events if event["kind"] == "call.started"]
    interrupted = [event["data"]["number"] for event in events if event["kind"] == "call.interrupted"]
    assert started == list(range(1, 7 + len(interrupted)))
    assert (ended.lines[-1]["agent_calls"], counted(dualgate)["amendment.decided"]) == (len(started), 1)
    assert "check(double(2), 4)" in (project / "tests" / "test_double.py").read_text()
    assert ended.lines[-1]["touched"]["person"] == []
