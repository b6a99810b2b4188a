"""dualgate, killed while it restores files: after a refused edit, for a trial and after it, in a roll-back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Phase
from tests.crash.places import FINAL, WORK, Moment, Nursery, Place, Plan, a_place, write_all
from tests.crash.scale import PARTS
from tests.crash.steps import tried
from tests.support import Ended, decisions

# a changed test is tried as it was, an edit of a proven test is reverted, a refactoring that breaks it is rolled back
TROUBLES = {
    "RED/tests/old.t": "test -e double.sh\n",
    "GREEN.1/tests/ac1.t": "true\n",
    "GREEN.1/double.sh": WORK[Phase.GREEN]["double.sh"],
    "REFACTOR.1/double.sh": "echo 4\n",
    "REFACTOR.1/more.sh": "echo 4\n",
}
TURNS = [
    ("RED", "next_phase"),
    ("GREEN", "continue"),
    ("GREEN", "next_phase"),
    ("REFACTOR", "continue"),
    ("REFACTOR", "next_phase"),
    ("DOCUMENT", "next_phase"),
    ("QA", "project_complete"),
]
RESTORED = ("/doubling/",)

Tell = Callable[[str, object], None]


def a_troubled_place(root: Path, nursery: Nursery) -> Place:
    place = a_place(root, nursery)
    write_all(root / "work", TROUBLES)
    return place


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory, faulty_nursery: Nursery) -> list[str]:
    """What a run to which nothing happens does to the disk, in its order."""
    place = a_troubled_place(tmp_path_factory.mktemp("undisturbed") / "place", faulty_nursery)
    ended = place.go_on(plan=Plan(below=place.root / "all", list=str(place.root / "steps")))
    check(place, ended)
    assert decisions(ended) == TURNS
    return (place.root / "steps").read_text().splitlines()


def moments(steps: list[str]) -> Iterator[tuple[int, Moment]]:
    """Those at which files of the project change."""
    for number, step in enumerate(steps, 1):
        done, _, path = step.partition(" ")
        if path.startswith(RESTORED):
            yield number, Moment.TORN if done == "write" else Moment.BEFORE
        if path.startswith(RESTORED) and done == "replace":
            yield number, Moment.AFTER


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_that_dies_while_it_restores_files_ends_as_if_it_had_not(
    part: int, tmp_path: Path, faulty_nursery: Nursery, steps: list[str], record_property: Tell
) -> None:
    chosen = tried(moments(steps), lambda each: (steps[each[0] - 1].partition(" ")[0], each[1]))
    for number, moment in chosen[part::PARTS]:
        place = a_troubled_place(tmp_path / f"{number}-{moment.name}", faulty_nursery)
        died = place.go_on(plan=Plan(below=place.root / "all", step=number, moment=moment))

        ended = place.go_on()

        assert died.code == -9, f"{steps[number - 1]}: {died.err}"
        check(place, ended)
        record_property("killed while restoring", steps[number - 1].partition(" ")[0])


def check(place: Place, ended: Ended) -> None:
    """The same turns, violations and files as of a run that nothing happened to, and nothing of it a person's."""
    assert ended.code == 0, ended.err
    result = ended.lines[-1]
    assert (result["status"], result["proven"], result["touched"]["person"]) == ("completed", True, [])
    files = FINAL | {"tests/old.t": TROUBLES["RED/tests/old.t"]}
    assert {name: (place.project / name).read_text() for name in files} == files
    assert not list(place.project.glob(".dualgate-restore*"))
    assert not (place.project / "more.sh").exists()
    turns = [event["data"] for event in place.events() if event["kind"] == "turn.ended"]
    assert [turn["facts"]["phase"] for turn in turns] == [phase for phase, _ in TURNS]
    reverted = [each["path"] for turn in turns for each in turn["facts"]["observed"]["changes"]["violations"]]
    assert reverted == ["tests/ac1.t"]
    assert place.at_work() == []
    assert place.call("replay").code == 0
