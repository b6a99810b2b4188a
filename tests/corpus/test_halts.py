"""Every cause of a halt, and every command that is offered after it: each is executed as it is printed."""

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dualgate.core.gates.halts import HALTS, decision_of
from dualgate.core.values.events import (
    Event,
    SessionAborted,
    SessionFailed,
    SessionHalted,
    SessionPaused,
    SessionReset,
    SessionResumed,
)
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import HaltCause, WayOn
from dualgate.session.own import append_events
from dualgate.testing import NOW, a_host
from tests.conftest import CALL_LIMIT, SPEC
from tests.loop.scripts import DOCUMENT, GREEN, RED, REFACTOR, REVIEW
from tests.spawner import Spawner
from tests.support import Ended

BLOCKED = '[[turn]]\nphase = "QA"\nclaims = "blocked"\nrecommendation = "I need a licence key"\n'
SCRIPT = RED + GREEN + REFACTOR + DOCUMENT + BLOCKED * 2 + REVIEW
RAISES = {
    HaltCause.BUDGET: "dualgate resume --max-cost 4",
    HaltCause.FULL_HOUR: "dualgate resume --max-calls-per-hour off",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A project with a session that halted in QA, and a copy of both as they were then."""

    root: Path
    kept: Path
    environment: dict[str, str]
    spawner: Spawner

    @property
    def project(self) -> Path:
        return self.root / "doubling"

    @property
    def session(self) -> Path:
        return self.root / "home" / ".bp-sessions" / "doubling"

    def call(self, *words: str) -> Ended:
        return self.spawner.call(words, self.project, self.environment, CALL_LIMIT)

    def restore(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.kept, self.root, symlinks=True)

    def halt(self, cause: HaltCause) -> None:
        """Bring the session to a halt of this cause, by the event that a run writes then."""

        def events(state: LoopState) -> tuple[Event, ...]:
            resumed = SessionResumed(at=NOW, by="ada", limits=state.limits)
            match cause:
                case HaltCause.RESET:
                    return (SessionReset(at=NOW, by="ada", returns=True),)
                case HaltCause.ABORTED:
                    return (resumed, SessionPaused(at=NOW, reason="manual"), SessionAborted(at=NOW, by="ada"))
                case HaltCause.ENVIRONMENT:
                    return (resumed, SessionFailed(at=NOW, reason="the disk is full"))
                case _:
                    reason, way_on = f"QA: {HALTS[cause].when}", RAISES.get(cause, "")
                    halted = SessionHalted(
                        at=NOW, decision=decision_of(cause), reason=reason, cause=cause, way_on=way_on
                    )
                    return (resumed, halted)

        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", self.environment["HOME"])  # where the seal of the journal is
            append_events(a_host(self.project, self.environment), self.session, events)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, spawner: Spawner) -> House:
    root = tmp_path_factory.mktemp("halts") / "house"
    kept = root.with_name("kept")
    project = root / "doubling"
    (project / "tests").mkdir(parents=True)
    (project / "SPEC.md").write_text(SPEC)
    (project / "conftest.py").write_text("")
    (project / "tests" / "test_old.py").write_text("def test_old():\n    assert True\n")
    (root / "home").mkdir()
    (root / "script.toml").write_text(SCRIPT)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(root / "home"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "DUALGATE_TEST_COMMAND": f"{sys.executable} -m pytest -q",
        "DUALGATE_RETRY_DELAY": "0",
        "DUALGATE_SENSITIVITY": "off",
    }
    made = House(root=root, kept=kept, environment=environment, spawner=spawner)
    ended = made.call("run", "SPEC.md", "--agent", f"rehearsal:{root / 'script.toml'}")
    assert ended.code == 4, ended
    assert "halted in QA after 2 iterations: I need a licence key" in ended.out
    shutil.copytree(root, kept, symlinks=True)
    return made


DECISIONS = {WayOn.APPROVE, WayOn.REJECT, WayOn.ANSWER}
"""Offered only while something waits for a person; tests/loop/test_approvals.py executes them."""
WAYS = [(cause, way) for cause, halt in HALTS.items() for way in halt.ways if way not in DECISIONS]


@pytest.mark.parametrize("cause", [HaltCause.QUESTION, HaltCause.AMENDMENT], ids=lambda value: value.value)
def test_no_decision_is_offered_where_nothing_waits_for_one(house: House, cause: HaltCause) -> None:
    house.restore()
    house.halt(cause)

    ways = {each["way"] for each in house.call("status", "--json").lines[0]["next"]}

    assert ways == {way.value for way in HALTS[cause].ways} - DECISIONS


@pytest.mark.parametrize(("cause", "way"), WAYS, ids=lambda value: value.value)
def test_every_command_that_is_offered_after_a_halt_works(house: House, cause: HaltCause, way: WayOn) -> None:
    house.restore()
    house.halt(cause)
    shown = house.call("status", "--json").lines[0]
    (command,) = [each["command"] for each in shown["next"] if each["way"] == way]
    assert command in house.call("status").out
    assert shown["halt"]["cause"] == cause

    # nobody is at a terminal to answer the question of skip
    ended = house.call(*shlex.split(command)[1:], *(["--yes"] if way is WayOn.SKIP else []))

    after = house.call("status", "--json").lines[0]
    assert (ended.code, after["status"], after["proven"]) == EXPECTED[way], ended
    if way is WayOn.START:
        assert after["session_id"] != shown["session_id"]
    if way is WayOn.GUIDE:
        assert after["guidance"] == ["TEXT"]


EXPECTED = {
    **dict.fromkeys((WayOn.RESUME, WayOn.RESET, WayOn.GUIDE, WayOn.RAISE), (0, "completed", True)),
    WayOn.SKIP: (7, "completed", False),
    WayOn.ABORT: (0, "halted", False),
    # the work is there already, so no new test of the script fails in RED
    WayOn.START: (3, "halted", False),
}
"""Exit code, status and proof after each way: the review approves when it is asked again."""
