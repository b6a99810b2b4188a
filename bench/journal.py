"""What the journal costs: an append beside a bare write and fsync, the files made from it, a long session folded."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.history import apply, begin
from dualgate.core.machine.moves import decide
from dualgate.core.record.ledger import Ledger, open_ledger
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import (
    CallEnded,
    CallStarted,
    Event,
    SessionStarted,
    SuiteEnded,
    SuiteStarted,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.limits import Limits, Thresholds
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.vocabulary import Phase
from dualgate.store.books import Books, read_account, rebuild
from dualgate.store.codec import Record, pack
from dualgate.store.journal import JOURNAL, Journal, fold, read_journal
from dualgate.testing import NOW, a_report, a_start, facts, failed, not_done, passed

ITERATIONS = 1_000
TESTS = 40
LARGE = 10_000
TRIES = 50
PATIENT = Limits(max_iterations=ITERATIONS + 1, thresholds={Phase.RED: Thresholds(no_progress=10**6, same_error=10**6)})


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        _appends(Path(name))
        _folds(Path(name))


def _appends(folder: Path) -> None:
    print("an append, with fsync            ours    bare write   ratio   bytes of the line")
    journal = Journal(folder / "ours", 1, lambda: True, seal=folder / "seal.json")
    for count in (TESTS, LARGE):
        event = SuiteEnded(at=NOW, report=a_report(*_results(count)))
        line = pack(Record(seq=1, epoch=1, event=event))
        ours, bare = _in_turn(partial(journal.append, event), partial(_bare, folder / "bare", line))
        row = f"{ours * 1000:7.2f} ms  {bare * 1000:7.2f} ms  {ours / bare:5.2f}x   {len(line)}"
        print(f"  {count:6} tests              {row}")


def _folds(folder: Path) -> None:
    with (folder / JOURNAL).open("wb") as file:
        events = list(_session())
        file.writelines(pack(Record(seq=n, epoch=1, event=event)) for n, event in enumerate(events, 1))
    size = (folder / JOURNAL).stat().st_size
    reading = _best(lambda: (folder / JOURNAL).read_bytes().split(b"\n"))
    decoding = _best(lambda: list(read_journal(folder)))
    folding = _best(lambda: fold(read_journal(folder)))
    account = _best(lambda: read_account(folder))
    rebuild(folder)
    resuming = _best(lambda: rebuild(folder))
    print(f"\na session of {ITERATIONS} iterations, {len(events)} events, {size / 1e6:.1f} MB; CPU time")
    print(f"  its lines, read                {reading * 1000:8.1f} ms")
    print(f"  its events, decoded            {decoding * 1000:8.1f} ms  {decoding / reading:6.1f}x")
    print(f"  its state, folded              {folding * 1000:8.1f} ms  {folding / decoding:6.1f}x of decoding")
    print(f"  its account, for a resume      {account * 1000:8.1f} ms  {account / decoding:6.1f}x of decoding")
    print(f"  with the files beside it       {resuming * 1000:8.1f} ms  {resuming / decoding:6.1f}x of decoding")
    _projections(folder, events)


def _projections(folder: Path, events: list[Event]) -> None:
    """The files beside the journal after one turn, at the start and at the end of a long session."""
    started = events[0]
    assert isinstance(started, SessionStarted)
    early, (ledger, _) = begin(started), open_ledger(started, begin(started))
    account = read_account(folder)
    turn = next(event for event in reversed(events) if isinstance(event, TurnEnded))
    first, last = _in_turn(
        lambda: _entered(folder / "early", ledger, turn, early),
        lambda: _entered(folder / "late", account.ledger, turn, account.state),
    )
    print(f"  projections of a turn, first   {first * 1000:8.1f} ms")
    print(f"  projections of a turn, last    {last * 1000:8.1f} ms  {last / first:6.1f}x of the first")


def _entered(folder: Path, ledger: Ledger, turn: TurnEnded, state: LoopState) -> None:
    folder.mkdir(exist_ok=True)
    Books(folder, ledger).enter(turn, state, state, 1)


def _session() -> Iterator[Event]:
    """A run whose agent never gets further; each call is one iteration with one run of the tests."""
    started = a_start(limits=PATIENT)
    yield started
    state = begin(started)
    results = _results(TESTS)
    for number in range(1, ITERATIONS + 1):
        at = NOW + timedelta(minutes=number)
        changes = Changes(tree=f"{number:040x}", modified=(f"src/module_{number % 50}.py",))
        seen = replace(facts(Phase.RED, not_done(), failing=results[:2], red=(), changes=changes), iteration=number)
        verdict = judge(seen, PATIENT)
        breaker = breaker_after(state.breaker, Phase.RED, measure(seen), PATIENT)
        move = decide(state, seen, verdict, breaker)
        turn = TurnEnded(at=at, facts=seen, verdict=verdict, breaker=breaker, move=move)
        for event in (
            CallStarted(at=at, number=number, phase=Phase.RED, iteration=number),
            CallEnded(at=at, number=number, exit_code=0, ending=Ending.EXITED, seconds=9.0, answer=Answer()),
            TreeSettled(at=at, changes=changes),
            SuiteStarted(at=at, command=("pytest",)),
            SuiteEnded(at=at, report=a_report(*results, tree=changes.tree)),
            turn,
        ):
            state = apply(state, event)
            yield event


def _results(count: int) -> tuple[CaseResult, ...]:
    """Two that fail, and others that pass, each with a digest and a time of its own."""
    made = [passed(f"test_case_{n}", digest=os.urandom(8).hex(), seconds=n / 7919, line=n) for n in range(count - 2)]
    return (failed("test_ac1"), failed("test_ac2"), *made)


def _bare(path: Path, line: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, line)
    os.fsync(descriptor)
    os.close(descriptor)


def _in_turn(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(TRIES)]
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)


def _best(work: Callable[[], object]) -> float:
    return min(_cpu_seconds(work) for _ in range(5))


def _cpu_seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
