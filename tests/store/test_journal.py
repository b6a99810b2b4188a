import json
import shutil
import zlib
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from dualgate.core.machine.history import apply, begin
from dualgate.core.secrets.redaction import redactor_of
from dualgate.core.values.changes import Changes, Violation
from dualgate.core.values.events import (
    KINDS,
    BaselineTaken,
    CallDelayed,
    CallStarted,
    Event,
    RunSuspended,
    SessionPaused,
    SessionStarted,
    SuiteEnded,
    TreeSettled,
)
from dualgate.core.values.limits import Limits, PhaseBudget, Price, Thresholds
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.errors import JournalDamaged, SessionMissing, StoreFailed
from dualgate.store.account import take_account
from dualgate.store.atomic import write_whole
from dualgate.store.codec import FORMER_KINDS, FORMER_NAMES, Record, decode, encode, pack
from dualgate.store.journal import Journal, cut_torn_line
from dualgate.store.lines import JOURNAL
from dualgate.store.reading import read_journal
from dualgate.testing import NOW, a_report, a_start, a_state, failed, passed

CALL = CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1)
PAUSE = SessionPaused(at=NOW, reason="user_interrupt")


def a_journal(folder: Path) -> Journal:
    journal = Journal(folder / JOURNAL, 3, lambda: True)
    for event in (a_start(), CALL, PAUSE):
        journal.append(event)
    return journal


def test_the_state_is_what_the_events_make(tmp_path: Path) -> None:
    a_journal(tmp_path)

    state = take_account(read_journal(tmp_path)).state

    assert state == apply(apply(a_state(), CALL), PAUSE)
    assert state.status is Status.PAUSED


def test_lines_are_numbered_and_carry_the_owner(tmp_path: Path) -> None:
    a_journal(tmp_path)

    assert [(record.seq, record.epoch) for record in read_journal(tmp_path)] == [(1, 3), (2, 3), (3, 3)]


def test_what_no_utf8_can_hold_is_written_as_its_escape(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start(project="/tmp/\udcff", test_command=("/tmp/\udcff/python",)))

    (record,) = read_journal(tmp_path)

    assert isinstance(record.event, SessionStarted)
    assert (record.event.project, record.event.test_command) == ("/tmp/\\udcff", ("/tmp/\\udcff/python",))


def older(kind: str, event: Event, *names: tuple[str, str]) -> bytes:
    """The line of an event with the names of an older version."""
    line = encode(Record(seq=1, epoch=1, event=event)).decode()
    for former, present in (*names, (kind, event.kind)):
        assert f'"{present}"' in line
        line = line.replace(f'"{present}"', f'"{former}"')
    return line.encode()


VIOLATIONS = (Violation(path="a.py", rule="frozen", reverted=False), Violation(path="b.py", rule="frozen"))
OLDER = [
    (BaselineTaken(at=NOW, tree="t", results=(), unstable_ids=("f",)), ("volatile", "unstable_ids")),
    (BaselineTaken(at=NOW, tree="t", results=(), unstable_keys=("k",)), ("shifting", "unstable_keys")),
    (TreeSettled(at=NOW, changes=Changes(tree="t", violations=VIOLATIONS)), ("undone", "reverted")),
]


@pytest.mark.parametrize(("event", "names"), OLDER, ids=[names[0] for _, names in OLDER])
def test_a_field_of_an_older_journal_is_read_by_its_name_now(event: Event, names: tuple[str, str]) -> None:
    line = older(event.kind, event, names)

    assert decode(line).event == event
    packed = {**json.loads(line), "format": 2}
    packed["packed"] = b64encode(zlib.compress(json.dumps(packed.pop("data"), separators=(",", ":")).encode())).decode()
    assert decode(json.dumps(packed).encode()).event == event
    assert names[0].encode() not in encode(decode(line))


def test_the_names_of_an_older_journal_are_all_tried() -> None:
    assert {names for _, names in OLDER} == {*FORMER_NAMES.items()}


@pytest.mark.parametrize(("former", "event"), [("run.rested", RunSuspended(at=NOW, seconds=2.0))])
def test_an_event_of_an_older_journal_is_read_by_its_kind_now(former: str, event: Event) -> None:
    assert FORMER_KINDS[former] == event.kind
    assert decode(older(former, event)).event == event


