"""A checkpoint saves folding, and is never trusted over the journal."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.history import begin, first_of
from dualgate.core.machine.moves import decide
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import (
    CallEnded,
    CallStarted,
    Event,
    SessionPaused,
    SuiteEnded,
    SuiteStarted,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.limits import Limits, Thresholds
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import JournalDamaged
from dualgate.session.record import Recorder
from dualgate.store.account import (
    Account,
    account_after,
    account_at,
    begun,
    carried_on,
    checkpoint_of,
    read_account,
    take_account,
)
from dualgate.store.atomic import write_whole
from dualgate.store.checkpoint import FEWEST_EVENTS, Checkpoint, LogMark, encode_checkpoint, is_due
from dualgate.store.codec import pack
from dualgate.store.folder_check import FolderCheck
from dualgate.store.journal import Journal, close_seal
from dualgate.store.lines import CHECKPOINT, JOURNAL
from dualgate.store.making_room import make_room
from dualgate.store.projections import STATUS_LOG, Projections, open_projections, rebuild
from dualgate.store.reading import read_journal
from dualgate.store.seals import digest_of, read_seal, seal_place, write_seal
from dualgate.testing import NOW, a_report, a_start, facts, failed, not_done, passed

PATIENT = Limits(max_iterations=1000, thresholds={Phase.RED: Thresholds(no_progress=1000, same_error=1000)})
STARTED = a_start(limits=PATIENT, prp_text="# Spec")
NO_LOG = LogMark(size=0, digest=digest_of(b""))
THREAD = Answer(agent="claude", session_id="its own")
RECORDED = sorted(Path(__file__).parents[1].glob("data/journals/*/*"))


def a_turn(number: int, state: LoopState) -> Iterator[Event]:
    """One iteration that gets nowhere."""
    at = NOW + timedelta(minutes=number)
    changes = Changes(tree=f"{number:040x}", modified=(f"src/module_{number % 7}.py",))
    red = failed("test_ac1", message=f"wrong in {number}")
    seen = replace(facts(Phase.RED, not_done(), failing=(red,), red=(), changes=changes), iteration=number)
    breaker = breaker_after(state.breaker, Phase.RED, measure(seen), PATIENT)
    verdict = judge(seen, PATIENT)
    yield CallStarted(at=at, number=number, phase=Phase.RED, iteration=number, tree="before")
    yield CallEnded(at=at, number=number, exit_code=0, ending=Ending.EXITED, seconds=9.0, answer=THREAD)
    yield TreeSettled(at=at, changes=changes)
    yield SuiteStarted(at=at, command=("pytest",))
    yield SuiteEnded(at=at, report=a_report(red, passed("test_old", seconds=number / 7), tree=changes.tree))
    move = decide(state, seen, verdict, breaker)
    yield TurnEnded(at=at, facts=seen, verdict=verdict, breaker=breaker, move=move)


def a_recorder(folder: Path) -> Recorder:
    journal = Journal(folder / JOURNAL, 1, lambda: True, seal=seal_place(folder))
    journal.append(STARTED)
    return Recorder(begin(STARTED), journal, open_projections(folder, STARTED), lambda *_: None)


def record_turns(record: Recorder, first: int, last: int) -> None:
    for number in range(first, last + 1):
        for event in a_turn(number, record.state):
            record(event)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The session of eleven turns, with a checkpoint behind the ninth."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    record_turns(a_recorder(tmp_path / "session"), 1, 11)
    return tmp_path / "session"


def from_start(folder: Path) -> Account:
    return take_account(read_journal(folder))


def same(one: Account, other: Account) -> bool:
    """But for the records, which are those since the checkpoint."""
    return replace(one, records=(), checkpoint=None) == replace(other, records=(), checkpoint=None)


def test_a_session_is_the_same_from_a_checkpoint_at_each_event_after_it(folder: Path) -> None:
    recorder = a_recorder_going_on(folder)
    seen = list[int]()
    for event in a_turn(12, recorder.state):
        recorder(event)
        account = read_account(folder)
        assert same(account, from_start(folder))
        assert account.checkpoint is not None
        seen.append(account.seq - account.checkpoint.seq)

    assert seen == [13, 14, 15, 16, 17, 18]


def a_recorder_going_on(folder: Path) -> Recorder:
    account = rebuild(folder)
    journal = Journal(folder / JOURNAL, 2, lambda: True, account.seq, seal=seal_place(folder))
    return Recorder(account.state, journal, Projections(folder, account), lambda *_: None)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_a_recorded_session_is_the_same_from_every_checkpoint_that_can_be_made_of_it(recorded: Path) -> None:
    records = list(read_journal(recorded))
    whole, account, made = take_account(records), begun(first_of(records[0].event)), 0
    for number, record in enumerate(records[1:], 2):
        account = carried_on(account, [record])
        if kept := checkpoint_of(account, "", NO_LOG):
            made += 1
            read = msgspec.json.decode(encode_checkpoint(kept), type=Checkpoint)
            assert same(carried_on(account_at(read, whole.cut_off.started), records[number:]), whole)

    assert made >= 1


def other_state(content: bytes) -> bytes:
    return content.replace(b'"phase":"RED"', b'"phase":"QA"')


def other_code(content: bytes) -> bytes:
    return content.replace(b'"code":"', b'"code":"0')


def ahead(content: bytes) -> bytes:
    return content.replace(b'"seq":55', b'"seq":555')


def of_other_line(content: bytes) -> bytes:
    return content.replace(b'"digest":"', b'"digest":"0', 1)


FORGERIES: list[Callable[[bytes], bytes]] = [
    other_state,
    other_code,
    ahead,
    of_other_line,
    lambda _: b"",
    lambda _: b"{}",
    lambda _: b"\xff",
    lambda content: content[:-20],
]


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_checkpoint_that_the_seal_does_not_know_is_not_looked_at(
    folder: Path, forge: Callable[[bytes], bytes]
) -> None:
    content = (folder / CHECKPOINT).read_bytes()
    (folder / CHECKPOINT).write_bytes(forge(content))
    assert forge(content) != content

    account = read_account(folder)

    assert account.checkpoint is None
    assert account == from_start(folder)


@pytest.mark.parametrize("forge", [other_code, ahead, of_other_line, lambda _: b"{}", lambda _: b"\xff"])
def test_a_checkpoint_that_does_not_fit_the_journal_is_not_used_though_it_is_sealed(
    folder: Path, forge: Callable[[bytes], bytes]
) -> None:
    sealed(folder, forge((folder / CHECKPOINT).read_bytes()))

    account = read_account(folder)

    assert account.checkpoint is None
    assert account == from_start(folder)


def sealed(folder: Path, content: bytes, **other: str) -> None:
    (folder / CHECKPOINT).write_bytes(content)
    seal = read_seal(seal_place(folder))
    assert seal is not None
    write_seal(seal_place(folder), replace(seal, checkpoint=digest_of(content), **other))  # type: ignore[arg-type]


@pytest.mark.parametrize("gone", ["checkpoint", "seal"])
def test_without_a_checkpoint_or_its_seal_the_journal_is_folded_from_its_start(folder: Path, gone: str) -> None:
    (folder / CHECKPOINT if gone == "checkpoint" else seal_place(folder)).unlink()

    assert read_account(folder).checkpoint is None
    assert read_account(folder) == from_start(folder)


def test_a_kill_between_a_checkpoint_and_its_seal_leaves_the_one_before_known(folder: Path) -> None:
    known = seal_place(folder).read_bytes()
    write_whole(folder / CHECKPOINT, (folder / CHECKPOINT).read_bytes() + b" ")

    assert read_account(folder).checkpoint is None
    assert seal_place(folder).read_bytes() == known


@pytest.mark.parametrize("number", [1, 2, 30, 54, 55, 60])
def test_a_line_that_was_changed_is_named_however_far_behind_the_checkpoint(folder: Path, number: int) -> None:
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b"2026", b"2027", 1)
    (folder / JOURNAL).write_bytes(b"".join(lines))

    with pytest.raises(JournalDamaged, match=f"{JOURNAL}:{number}: was changed after it was written"):
        read_account(folder)


def rewritten(folder: Path, chained: bool, upto: int = 67) -> list[bytes]:
    """The lines of the journal written anew, each event whole."""
    lines = list[bytes]()
    for record in list(read_journal(folder))[:upto]:
        before = digest_of(lines[-1][:-1]) if lines and chained else ""
        lines.append(pack(replace(record, epoch=9, before=before)))
    (folder / JOURNAL).write_bytes(b"".join(lines))
    return lines


def test_a_journal_that_was_written_anew_under_a_checkpoint_is_told(folder: Path) -> None:
    rewritten(folder, chained=True)

    with pytest.raises(JournalDamaged, match=":67: does not match the seal"):
        read_account(folder)


def test_a_journal_that_was_cut_behind_its_checkpoint_is_told(folder: Path) -> None:
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:60]))

    with pytest.raises(JournalDamaged, match="the end of the journal was cut off"):
        read_account(folder)


@pytest.mark.parametrize("chained", [True, False])
def test_lines_without_digests_are_folded_and_not_passed_over(folder: Path, chained: bool) -> None:
    known = json.loads((folder / CHECKPOINT).read_bytes())["digest"]
    lines = rewritten(folder, chained)
    content = (folder / CHECKPOINT).read_bytes().replace(known.encode(), digest_of(lines[54][:-1]).encode())
    sealed(folder, content, digest=digest_of(lines[-1][:-1]))

    assert (read_account(folder).checkpoint is not None) is chained


LOGS: list[Callable[[bytes], bytes]] = [
    lambda _: b"",
    lambda log: log[:100],
    lambda log: log[: log.rindex(b"---PRP_PHASE_STATUS---")],
    lambda log: log.replace(b"PASSING: 1", b"PASSING: 7").replace(b"TOTAL: 2", b"TOTAL: 8"),
    lambda log: log + log[log.rindex(b"---PRP_PHASE_STATUS---") :],
]


@pytest.mark.parametrize("damage", LOGS)
def test_the_log_is_brought_up_to_the_journal_as_without_a_checkpoint(
    folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    whole = (folder / STATUS_LOG).read_bytes()
    (folder / STATUS_LOG).write_bytes(damage(whole))
    assert damage(whole) != whole

    assert rebuild(folder).checkpoint is not None

    repaired = (folder / STATUS_LOG).read_bytes()
    (folder / STATUS_LOG).write_bytes(damage(whole))
    (folder / CHECKPOINT).unlink()
    rebuild(folder)
    assert repaired == (folder / STATUS_LOG).read_bytes()


def test_a_later_run_keeps_the_seal_of_a_checkpoint_and_makes_the_next_when_it_is_due(folder: Path) -> None:
    first = read_account(folder).checkpoint
    record_turns(a_recorder_going_on(folder), 12, 20)
    second = read_account(folder).checkpoint

    assert first is not None
    assert second is not None
    assert (first.seq, second.seq) == (55, 109)


def test_what_checkpoints_cost_does_not_grow_faster_than_the_journal() -> None:
    made = [0]
    for seq in range(1, 100_001):
        if is_due(seq, made[-1]):
            made.append(seq)

    assert made[1] == FEWEST_EVENTS
    assert sum(made) < 10 * 100_000


def test_in_the_middle_of_a_turn_there_is_no_checkpoint() -> None:
    account = begun(STARTED)
    rests = list[bool]()
    for seq, event in enumerate(a_turn(1, account.state), 2):
        account = account_after(account, event, account.state, seq)
        rests.append(checkpoint_of(account, "", NO_LOG) is not None)

    assert rests == [False, False, False, False, False, True]


def test_a_checkpoint_that_is_changed_while_something_runs_is_named_and_goes(folder: Path) -> None:
    check = FolderCheck(folder)
    with check.during():
        (folder / CHECKPOINT).write_bytes(other_state((folder / CHECKPOINT).read_bytes()))

    assert check.changed() == (CHECKPOINT,)
    assert not (folder / CHECKPOINT).exists()


def test_a_checkpoint_goes_into_the_archive_with_its_session(folder: Path) -> None:
    close_seal(folder)

    place = make_room(folder, fresh=True)

    assert place is not None
    assert read_account(place).checkpoint is not None
    assert not (folder / CHECKPOINT).exists()


def test_where_there_is_no_seal_no_checkpoint_is_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(STARTED)

    journal.keep_checkpoint(b"{}")

    assert not (tmp_path / CHECKPOINT).exists()


def test_a_checkpoint_that_cannot_be_written_stops_nothing(folder: Path) -> None:
    (folder / CHECKPOINT).unlink()
    (folder / CHECKPOINT).mkdir()
    journal = Journal(folder / JOURNAL, 2, lambda: True, 67, seal=seal_place(folder))
    journal.append(SessionPaused(at=NOW, reason="manual"))

    journal.keep_checkpoint(b"{}")

    assert read_account(folder).checkpoint is None
