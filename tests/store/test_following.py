"""A journal that is followed while its run is at work."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dualgate.core.values.events import CallStarted
from dualgate.core.values.vocabulary import Phase
from dualgate.store.following import LOOK_SECONDS, changes_of, follow
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.testing import NOW, a_start


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start())
    return journal


def a_call(number: int) -> CallStarted:
    return CallStarted(at=NOW, number=number, phase=Phase.RED, iteration=1)


def looks(*steps: Callable[[], object]) -> tuple[Callable[[], bool], Callable[[float], None], list[float]]:
    """A run that does one step during each wait and has then ended."""
    waited: list[float] = []
    rest: Iterator[Callable[[], object]] = iter(steps)

    def wait(seconds: float) -> None:
        waited.append(seconds)
        next(rest)()

    return lambda: len(waited) < len(steps), wait, waited


def test_events_are_told_as_they_are_written_until_the_run_ends(tmp_path: Path, journal: Journal) -> None:
    alive, wait, waited = looks(
        lambda: journal.append(a_call(1)), lambda: None, lambda: [journal.append(a_call(n)) for n in (2, 3)]
    )

    told = [record.seq for record in follow(tmp_path, 0, alive, wait)]

    assert told == [1, 2, 3, 4]
    assert waited == [LOOK_SECONDS] * 3


def test_it_is_looked_at_five_times_a_second_at_most() -> None:
    assert LOOK_SECONDS >= 0.2


def test_a_session_without_a_run_is_told_to_its_end_at_once(tmp_path: Path, journal: Journal) -> None:
    alive, wait, waited = looks()

    assert [record.seq for record in follow(tmp_path, 0, alive, wait)] == [1]
    assert ([*changes_of(tmp_path, alive, wait)], waited) == ([True], [])


def test_each_change_is_one_sign(tmp_path: Path, journal: Journal) -> None:
    alive, wait, _ = looks(lambda: journal.append(a_call(1)), lambda: None, lambda: journal.append(a_call(2)))

    assert len([*changes_of(tmp_path, alive, wait)]) == 3


def test_a_session_that_another_one_replaces_is_not_followed_into_it(tmp_path: Path, journal: Journal) -> None:
    path = tmp_path / JOURNAL

    def archived() -> None:
        path.rename(tmp_path / "archived")

    def begun() -> None:
        Journal(path, 1, lambda: True).append(a_start())

    alive, wait, _ = looks(archived, begun, lambda: None)

    assert [record.seq for record in follow(tmp_path, 0, alive, wait)] == [1]
