"""One owner for each tree: a run above or below another one is refused, a linked worktree is a tree of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dualgate.errors import SessionLocked
from dualgate.store.lease import owned
from dualgate.store.neighbours import foreign_trees, require_alone
from dualgate.testing import NOW


@contextmanager
def a_run(project: Path, home: Path) -> Iterator[None]:
    project.mkdir(parents=True, exist_ok=True)
    with owned(project, home / ".bp-sessions" / project.name, {"HOME": str(home)}, NOW):
        yield


@pytest.mark.parametrize(("first", "second", "side"), [("app", "app/web", "above"), ("app/web", "app", "below")])
def test_a_run_above_or_below_another_one_is_refused_and_told_of_it(
    tmp_path: Path, first: str, second: str, side: str
) -> None:
    with a_run(tmp_path / first, tmp_path):
        with (
            pytest.raises(SessionLocked, match=f"A run owns {tmp_path / first}, which is {side} {tmp_path / second}"),
            a_run(tmp_path / second, tmp_path),
        ):
            pass
        with a_run(tmp_path / "app2", tmp_path):
            pass

    with a_run(tmp_path / second, tmp_path):
        pass


@pytest.mark.parametrize(("first", "second", "side"), [("app", "alias/web", "above"), ("app/web", "alias", "below")])
def test_another_path_to_the_same_folder_changes_nothing(tmp_path: Path, first: str, second: str, side: str) -> None:
    """As a mount, or a file system that does not tell upper from lower case, gives one."""
    (tmp_path / "app" / "web").mkdir(parents=True)
    (tmp_path / "alias").symlink_to(tmp_path / "app")

    with a_run(tmp_path / first, tmp_path), pytest.raises(SessionLocked, match=f"which is {side}"):
        require_alone(tmp_path / second, {"HOME": str(tmp_path)})


@pytest.mark.parametrize(("first", "second"), [("app", "app/trees/fix/src"), ("app/trees/fix", "app")])
def test_a_linked_worktree_is_a_tree_of_its_own_wherever_it_lies(tmp_path: Path, first: str, second: str) -> None:
    linked = tmp_path / "app" / "trees" / "fix"
    linked.mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {tmp_path}/app/.git/worktrees/fix\n")
    (tmp_path / "app" / ".git" / "worktrees" / "fix").mkdir(parents=True)
    (tmp_path / "app" / ".git" / "worktrees" / "fix" / "gitdir").write_text(f"{linked}/.git\n")

    with a_run(tmp_path / first, tmp_path), a_run(tmp_path / second, tmp_path):
        below = list(foreign_trees(tmp_path / "app", {"HOME": str(tmp_path)}))

    assert [place.is_relative_to(linked) for place, _ in below] == [True]


def test_a_submodule_belongs_to_the_tree_that_it_is_in(tmp_path: Path) -> None:
    module = tmp_path / "app" / "vendor" / "lib"
    module.mkdir(parents=True)
    (module / ".git").write_text("gitdir: ../../.git/modules/lib\n")

    with a_run(tmp_path / "app", tmp_path), pytest.raises(SessionLocked), a_run(module, tmp_path):
        pass
