"""A person works with git on the worktrees of runs: removes, locks, prunes and switches. Nothing is lost."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fleet.conftest import Called, Making
from tests.fleet.places import committed, everything, git
from tests.loop.scripts import RED, REST

Agent = tuple[str, str]


def beside(repository: Path, name: str) -> Path:
    return repository.parent / "doubling.worktrees" / name


# what the person does in the checkout, while the agent works
MEANWHILE = """
[[turn]]
phase = "GREEN"
run = ['cd {0} && git worktree prune --expire now && git gc -q --prune=now && git pack-refs --all']
[[turn.write]]
path = "doubling.py"
text = "def double(x): return x + x"
"""


def test_a_person_may_prune_and_collect_garbage_while_a_run_works(
    repository: Path, tmp_path: Path, call: Called
) -> None:
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")
    (tmp_path / "script.toml").write_text(RED + MEANWHILE.format(repository) + REST)
    agent = "--agent", f"rehearsal:{tmp_path / 'script.toml'}"

    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *agent, "--commit", "run", "--json")

    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["agent_calls"]) == (0, True, 5), ended.err
    assert "doubling.py" in git(repository, "show", "--name-only", "--format=", "dualgate/x")
    git(repository, "fsck", "--no-dangling")


def test_after_a_removal_by_hand_every_command_says_how_to_go_on(repository: Path, call: Called, honest: Agent) -> None:
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")
    call(repository, "run", "SPEC.md", "--worktree", "x", *honest, "--commit", "run", "--json")
    shutil.rmtree(beside(repository, "x"))
    git(repository, "worktree", "prune")

    for words in (("status",), ("resume",), ("log",), ("snapshot", "list"), ("pr",)):
        ended = call(repository, *words, "--worktree", "x")
        assert (ended.code, "dualgate worktrees restore x" in ended.err) == (1, True), words
    again = call(repository, "run", "SPEC.md", "--worktree", "x", *honest)
    assert (again.code, "its folder was removed by hand" in again.err) == (1, True)
    assert "dualgate worktrees restore x" in again.err
    assert "dualgate resume --worktree x" not in again.err  # it would be refused

    assert call(repository, "worktrees", "restore", "x").code == 0
    assert call(repository, "status", "--worktree", "x", "--json").lines[0]["status"] == "completed"
    assert (beside(repository, "x") / "doubling.py").is_file()


def test_a_halted_session_goes_on_after_its_worktree_was_removed_by_hand(
    repository: Path, tmp_path: Path, call: Called, honest: Agent
) -> None:
    (tmp_path / "stuck.toml").write_text(RED + '\n[[turn]]\nphase = "GREEN"\n' * 9)
    agent = "--agent", f"rehearsal:{tmp_path / 'stuck.toml'}"
    assert call(repository, "run", "SPEC.md", "--worktree", "x", *agent).code == 3
    shutil.rmtree(beside(repository, "x"))

    call(repository, "worktrees", "restore", "x")
    saved = call(repository, "snapshot", "list", "--worktree", "x", "--json").lines[0]["snapshots"]
    back = call(repository, "snapshot", "restore", saved[-1]["id"], "--yes", "--worktree", "x")
    ended = call(repository, "resume", "--reset", *honest, "--worktree", "x", "--json")

    assert back.code == 0, back.err
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err


def _files(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")


def _repository(folder: Path) -> None:
    _files(folder)
    committed(folder)


@pytest.mark.parametrize("make_other", [_files, _repository])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_what_a_person_puts_in_the_place_of_a_worktree_stays(
    make_other: Callable[[Path], None], force: tuple[str, ...], repository: Path, make: Making, call: Called
) -> None:
    folder = make()
    shutil.rmtree(folder)
    make_other(folder)

    for words in (("status",), ("resume",)):
        refused = call(repository, *words, "--worktree", "night")
        assert (refused.code, "is no worktree of this repository any more" in refused.err) == (1, True)
    assert "missing" in call(repository, "worktrees").out
    removed = call(repository, "worktrees", "remove", "night", *force)
    again = call(repository, "worktrees", "restore", "night")

    assert (removed.code, "stays" in removed.out) == (0, True)
    assert (again.code, "move it away first" in again.err) == (1, True)
    assert (folder / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize("state", ["making", "removing", "restoring"])
def test_a_repository_of_a_person_in_the_place_of_an_unfinished_worktree_stays(
    state: str, repository: Path, make: Making, call: Called, environment: dict[str, str], honest: Agent
) -> None:
    folder = make()
    record = next(Path(environment["HOME"], ".bp-sessions", ".worktrees").rglob("night.json"))
    record.write_text(record.read_text().replace('"ready"', f'"{state}"'))
    shutil.rmtree(folder)
    _repository(folder)

    for words in (("worktrees", "restore", "night"), ("run", "SPEC.md", "--worktree", "night", *honest)):
        call(repository, *words)
    call(repository, "worktrees", "remove", "night", "--force")

    assert (folder / "thesis.txt").read_text() == "mine"
    assert (folder / ".git").is_dir()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b'{"name": "other"}'])
def test_a_damaged_record_of_a_worktree_is_named(
    content: bytes, repository: Path, make: Making, call: Called, environment: dict[str, str]
) -> None:
    make()
    record = next(Path(environment["HOME"], ".bp-sessions", ".worktrees").rglob("night.json"))
    record.write_bytes(content)

    ended = call(repository, "worktrees"), call(repository, "worktrees", "remove", "night")

    assert [each.code for each in ended] == [0, 1]
    assert all(f"The record of the worktree night is damaged: {record}" in each.err for each in ended)


def test_a_locked_worktree_is_not_removed(repository: Path, make: Making, call: Called) -> None:
    folder = make()
    (folder / "new.py").write_text("x = 1\n")
    git(repository, "worktree", "lock", "--reason", "on a stick", str(folder))

    refused = call(repository, "worktrees", "remove", "night")

    assert (refused.code, (folder / "new.py").is_file()) == (1, True)
    assert "on a stick" in refused.err
    assert f"git worktree unlock {folder}" in refused.err
    git(repository, "worktree", "unlock", str(folder))
    assert call(repository, "worktrees", "remove", "night").code == 0


def test_a_locked_worktree_whose_folder_is_away_is_not_forgotten(
    repository: Path, tmp_path: Path, make: Making, call: Called
) -> None:
    folder = make()
    git(repository, "worktree", "lock", str(folder))
    folder.rename(tmp_path / "unplugged")

    refused = call(repository, "worktrees", "remove", "night")

    assert (refused.code, "git worktree unlock" in refused.err) == (1, True)
    (tmp_path / "unplugged").rename(folder)
    assert git(folder, "symbolic-ref", "--short", "HEAD") == "dualgate/night"


@pytest.mark.parametrize("commits", [0, 1])
def test_a_branch_that_a_person_checked_out_elsewhere_stays(
    commits: int, repository: Path, make: Making, call: Called
) -> None:
    folder = make()
    for number in range(commits):
        committed(folder, **{f"new{number}.py": "x = 1\n"})
    commit = git(folder, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "--ignore-other-worktrees", "dualgate/night")
    before = everything(repository)

    assert call(repository, "worktrees", "remove", "night").code == 0

    assert (git(repository, "rev-parse", "HEAD"), everything(repository)) == (commit, before)
    refused = call(repository, "worktrees", "restore", "night")
    assert (refused.code, folder.exists()) == (1, False)
    assert f"is checked out in {repository}" in refused.err
    assert call(repository, "worktrees", "--json").lines[0]["worktrees"][0]["state"] == "removed"
    git(repository, "checkout", "-q", "main")
    assert call(repository, "worktrees", "restore", "night").code == 0
    assert git(folder, "rev-parse", "HEAD") == commit


def test_staged_loose_and_deleted_files_of_a_removed_worktree_comes_back(
    repository: Path, make: Making, call: Called
) -> None:
    folder = make()
    (folder / "staged.py").write_text("x = 1\n")
    git(folder, "add", "staged.py")
    (folder / "loose.py").write_text("y = 1\n")
    (folder / "conftest.py").unlink()

    assert call(repository, "worktrees", "remove", "night").code == 0
    assert call(repository, "worktrees", "restore", "night").code == 0

    assert [(folder / name).read_text() for name in ("staged.py", "loose.py")] == ["x = 1\n", "y = 1\n"]
    assert not (folder / "conftest.py").exists()


def test_work_inside_a_submodule_of_a_removed_worktree_is_not_lost(
    repository: Path, tmp_path: Path, make: Making, call: Called
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    committed(library, **{"code.py": "x = 1\n"})
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendored")
    committed(repository)
    folder = make()
    (folder / "vendored" / "code.py").write_text("x = 2\n")
    (folder / "vendored" / "more.py").write_text("y = 1\n")

    assert call(repository, "worktrees", "remove", "night").code == 0
    assert call(repository, "worktrees", "restore", "night").code == 0

    assert (folder / "vendored" / "code.py").read_text() == "x = 2\n"
    assert (folder / "vendored" / "more.py").read_text() == "y = 1\n"


def test_commits_inside_a_submodule_of_a_removed_worktree_are_not_lost(
    repository: Path, tmp_path: Path, make: Making, call: Called
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    committed(library, **{"code.py": "x = 1\n"})
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendored")
    committed(repository)
    folder = make()
    commit = committed(folder / "vendored", **{"code.py": "x = 2\n"})

    ended = call(repository, "worktrees", "remove", "night")

    assert (ended.code, "vendored" in ended.err) == (1, True)
    assert git(folder / "vendored", "rev-parse", "HEAD") == commit


def test_a_run_works_beside_a_sparse_checkout_with_pointers_of_lfs(
    repository: Path, call: Called, honest: Agent
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    committed(repository, **{".gitattributes": "*.bin filter=lfs\n", "large.bin": pointer, "more.txt": "more\n"})
    git(repository, "sparse-checkout", "set", "--no-cone", "/*", "!/more.txt")
    before = everything(repository)

    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *honest, "--json")

    made = beside(repository, "x")
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err
    assert "1 file of git LFS is a pointer: large.bin" in ended.err
    assert ((made / "large.bin").read_text(), (made / "more.txt").exists()) == (pointer, False)
    assert everything(repository) == before
