"""The store of snapshots under bad luck: killed, full, spoilt, shared."""

import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from dualgate.errors import SettingError, SnapshotMissing, StoreFailed
from dualgate.testing import NOW
from dualgate.workspace.catalog import Needed, Policy, Snapshot
from dualgate.workspace.objects import CHUNK, FORMAT
from dualgate.workspace.restore import STAGING, clear_abandoned, restore
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import RACY_NANOSECONDS, WORTH_REMEMBERING, Snapshots
from dualgate.workspace.trees import Difference, Entry, difference
from tests.workspace.places import a_project, git, run_python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


@pytest.fixture
def saved(project: Path, tmp_path: Path) -> Iterator[SavedSnapshots]:
    with SavedSnapshots(project, tmp_path / "store" / "snapshots.db", largest=1000) as opened:
        yield opened


def content(folder: Path) -> dict[str, bytes]:
    return {
        item.relative_to(folder).as_posix(): item.read_bytes()
        for item in folder.rglob("*")
        if item.is_file() and ".git" not in item.parts
    }


def fill(folder: Path, mark: str, count: int = 120) -> dict[str, bytes]:
    """Many files, of which a kill hits one in the middle."""
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(count):
        place = folder / f"{mark if number % 3 else 'both'}{number % 7}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.txt").write_bytes(f"{mark} {number}\n".encode() * 200)
    return content(folder)


LIFE = """
import sys
from pathlib import Path
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
root, store, target = sys.argv[1:4]
with SavedSnapshots(Path(root), Path(store)) as saved:
    print("ready", flush=True)
    if target:
        saved.restore(saved.catalog.find(target), [], NOW)
    else:
        saved.save("killed", NOW)
print("done", flush=True)
"""


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
from tests.workspace.test_store import content, fill
root, store = Path(sys.argv[1]), Path(sys.argv[2])

def timed(work):
    begin = time.monotonic()
    with SavedSnapshots(root, store) as saved:
        work(saved)
    return time.monotonic() - begin

def killed(work, seconds):
    child = os.fork()
    if child == 0:
        timed(work)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] == signal.SIGKILL

save = lambda saved: saved.save("killed", NOW)
restore = lambda saved: saved.restore(saved.catalog.all()[0], [], NOW)
before = fill(root, "before")
saving = timed(save)
fill(root, "after")
restoring = timed(restore)
chance = random.Random(1)
hit = []
for attempt in range(15):
    fill(root, f"after{attempt}")
    hit.append(killed(save, chance.uniform(0, saving)))
    hit.append(killed(restore, chance.uniform(0, restoring)))
    with SavedSnapshots(root, store) as saved:
        assert saved.objects.rows("PRAGMA integrity_check") == [("ok",)]
        assert restore(saved).restored.failed == {}
    assert content(root) == before, attempt
print(sum(hit))
"""


def test_a_kill_at_any_moment_leaves_the_store_whole_and_the_restore_to_be_repeated(tmp_path: Path) -> None:
    assert int(run_python(KILLED, str(tmp_path / "project"), str(tmp_path / "store" / "snapshots.db"))) > 5


CUT_OFF = """
import os, sys
from pathlib import Path
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
from tests.workspace.places import a_project
from tests.workspace.test_store import content
folder, steps = Path(sys.argv[1]), ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod")
left = [0]

def cut_off(event, _):
    if event in steps:
        left[0] -= 1
        if left[0] == 0:
            os._exit(9)

