import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dualgate.core.machine.history import apply
from dualgate.core.machine.refusals import UNSENT
from dualgate.core.machine.requests import PAUSING, RESUMED, STOPPING, Request, RequestKind
from dualgate.core.values.control import WAITING, Activity, RequestRefused
from dualgate.core.values.events import Event, SessionPaused
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Status
from dualgate.errors import Interrupted
from dualgate.store.requests import REQUESTS, Inbox, ask
from dualgate.store.screening import Screening
from dualgate.testing import NOW, a_control, a_state


class NeverSet:
    """A stop that nobody asks for, and time that passes by the clock alone."""

    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        return False


def asked(folder: Path, kind: RequestKind, text: str = "") -> Path:
    return ask(folder, Request(kind=kind, at=NOW, by="ada@host", text=text))


def recorder() -> tuple[list[Event], Callable[[Event], LoopState]]:
    events: list[Event] = []

    def record(event: Event) -> LoopState:
        events.append(event)
        state = a_state()
        for each in events:
            state = apply(state, each)
        return state

    return events, record


def test_requests_are_taken_up_until_the_session_rests_and_the_others_stay(tmp_path: Path) -> None:
    asked(tmp_path, RequestKind.GUIDE, "less")
    asked(tmp_path, RequestKind.PAUSE)
    asked(tmp_path, RequestKind.RESET)
    events, record = recorder()

    state = Inbox(folder=tmp_path).take_up(a_state(), record, lambda: NOW)

    assert [type(event).__name__ for event in events] == ["GuidanceGiven", "SessionPaused"]
    assert state.status is Status.PAUSED
    assert [path.name.rpartition("-")[2] for path in (tmp_path / REQUESTS).iterdir()] == ["reset.json"]


def test_what_is_no_file_is_no_request_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / REQUESTS).mkdir()
    os.mkfifo(tmp_path / REQUESTS / "1-pause.json")
    (tmp_path / REQUESTS / "2-pause.json").mkdir()
    events, record = recorder()

    Inbox(folder=tmp_path).take_up(a_state(), record, lambda: NOW)

    assert (events, Inbox(folder=tmp_path).asks_for(PAUSING)) == ([], False)


def test_only_the_kinds_that_are_meant_are_taken_up(tmp_path: Path) -> None:
    kept = asked(tmp_path, RequestKind.GUIDE, "less")
    events, record = recorder()

    Inbox(folder=tmp_path).take_up(a_state(), record, lambda: NOW, STOPPING)

    assert (events, kept.exists()) == ([], True)


NO_REQUESTS = [
    b"{",
    b'{"kind": "guide", "at": "2026-01-01T00:00:00Z", "by": "ada", "text": "\xff"}',
    b'{"more": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"kind": "skip-wait", "at": "2026-01-01T00:00:00", "by": "ada"}',
]


@pytest.mark.parametrize("content", NO_REQUESTS, ids=["cut off", "no UTF-8", "too deep", "no zone"])
def test_what_is_no_request_is_refused_on_record_and_taken_away(tmp_path: Path, content: bytes) -> None:
    path = asked(tmp_path, RequestKind.GUIDE)
    path.write_bytes(content)
    events, record = recorder()

    state = Inbox(folder=tmp_path).take_up(a_state(), record, lambda: NOW)

    assert [type(event) for event in events] == [RequestRefused]
    assert (state.status, path.exists()) == (Status.RUNNING, False)


def test_a_session_without_a_folder_is_asked_nothing() -> None:
    assert not Inbox().asks_for(STOPPING)
    assert Inbox().quiet_for(0, a_control())


def test_a_request_to_stop_ends_a_wait_and_others_do_not(tmp_path: Path) -> None:
    control = Inbox(folder=tmp_path).heeded(a_control())
    asked(tmp_path, RequestKind.RESET)
    asked(tmp_path, RequestKind.PAUSE)
    control.wait(0)
    control.check()
    timer = threading.Timer(0.1, asked, (tmp_path, RequestKind.PAUSE_NOW))
    timer.start()

    with pytest.raises(Interrupted):
        control.wait(60)
    with pytest.raises(Interrupted):
        control.check()
    timer.join()


