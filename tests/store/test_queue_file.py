"""The file of a queue: what is appended is kept, by whomever, and nothing else counts."""

import os
import resource
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dualgate.core.values.queue import Base, BaseMade, JobAdded, JobRemoved, JobState, JobStood, Queue, Use
from dualgate.errors import JournalDamaged, SessionLocked, StoreFailed
from dualgate.store.queue_file import QueueFile, owned_queue, queue_owner, queue_place

AT = datetime(2026, 1, 1, tzinfo=UTC)


def added(name: str) -> JobAdded:
    return JobAdded(at=AT, by="me", id=name, spec=f"{name}.md", after=("ö",))


@pytest.fixture
def file(tmp_path: Path) -> QueueFile:
    return QueueFile(queue_place(tmp_path / "project", {"HOME": str(tmp_path)}))


def test_a_queue_is_read_as_it_was_written(file: QueueFile) -> None:
    assert file.read() == Queue()

    stood = JobStood(at=AT, id="a", state=JobState.WAITING, until=AT, use=Use(calls=3, cost_usd=0.5))
    made = file.append(added("a"), stood, BaseMade(at=AT, id="a", base=Base(commit="c", conflicts=("f",))))

    assert file.read() == made
    assert made.jobs[0].use == Use(calls=3, cost_usd=0.5)


def test_the_file_is_for_its_owner_alone(file: QueueFile) -> None:
    file.append(added("a"))

    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700


def test_every_beginning_of_a_line_that_a_killed_writer_left_is_ignored_and_cut_off(file: QueueFile) -> None:
    before = file.append(added("a"))
    whole = file.path.read_bytes()
    for size in (1, len(whole) // 2, len(whole) - 1):
        file.path.write_bytes(whole + whole[:size])

        assert file.read() == before
        after = file.append(added("b"))

        assert [job.id for job in after.jobs] == ["a", "b"]
        assert file.read() == after


def test_a_damaged_line_is_named_and_nothing_is_written(file: QueueFile) -> None:
    file.append(added("a"), added("b"))
    lines = file.path.read_bytes().splitlines(keepends=True)
    for damage in (b"\xff\xfe\n", b'{"format": 1, "kind": "other", "data": {}}\n', b"{}\n"):
        file.path.write_bytes(lines[0] + damage + lines[1])

        with pytest.raises(JournalDamaged, match=r"jsonl:2: the line is no event of a queue"):
            file.append(added("c"))

        assert file.path.read_bytes() == lines[0] + damage + lines[1]


def test_a_queue_of_a_newer_program_is_left_as_it_is(file: QueueFile) -> None:
    file.append(added("a"))
    content = file.path.read_bytes().replace(b'"format":1', b'"format":2')
    file.path.write_bytes(content)

    with pytest.raises(JournalDamaged, match="a newer dualgate wrote this queue, in format 2"):
        file.append(added("b"))

    assert file.path.read_bytes() == content


def test_a_change_sees_what_another_writer_added_before(file: QueueFile) -> None:
    file.append(added("a"))

    after = QueueFile(file.path).change(lambda queue: [added("b")] if queue.jobs else [])

    assert [job.id for job in after.jobs] == ["a", "b"]


def test_a_place_that_refuses_writes_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreFailed, match="cannot be written"):
        QueueFile(tmp_path / "file" / "queue.jsonl").append(added("a"))
    with (
        pytest.raises(StoreFailed, match="cannot be written"),
        owned_queue(tmp_path / "file" / "queue.jsonl", tmp_path, {}, AT),
    ):
        pass


def test_of_two_runs_one_wins_and_the_other_is_told_who(file: QueueFile, tmp_path: Path) -> None:
    environment = {"USER": "anna"}
    assert queue_owner(file.path) is None

    with owned_queue(file.path, tmp_path, environment, AT):
        owner = queue_owner(file.path)
        with (
            pytest.raises(SessionLocked, match=rf"process {os.getpid()}, since .*, by anna@"),
            owned_queue(file.path, tmp_path, environment, AT),
        ):
            pass

    assert owner is not None
    assert owner["pid"] == os.getpid()
    assert queue_owner(file.path) is None


