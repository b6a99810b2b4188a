"""Any tree, any edit: what differs is said exactly, and every state can be had back."""

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.trees import difference

# a file, a link or a folder: kind, bytes, mode
Node = tuple[str, bytes, int]
Tree = dict[str, Node]
EMPTY_FOLDER: Node = ("folder", b"", 0o755)

names = st.sampled_from(["a", "b", "-c", "new\nline", os.fsdecode(b"\xff\xfe"), " d.py ", "é", "..x"])
contents = st.sampled_from([b"", b"one\n", b"two\n", b"one\r\n", b"\0\xff binary", b"x" * 70_000]) | st.binary(
    max_size=9
)
files = st.tuples(st.just("file"), contents, st.sampled_from([0o644, 0o644, 0o755, 0o600, 0o444]))
targets = st.sampled_from([b"a", b"../b", b"/nowhere", b"b/a", b".", b"\xff"])
links = st.tuples(st.just("link"), targets, st.just(0o777))
folders = st.tuples(st.just("folder"), st.just(b""), st.sampled_from([0o755, 0o755, 0o700, 0o775, 0o555]))
coin: st.SearchStrategy[bool] = st.booleans()
seldom = st.integers(0, 3).map(lambda number: number == 0)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
trees = st.dictionaries(paths, files | files | links | folders, max_size=6).map(lambda drawn: whole(drawn))


def whole(drawn: Tree) -> Tree:
    """What of a drawing can be: nothing stands below a file, and what something stands in is a folder."""
    tree: Tree = {}
    for path, node in sorted(drawn.items()):
        above = [path[:i] for i, sign in enumerate(path) if sign == "/"]
        if all(tree.get(folder, EMPTY_FOLDER)[0] == "folder" for folder in above):
            tree |= {folder: EMPTY_FOLDER for folder in above if folder not in tree}
            tree[path] = node
    return tree


@st.composite
def edited(draw: Any, tree: Tree) -> Tree:
    """Another tree, or this one with some paths changed, moved and removed."""
    other: Tree = draw(trees)
    if draw(coin):
        return other
    kept = {path: node for path, node in tree.items() if node[0] == "folder" or draw(st.integers(0, 4))}
    if kept and draw(coin):
        kept[draw(paths)] = kept.pop(draw(st.sampled_from(sorted(kept))))
    return whole({**kept, **dict(list(other.items())[:2])})


@dataclass
class Place:
    """A work tree that is laid out anew for every example, on a quick disk where there is one."""

    folder: Path
    repository: Path
    saved: SavedSnapshots = field(init=False)
    root: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root = self.folder / "project"
        self.root.mkdir()
        self.saved = SavedSnapshots(self.root, self.folder / "store" / "snapshots.db")

    def lay_out(self, tree: Tree) -> None:
        for item in self.root.iterdir():
            if item.name != ".git":
                wipe(item)
        for path, (kind, content, mode) in sorted(tree.items()):
            target = self.root / path
            if kind == "link":
                target.symlink_to(os.fsdecode(content))
            elif kind == "folder":
                target.mkdir()
            else:
                target.write_bytes(content)
                target.chmod(mode)
        for path, (kind, _, mode) in sorted(tree.items(), reverse=True):
            if kind == "folder":
                (self.root / path).chmod(mode)

    def found(self) -> Tree:
        return dict(read(self.root))

    def with_repository(self) -> Tree:
        shutil.copytree(self.repository, self.root / ".git", symlinks=True)
        return self.of_repository()

    def of_repository(self) -> Tree:
        return dict(read(self.root / ".git", leaving_out="")) if (self.root / ".git").exists() else {}


def wipe(item: Path) -> None:
    if item.is_dir() and not item.is_symlink():
        for folder, _, _ in os.walk(item):
            Path(folder).chmod(0o700)
        shutil.rmtree(item)
    else:
        item.unlink()


def read(folder: Path, prefix: str = "", leaving_out: str = ".git") -> Iterator[tuple[str, Node]]:
    for item in folder.iterdir():
        mode = stat.S_IMODE(item.lstat().st_mode)
        if item.name == leaving_out:
            continue
        if item.is_symlink():
            yield prefix + item.name, ("link", os.fsencode(item.readlink()), mode)
        elif item.is_dir():
            yield prefix + item.name, ("folder", b"", mode)
            yield from read(item, f"{prefix}{item.name}/", leaving_out)
        else:
            yield prefix + item.name, ("file", item.read_bytes(), mode)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=quick, prefix="dualgate-trees-") as name:
        yield Place(Path(name), a_repository(Path(name) / "made"))


def a_repository(folder: Path) -> Path:
    """A history with a branch, a tag, something staged and something stashed."""
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "kept").write_text("kept")
    setting = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["branch", "other"], ["tag", "v1"]):
        subprocess.run(["git", *setting, *words], cwd=folder, check=True)
    (folder / "sub" / "kept").write_text("changed")
    subprocess.run(["git", *setting, "stash", "-q"], cwd=folder, check=True)
    (folder / "staged").write_text("staged")
    subprocess.run(["git", *setting, "add", "staged"], cwd=folder, check=True)
    return folder / ".git"


def work(tree: Tree) -> Tree:
    return {path: node for path, node in tree.items() if node[0] != "folder"}


@settings(max_examples=1000)
@given(drawn=st.data(), in_git=st.sampled_from([True, *[False] * 19]))
def test_what_differs_is_exact_and_every_state_can_be_had_back(
    place: Place, drawn: st.DataObject, in_git: bool
) -> None:
    first = drawn.draw(trees)
    second = drawn.draw(edited(first))
    some: str | None = drawn.draw(st.sampled_from([*work(first), *work(second), None])) if drawn.draw(seldom) else None
    shutil.rmtree(place.root / ".git", ignore_errors=True)
    repository = place.with_repository() if in_git else {}

    place.lay_out(first)
    one = place.saved.save("first", NOW)
    place.lay_out(second)
    if some is not None:
        partly = place.saved.restore(one, [some], NOW)
        assert partly.restored.failed == {}
        assert place.found().get(some) == first.get(some)
        assert place.saved.restore(partly.before, [], NOW).restored.failed == {}
    returned = place.saved.restore(one, [], NOW)
    assert returned.restored.failed == {}
    assert place.found() == first
    place.saved.restore(returned.before, [], NOW)
    assert place.found() == second
    assert place.of_repository() == repository

    found = difference(place.saved.seen_as(one).changes(one.tree, returned.before.tree))
    old, new = work(first), work(second)
    assert set(found.created) == new.keys() - old.keys()
    assert set(found.deleted) == old.keys() - new.keys()
    assert set(found.modified) == {path for path in old.keys() & new.keys() if old[path] != new[path]}
    assert all(old[was][1] == new[now][1] for was, now in found.renamed)
