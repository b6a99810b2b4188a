"""Whole stops, with a verification that is handed in."""

import json
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.verification import Verification
from dualgate.errors import SuiteUnusable
from dualgate.hooks.answers import HOSTS, SILENT
from dualgate.hooks.starting import remember_start
from dualgate.hooks.stopping import BUDGETS, Engine, answer_stop
from dualgate.hooks.time_limit import OutOfTime, limited
from dualgate.store.hook_records import held, record_of, write_record
from tests.hooks.conftest import git
from tests.hooks.findings import REGRESSED, verification

BLOCK = {"claude": "block", "codex": "block", "gemini": "deny", "copilot": "block"}


@dataclass
class Verified:
    """An engine that remembers what it was asked."""

    found: Verification
    asked: list[tuple[Path, str, float]] = field(default_factory=list)

    def __call__(self, project: Path, base: str, budget: float) -> Verification:
        self.asked.append((project, base, budget))
        return self.found

    @property
    def engine(self) -> Engine:
        return Engine(verify=self)


def stop(root: Path, message: str = "Done.", **more: Any) -> dict[str, Any]:
    return {"session_id": "s", "cwd": str(root), "last_assistant_message": message, **more}


def change(root: Path, text: str = "two = 2\n") -> None:
    (root / "code.py").write_text(text)


@pytest.mark.parametrize("host", HOSTS)
def test_refused_work_is_sent_back_in_the_protocol_of_the_host(
    host: str, repository: Path, home: dict[str, str]
) -> None:
    change(repository)
    said = json.loads(answer_stop(host, stop(repository), home, Verified(verification(REGRESSED)).engine))

    assert said.keys() == {"decision", "reason"}
    assert said["decision"] == BLOCK[host]
    assert "tests/test_a.py::test_x" in said["reason"]


@pytest.mark.parametrize("host", HOSTS)
def test_verified_work_is_answered_in_silence_and_verified_once(
    host: str, repository: Path, home: dict[str, str]
) -> None:
    change(repository)
    verified = Verified(verification())
    first, second = (answer_stop(host, stop(repository), home, verified.engine) for _ in range(2))

    assert (first, second, len(verified.asked)) == (SILENT[host], SILENT[host], 1)
    assert verified.asked[0] == (repository, "", BUDGETS[host])


def test_the_base_is_the_commit_at_which_the_session_began(repository: Path, home: dict[str, str]) -> None:
    remember_start({"session_id": "s", "cwd": str(repository)}, home)
    began = git(repository, "rev-parse", "HEAD")
    change(repository)
    git(repository, "commit", "-qam", "work on main itself")
    remember_start({"session_id": "s", "cwd": str(repository), "source": "resume"}, home)
    verified = Verified(verification(REGRESSED))
    said = answer_stop("claude", stop(repository), home, verified.engine)

    assert verified.asked[0][1] == began
    assert '"block"' in said


