import json
from datetime import timedelta
from pathlib import Path

import pytest

from dualgate.core.machine.history import begin
from dualgate.core.said.blocks.phase_text import read_log
from dualgate.core.values.events import CallDelayed, CallStarted, SessionFailed, SessionReset, SuiteEnded
from dualgate.core.values.problems import Found
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import JournalDamaged, StoreFailed
from dualgate.session.record import Recorder
from dualgate.store.account import read_account, take_account
from dualgate.store.home import METRICS
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import BREAKER, RATE_LIMIT, STATUS_LOG, open_projections, rebuild
from dualgate.testing import NOW, a_report, a_start, passed

LATER = NOW + timedelta(minutes=1)
RAN = SuiteEnded(at=LATER, report=a_report(passed("test_a")))
FAILED = SessionFailed(at=LATER, reason="no program")


@pytest.fixture
def record(tmp_path: Path) -> Recorder:
    """A session that has just begun in tmp_path."""
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    started = a_start()
    journal.append(started)
    state = begin(started)
    return Recorder(state, journal, open_projections(tmp_path, started), lambda *_: None)


def read(folder: Path, name: str) -> dict[str, object]:
    found = json.loads((folder / name).read_text())
    assert isinstance(found, dict)
    return found


def recommendations(folder: Path) -> list[str]:
    blocks = read_log((folder / STATUS_LOG).read_bytes())
    return [block.fields.recommendation for block in blocks if isinstance(block, Found)]


def test_every_record_is_appended_after_one_blank_line(tmp_path: Path, record: Recorder) -> None:
    record(RAN)
    record(FAILED)

    log = (tmp_path / STATUS_LOG).read_text()
    assert recommendations(tmp_path) == [
        "Write failing tests for every acceptance criterion",
        "Baseline: 1 test passes; next: write failing tests for every acceptance criterion",
        "Halted - no program",
    ]
    assert log.count("---END_PRP_PHASE_STATUS---\n\n---PRP_PHASE_STATUS---") == 2
    assert "\n\n\n" not in log


def test_the_other_files_carry_the_number_of_the_event_they_were_written_at(tmp_path: Path, record: Recorder) -> None:
    record(RAN)
    between = read(tmp_path, METRICS)["seq"], read(tmp_path, "loop-state.json")["seq"]
    record(FAILED)

    assert between == (1, 2)
    assert (read(tmp_path, METRICS)["seq"], read(tmp_path, BREAKER)["seq"]) == (3, 3)


def test_the_breaker_is_written_with_its_thresholds(tmp_path: Path, record: Recorder) -> None:
    record(FAILED)

    found = read(tmp_path, BREAKER)
    assert (found["state"], found["no_progress"], found["history"]) == ("CLOSED", 0, [])
    assert (found["thresholds"], found["half_open_after"]) == ({"no_progress": 3, "same_error": 5}, 2)


def test_the_hour_is_written_with_what_is_waited_for(tmp_path: Path, record: Recorder) -> None:
    record(CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1))
    record(CallDelayed(at=LATER, wait=Wait(until=LATER, reason="1 call in the last hour", setting="x")))

    hour = read(tmp_path, RATE_LIMIT)
    assert (hour["calls_last_hour"], hour["tokens_last_hour"], hour["max_calls_per_hour"]) == (1, 0, None)
    assert (hour["waiting_until"], hour["reason"]) == ("2026-01-16T10:01:00Z", "1 call in the last hour")


def test_what_is_lost_is_made_again_from_the_journal(tmp_path: Path, record: Recorder) -> None:
    record(RAN)
    record(FAILED)
    names = (STATUS_LOG, METRICS, BREAKER, "loop-state.json")
    before = {name: (tmp_path / name).read_bytes() for name in names}
    for name in names:
        (tmp_path / name).unlink()

    rebuild(tmp_path)

    assert {name: (tmp_path / name).read_bytes() for name in names} == before


def test_a_log_that_is_behind_gets_what_is_missing_and_a_torn_block_stays_torn(
    tmp_path: Path, record: Recorder
) -> None:
    record(RAN)
    record(FAILED)
    log = tmp_path / STATUS_LOG
    log.write_text(log.read_text()[:-30])

    rebuild(tmp_path)

    assert recommendations(tmp_path)[-1] == "Halted - no program"
    assert len(recommendations(tmp_path)) == 3
    again = log.read_bytes()
    rebuild(tmp_path)
    assert log.read_bytes() == again


def test_a_log_that_says_something_else_is_written_anew(tmp_path: Path, record: Recorder) -> None:
    record(RAN)
    log = tmp_path / STATUS_LOG
    log.write_text(log.read_text().replace("PASSING: 1", "PASSING: 9").replace("TOTAL: 1", "TOTAL: 9"))

    rebuild(tmp_path)

    assert "PASSING: 9" not in log.read_text()


def test_an_account_is_what_the_recorder_came_to(tmp_path: Path, record: Recorder) -> None:
    record(CallStarted(at=LATER, number=1, phase=Phase.RED, iteration=1))
    record(FAILED)
    state = record(SessionReset(at=LATER, by="ada", guidance="smaller"))

    account = read_account(tmp_path)

    assert (account.state, account.seq, len(account.records)) == (state, 4, 3)


def test_a_journal_without_a_start_has_no_account() -> None:
    with pytest.raises(JournalDamaged, match="does not begin"):
        take_account([])


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path, record: Recorder) -> None:
    (tmp_path / STATUS_LOG).unlink()
    (tmp_path / STATUS_LOG).mkdir()

    with pytest.raises(StoreFailed, match=r"phase-status\.log cannot be written"):
        record(FAILED)
    with pytest.raises(StoreFailed, match=r"phase-status\.log cannot be written"):
        rebuild(tmp_path)
