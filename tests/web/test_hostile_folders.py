"""Session folders that an agent or an accident filled with anything: the others are shown, and the server lives."""

import fcntl
import gzip
import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from dualgate.store.lease import LOOK_SECONDS, undisturbed
from dualgate.store.lines import JOURNAL
from dualgate.store.owners import OWNERS
from tests.support import until
from tests.web.conftest import RECORDED, Serve
from tests.web.serving import Served
from tests.web.test_sessions import name_of

BROKEN = b"broken\xff\xfe"


def folder(home: Path, name: str) -> Path:
    made = home / name
    made.mkdir()
    return made


def watches() -> int:
    """The folders that this process watches."""
    found = 0
    for each in Path("/proc/self/fdinfo").iterdir():
        try:
            found += each.read_text().count("inotify wd")
        except OSError:
            continue
    return found


def standing(served: Served) -> list[str]:
    return [row["standing"] for row in served.rows().values()]


def test_a_journal_that_is_no_file_of_events_is_shown_as_unreadable_and_tells_nothing_of_it(
    recorded: Path, serve: Serve
) -> None:
    (folder(recorded, "link") / JOURNAL).symlink_to("/etc/passwd")
    (folder(recorded, "device") / JOURNAL).symlink_to("/dev/zero")
    (folder(recorded, "folder") / JOURNAL).mkdir()
    os.mkfifo(folder(recorded, "pipe") / JOURNAL)
    (folder(recorded, "deep") / JOURNAL).write_bytes(b'{"format":2,"seq":1,"kind":' + b"[" * 100_000 + b"\n")
    served = serve()

    assert standing(served).count("unreadable") == 5
    assert "root:" not in served.client.get("/api/overview").text
    paths = ("", "/iterations", "/events", "/events/1", "/iterations/1")
    answers = [served.client.get(f"/api/sessions/{name}{path}") for name in served.rows() for path in paths]
    assert not [answer.text for answer in answers if answer.status_code >= 500]
    assert not [answer.text for answer in answers if "root:" in answer.text]


def test_a_folder_whose_name_is_no_text_is_shown_with_its_bytes_escaped(recorded: Path, serve: Serve) -> None:
    shutil.copytree(RECORDED / "amended", recorded / os.fsdecode(BROKEN))
    (folder(recorded, os.fsdecode(BROKEN + b"2")) / JOURNAL).write_text("no journal\n")

    served = serve()

    folders = [row["folder"] for row in served.rows().values()]
    assert sum(r"broken\udcff\udcfe" in each for each in folders) == 2
    for name in served.rows():
        for path in ("", "/iterations/1", "/events"):
            assert served.client.get(f"/api/sessions/{name}{path}").status_code < 500


@pytest.mark.parametrize(
    "record",
    [
        "[" * 100_000,
        json.dumps({"session": 5, "project": []}),
        json.dumps({"session": "x" * 5_000}),
        json.dumps({"session": "\0"}),
        json.dumps({"session": "\ud800"}),
        json.dumps({"session": "/"}),
    ],
)
def test_an_owner_record_of_nonsense_hides_no_session(record: str, recorded: Path, serve: Serve) -> None:
    folder(recorded, OWNERS)
    (recorded / OWNERS / "a.json").write_text(record)

    assert len(serve().rows()) == 3


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="this system does not show its watches")
def test_a_link_in_a_session_folder_does_not_use_up_the_watches_of_the_machine(
    recorded: Path, tmp_path: Path, serve: Serve
) -> None:
    for number in range(50):
        (tmp_path / "large" / str(number)).mkdir(parents=True)
    (recorded / "halted" / "calls").mkdir(exist_ok=True)
    (recorded / "halted" / "calls" / "link").symlink_to(tmp_path / "large")
    (recorded / "halted" / "archive").symlink_to(tmp_path / "large")
    before = watches()

    serve()

    until(lambda: watches() > before)
    assert watches() - before < 50


def test_a_home_that_is_deleted_and_made_again_is_watched_again(recorded: Path, serve: Serve) -> None:
    served, session = serve(), name_of(RECORDED / "halted")
    shutil.rmtree(recorded)
    until(lambda: not served.rows())

    recorded.mkdir()
    shutil.copytree(RECORDED / "halted", recorded / "halted")

    until(lambda: [*served.rows()] == [session])
    assert served.board.watcher.failure is None


@pytest.mark.skipif(os.getuid() == 0, reason="every folder is open to root")
def test_a_session_that_is_closed_to_us_is_shown_as_unreadable(recorded: Path, serve: Serve) -> None:
    (recorded / "halted").chmod(0)
    try:
        assert sorted(standing(serve())).count("unreadable") == 1
    finally:
        (recorded / "halted").chmod(0o700)


def test_a_packed_text_that_is_damaged_inside_is_not_there(recorded: Path, serve: Serve) -> None:
    calls = recorded / "halted" / "calls"
    calls.mkdir(exist_ok=True)
    packed = gzip.compress("".join(map(str, range(20_000))).encode())
    (calls / "0001-RED-answer.txt.gz").write_bytes(packed[:200] + b"\xff" * 100 + packed[300:])

    answer = serve().client.get(f"/api/sessions/{name_of(recorded / 'halted')}/calls/1/answer")

    assert answer.status_code == 404


def test_a_look_at_a_work_tree_does_not_count_as_a_run(tmp_path: Path) -> None:
    looking = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    end = threading.Timer(LOOK_SECONDS / 2, os.close, [looking])
    end.start()

    with undisturbed(tmp_path):
        end.join()