def test_a_wait_between_two_calls_ends_when_anything_is_asked(tmp_path: Path) -> None:
    inbox = Inbox(folder=tmp_path)
    quiet = inbox.quiet_for(0.01, a_control())
    asked(tmp_path, RequestKind.RESET)

    assert (quiet, inbox.quiet_for(3600, a_control())) == (True, False)


def test_a_wait_is_counted_down() -> None:
    told: list[Activity] = []
    clock = iter((0.0, 0.0, 7199.2, 7300.0))

    assert Inbox().quiet_for(7200, a_control(clock=lambda: next(clock), on_activity=told.append, cancel=NeverSet()))

    assert [(each.source, each.text) for each in told] == [(WAITING, "2h left"), (WAITING, "1s left")]


def test_what_still_asks_for_an_end_when_the_run_has_ended_is_answered(tmp_path: Path) -> None:
    asked(tmp_path, RequestKind.PAUSE)
    asked(tmp_path, RequestKind.ABORT)
    kept = asked(tmp_path, RequestKind.GUIDE, "less")
    events, record = recorder()
    paused = record(SessionPaused(at=NOW, reason="user_interrupt"))

    state = Inbox(folder=tmp_path).close(paused, record, lambda: NOW)

    assert [type(event).__name__ for event in events[1:]] == ["SessionAborted", "RequestRefused"]
    assert (state.ended_by, list((tmp_path / REQUESTS).iterdir())) == (Decision.ABORTED, [kept])


def test_a_pause_that_was_asked_for_before_a_resume_does_not_stop_it(tmp_path: Path) -> None:
    asked(tmp_path, RequestKind.PAUSE)
    (tmp_path / REQUESTS / "0-pause-now.json").write_text("torn")
    kept = asked(tmp_path, RequestKind.ABORT)
    events, record = recorder()

    Inbox(folder=tmp_path).reopen(record, lambda: NOW)

    assert [event.reason for event in events if isinstance(event, RequestRefused)] == [RESUMED]
    assert list((tmp_path / REQUESTS).iterdir()) == [kept]


def test_a_wait_tells_how_much_is_left() -> None:
    told: list[tuple[str, str]] = []
    control = a_control(on_activity=lambda activity: told.append((activity.source, activity.text)))

    assert Inbox().quiet_for(0.01, control)
    assert told[0] == (WAITING, "1s left")


LOCKING = """
import sys
from pathlib import Path
from dualgate.store.senders import sent
with sent(Path(sys.argv[1]), sys.stdin.buffer.readline()):
    print("sent", flush=True)
    sys.stdin.buffer.read()
"""


