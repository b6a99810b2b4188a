"""The dashboard over 10 and over 1,000 sessions of 500 iterations: start, memory, overview, an update and its delay."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec
import psutil

from bench.journal import write_long_session
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import GuidanceGiven, SessionFailed
from dualgate.store.account import read_account
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import rebuild
from dualgate.store.seals import digest_of, seal_place
from dualgate.testing import NOW
from dualgate.web.admission import Rules
from dualgate.web.board import Board, make_board
from dualgate.web.overview import overview
from dualgate.web.sessions import session

FEW, MANY = 10, 1_000
ITERATIONS, TESTS = 500, 5
TRIES = 30
IDLE_SECONDS = 5.0
AT_WORK = "at-work"
_BEFORE = re.compile(rb'"before":"[0-9a-f]*"')
_ID = re.compile(rb'"session_id":"[0-9a-f-]{36}"')
ROWS = {
    "start": ("all sessions read, CPU", "ms"),
    "memory": ("memory of the process", "MB"),
    "overview": ("the overview, encoded", "ms"),
    "update": ("one event of one session, CPU", "ms"),
    "delay": ("an event on the stream after", "ms"),
    "idle": ("idle, share of a core", "%"),
    "first": ("a session opened first", "ms"),
    "again": ("opened again after an event", "ms"),
}


def main() -> None:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-", dir=memory) as name:
        figures = []
        for count in (FEW, MANY):
            home = Path(name) / f"home-{count}"
            write_sessions(home / ".bp-sessions", count, Path(name) / "first")
            words = [sys.executable, "-m", "bench.dashboard", str(home)]
            ended = subprocess.run(words, check=True, capture_output=True, env=os.environ | {"HOME": str(home)})
            figures.append(msgspec.json.decode(ended.stdout, type=dict[str, float]))
            shutil.rmtree(home)
    print(f"sessions of {ITERATIONS} iterations        {FEW:8}      {MANY:8}    ratio")
    for key, (what, unit) in ROWS.items():
        few, many = (each[key] for each in figures)
        print(f"  {what:32} {few:8.2f} {unit:2}   {many:8.2f} {unit:2} {many / few if few else 0:6.1f}x")


def write_sessions(home: Path, count: int, first: Path) -> None:
    """One session that is at work, and others that have ended, each a copy of one real journal under another id."""
    if not first.exists():
        write_long_session(first, ITERATIONS, TESTS)
        account = read_account(first)
        journal = Journal(first / JOURNAL, 1, lambda: True, seq=account.seq, seal=seal_place(first))
        journal.append(SessionFailed(at=NOW, reason="ended"))
        rebuild(first)
    lines = (first / JOURNAL).read_bytes().splitlines()
    for number in range(count):
        _copy(lines if number else lines[:-1], first, home / (f"project-{number}" if number else AT_WORK), number)


def _copy(lines: list[bytes], first: Path, folder: Path, number: int) -> None:
    shutil.copytree(first, folder)
    made, before = [_ID.sub(b'"session_id":"%08d-e5f6-4890-abcd-ef1234567890"' % number, lines[0])], b""
    for line in lines[1:]:
        before = digest_of(made[-1]).encode()
        made.append(_BEFORE.sub(b'"before":"%b"' % before, line, count=1))
    (folder / JOURNAL).write_bytes(b"\n".join(made) + b"\n")


async def measure(home: Path) -> dict[str, float]:
    board = make_board(Rules(host="127.0.0.1"), {"HOME": str(home)}, Redactor(), lambda: datetime.now(UTC))
    folder = home / ".bp-sessions" / AT_WORK
    started = time.process_time()
    for _ in board.register.sweep():
        pass
    figures = {"start": (time.process_time() - started) * 1000}
    figures["overview"] = _best(lambda: msgspec.json.encode(overview(board, {})))
    figures["memory"] = psutil.Process().memory_info().rss / 1e6
    journal = Journal(folder / JOURNAL, 1, lambda: True, seq=read_account(folder).seq)
    figures["update"] = median(_updated(board, journal, folder) for _ in range(TRIES))
    figures |= await _watched(board, journal)
    name = next(entry.id for entry in board.register.entries() if entry.folder == folder)
    figures["first"] = _cpu(lambda: msgspec.json.encode(session(board, {"id": name})))
    _append(journal)
    figures["again"] = _cpu(lambda: msgspec.json.encode(session(board, {"id": name})))
    return figures


def _append(journal: Journal) -> None:
    journal.append(GuidanceGiven(at=NOW, text="x", by="a person"))


def _updated(board: Board, journal: Journal, folder: Path) -> float:
    _append(journal)
    return _cpu(lambda: board.register.refresh(folder))


async def _watched(board: Board, journal: Journal) -> dict[str, float]:
    """The delay of an event on the stream, and what the watcher costs when nothing happens."""
    task = asyncio.create_task(board.watcher.run())
    while not board.watcher.loaded:
        await asyncio.sleep(0.01)
    await asyncio.sleep(1.0)
    delays = []
    for _ in range(TRIES):
        number, begun = board.feed.number, time.perf_counter()
        _append(journal)
        await board.feed.changed(number)
        delays.append((time.perf_counter() - begun) * 1000)
    begun = time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    idle = (time.process_time() - begun) / IDLE_SECONDS * 100
    task.cancel()
    await asyncio.wait([task])
    return {"delay": median(delays), "idle": idle}


def _cpu(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return (time.thread_time() - begun) * 1000


def _best(work: Callable[[], object]) -> float:
    return min(_cpu(work) for _ in range(10))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(msgspec.json.encode(asyncio.run(measure(Path(sys.argv[1])))).decode())
    else:
        main()
