"""What the journal costs: an append beside a bare write and fsync, its size, a long session folded and resumed."""

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
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import (
    BaselineTaken,
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
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.session.record import Recorder
from dualgate.store.account import Account, begun, read_account, take_account
from dualgate.store.codec import Record, encode, pack
from dualgate.store.journal import Journal, close_seal
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import Projections, open_projections, rebuild
from dualgate.store.reading import read_journal, tail
from dualgate.store.seals import seal_place
from dualgate.testing import NOW, a_report, a_start, a_state, facts, failed, not_done, passed

ITERATIONS = 1_000
TESTS = 40
LARGE = 10_000
TRIES = 50
PATIENT = Limits(max_iterations=ITERATIONS + 1, thresholds={Phase.RED: Thresholds(no_progress=10**6, same_error=10**6)})


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        _appends(Path(name))
    # no disk is measured from here on, and thousands of syncs would only take time
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-", dir=memory) as name:
        os.environ["HOME"] = f"{name}/home"
        _sizes(Path(name) / "five")
        _folds(Path(name) / "long")


def _appends(folder: Path) -> None:
    print("an append, with fsync            ours    bare write   ratio   bytes of the line")
    for count in (TESTS, LARGE):
        journal = Journal(folder / f"ours-{count}", 1, lambda: True, seal=folder / "seal.json")
        results = _results(count)
        runs = iter([SuiteEnded(at=NOW, report=a_report(*_later(results, n))) for n in range(TRIES + 1)])
        line = pack(Record(seq=1, epoch=1, event=next(runs)))
        ours, bare = _in_turn(partial(_append_next, journal, runs), partial(_bare, folder / "bare", line))
        size = len((folder / f"ours-{count}").read_bytes().splitlines()[-1])
        row = f"{ours * 1000:7.2f} ms  {bare * 1000:7.2f} ms  {ours / bare:5.2f}x   {size}, in full {len(line)}"
        print(f"  {count:6} tests              {row}")


def _append_next(journal: Journal, events: Iterator[Event]) -> None:
    journal.append(next(events))


def _sizes(folder: Path) -> None:
    """Five turns as an honest run makes them: eight reports of the tests, of which two are those of a known tree."""
    record = _recorder(folder)
    results, whole = _results(202), 0
    runs = [SuiteEnded(at=NOW, report=a_report(*_later(results, number))) for number in range(6)]
    last = [runs[2], runs[4], runs[4], runs[5], runs[5]]
    known = [replace(runs[4], known=True), replace(runs[5], known=True)]
    turns = [_proven(run.report) for run in last]
    baseline = BaselineTaken(at=NOW, tree="t", results=runs[1].report.results)
    order: tuple[Event, ...] = (
        *runs[:2],
        baseline,
        runs[2],
        turns[0],
        *runs[3:5],
        turns[1],
        known[0],
        turns[2],
        runs[5],
        turns[3],
    )
    for number, event in enumerate((*order, known[1], turns[4]), 2):
        record.append(event)
        whole += len(encode(Record(seq=number, epoch=1, event=event)))
    size = (folder / JOURNAL).stat().st_size
    print(f"\nfive turns with 202 tests: {size / 1e3:.0f} KB, with each event whole {whole / 1e3:.0f} KB")


def _proven(report: SuiteReport) -> TurnEnded:
    seen = facts(Phase.RED)
    move = decide(a_state(), seen, judge(seen, Limits()), a_state().breaker)
    return TurnEnded(
        at=NOW, facts=seen, verdict=judge(seen, Limits()), breaker=a_state().breaker, move=move, proven=report.results
    )


def _recorder(folder: Path) -> Journal:
    journal = Journal(folder / JOURNAL, 1, lambda: True, seal=seal_place(folder))
    journal.append(a_start(limits=PATIENT))
    return journal


def write_long_session(folder: Path, iterations: int = ITERATIONS, tests: int = TESTS) -> list[Event]:
    """Write a session of so many iterations, with the files beside its journal, and return its events."""
    events = list(_session(iterations, tests))
    journal = _recorder(folder)
    assert isinstance(events[0], SessionStarted)
    recorder = Recorder(begin(events[0]), journal, open_projections(folder, events[0]), lambda *_: None)
    for event in events[1:]:
        recorder(event)
    close_seal(folder)
    return events


def _folds(folder: Path) -> None:
    events = write_long_session(folder)
    size = (folder / JOURNAL).stat().st_size
    reading = best(lambda: (folder / JOURNAL).read_bytes().split(b"\n"))
    decoding = best(lambda: list(read_journal(folder)))
    account = best(lambda: take_account(read_journal(folder)))
    known = read_account(folder).checkpoint
    assert known is not None
    checked = best(lambda: read_account(folder))
    resuming = best(lambda: rebuild(folder))
    polling = best(lambda: tail(folder, len(events) - 6))
    print(f"\na session of {ITERATIONS} iterations, {len(events)} events, {size / 1e6:.1f} MB; CPU time")
    print(f"  its lines, read                {reading * 1000:8.1f} ms")
    print(f"  its events, decoded            {decoding * 1000:8.1f} ms  {decoding / reading:6.1f}x")
    print(f"  its account, from the start    {account * 1000:8.1f} ms  {account / decoding:6.1f}x of decoding")
    print(f"  from a checkpoint at {known.seq:5}     {checked * 1000:8.1f} ms  {checked / account:6.1f}x of the start")
    print(f"  with the files beside it       {resuming * 1000:8.1f} ms  {resuming / account:6.1f}x of the start")
    print(f"  its last turn, by tail         {polling * 1000:8.1f} ms")
    _projections(folder, events)


def _projections(folder: Path, events: list[Event]) -> None:
    """The files beside the journal after one turn, at the start and at the end of a long session."""
    assert isinstance(events[0], SessionStarted)
    early, late = begun(events[0]), read_account(folder)
    turn = next(event for event in reversed(events) if isinstance(event, TurnEnded))
    first, last = _in_turn(_entering(folder / "early", early, turn), _entering(folder / "late", late, turn))
    print(f"  projections of a turn, first   {first * 1000:8.1f} ms")
    print(f"  projections of a turn, last    {last * 1000:8.1f} ms  {last / first:6.1f}x of the first")


def _entering(folder: Path, account: Account, turn: TurnEnded) -> Callable[[], None]:
    folder.mkdir()
    projections = Projections(folder, account)
    return lambda: projections.enter(turn, account.state, account.state, account.seq + 1)


def _session(iterations: int, tests: int) -> Iterator[Event]:
    """A run whose agent never gets further; each call is one iteration with one run of the tests."""
    started = a_start(limits=PATIENT)
    yield started
    state = begin(started)
    results = _results(tests)
    for number in range(1, iterations + 1):
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
            SuiteEnded(at=at, report=a_report(*_later(results, number), tree=changes.tree)),
            turn,
        ):
            state = apply(state, event)
            yield event


def _results(count: int) -> tuple[CaseResult, ...]:
    """Two that fail, and others that pass, each with a digest and a time of its own."""
    made = [passed(f"test_case_{n}", digest=os.urandom(8).hex(), seconds=n / 7919, line=n) for n in range(count - 2)]
    return (failed("test_ac1"), failed("test_ac2"), *made)


def _later(results: tuple[CaseResult, ...], number: int) -> tuple[CaseResult, ...]:
    """The same tests in another run."""
    return tuple(replace(result, seconds=round(result.seconds + number / 6151, 6)) for result in results)


def _bare(path: Path, line: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, line)
    os.fsync(descriptor)
    os.close(descriptor)


def _in_turn(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(TRIES)]
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)


def best(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of five."""
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