def edit(project):
    for name in ("tests/test_x.py", "code.py", "new/file"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("other")
    (project / "pyproject.toml").unlink()

for step in range(1, 1000):
    project = a_project(folder / str(step) / "project")
    store = project.parent / "store.db"
    before = content(project)
    with SavedSnapshots(project, store) as saved:
        saved.save("first", NOW)
    edit(project)
    after = content(project)
    child = os.fork()
    if child == 0:
        left[0] = step
        sys.addaudithook(cut_off)
        with SavedSnapshots(project, store) as saved:
            saved.restore(saved.catalog.all()[0], [], NOW)
        os._exit(0)
    was_cut = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    with SavedSnapshots(project, store) as saved:
        first, *undo = saved.catalog.all()
        if undo:
            saved.restore(undo[0], [], NOW)
        assert content(project) == after, step
        saved.restore(first, [], NOW)
        assert content(project) == before, step
    if not was_cut:
        print(step)
        break
"""


def test_a_restore_that_is_cut_off_at_any_step_can_be_undone_and_repeated(tmp_path: Path) -> None:
    assert int(run_python(CUT_OFF, str(tmp_path))) > 8


FULL = """
import sys
from pathlib import Path
from dualgate.errors import StoreFailed
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
root, store, full, target = (Path(word) for word in sys.argv[1:])
saved = SavedSnapshots(root, store)
if target.name:
    (full / "filler").unlink(missing_ok=True)
try:
    with open(full / "filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
except OSError:
    pass
try:
    saved.restore(saved.catalog.find(target.name), [], NOW) if target.name else saved.save("full", NOW)
except StoreFailed as error:
    print(error)
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A place that is mounted by who uses it, where that is allowed."""
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(on_small_disk(place, "true"), capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    return place


def on_small_disk(place: Path, command: str) -> list[str]:
    return ["unshare", "-rm", "sh", "-ec", f"mount -t tmpfs -o size=2m tmpfs {place}; {command}"]


def said_on(place: Path, *steps: str) -> str:
    return subprocess.run(
        on_small_disk(place, "; ".join(steps)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def python(code: str, *words: object) -> str:
    return " ".join([sys.executable, "-c", f"'{code}'", *(f'"{word}"' for word in words)])


def test_a_store_on_a_full_disk_is_told_and_the_tree_is_untouched(project: Path, small_disk: Path) -> None:
    before = fill(project, "some")

    said = said_on(small_disk, python(FULL, project, small_disk / "snapshots.db", small_disk, ""))

    assert said.startswith(f"A snapshot cannot be kept or read in {small_disk}/snapshots.db: ")
    assert "full" in said
    assert said.endswith("Make room or give permission, or choose another place with PRP_SESSION_DIR.\n")
    assert content(project) == before


def test_a_project_on_a_full_disk_is_not_half_restored(tmp_path: Path, small_disk: Path) -> None:
    first = fill(tmp_path / "first", "first", 40)
    second = fill(tmp_path / "second", "second", 40)
    root, store = small_disk / "project", tmp_path / "store" / "snapshots.db"
    life = LIFE.replace('saved.save("killed", NOW)', 'print(saved.save("first", NOW).id, file=open(sys.argv[4], "w"))')

    said = said_on(
        small_disk,
        f"cp -r {tmp_path}/first {root}",
        python(life, root, store, "", tmp_path / "id"),
        f"rm -r {root}; cp -r {tmp_path}/second {root}",
        python(FULL, root, store, small_disk, f"$(cat {tmp_path}/id)"),
        f"rm {small_disk}/filler; cp -r {root} {tmp_path}/found",
        python(LIFE, root, store, f"$(cat {tmp_path}/id)"),
        f"cp -r {root} {tmp_path}/repeated",
    )

    assert "project cannot be written: No space left on device. Nothing in it was changed." in said
    assert content(tmp_path / "found") == second
    assert content(tmp_path / "repeated") == first


def save_in_vain(saved: SavedSnapshots, snapshots: Snapshots) -> None:
    with saved.objects.writing():
        saved.keep(snapshots, "never", NOW)
        raise OverflowError


def test_what_could_not_be_kept_is_not_remembered_as_kept(saved: SavedSnapshots, project: Path) -> None:
    snapshots = saved.look_anew()
    saved.keep(snapshots, "first", NOW)
    (project / "new.py").write_text("x = 1\n")
    with pytest.raises(OverflowError):
        save_in_vain(saved, snapshots)

    again = saved.keep(snapshots, "again", NOW)

    (project / "new.py").unlink()
    saved.restore(again, [], NOW)
    assert (project / "new.py").read_text() == "x = 1\n"


def test_a_store_that_cannot_be_made_is_told(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreFailed, match="A snapshot cannot be kept or read in") as told:
        SavedSnapshots(project, tmp_path / "file" / "snapshots.db").save("x", NOW)
    assert "PRP_SESSION_DIR" in told.value.next_step


def test_a_spoilt_file_is_told_and_left_as_it_is(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "snapshots.db"
    store.write_bytes(b"this is no database at all" * 100)

    with pytest.raises(StoreFailed, match="not a database") as told:
        SavedSnapshots(project, store).save("x", NOW)
    assert "move it away" in told.value.next_step
    assert store.read_bytes() == b"this is no database at all" * 100


def test_a_byte_that_turned_on_the_disk_is_noticed_before_anything_is_written(
    saved: SavedSnapshots, project: Path
) -> None:
    first = saved.save("first", NOW)
    (project / "code.py").write_text("other")
    saved.objects.write("UPDATE objects SET content = zeroblob(length(content)) WHERE form = 0")
    saved.objects.write("UPDATE objects SET content = zeroblob(9), form = 0 WHERE form = 1")

    with pytest.raises(StoreFailed, match="is damaged"):
        saved.restore(first, [], NOW)
    assert (project / "code.py").read_text() == "other"


def test_a_newer_format_is_refused_and_not_rewritten(saved: SavedSnapshots, project: Path) -> None:
    saved.save("first", NOW)
    saved.objects.rows(f"PRAGMA user_version = {FORMAT + 1}")
    saved.objects.close()

    with pytest.raises(StoreFailed, match="newer dualgate"):
        saved.save("second", NOW)


def test_saves_at_once_are_all_kept(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "store" / "snapshots.db"
    words = [sys.executable, "-c", LIFE, str(project), str(store), ""]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE) for _ in range(4)]

    said = [process.communicate()[0] for process in started]

    assert said == [b"ready\ndone\n"] * 4
    with SavedSnapshots(project, store) as saved:
        assert sorted(each.number for each in saved.catalog.all()) == [1, 2, 3, 4]


def test_pruning_keeps_what_the_policy_keeps_and_gives_room_back(saved: SavedSnapshots, project: Path) -> None:
    made = []
    for day in range(6):
        (project / "data").write_bytes(random.Random(day).randbytes(900))
        made.append(saved.save(str(day), NOW + timedelta(days=day), session="open" if day == 1 else ""))

    gone, _ = saved.prune(Policy(keep_last=1, keep_days=2), NOW + timedelta(days=5), Needed(session="open"))

    assert [each.label for each in gone] == ["0", "2"]
    assert [each.label for each in saved.catalog.all()] == ["1", "3", "4", "5"]
    with pytest.raises(SnapshotMissing):
        saved.catalog.find(made[0].id)
    for day in (1, 3, 4, 5):
        saved.restore(made[day], [], NOW)
        assert (project / "data").read_bytes() == random.Random(day).randbytes(900)


def test_a_run_lets_go_of_what_is_old_and_not_among_the_newest(saved: SavedSnapshots) -> None:
    for day in range(55):
        saved.save(str(day), NOW + timedelta(days=day))

    saved.tidy(NOW + timedelta(days=20))
    assert len(saved.catalog.all()) == 55
    saved.tidy(NOW + timedelta(days=400))

    assert [each.label for each in saved.catalog.all()] == [str(day) for day in range(5, 55)]


def test_room_grows_with_change_and_not_with_the_size_of_the_tree(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for number in range(300):
        (root / f"folder{number % 20}").mkdir(parents=True, exist_ok=True)
        (root / f"folder{number % 20}" / f"{number}.bin").write_bytes(random.Random(number).randbytes(2000))
    with SavedSnapshots(root, tmp_path / "snapshots.db") as saved:
        saved.save("first", NOW)
        first = saved.objects.size()
        for number in range(20):
            (root / "folder1" / "1.bin").write_bytes(b"%d" % number)
            saved.save("more", NOW)
        grown = saved.objects.size() - first

    assert first > 600_000
    assert grown / 20 < 12_000


def test_a_huge_file_is_known_and_not_kept_and_never_removed_for_it(saved: SavedSnapshots, project: Path) -> None:
    (project / "huge").write_bytes(b"1" * 2000)
    first = saved.save("first", NOW)
    assert saved.unkept(first) == ("huge",)
    (project / "huge").write_bytes(b"2" * 2000)
    (project / "tests" / "test_x.py").unlink()
    (project / "tests").rmdir()
    (project / "tests").write_bytes(b"3" * 2000)
    assert difference(saved.seen_as(first).changes(first.tree, saved.save("second", NOW).tree)).modified == ("huge",)

    failed = saved.restore(first, [], NOW).restored.failed

    assert failed.keys() == {"huge", "tests", "tests/test_x.py"}
    assert (project / "huge").read_bytes() == b"2" * 2000
    assert (project / "tests").read_bytes() == b"3" * 2000


def test_a_file_of_holes_is_known_by_the_bytes_that_it_has_and_by_where_they_are(
    saved: SavedSnapshots, project: Path
) -> None:
    trees = []
    for place in (None, 0, 1 << 40, 1 << 39):
        with (project / "huge").open("wb") as file:
            file.truncate(1 << 41)
            if place is not None:
                file.seek(place)
                file.write(b"here")
        trees += [saved.save("once", NOW).tree, saved.save("twice", NOW).tree]

    assert trees[::2] == trees[1::2]
    assert len(set(trees)) == 4


def test_small_ignored_files_are_given_back_and_never_removed(saved: SavedSnapshots, project: Path) -> None:
    (project / ".gitignore").write_text(".env\n*.log\nbuild/\n")
    (project / ".env").write_text("SECRET=1")
    (project / ".env").chmod(0o600)
    first = saved.save("first", NOW)
    (project / ".env").unlink()
    (project / "new.log").write_text("x")

    returned = saved.restore(first, [], NOW)

    assert returned.restored.done == (".env",)
    assert ((project / ".env").read_text(), (project / ".env").stat().st_mode & 0o777) == ("SECRET=1", 0o600)
    assert (project / "new.log").exists()
    assert saved.objects.file.stat().st_mode & 0o777 == 0o600
    assert dict(saved.look_anew().entries(first.tree)).keys() == {
        ".gitignore",
        "code.py",
        "pyproject.toml",
        "tests/test_x.py",
    }


IGNORED = {
    "root.log": True,
    "keep.log": False,
    "sub/other.tmp": True,
    "other.tmp": False,
    "sub/deep/keep.tmp": False,
    "excluded.txt": True,
    "global.txt": True,
    "tracked.log": False,
    "conftest.py": False,
    "module/file.txt": False,
}


def test_what_is_ignored_is_what_git_ignores(
    saved: SavedSnapshots, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "git").mkdir(parents=True)
    (tmp_path / "config" / "git" / "ignore").write_text("global.txt\n")
    git(project, "init", "-q")
    for name in IGNORED:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(name)
    (project / ".gitignore").write_text("*.log\n!keep.log\nconftest.py\n")
    (project / "sub" / ".gitignore").write_text("*.tmp\n")
    (project / "sub" / "deep" / ".gitignore").write_text("!keep.tmp\n")
    (project / ".git" / "info" / "exclude").write_text("excluded.txt\n")
    git(project, "add", "-f", "tracked.log")
    git(project / "module", "init", "-q")

    made = saved.save("first", NOW)

    seen = dict(saved.look_anew().entries(made.tree))
    assert {name: name not in seen for name in IGNORED} == IGNORED


INSIDE = {
    "code.py": False,
    "out.log": True,
    "build/made.txt": True,
    "keep.log": False,
    "kept.log": False,
    "new.py": False,
}


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    """A project that is a folder of a larger repository."""
    root = tmp_path / "large"
    inner = root / "packages" / "one"
    inner.mkdir(parents=True)
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n/packages/*/build/\n")
    (root / "packages" / ".gitignore").write_text("!keep.log\n")
    (inner / "code.py").write_text("x = 1\n")
    (inner / "kept.log").write_text("tracked")
    git(root, "add", "-f", "packages/one/kept.log", "packages/one/code.py")
    git(root, "commit", "-qm", "first")
    for name in INSIDE:
        (inner / name).parent.mkdir(exist_ok=True)
        (inner / name).touch()
    return inner


def test_in_a_folder_of_a_repository_the_ignore_files_above_it_count(inner: Path, tmp_path: Path) -> None:
    saved = SavedSnapshots(inner, tmp_path / "store" / "snapshots.db")

    made = saved.save("first", NOW)

    seen = dict(saved.seen_as(made).entries(made.tree))
    assert {name: name not in seen for name in INSIDE} == INSIDE


@pytest.mark.parametrize(
    "hiding",
    [("rm", "-q", "--cached", "-r", "packages/one"), ("mv", "packages/one/kept.log", "packages/one/kept.txt")],
    ids=["that keeps nothing of it", "that ignores all of it"],
)
def test_a_repository_around_a_project_does_not_hide_it(inner: Path, tmp_path: Path, hiding: tuple[str, ...]) -> None:
    root = inner.parent.parent
    git(root, *hiding)
    (root / ".gitignore").write_text("*\n")
    saved = SavedSnapshots(inner, tmp_path / "store" / "snapshots.db")

    made = saved.save("first", NOW)

    assert {"code.py", "new.py", "build/made.txt"} <= dict(saved.seen_as(made).entries(made.tree)).keys()


def test_what_one_program_saw_the_next_need_not_read(project: Path, tmp_path: Path) -> None:
    saved = SavedSnapshots(project, tmp_path / "store" / "snapshots.db")
    fill(project, "many", count=WORTH_REMEMBERING)
    changed = project / "both0" / "0.txt"
    while time.time_ns() - changed.parent.stat().st_ctime_ns < 3 * RACY_NANOSECONDS:
        pass  # what is as young as this is looked at again in any case
    first = saved.save("first", NOW)
    changed.write_text("another\n")

    looked = saved.seen_once_as(first)
    seen = difference(looked.changes(first.tree, looked.take()))

    assert (seen.paths, looked.read_anew) == (("both0/0.txt",), 1)
    assert saved.restore(first, [], NOW).restored.done == ("both0/0.txt",)


def settle(project: Path) -> None:
    """Until nothing in it is so young that it is looked at again in any case."""
    newest = max(item.lstat().st_ctime_ns for item in (project, *project.rglob("*")))
    while time.time_ns() - newest < 3 * RACY_NANOSECONDS:
        pass


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "inner.txt").write_text("new")


def replace_by_link(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to("../empty")


OLD, ONLY = "deep/er/old.txt", "way/down/only.txt"
EDITS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "a file deep down": lambda root: (root / OLD).write_text("another"),
    "a file gone": lambda root: (root / OLD).unlink(),
    "the only file of two folders gone": lambda root: (root / ONLY).unlink(),
    "a folder gone": lambda root: shutil.rmtree(root / "deep" / "er"),
    "a folder moved": lambda root: (root / "deep" / "er").rename(root / "elsewhere"),
    "a new folder": lambda root: (root / "deep" / "er" / "new").mkdir(),
    "a folder filled": lambda root: (root / "empty" / "first.txt").write_text("1"),
    "a folder of another mode": lambda root: (root / "deep" / "er").chmod(0o700),
    "a folder in the place of a file": lambda root: replace_by_folder(root / OLD),
    "a link in the place of a folder": lambda root: replace_by_link(root / "deep" / "er"),
    "a file that is ignored": lambda root: (root / "deep" / "secret.env").write_text("2"),
    "a file that cannot be kept": lambda root: (root / "deep" / "huge").write_bytes(b"2" * 2000),
}


@pytest.mark.parametrize("is_settled", [True, False], ids=["settled", "young"])
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_is_remembered_never_changes_what_is_seen(
    saved: SavedSnapshots, project: Path, edit: Callable[[Path], object], is_settled: bool
) -> None:
    fill(project / "many", "x", count=WORTH_REMEMBERING)
    texts = {OLD: "1", ONLY: "1", "deep/secret.env": "1", "deep/huge": "1" * 2000, ".gitignore": "*.env\n"}
    for name, text in texts.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (project / "deep" / os.fsdecode(b"\xff\n")).write_text("")
    (project / "empty").mkdir()
    if is_settled:
        settle(project)
    first = saved.save("first", NOW)
    plain, recalled, lasting = saved.seen_as(first), saved.seen_once_as(first), saved.seen_as(first)
    assert (lasting.take(), lasting.rest()) == (first.tree, saved.catalog.rest(first))
    edit(project)

    seen = [(each.take(), each.rest(), each.folders, each.unkept) for each in (plain, recalled, lasting)]

    assert seen[1:] == [seen[0]] * 2
    assert plain.unkept == saved.unkept(saved.keep(plain, "now", NOW))


def test_what_another_program_saw_is_not_believed_when_a_byte_of_it_turned(
    saved: SavedSnapshots, project: Path
) -> None:
    fill(project / "many", "x", count=WORTH_REMEMBERING)
    settle(project)
    first = saved.save("first", NOW)
    assert looked_into(saved, first) == 0

    ((kept,),) = saved.objects.rows("SELECT content FROM seen")
    saved.objects.write("UPDATE seen SET content = ?", kept[:-1] + bytes([kept[-1] ^ 1]))

    assert looked_into(saved, first) > WORTH_REMEMBERING


def looked_into(saved: SavedSnapshots, snapshot: Snapshot) -> int:
    looked = saved.seen_once_as(snapshot)
    assert looked.take() == snapshot.tree
    return looked.read_anew


@pytest.fixture
def left(project: Path) -> Path:
    """What a restore that was killed had laid ready."""
    folder = project / STAGING
    folder.mkdir(mode=0o700)
    (folder / "0").write_text("x = 1\n")
    (folder / "1").symlink_to("elsewhere")
    return folder


def test_what_a_killed_restore_left_is_no_part_of_a_snapshot(saved: SavedSnapshots, left: Path) -> None:
    made = saved.save("first", NOW)

    assert not left.exists()
    assert [path for path, _ in saved.seen_as(made).entries(made.tree) if path.startswith(STAGING)] == []


def test_what_a_killed_restore_left_is_no_difference(saved: SavedSnapshots, left: Path) -> None:
    made = saved.save("first", NOW)
    left.mkdir()
    (left / "0").write_text("x = 1\n")

    assert saved.seen_once_as(made).take() == made.tree


@pytest.mark.parametrize("name", ["module.py", "0/inner.py"])
def test_what_a_restore_never_lays_ready_stays_and_is_seen(saved: SavedSnapshots, left: Path, name: str) -> None:
    (left / "0").unlink()
    (left / name).parent.mkdir(exist_ok=True)
    (left / name).write_text("x = 2\n")

    made = saved.save("first", NOW)

    assert f"{STAGING}/{name}" in dict(saved.seen_as(made).entries(made.tree))


class Disturbed(Snapshots):
    """Somebody else looks for what was left while files are laid ready."""

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        clear_abandoned(Path(self._root))
        return super().pieces(entry)


def test_what_a_restore_at_work_lays_ready_is_left_to_it(saved: SavedSnapshots, project: Path) -> None:
    snapshots = Disturbed(project, saved.objects, saved.look_anew().rules)
    written = fill(project / "many", "x", count=9)
    tree = snapshots.take()
    shutil.rmtree(project / "many")
    wanted = {path: now for path, _, now in snapshots.changes(snapshots.take(), tree)}

    restored = restore(project, wanted, snapshots)

    assert (restored.failed, content(project / "many")) == ({}, written)
    assert not (project / STAGING).exists()


HIDING = {".gitignore": "*\n", "tests/.gitignore": "*\n", "tests/pyvenv.cfg": "home = /usr\n"}


@pytest.mark.parametrize("by", HIDING)
def test_what_was_kept_once_is_kept_again_though_it_is_ignored_since(
    saved: SavedSnapshots, project: Path, by: str
) -> None:
    saved.save("first", NOW)
    (project / by).write_text(HIDING[by])
    (project / "tests" / "test_x.py").write_text("other = 1\n")
    for _ in range(2):
        second = saved.save("second", NOW)

    (project / "tests" / "test_x.py").unlink()

    assert saved.restore(second, [], NOW).restored.done == ("tests/test_x.py",)
    assert (project / "tests" / "test_x.py").read_text() == "other = 1\n"


def test_two_snapshots_differ_by_what_either_of_them_sees(saved: SavedSnapshots, project: Path) -> None:
    (project / "shown.log").write_text("1")
    (project / "secret.env").write_text("1")
    (project / ".gitignore").write_text("*.env\n")
    first = saved.save("first", NOW)
    (project / "hidden.py").write_text("x = 1\n")
    (project / "shown.log").write_text("2")
    (project / "secret.env").write_text("2")
    (project / ".gitignore").write_text("hidden.py\n*.log\n")
    second = saved.save("second", NOW)

    assert difference(saved.between(first, second)) == Difference(
        created=("hidden.py",), modified=(".gitignore", "secret.env", "shown.log")
    )
    assert difference(saved.between(second, first)).deleted == ("hidden.py",)


@pytest.mark.parametrize("link", ["module/.git", ".git"])
def test_the_link_of_a_submodule_or_a_worktree_is_given_back_where_none_is(
    saved: SavedSnapshots, project: Path, link: str
) -> None:
    (project / "module").mkdir()
    (project / "module" / "a.py").write_text("x = 1\n")
    (project / link).write_text("gitdir: ../elsewhere\n")
    first = saved.save("first", NOW)
    shutil.rmtree(project / "module")
    (project / link).unlink(missing_ok=True)

    assert saved.restore(first, [], NOW).restored.failed == {}
    assert (project / link).read_text() == "gitdir: ../elsewhere\n"


@pytest.mark.parametrize("present", ["a link", "a repository"])
def test_a_repository_that_stands_there_is_never_written(saved: SavedSnapshots, project: Path, present: str) -> None:
    link = project / "module" / ".git"
    link.parent.mkdir()
    link.write_text("gitdir: ../elsewhere\n")
    first = saved.save("first", NOW)
    link.unlink()
    if present == "a link":
        link.write_text("gitdir: ../another\n")
    else:
        git(link.parent, "init", "-q")
    before = link.read_text() if link.is_file() else content(link)

    restored = saved.restore(first, [], NOW).restored

    assert (restored.done, restored.failed) == ((), {})
    assert (link.read_text() if link.is_file() else content(link)) == before


@pytest.mark.parametrize("path", ["nowhere", "tests/nowhere.py"])
def test_a_path_that_neither_state_knows_is_told_and_nothing_is_touched(
    saved: SavedSnapshots, project: Path, path: str
) -> None:
    first = saved.save("first", NOW)
    (project / "code.py").write_text("other")

    with pytest.raises(SettingError, match="neither in the snapshot nor in the work tree"):
        saved.restore(first, ["code.py", path], NOW)
    assert (project / "code.py").read_text() == "other"


def test_some_paths_are_given_back_and_the_others_stay(saved: SavedSnapshots, project: Path) -> None:
    first = saved.save("first", NOW)
    for name in ("code.py", "tests/test_x.py", "tests/new.py"):
        (project / name).write_text("other")

    saved.restore(first, ["tests"], NOW)

    assert (project / "tests" / "test_x.py").read_text() != "other"
    assert not (project / "tests" / "new.py").exists()
    assert (project / "code.py").read_text() == "other"


def test_no_folder_is_made_behind_a_link(saved: SavedSnapshots, project: Path, tmp_path: Path) -> None:
    (project / "a" / "empty").mkdir(parents=True)
    (project / "a" / "file").write_text("x")
    first = saved.save("first", NOW)
    shutil.rmtree(project / "a")
    (tmp_path / "outside").mkdir()
    (project / "a").symlink_to(tmp_path / "outside")

    saved.restore(first, ["a/file"], NOW)

    assert list((tmp_path / "outside").iterdir()) == []
    assert (project / "a" / "file").read_text() == "x"


def test_a_limit_on_the_size_of_files_is_told_like_a_full_disk(project: Path, tmp_path: Path) -> None:
    code = f"""
import resource, signal, sys
from pathlib import Path
from dualgate.errors import StoreFailed
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, {resource.RLIM_INFINITY}))
try:
    SavedSnapshots(Path(sys.argv[1]), Path(sys.argv[2])).save("x", NOW)
except StoreFailed as error:
    print(error)
"""
    fill(project, "some")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", code, str(project), str(tmp_path / "snapshots.db")]

    said = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout

    assert "A snapshot cannot be kept or read in" in said


@pytest.mark.parametrize("length", [0, 1, 9, 10, 11, 500, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5])
@pytest.mark.parametrize("expected", [0, 10, CHUNK, 5 * CHUNK])
def test_a_file_is_kept_whole_even_if_it_grew_since(
    saved: SavedSnapshots, tmp_path: Path, length: int, expected: int
) -> None:
    content = random.Random(length).randbytes(length)
    (tmp_path / "file").write_bytes(content)

    with (tmp_path / "file").open("rb", buffering=0) as file:
        digest = saved.objects.put_file(file, expected)

    assert saved.objects.get(digest) == content
    assert digest == saved.objects.put(content) == sha256(content).hexdigest()
