"""The texts of changes: how they are read, which repositories they make, and that plain runs show what they claim."""

import ast
import json
import shutil
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.corpus.changes import DATA, EXIT_CODES, Change, changes_of, edited, read_changes
from tests.corpus.plain import failing, failing_by
from tests.corpus.repositories import base_of, crossed, git, made

FILES = sorted(DATA.rglob("*.txt"))
CLAIMS = ("base_fails", "head_fails", "old_fails", "red")
READERS: dict[str, Callable[[str], object]] = {".py": ast.parse, ".json": json.loads, ".toml": tomllib.loads}

CART = """\
Words before the first heading are for people.

## total is bent
rule: bent-test
names: test_total
base_fails: tests/test_cart.py::test_total
@ base cart.py
def total(prices):
    return sum(prices) - 1
@ base tests/test_cart.py
from cart import total


def test_total():
    assert total([1, 2]) == 3
@ head-edit tests/test_cart.py
-     assert total([1, 2]) == 3
+     assert total([1, 2]) == 2
@ later README
Carts.
@ commits
main: base
work: head
main: later
work: merge main
tree: last
@ last-move cart.py carts/cart.py
@ last-delete README
"""


def test_a_change_is_read_from_its_text() -> None:
    (change,) = read_changes(CART, (1,))

    assert (change.name, change.exits, change.rules) == ("total is bent", (1,), ("bent-test",))
    assert change.listed("base_fails") == ("tests/test_cart.py::test_total",)
    assert [part.verb for part in change.stages["last"]] == ["move", "delete"]
    assert change.steps[-1] == "tree: last"


def test_an_unknown_setting_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="colour"):
        read_changes("## a\ncolour: red\n@ base a.py\n")


@pytest.mark.parametrize("edit", ["- c\n+ d", "- a\n+ d", "? b"], ids=["missing", "twice", "no mark"])
def test_an_edit_without_its_one_place_is_a_mistake(edit: str) -> None:
    with pytest.raises(ValueError, match="not there exactly once"):
        edited("a\nb\na\n", edit)


def test_edits_are_made_one_after_the_other() -> None:
    assert edited("a\n\nb\nc\n", "= a\n=\n- b\n+ B\n\n= B\n+ more") == "a\n\nB\nmore\nc\n"


def test_a_change_becomes_a_repository(tmp_path: Path) -> None:
    root = made(read_changes(CART)[0], tmp_path / "repository")
    base = base_of(root, tmp_path / "base")

    assert git(root, "branch", "--show-current") == "work"
    assert git(root, "status", "--porcelain").split() == ["D", "README", "D", "cart.py", "??", "carts/"]
    assert (base / "README").is_file()  # main was merged: what came from there is no change of the branch
    assert "== 3" in (base / "tests" / "test_cart.py").read_text()
    assert "== 2" in (root / "tests" / "test_cart.py").read_text()


def test_trees_are_crossed_by_tests_and_code(tmp_path: Path) -> None:
    root = made(read_changes(CART)[0], tmp_path / "repository")
    base = base_of(root, tmp_path / "base")
    red = crossed(base, root, tmp_path / "red")

    assert failing([base, red]) == [{"tests/test_cart.py::test_total"}, set()]


def test_there_are_many_changes_of_different_names() -> None:
    changes = {folder: changes_of(DATA / folder) for folder in EXIT_CODES}
    names = [change.name for each in changes.values() for change in each]

    assert len(set(names)) == len(names)
    assert [len(changes["cheats"]) >= 40, len(changes["honest"]) >= 55, len(changes["unproven"]) >= 15] == [True] * 3


def test_what_is_not_honest_says_which_finding_is_expected() -> None:
    for change in changes_of(DATA / "cheats") + changes_of(DATA / "unproven"):
        assert change.rules, change.name
        assert change.listed("names"), change.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_files_of_a_change_can_be_read(path: Path) -> None:
    for change in read_changes(path.read_text(encoding="utf-8")):
        for part in (part for parts in change.stages.values() for part in parts if part.verb == "write"):
            reader = READERS.get(Path(part.path).suffix)
            if reader and "broken" not in part.path:
                reader(part.text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_plain_runs_show_what_a_change_claims(path: Path, tmp_path: Path) -> None:
    changes = [change for change in read_changes(path.read_text(encoding="utf-8")) if is_claimed(change)]
    trees = {(change.id, claim): tree for change in changes for claim, tree in trees_of(change, tmp_path)}
    shown = dict(zip(trees, runs(changes, trees), strict=True))

    claimed = {key: claim_of(change, key[1]) for change in changes for key in trees if key[0] == change.id}
    flaky = {change.id: set(change.listed("flaky")) for change in changes}
    assert {key: sorted(found - flaky[key[0]]) for key, found in shown.items()} == claimed


def is_claimed(change: Change) -> bool:
    return change.settings.get("plain") != "no" and all(map(shutil.which, change.listed("needs")))


def claim_of(change: Change, claim: str) -> list[str]:
    return sorted(change.listed(claim))


def trees_of(change: Change, folder: Path) -> Iterator[tuple[str, Path]]:
    """The folders in which the claims of a change can be checked; the crossed ones only where there is a claim."""
    head = made(change, folder / change.id / "head")
    base = base_of(head, folder / change.id / "base")
    below = change.settings.get("folder", "")
    yield "base_fails", base / below
    yield "head_fails", head / below
    if "old_fails" in change.settings:
        yield "old_fails", crossed(head, base, folder / change.id / "old") / below
    if "red" in change.settings:
        yield "red", crossed(base, head, folder / change.id / "red") / below


def runs(changes: Sequence[Change], trees: dict[tuple[str, str], Path]) -> list[set[str]]:
    commands = {change.id: change.settings["plain"] for change in changes if "plain" in change.settings}
    by_pytest = iter(failing(tree for (name, _), tree in trees.items() if name not in commands))
    return [
        failing_by(commands[name], tree) if name in commands else next(by_pytest) for (name, _), tree in trees.items()
    ]