def test_the_lock_of_a_killed_run_is_free(file: QueueFile, tmp_path: Path) -> None:
    script = (
        "import os, sys, datetime, pathlib; from dualgate.store.queue_file import owned_queue\n"
        "with owned_queue(pathlib.Path(sys.argv[1]), pathlib.Path('/'), os.environ, datetime.datetime.now()):\n"
        "    os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(file.path)], check=False)

    assert queue_owner(file.path) is None
    with owned_queue(file.path, tmp_path, {}, AT):
        pass


def test_a_home_that_cannot_be_written_is_named_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / ".bp-sessions").write_text("in the way")
    file = QueueFile(queue_place(tmp_path / "project", {"HOME": str(tmp_path)}))

    with pytest.raises(StoreFailed) as raised:
        file.append(added("a"))

    assert "set HOME" in raised.value.next_step
    assert "PRP_SESSION_DIR" not in raised.value.next_step  # a queue refuses it


@pytest.fixture
def told(file: QueueFile) -> list[str]:
    """What a running queue tells of changes by others."""
    file.append(added("a"), added("b"))
    told: list[str] = []
    file.watch(told.append)
    return told


def test_a_running_queue_takes_added_and_removed_jobs_from_people(file: QueueFile, told: list[str]) -> None:
    QueueFile(file.path).append(added("c"), JobRemoved(at=AT, by="me", id="a"))

    assert [job.id for job in file.read().jobs] == ["b", "c"]
    assert told == ["c: added or changed by me", "a: removed by me"]


def test_nobody_but_the_running_queue_says_how_a_job_stands(file: QueueFile, told: list[str]) -> None:
    before = file.append(JobStood(at=AT, id="a", state=JobState.HALTED))
    forged = JobStood(at=AT, id="a", state=JobState.PROVEN)
    QueueFile(file.path).append(forged, added("c"))

    assert [(job.id, job.state) for job in file.read().jobs[:2]] == [(job.id, job.state) for job in before.jobs]
    assert [job.id for job in QueueFile(file.path).read().jobs] == ["a", "b", "c"]
    assert (file.forgeries, len(told)) == (1, 2)
    assert b'"proven"' in file.path.with_suffix(".forged-1").read_bytes()


def test_a_forged_file_of_an_earlier_run_is_kept(file: QueueFile, told: list[str]) -> None:
    earlier = file.path.with_suffix(".forged-1")
    earlier.write_bytes(b"earlier")
    QueueFile(file.path).append(JobStood(at=AT, id="a", state=JobState.PROVEN))

    file.read()

    kept = file.path.with_suffix(".forged-2")
    assert (earlier.read_bytes(), b'"proven"' in kept.read_bytes()) == (b"earlier", True)
    assert str(kept) in told[0]


@pytest.mark.parametrize("content", [None, b"", b"{}\n", b'{"format": 1, "kind": "job.added", "data": {}}\n'])
def test_a_queue_file_that_is_removed_or_rewritten_while_the_queue_runs_comes_back(
    file: QueueFile, told: list[str], content: bytes | None
) -> None:
    before = file.path.read_bytes()
    file.path.unlink()
    if content is not None:
        file.path.write_bytes(content)

    after = file.append(added("c"))

    assert [job.id for job in after.jobs] == ["a", "b", "c"]
    assert file.path.read_bytes().startswith(before)
    assert "a program changed the file of the queue" in told[0]


def test_a_file_that_a_link_in_place_of_the_queue_leads_to_is_not_written(
    file: QueueFile, told: list[str], tmp_path: Path
) -> None:
    (tmp_path / "precious.txt").write_text("mine\n")
    file.path.unlink()
    file.path.symlink_to(tmp_path / "precious.txt")

    assert [job.id for job in file.read().jobs] == ["a", "b"]
    assert (tmp_path / "precious.txt").read_text() == "mine\n"
    assert len(told) == 1


def test_a_line_that_is_nested_too_deep_is_cut_off(file: QueueFile, told: list[str]) -> None:
    deep = b'{"format":1,"kind":"job.added","more":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    with file.path.open("ab") as content:
        content.write(deep)

    assert [job.id for job in file.read().jobs] == ["a", "b"]
    assert "a program changed the file of the queue" in told[0]

    file.path.write_bytes(deep)
    with pytest.raises(JournalDamaged, match=":1: the line is no event of a queue"):
        QueueFile(file.path).read()


def test_a_forged_line_is_cut_off_and_no_other_line_is_written_again(file: QueueFile, told: list[str]) -> None:
    before = file.path.read_bytes()
    QueueFile(file.path).append(JobStood(at=AT, id="a", state=JobState.PROVEN))
    file.forgeries = 100  # no more of them are kept, which would be written too
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        file.read()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert file.path.read_bytes() == before
    assert told == []
