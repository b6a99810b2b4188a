"""Scenes on disks of their own: python -m tests.crash.small_disks SCENE FOLDER, in a name space where one can mount."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.crash.places import Nursery, Place, a_place, check_as_if_undisturbed, nursery

# of a disk that a whole session fits on, so that it is full at another step each time
ROOMS = (0, 20_000, 60_000, 100_000, 150_000)


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", *words], check=True)


def place_on_own_disk(root: Path, nursery: Nursery) -> Place:
    """Its home, with the session and the snapshots, is on a disk of two megabytes."""
    place = a_place(root, nursery)
    mount("-t", "tmpfs", "-o", "size=2m", "none", root / "all" / "home")
    return place


@contextmanager
def filled(folder: Path, room: int) -> Iterator[None]:
    """All but so many bytes of its disk."""
    filler = folder / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(folder).free - room))
    try:
        yield
    finally:
        filler.unlink()


def full(root: Path, nursery: Nursery) -> None:
    for room in ROOMS:
        place = place_on_own_disk(root / str(room), nursery)
        with filled(place.root / "all" / "home", room):
            refused = place.go_on()
        check_told(place, refused.code, refused.err, "Make room")
        print(f"{room} bytes: full after {(place.kinds or ['nothing'])[-1]}", file=sys.stderr)
        check_as_if_undisturbed(place, place.go_on())


def full_in_tests(root: Path, nursery: Nursery) -> None:
    place = a_place(root / "place", nursery)
    temporary = root / "place" / "all" / "tmp"
    mount("-t", "tmpfs", "-o", "size=4m", "none", temporary)
    refused = replace(place, variables={"TEST_FILLS": "1"}).go_on()
    (temporary / "big").unlink()

    check_told(place, refused.code, refused.err, "Make room")
    check_as_if_undisturbed(place, place.go_on())


def session_read_only(root: Path, nursery: Nursery) -> None:
    place = place_on_own_disk(root / "place", nursery)
    killed = place.begin(*place.start_words)
    place.until(lambda kinds: "turn.ended" in kinds)  # in the middle, however fast the machine is
    os.kill(killed, signal.SIGKILL)
    place.end()
    mount("-o", "remount,ro", root / "place" / "all" / "home")
    refused = place.go_on()
    status = place.call("status")
    mount("-o", "remount,rw", root / "place" / "all" / "home")

    check_told(place, refused.code, refused.err, "give permission")
    assert status.code == 0, status.err
    check_as_if_undisturbed(place, place.go_on())


def project_read_only(root: Path, nursery: Nursery) -> None:
    place = a_place(root / "place", nursery)
    mount("--bind", place.project, place.project)
    mount("-o", "remount,bind,ro", place.project)
    refused = place.go_on()
    mount("-o", "remount,bind,rw", place.project)

    check_told(place, refused.code, refused.err, "Give yourself permission")
    check_as_if_undisturbed(place, place.go_on())


def check_told(place: Place, code: int, told: str, way_out: str) -> None:
    assert (code, "Traceback" in told, way_out in told) == (1, False, True), told
    assert str(place.root / "all") in told, told


SCENES = {
    "full": full,
    "full_in_tests": full_in_tests,
    "session_read_only": session_read_only,
    "project_read_only": project_read_only,
}

if __name__ == "__main__":
    with nursery() as made:
        SCENES[sys.argv[1]](Path(sys.argv[2]), made)
    print("done")
