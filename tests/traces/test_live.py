"""Sending during a run: a collector that is slow, down or refuses costs one warning, and spans are sent once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dualgate.core.values.events import Event
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.session.host import Host
from dualgate.settings import Settings
from dualgate.settings.notices import Telemetry
from dualgate.store.reading import read_journal
from dualgate.store.sessions import TRACED
from dualgate.testing import NOW, a_host, a_start, a_state
from dualgate.traces.live import sent
from dualgate.traces.reading import spans_of
from tests.traces.collector import Collector, collecting

RECORDED = Path(__file__).parent.parent / "data" / "journals" / "format2" / "resumed"
HALTED = 30
"""The number of the event with which the recorded session halts; a person resumes it later."""
DONE = a_state(status=Status.COMPLETED)


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def host(tmp_path: Path, told: list[str]) -> Host:
    (tmp_path / "project").mkdir()
    grow(tmp_path / "session")
    return a_host(tmp_path / "project", {"PRP_SESSION_DIR": str(tmp_path / "session")}, tell=told.append)


def grow(folder: Path, lines: int | None = None) -> None:
    folder.mkdir(exist_ok=True)
    whole = (RECORDED / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(whole[:lines]))


def watching(host: Host, endpoint: str | None, timeout: float = 5.0) -> list[Event]:
    """Run to the end with a watcher that sends; returns the events that the inner watcher got."""
    seen: list[Event] = []
    settings = Settings(otel=Telemetry(endpoint=endpoint, timeout=timeout))

    def inner(event: Event, state: LoopState) -> None:
        seen.append(event)

    with sent(inner, settings, host) as watch:
        watch(a_start(), DONE)
    return seen


def ids(folder: Path) -> set[str]:
    return {span.span_id for span in spans_of(folder, alive=False)}


def test_every_span_is_sent_and_the_last_event_is_marked(host: Host, collector: Collector, told: list[str]) -> None:
    seen = watching(host, collector.address)

    assert (len(seen), told) == (1, [])
    assert sorted(collector.ids) == sorted(ids(host.folder()))
    assert (host.folder() / TRACED).read_text() == "58\n"


def test_a_second_run_of_the_session_sends_only_what_is_new(host: Host, collector: Collector) -> None:
    grow(host.folder(), HALTED)
    watching(host, collector.address)
    before = len(collector.ids)
    grow(host.folder())

    watching(host, collector.address)

    assert 0 < before < len(collector.ids) == len(set(collector.ids))
    assert set(collector.ids) == ids(host.folder())


@pytest.mark.parametrize("mark", [b"\xff\n", b"", b"x"])
def test_a_broken_mark_means_that_all_is_sent_again(host: Host, collector: Collector, mark: bytes) -> None:
    (host.folder() / TRACED).write_bytes(mark)

    watching(host, collector.address)

    assert set(collector.ids) == ids(host.folder())


def test_spans_that_were_refused_are_sent_by_the_next_run(host: Host, collector: Collector, told: list[str]) -> None:
    collector.answers = [401]
    watching(host, collector.address)
    assert collector.ids == []

    watching(host, collector.address)

    assert set(collector.ids) == ids(host.folder())
    (warning,) = told
    assert warning.startswith("traces are not sent: ")
    assert warning.endswith("Send them with: dualgate traces export")


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://user:pass@127.0.0.1:1/secret"])
def test_a_collector_that_is_down_costs_one_warning(host: Host, told: list[str], address: str) -> None:
    watching(host, address, timeout=1.0)

    assert len(told) == 1
    assert "secret" not in told[0]
    assert not (host.folder() / TRACED).exists()


def test_an_invalid_address_is_named(host: Host, told: list[str]) -> None:
    watching(host, "collector:4318")

    (warning,) = told
    assert "The endpoint of traces is not an http or https address. Give one such as http://localhost:4318" in warning


def test_a_damaged_journal_costs_one_warning(host: Host, collector: Collector, told: list[str]) -> None:
    (host.folder() / "journal.jsonl").write_bytes(b"{}\n")

    watching(host, collector.address)

    assert (len(told), collector.ids) == (1, [])


def test_a_run_inside_of_another_sends_nothing(host: Host, collector: Collector, tmp_path: Path) -> None:
    from dualgate.store.codec import Record, pack

    shutil.rmtree(host.folder())
    host.folder().mkdir()
    nested = Record(seq=1, epoch=1, event=a_start(inside=("an outer run",), at=NOW))
    (host.folder() / "journal.jsonl").write_bytes(pack(nested))

    watching(host, collector.address)

    assert collector.requests == []


def test_without_a_setting_the_watcher_stays_as_it_is(host: Host) -> None:
    def watch(event: Event, state: LoopState) -> None:
        raise AssertionError

    with sent(watch, Settings(), host) as same:
        assert same is watch


def test_no_prefix_of_a_journal_gives_a_span_that_a_longer_one_does_not(tmp_path: Path) -> None:
    whole = {span.span_id: span for span in spans_of(RECORDED, alive=False)}
    records = list(read_journal(RECORDED))

    for length in range(1, len(records)):
        grow(tmp_path / "cut", length)
        for span in spans_of(tmp_path / "cut", alive=True):
            assert whole[span.span_id] == span