def a_sender(folder: Path) -> subprocess.Popen[bytes]:
    """A process that has sent guidance, and holds the request until its input ends."""
    (folder / REQUESTS).mkdir()
    path = folder / REQUESTS / "1-guide.json"
    request = msgspec.json.encode(Request(kind=RequestKind.GUIDE, at=NOW, by="ada@host", text="less"))
    sender = subprocess.Popen([sys.executable, "-c", LOCKING, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert sender.stdin
    assert sender.stdout
    sender.stdin.write(request + b"\n")
    sender.stdin.flush()
    sender.stdout.readline()
    return sender


@pytest.mark.parametrize(("is_inside", "kinds"), [(False, ["GuidanceGiven"]), (True, ["RequestRefused"])])
def test_a_request_counts_if_the_process_that_holds_it_is_outside_of_the_run(
    tmp_path: Path, is_inside: bool, kinds: list[str]
) -> None:
    sender = a_sender(tmp_path)
    asked_about: list[int] = []

    def is_a_program_of_the_run(pid: int) -> bool:
        asked_about.append(pid)
        return is_inside

    screening = Screening(is_a_program_of_the_run, trusts=False, heard=tmp_path / "heard")
    inbox = Inbox(folder=tmp_path, screening=screening)

    assert inbox.asks_for({RequestKind.GUIDE}) is not is_inside
    sender.communicate()
    later = Inbox(folder=tmp_path, screening=Screening(lambda _: True, trusts=False, heard=tmp_path / "heard"))
    is_heard_after_a_kill = later.asks_for({RequestKind.GUIDE})
    events, record = recorder()
    inbox.take_up(a_state(), record, lambda: NOW)

    assert (asked_about, is_heard_after_a_kill) == ([sender.pid], not is_inside)
    assert [type(event).__name__ for event in events] == kinds


def test_a_request_is_refused_if_its_sender_ends_while_the_run_looks_at_it(tmp_path: Path) -> None:
    sender = a_sender(tmp_path)

    def looks_in_vain(pid: int) -> bool:
        sender.communicate()
        return False

    inbox = Inbox(folder=tmp_path, screening=Screening(looks_in_vain, trusts=False))

    assert [refusal.reason for refusal in inbox.refusals(NOW)] == [UNSENT]


def test_a_file_that_no_process_sent_is_refused_once_programs_run(tmp_path: Path) -> None:
    screening = Screening(lambda _: False, trusts=True)
    inbox = Inbox(folder=tmp_path, screening=screening)
    asked(tmp_path, RequestKind.GUIDE, "sent before the run")
    assert inbox.asks_for({RequestKind.GUIDE})
    forged = asked(tmp_path, RequestKind.SKIP, "RED")

    (refusal,) = inbox.refusals(NOW)
    events, record = recorder()
    inbox.take_up(a_state(), record, lambda: NOW)

    assert (refusal.request, refusal.inside, refusal.reason, forged.exists()) == ("skip RED", True, UNSENT, False)
    assert [type(event).__name__ for event in events] == ["GuidanceGiven"]


@pytest.mark.parametrize("content", NO_REQUESTS, ids=["cut off", "no UTF-8", "too deep", "no zone"])
def test_what_is_no_request_and_no_person_sent_is_refused_and_taken_away(tmp_path: Path, content: bytes) -> None:
    inbox = Inbox(folder=tmp_path, screening=Screening(lambda _: True, trusts=False))
    path = asked(tmp_path, RequestKind.PAUSE)
    path.write_bytes(content)

    (refusal,) = inbox.refusals(NOW)

    assert (refusal.reason, path.exists()) == (UNSENT, False)


@pytest.mark.parametrize("content", NO_REQUESTS, ids=["cut off", "no UTF-8", "too deep", "no zone"])
def test_a_resume_takes_away_what_is_no_request_to_pause(tmp_path: Path, content: bytes) -> None:
    path = asked(tmp_path, RequestKind.PAUSE)
    path.write_bytes(content)
    events, record = recorder()

    Inbox(folder=tmp_path).reopen(record, lambda: NOW)

    assert (events, path.exists()) == ([], False)


def test_a_request_of_the_run_itself_passes_while_one_that_nobody_sent_does_not(tmp_path: Path) -> None:
    inbox = Inbox(folder=tmp_path, screening=Screening(lambda _: True, trusts=False))
    inbox.put(Request(kind=RequestKind.PAUSE, at=NOW, by="ada@host", origin="/dev/pts/1"))
    asked(tmp_path, RequestKind.GUIDE, "forged")
    events, record = recorder()

    state = inbox.take_up(a_state(), record, lambda: NOW)

    assert (state.status, len(events)) == (Status.PAUSED, 1)
    assert [refused.request for refused in inbox.refusals(NOW)] == ["guide forged"]


def test_a_request_of_the_run_itself_does_not_pass_once_it_was_changed(tmp_path: Path) -> None:
    inbox = Inbox(folder=tmp_path, screening=Screening(lambda _: True, trusts=False))
    inbox.put(Request(kind=RequestKind.GUIDE, at=NOW, by="ada@host", text="use a list"))
    (path,) = (tmp_path / REQUESTS).iterdir()
    path.write_bytes(path.read_bytes().replace(b"use a list", b"cheat"))
    events, record = recorder()

    inbox.take_up(a_state(), record, lambda: NOW)
    inbox.take_up(a_state(), record, lambda: NOW)

    assert [type(event).__name__ for event in events] == ["RequestRefused"]