def test_a_name_that_a_person_gave_stays_as_it_is() -> None:
    start = a_start(settings={"checks": {"volatile": "make lint"}}, test_command=("undone", "shifting"))

    event = decode(encode(Record(seq=1, epoch=1, event=start))).event

    assert event == start


def test_a_baseline_of_an_older_journal_loads_without_what_it_did_not_tell() -> None:
    data = b'{"at":"2026-01-16T10:00:00Z","tree":"t","results":[],"unstable":["a"],"outputs":[]}'
    line = b'{"format":1,"seq":1,"epoch":1,"kind":"baseline.taken","data":' + data + b"}"

    event = decode(line).event

    assert isinstance(event, BaselineTaken)
    assert (event.unstable, event.unstable_ids, event.configuration, event.seconds) == (("a",), (), (), 0.0)


def test_every_kind_of_event_has_a_dotted_name() -> None:
    assert all(name.count(".") == 1 and name == name.lower() for name in KINDS)


def test_a_torn_last_line_is_passed_over_at_every_cut(tmp_path: Path) -> None:
    a_journal(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    begin_of_last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(begin_of_last, len(whole)):
        (tmp_path / JOURNAL).write_bytes(whole[:cut])

        assert len(list(read_journal(tmp_path))) == 2


def test_an_owner_goes_on_after_every_cut_of_the_last_line(tmp_path: Path) -> None:
    a_journal(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    begin_of_last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(begin_of_last, len(whole)):
        (tmp_path / JOURNAL).write_bytes(whole[:cut])

        Journal(tmp_path / JOURNAL, 4, lambda: True, seq=2).append(PAUSE)

        events = [record.event for record in read_journal(tmp_path)]
        assert events == [a_start(), CALL, PAUSE]


def test_what_is_torn_is_cut_however_long_it_is(tmp_path: Path) -> None:
    a_journal(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    for torn in (b"", b"{", b"\0" * 4096, b"x" * 200_000):
        (tmp_path / JOURNAL).write_bytes(whole + torn)

        cut_torn_line(tmp_path)

        assert (tmp_path / JOURNAL).read_bytes() == whole
    (tmp_path / JOURNAL).write_bytes(b"x" * 200_000)
    cut_torn_line(tmp_path)
    assert (tmp_path / JOURNAL).read_bytes() == b""


def test_a_stale_owner_does_not_cut_either(tmp_path: Path) -> None:
    a_journal(tmp_path)
    with (tmp_path / JOURNAL).open("ab") as journal:
        journal.write(b'{"being written')
    before = (tmp_path / JOURNAL).read_bytes()

    with pytest.raises(JournalDamaged, match="belongs to another run now"):
        Journal(tmp_path / JOURNAL, 1, lambda: False, seq=3).append(PAUSE)
    assert (tmp_path / JOURNAL).read_bytes() == before


def test_a_clock_that_was_set_back_breaks_nothing_and_gives_no_time_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start())
    for minutes in (10, -60, -50):
        journal.append(replace(CALL, at=NOW + timedelta(minutes=minutes)))

    state = take_account(read_journal(tmp_path)).state

    assert state.seconds_worked == 20 * 60


DAMAGE = [
    (b"not json\n", "journal.jsonl:2: "),
    (b"\xff\xfe\n", "journal.jsonl:2: "),
    (b"\n", "journal.jsonl:2: "),
    (b'{"format":9,"seq":2,"epoch":1,"kind":"x","data":{}}\n', "format 9 was written by a newer dualgate; this one"),
    (b'{"format":9,"another":"form"}\n', "format 9 was written by a newer dualgate"),
    (b'{"format":0,"seq":2,"epoch":1,"kind":"x","data":{}}\n', "format 0 is invalid"),
    (b'{"format":1,"seq":2,"epoch":1,"kind":"foreign.thing","data":{}}\n', "unknown kind of event 'foreign.thing'"),
    (b'{"format":1,"seq":2,"epoch":1,"kind":"call.started","data":{"at":"x"}}\n', r"\$.at"),
    (b'{"format":1,"seq":2,"epoch":1,"kind":"x","more":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "recursion depth"),
]


@pytest.mark.parametrize(("line", "message"), DAMAGE)
def test_a_foreign_line_is_named_by_file_and_line(tmp_path: Path, line: bytes, message: str) -> None:
    first = encode(decode(_first_line(tmp_path)))
    (tmp_path / JOURNAL).write_bytes(first + line + first)

    with pytest.raises(JournalDamaged, match=message) as caught:
        list(read_journal(tmp_path))
    assert "Nothing was changed." in caught.value.next_step
    assert (tmp_path / JOURNAL).read_bytes() == first + line + first


def test_a_missing_line_is_noticed(tmp_path: Path) -> None:
    a_journal(tmp_path)
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(lines[0] + lines[2])

    with pytest.raises(JournalDamaged, match="carries number 3"):
        list(read_journal(tmp_path))


def test_a_journal_must_begin_with_the_start(tmp_path: Path) -> None:
    Journal(tmp_path / JOURNAL, 1, lambda: True).append(PAUSE)

    with pytest.raises(JournalDamaged, match="does not begin"):
        take_account(read_journal(tmp_path))


def test_no_journal_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(SessionMissing, match="Start one with"):
        list(read_journal(tmp_path))


def test_an_owner_who_lost_the_tree_cannot_write(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: False)

    with pytest.raises(JournalDamaged, match="belongs to another run now"):
        journal.append(PAUSE)
    assert not (tmp_path / JOURNAL).exists()


def test_a_disk_that_refuses_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    journal = a_journal(tmp_path)
    before = (tmp_path / JOURNAL).read_bytes()
    with _file_size_limit(len(before) + 20), pytest.raises(StoreFailed, match="cannot be written"):
        journal.append(PAUSE)

    assert (tmp_path / JOURNAL).read_bytes() == before
    assert journal.append(PAUSE).seq == 4


def _first_line(folder: Path) -> bytes:
    a_journal(folder)
    return (folder / JOURNAL).read_bytes().splitlines()[0]


class _file_size_limit:  # noqa: N801  reads as the statement it is
    """A disk that is full after so many bytes of a file."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __enter__(self) -> None:
        import resource
        import signal

        self._handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._size, self._before[1]))

    def __exit__(self, *_: object) -> None:
        import resource
        import signal

        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)
        signal.signal(signal.SIGXFSZ, self._handler)


def test_a_file_that_a_full_disk_takes_a_part_of_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "made" / "with" / "it.json"
    write_whole(path, b"whole")

    with _file_size_limit(1000), pytest.raises(StoreFailed, match="cannot be written"):
        write_whole(path, b"x" * 5000)

    assert path.read_bytes() == b"whole"


def a_long_record(count: int = 2_000) -> Record:
    results = [passed(f"test_{number}", digest=f"{number:08x}") for number in range(count)]
    return Record(seq=1, epoch=1, event=SuiteEnded(at=NOW, report=a_report(*results)))


def packed(record: Record) -> bytes:
    """A line of format 2."""
    line = json.loads(encode(record)) | {"format": 2}
    data = json.dumps(line.pop("data")).encode()
    return json.dumps(line | {"packed": b64encode(zlib.compress(data)).decode()}).encode() + b"\n"


def test_a_line_is_plain_json_in_format_3_and_read_as_it_was() -> None:
    for record in (a_long_record(), Record(seq=1, epoch=1, event=CALL)):
        line = pack(record)

        assert (line.count(b"\n"), json.loads(line)["format"]) == (1, 3)
        assert decode(line) == decode(encode(record)) == record


def test_a_packed_line_of_format_2_is_read() -> None:
    record = a_long_record()

    assert decode(packed(record)) == record


def test_long_and_short_events_stand_in_one_journal(tmp_path: Path) -> None:
    journal = a_journal(tmp_path)
    journal.append(a_long_record().event)
    journal.append(CALL)

    assert [record.event for record in read_journal(tmp_path)][3:] == [a_long_record().event, CALL]


@pytest.mark.parametrize("content", ['"packed":"AAAA"', '"packed":"?"', '"data":{}', '"packed":""'])
def test_a_packed_line_that_is_damaged_is_named(tmp_path: Path, content: str) -> None:
    first = _first_line(tmp_path) + b"\n"
    line = f'{{"format":2,"seq":2,"epoch":1,"kind":"suite.ended",{content}}}\n'
    (tmp_path / JOURNAL).write_bytes(first + line.encode())

    with pytest.raises(JournalDamaged, match=r"journal\.jsonl:2: "):
        list(read_journal(tmp_path))


def test_the_limits_of_a_run_are_read_back_and_older_journals_have_the_defaults() -> None:
    thresholds = {Phase.GREEN: Thresholds(no_progress=9, same_error=8)}
    kept = decode(encode(Record(seq=1, epoch=1, event=a_start(limits=Limits(thresholds=thresholds)))))
    older = json.loads(encode(Record(seq=1, epoch=1, event=a_start(max_iterations=7))))
    del older["data"]["limits"]

    assert isinstance(kept.event, SessionStarted)
    assert begin(kept.event).limits.of(Phase.GREEN) == thresholds[Phase.GREEN]
    assert take_account(iter([decode(json.dumps(older).encode())])).state.limits == Limits(max_iterations=7)


def _make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _make_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def test_budgets_prices_and_waits_are_read_back() -> None:
    limits = Limits(max_cost=5.0, budgets={Phase.QA: PhaseBudget(calls=3)}, prices={"m*": Price(input=1.0, output=2.0)})
    wait = CallDelayed(at=NOW, wait=Wait(until=NOW, reason="2 calls in the last hour", setting="max_calls_per_hour"))

    for event in (a_start(limits=limits), wait):
        assert decode(encode(Record(seq=1, epoch=1, event=event))).event == event


FORGERIES: list[tuple[str, Callable[[Path], object]]] = [
    ("appended to", lambda path: path.write_bytes(path.read_bytes() + b'{"format":1}\n')),
    ("cut", lambda path: path.write_bytes(path.read_bytes()[:40])),
    ("edited in its place", lambda path: path.write_bytes(path.read_bytes().replace(b"spec.md", b"spec.txt"))),
    ("removed", Path.unlink),
    ("a folder", _make_folder),
    ("a link", _make_link),
    ("removed with its folder", lambda path: shutil.rmtree(path.parent)),
]


@pytest.mark.parametrize("forge", [forge for _, forge in FORGERIES], ids=[name for name, _ in FORGERIES])
def test_what_another_hand_does_to_the_journal_of_a_run_is_undone(
    tmp_path: Path, forge: Callable[[Path], object]
) -> None:
    path = tmp_path / "session" / JOURNAL
    journal = a_journal(path.parent)
    before = path.read_bytes()
    forge(path)
    journal.append(PAUSE)

    assert path.read_bytes().startswith(before)
    assert [record.seq for record in read_journal(path.parent)] == [1, 2, 3, 4]
    assert not journal.restore()


def test_a_journal_with_other_rights_and_the_same_content_was_not_forged(tmp_path: Path) -> None:
    journal = a_journal(tmp_path)
    (tmp_path / JOURNAL).chmod(0o644)

    assert not journal.restore()


@pytest.mark.parametrize("number", [1, 2])
def test_a_line_that_was_changed_is_named(tmp_path: Path, number: int) -> None:
    a_journal(tmp_path)
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b"2026", b"2027", 1)
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))

    with pytest.raises(JournalDamaged, match=f"{JOURNAL}:{number}: was changed after it was written"):
        list(read_journal(tmp_path))


def test_a_line_without_a_digest_behind_one_with_is_named(tmp_path: Path) -> None:
    a_journal(tmp_path)
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[2] = pack(replace(decode(lines[2]), before=""))
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))

    with pytest.raises(JournalDamaged, match=f"{JOURNAL}:3: was changed after it was written"):
        list(read_journal(tmp_path))


def test_a_journal_of_an_older_version_is_read_and_gone_on_with(tmp_path: Path) -> None:
    lines = [encode(Record(seq=1, epoch=1, event=a_start())), packed(Record(seq=2, epoch=1, event=CALL))]
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))
    Journal(tmp_path / JOURNAL, 2, lambda: True, seq=2).append(PAUSE)

    records = list(read_journal(tmp_path))

    assert [bool(record.before) for record in records] == [False, False, True]


def test_no_secret_gets_into_the_journal_and_the_event_is_answered_as_it_was_kept(tmp_path: Path) -> None:
    secret = 'a"b\\c-1234'
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True, redactor=redactor_of({"SERVICE_KEY": secret}))
    journal.append(a_start())
    results = [passed(f"test_{number}", doc="word " * 3) for number in range(2000)]

    record = journal.append(SuiteEnded(at=NOW, report=a_report(*results, failed("test_x", message=f"got {secret}"))))

    *_, read = read_journal(tmp_path)
    assert isinstance(read.event, SuiteEnded)
    assert read.event.report.results[-1].message == "got [redacted:SERVICE_KEY]"
    assert record.event == read.event
