"""A disk that refuses a write: said with its file and what to do; the session goes on when it takes writes again."""

import errno
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.places import ROOT, Moment, Nursery, Place, Plan, a_place, check_as_if_undisturbed
from tests.crash.scale import PARTS
from tests.crash.steps import kind_of, tried
from tests.support import Ended

# a full disk stays full; a bad block may be met once
REFUSALS = [(errno.ENOSPC, Moment.REFUSED_FROM), (errno.EIO, Moment.REFUSED_ONCE)]

Tell = Callable[[str, object], None]


def steps_of(folder: Path, nursery: Nursery, error: int) -> list[str]:
    """The writes of a run that could be refused like this."""
    place = a_place(folder, nursery)
    place.go_on(plan=Plan(below=place.root / "all", value=error, list=str(place.root / "steps")))
    return (place.root / "steps").read_text().splitlines()


def check_told(ended: Ended, place: Place) -> None:
    """Which file, why, and what to do: in two lines, and no trace of our insides."""
    problem, _, way_out = ended.err.strip().rpartition("\n")
    assert (ended.code, "Traceback" in ended.err) == (1, False), ended.err
    assert str(place.root / "all") in problem, ended.err
    assert "Make room" in way_out or "Give permission" in way_out, ended.err


@pytest.mark.parametrize(("error", "moment"), REFUSALS)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_refused_write_is_told_and_the_session_goes_on_later(
    error: int, moment: Moment, part: int, tmp_path: Path, faulty_nursery: Nursery, record_property: Tell
) -> None:
    steps = steps_of(tmp_path / "undisturbed", faulty_nursery, error)
    chosen = tried(range(1, len(steps) + 1), lambda number: kind_of(steps[number - 1]))
    for number in chosen[part::PARTS]:
        place = a_place(tmp_path / str(number), faulty_nursery)

        refused = place.go_on(plan=Plan(below=place.root / "all", step=number, moment=moment, value=error))

        if refused.code:  # some writes can be done without, or were made a second time
            check_told(refused, place)
        check_as_if_undisturbed(place, place.go_on())
        record_property(f"refused with {errno.errorcode[error]}", "told" if refused.code else "done without")


OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")


@pytest.fixture
def inside(tmp_path: Path) -> Callable[[str], None]:
    """Play a scene of tests/crash/small_disks.py where disks can be mounted that nobody else sees."""
    if not shutil.which("unshare") or subprocess.run([*OWN_MOUNTS, "true"], capture_output=True).returncode:
        pytest.skip("needs a system that lets us mount a disk of our own")

    def play(scene: str) -> None:
        words = [*OWN_MOUNTS, sys.executable, "-m", "tests.crash.small_disks", scene, str(tmp_path)]
        played = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600)
        assert (played.returncode, played.stdout.splitlines()[-1:]) == (0, ["done"]), played.stderr

    return play


@pytest.mark.parametrize("scene", ["full", "full_in_tests", "session_read_only", "project_read_only"])
def test_a_disk_that_is_full_or_read_only_is_told_and_the_session_goes_on_later(
    scene: str, inside: Callable[[str], None]
) -> None:
    inside(scene)
