"""Whole runs in worktrees, with real git: the checkout of the person stays as it is."""

from pathlib import Path

from tests.fleet.conftest import Called
from tests.fleet.places import committed, everything, git

Agent = tuple[str, str]


def beside(repository: Path, name: str) -> Path:
    return repository.parent / f"{repository.name}.worktrees" / name


def dirty(repository: Path) -> None:
    """Changes of every kind: stashed, staged, changed, untracked, ignored and deleted."""
    (repository / "conftest.py").write_text("stashed = 1\n")
    git(repository, "stash")
    (repository / "staged.py").write_text("staged = 1\n")
    git(repository, "add", "staged.py")
    (repository / "staged.py").write_text("staged = 2\n")
    (repository / "conftest.py").write_text("# changed\n")
    (repository / "notes.txt").write_text("mine\n")
    (repository / ".env").write_text("TOKEN=1\n")


def test_a_run_in_a_worktree_leaves_a_dirty_checkout_as_it_is(repository: Path, call: Called, honest: Agent) -> None:
    committed(repository, **{".gitignore": ".env\n"})
    dirty(repository)
    before, refs = everything(repository), git(repository, "for-each-ref").splitlines()

    ended = call(repository, "run", "SPEC.md", "--worktree", "doubled", *honest, "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err
    assert everything(repository) == before
    assert [row for row in git(repository, "for-each-ref").splitlines() if "dualgate" not in row] == refs
    made = beside(repository, "doubled")
    assert (made / "doubling.py").read_text() == "def double(x): return x + x"
    assert (made / ".env").read_text() == "TOKEN=1\n"
    assert (made / "conftest.py").read_text() == ""
    assert not (made / "notes.txt").exists()
    assert git(made, "symbolic-ref", "--short", "HEAD") == "dualgate/doubled"