def test_a_session_that_changed_nothing_is_not_verified(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    remember_start({"session_id": "s", "cwd": str(repository)}, home)
    verified = Verified(verification(REGRESSED))

    assert answer_stop("claude", stop(repository), home, verified.engine) == ""
    assert verified.asked == []


UNSEEN: list[dict[str, Any]] = [
    {"message": "Which of them do you want?"},
    {"permission_mode": "plan"},
    {"background_tasks": [{"id": "b1", "status": "running"}]},
]


@pytest.mark.parametrize("more", UNSEEN)
def test_questions_plans_and_background_work_are_let_go(
    more: dict[str, Any], repository: Path, home: dict[str, str]
) -> None:
    change(repository)
    verified = Verified(verification(REGRESSED))
    first = answer_stop("claude", stop(repository, **more), home, verified.engine)
    then = answer_stop("claude", stop(repository), home, verified.engine)

    assert (first, len(verified.asked)) == ("", 1)
    assert '"block"' in then


def test_nothing_happens_in_a_repository_that_did_not_opt_in(plain_repository: Path, home: dict[str, str]) -> None:
    change(plain_repository)
    verified = Verified(verification(REGRESSED))
    remember_start({"session_id": "s", "cwd": str(plain_repository)}, home)

    assert answer_stop("claude", stop(plain_repository), home, verified.engine) == ""
    assert verified.asked == []
    assert list(Path(home["HOME"]).iterdir()) == []


def test_an_agent_cannot_opt_out_or_walk_away_during_its_session(
    repository: Path, home: dict[str, str], tmp_path: Path
) -> None:
    remember_start({"session_id": "s", "cwd": str(repository)}, home)
    change(repository)
    (repository / ".claude" / "settings.json").unlink()
    said = answer_stop("claude", stop(tmp_path), home, Verified(verification(REGRESSED)).engine)

    assert '"block"' in said


def test_two_blocks_at_most_then_the_person_reads_that_it_is_not_proven(repository: Path, home: dict[str, str]) -> None:
    verified, said = Verified(verification(REGRESSED)), []
    for number in range(4):
        change(repository, f"n = {number}\n")
        said.append(json.loads(answer_stop("claude", stop(repository, f"Done {number}."), home, verified.engine)))

    assert [each.get("decision") for each in said] == ["block", "block", None, None]
    assert said[2]["systemMessage"].startswith("dualgate: not proven.")


def test_the_same_tree_is_never_sent_back_twice(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    engine = Verified(verification(REGRESSED)).engine
    messages = ("Done.", "Done.", "It is done.", "Really done.")
    said = [answer_stop("claude", stop(repository, each), home, engine) for each in messages]

    assert '"block"' in said[0]
    assert said[1] == ""  # a second hook of the same stop
    assert json.loads(said[2])["systemMessage"].startswith("dualgate: not proven. tests/test_a.py::test_x")
    assert said[3] == ""


def test_a_second_hook_of_a_stop_that_is_being_verified_is_silent(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    verified = Verified(verification(REGRESSED))
    with held(record_of("s", home)):
        said = [answer_stop(host, stop(repository), home, verified.engine) for host in ("claude", "copilot")]

    assert (said, verified.asked) == ([SILENT["claude"], SILENT["copilot"]], [])


def test_two_hosts_that_fire_for_one_stop_send_it_back_once(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    engine = Verified(verification(REGRESSED)).engine
    copilot = {"sessionId": "s", "cwd": str(repository), "timestamp": 1}
    compatible = {"session_id": "s", "cwd": str(repository), "hook_event_name": "Stop"}

    assert '"block"' in answer_stop("copilot", copilot, home, engine)
    assert answer_stop("claude", compatible, home, engine) == ""


def _fails(project: Path, base: str, budget: float) -> Verification:
    raise SuiteUnusable("The tests cannot be run.", "Install pytest.")


def _late(project: Path, base: str, budget: float) -> Verification:
    raise OutOfTime("late")


def test_work_that_cannot_be_verified_in_time_is_let_go_with_a_note(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    said = answer_stop("copilot", stop(repository), home, Engine(verify=_late), budget=7)

    assert json.loads(said) == {
        "decision": "allow",
        "reason": "dualgate: not proven. Verifying took longer than 7 s; run: dualgate verify",
    }


def test_the_next_stop_after_an_error_is_verified_again(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    with pytest.raises(SuiteUnusable):
        answer_stop("claude", stop(repository), home, Engine(verify=_fails))

    assert '"block"' in answer_stop("claude", stop(repository), home, Verified(verification(REGRESSED)).engine)


def test_a_limit_stops_work_and_breaks_off_what_does_not_stop() -> None:
    with limited(0.01, cleaning=60) as limit:
        limit.stop.wait()
    with pytest.raises(OutOfTime), limited(0.01):
        _forever()

    assert limit.is_over


def _forever() -> None:
    while True:
        pass


def test_no_alarm_comes_while_work_that_was_broken_off_unwinds() -> None:
    before = signal.getsignal(signal.SIGALRM)

    with pytest.raises(OutOfTime), limited(0.001, cleaning=0.0001):
        _forever_and_slow_to_end()

    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) == (before, (0.0, 0.0))


def _forever_and_slow_to_end() -> None:
    try:
        _forever()
    finally:
        unwound_at = time.monotonic() + 0.05
        while time.monotonic() < unwound_at:
            pass


NO_SESSION: list[Callable[[Path], dict[str, Any]]] = [
    lambda root: {"cwd": str(root)},
    lambda root: {"cwd": str(root), "session_id": None},
    lambda root: {"cwd": str(root), "session_id": 7},
]


@pytest.mark.parametrize("made", NO_SESSION)
def test_a_payload_without_a_session_is_let_go_with_a_note(
    made: Callable[[Path], dict[str, Any]], repository: Path, home: dict[str, str]
) -> None:
    verified = Verified(verification(REGRESSED))

    assert "names no session" in answer_stop("claude", made(repository), home, verified.engine)
    assert verified.asked == []


def test_a_record_with_wrong_types_is_read_as_far_as_it_goes(repository: Path, home: dict[str, str]) -> None:
    change(repository)
    write_record(record_of("s", home), {"root": str(repository), "base": 7, "blocks": "many", "told": [1], "x": 1})
    verified = Verified(verification(REGRESSED))

    assert '"block"' in answer_stop("claude", stop(repository), home, verified.engine)
    assert verified.asked[0][1] == ""
