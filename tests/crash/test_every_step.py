"""dualgate, killed at every change that it makes to a disk: before it, in the middle of it, after it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.places import Moment, Nursery, Place, Plan, a_place, check_as_if_undisturbed
from tests.crash.scale import PARTS
from tests.crash.steps import kind_of, tried

TORN = "write "
# what everything else is made from, and what becomes visible in one step
WITH_AFTER = ("write /home/.bp-sessions/doubling/journal.jsonl", "replace ")

Tell = Callable[[str, object], None]


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory, faulty_nursery: Nursery) -> list[str]:
    """What a run to which nothing happens does to the disk, in its order."""
    place = a_place(tmp_path_factory.mktemp("undisturbed") / "place", faulty_nursery)
    check_as_if_undisturbed(place, place.go_on(plan=everything(place)))
    return (place.root / "steps").read_text().splitlines()


def everything(place: Place) -> Plan:
    return Plan(below=place.root / "all", list=str(place.root / "steps"))


def moments(steps: list[str]) -> Iterator[tuple[int, Moment]]:
    for number, step in enumerate(steps, 1):
        yield number, Moment.BEFORE
        if step.startswith(TORN):
            yield number, Moment.TORN
        if step.startswith(WITH_AFTER):
            yield number, Moment.AFTER


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_that_dies_at_a_change_of_the_disk_ends_as_if_it_had_not(
    part: int, tmp_path: Path, faulty_nursery: Nursery, steps: list[str], record_property: Tell
) -> None:
    chosen = tried(moments(steps), lambda each: (kind_of(steps[each[0] - 1]), each[1]))
    for number, moment in chosen[part::PARTS]:
        place = a_place(tmp_path / f"{number}-{moment.name}", faulty_nursery)
        died = place.go_on(plan=Plan(below=place.root / "all", step=number, moment=moment))

        ended = place.go_on()

        assert died.code == -9, f"{steps[number - 1]}: {died.err}"
        check_as_if_undisturbed(place, ended)
        assert leftovers(place) == []
        record_property("killed at", kind_of(steps[number - 1]))


def leftovers(place: Place) -> list[str]:
    """What is in a session and was only on its way there."""
    return [str(path) for path in place.session.rglob(".*")]


def test_an_answer_is_on_the_disk_before_the_journal_tells_of_it(steps: list[str]) -> None:
    """A power cut takes what was not synced."""
    told = [number for number, step in enumerate(steps) if step == "write /home/.bp-sessions/doubling/journal.jsonl"]
    answers = [number for number, step in enumerate(steps) if step.startswith("replace") and "answer.txt" in step]

    assert len(answers) == 5
    for number in answers:
        until_told = steps[number - 1 : min(each for each in told if each > number)]
        assert until_told[0].startswith("sync /home/.bp-sessions/doubling/calls/.")
        assert "sync /home/.bp-sessions/doubling/calls" in until_told
