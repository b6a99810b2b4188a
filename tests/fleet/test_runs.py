"""Whole runs in worktrees, with real git: the checkout of the person stays as it is."""

import json
import signal
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dualgate.store.lease import owned
from dualgate.store.sessions import session_folder
from tests.conftest import CALL_LIMIT
from tests.fleet.conftest import NOW, Called
from tests.fleet.places import IDENTITY, committed, everything, git
from tests.loop.scripts import GREEN, RED, REST
from tests.spawner import Spawner

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


def test_files_that_a_worktree_was_made_with_are_no_edits_of_the_person(
    repository: Path, call: Called, honest: Agent
) -> None:
    (repository / "SPEC.md").write_text((repository / "SPEC.md").read_text() + "\nNot committed yet.\n")

    ended = call(repository, "run", "SPEC.md", "--worktree", "doubled", "--commit", "run", *honest, **IDENTITY)

    assert ended.code == 0, ended.err
    assert "commits: on branch dualgate/doubled" in ended.out
    assert "edits of yours" not in ended.out


def test_two_runs_work_in_one_repository_at_once(repository: Path, call: Called, honest: Agent) -> None:
    before = everything(repository)
    names = ("one", "two")

    with ThreadPoolExecutor() as threads:
        runs = [
            threads.submit(call, repository, "run", "SPEC.md", "--worktree", name, *honest, "--json") for name in names
        ]
        ended = [run.result() for run in runs]

    assert [each.code for each in ended] == [0, 0], [each.err for each in ended]
    assert everything(repository) == before
    told = json.loads(call(repository, "worktrees", "--json").out)["worktrees"]
    assert [(each["name"], each["state"], each["session_state"]) for each in told] == [
        ("one", "idle", "proven"),
        ("two", "idle", "proven"),
    ]


# the agent rewrites the person's history, as the person would in the checkout meanwhile
REWRITES = """
[[turn]]
phase = "GREEN"
run = ['cd {0} && git commit -q --amend -m rewritten && git branch -D other && git stash -q']
[[turn.write]]
path = "doubling.py"
text = "def double(x): return x + x"
"""


def test_a_person_may_rewrite_history_while_a_run_works_in_a_worktree(
    repository: Path, tmp_path: Path, call: Called
) -> None:
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")
    git(repository, "branch", "other", git(repository, "commit-tree", "HEAD^{tree}", "-m", "alone"))
    (repository / "conftest.py").write_text("# mine\n")
    (tmp_path / "script.toml").write_text(RED + REWRITES.format(repository) + REST)

    ended = call(
        repository, "run", "SPEC.md", "--worktree", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--json"
    )

    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["agent_calls"]) == (0, True, 5), ended.err


def test_a_rehearsal_script_is_seen_from_where_the_person_is(repository: Path, tmp_path: Path, call: Called) -> None:
    first, rest = tmp_path / "first.toml", tmp_path / "rest.toml"
    first.write_text(RED + GREEN)
    rest.write_text(RED + GREEN + REST)

    halted = call(repository, "run", "SPEC.md", "--worktree", "--agent", "rehearsal:../first.toml", "--json")
    ended = call(repository, "resume", "--worktree", "doubling", "--agent", "rehearsal:../rest.toml", "--json")

    assert "The rehearsal script has no turn for phase REFACTOR" in halted.err
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err


def test_the_session_names_the_worktree_and_its_repository(repository: Path, call: Called, honest: Agent) -> None:
    call(repository, "run", "SPEC.md", "--worktree", *honest, "--json")

    made = beside(repository, "doubling")
    there = json.loads(call(repository, "status", "--worktree", "doubling", "--json").out)
    listed = json.loads(call(repository, "status", "--all", "--json").out)["sessions"]
    assert there["worktree_of"] == str(repository)
    assert [(each["project"], each["worktree_of"]) for each in listed] == [(str(made), str(repository))]
    assert f"{made}, of {repository}" in call(made, "status").out
    assert "doubling: doubling" in call(repository, "status", "--all").out
    missing = call(repository, "status")
    assert missing.code == 1
    hint = "The worktree doubling has a session: dualgate status --worktree doubling"
    assert hint in missing.err
    assert call(repository, "sessions").out == f"No session found in this folder. {hint}\n"
    assert hint not in call(made, "sessions").out
    call(made, "sessions", "archive")
    assert hint not in call(repository, "sessions").out


def test_a_second_run_under_the_same_name_is_told_how_to_continue(
    repository: Path, call: Called, honest: Agent
) -> None:
    call(repository, "run", "SPEC.md", "--worktree", *honest, "--json")

    again = call(repository, "run", "SPEC.md", "--worktree", *honest)

    assert again.code == 1
    assert "There is a worktree doubling already" in again.err
    assert "dualgate resume --worktree doubling" in again.err


def test_a_killed_run_is_resumed_in_its_worktree_from_the_checkout(
    repository: Path, call: Called, honest: Agent, spawner: Spawner, environment: dict[str, str]
) -> None:
    words = ("run", "SPEC.md", "--worktree", "x", *honest)
    killed = spawner.call(words, repository, environment, CALL_LIMIT, dies_at=(9, "after"))
    assert killed.code == -signal.SIGKILL

    ended = call(repository, "resume", "--worktree", "x", "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err


def test_a_dry_run_lists_what_the_worktree_gets_and_writes_nothing(repository: Path, call: Called) -> None:
    (repository / ".env").write_text("A=1\n")
    (repository / "notes.txt").write_text("mine\n")
    (repository / "SPEC.md").write_text((repository / "SPEC.md").read_text() + "\nMore.\n")
    before = everything(repository)

    ended = call(repository, "run", "SPEC.md", "--worktree", "--dry-run", "--agent", "rehearsal", "--json")

    plan = ended.lines[0]["worktree"]
    assert (plan["name"], plan["branch"], plan["copied"]) == ("doubling", "dualgate/doubling", [".env", "SPEC.md"])
    assert (plan["left_untracked"], plan["left_changed"]) == (["notes.txt"], ["SPEC.md"])
    assert everything(repository) == before
    assert not beside(repository, "doubling").parent.exists()


def test_a_dry_run_shows_the_test_command_of_the_worktree(repository: Path, tmp_path: Path, call: Called) -> None:
    def command(activated: Path | None) -> str:
        words = ("run", "SPEC.md", "--worktree", "--dry-run", "--agent", "rehearsal", "--json")
        ended = call(repository, *words, VIRTUAL_ENV=str(activated or ""), DUALGATE_TEST_COMMAND="")
        return str(json.loads(ended.out)["suites"][0]["command"][0])

    outside = command(an_environment(tmp_path / "mine"))
    an_environment(repository / ".venv")
    (repository / ".git" / "info" / "exclude").write_text(".venv/\n")

    assert [outside, command(None)] == [str(beside(repository, "doubling") / ".venv" / "bin" / "python")] * 2
    assert not beside(repository, "doubling").exists()


def an_environment(place: Path) -> Path:
    """A virtual environment that has the pytest of this one."""
    venv.create(place, symlinks=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    return place


def test_a_dry_run_says_what_is_in_the_way_of_the_worktree_and_nothing_of_the_checkout(
    repository: Path, call: Called, environment: dict[str, str]
) -> None:
    words = ("run", "SPEC.md", "--worktree", "--dry-run", "--commit", "run", "--agent", "rehearsal")
    with owned(repository, session_folder(repository, environment), environment, NOW):
        free = call(repository, *words, **IDENTITY)
    git(repository, "branch", "dualgate/doubling")

    taken = call(repository, *words, **IDENTITY)

    assert (free.code, "owns this folder" in free.out) == (0, False)
    assert f"Session  {session_folder(beside(repository, 'doubling'), environment)}" in free.out
    assert free.out.index("\nCommit   ") < free.out.index("The first prompt")
    assert taken.code == 1
    assert "The branch dualgate/doubling is there already" in taken.out


def test_a_specification_by_its_whole_path_is_that_of_the_worktree(
    repository: Path, call: Called, honest: Agent
) -> None:
    (repository / "docs").mkdir()
    (repository / "SPEC.md").rename(repository / "docs" / "twice.md")
    before = everything(repository)

    ended = call(repository, "run", str(repository / "docs" / "twice.md"), "--worktree", *honest, "--json")

    assert ended.code == 0, ended.err
    assert json.loads(call(repository, "status", "--worktree", "twice", "--json").out)["prp_file"] == "docs/twice.md"
    assert (beside(repository, "twice") / "docs" / "twice.md").is_file()
    assert everything(repository) == before


def test_a_name_that_was_left_out_is_not_taken_from_the_specification_after_it(
    repository: Path, tmp_path: Path, call: Called
) -> None:
    (repository / "SPEC.md").rename(tmp_path / "outside.md")

    ended = call(repository, "run", "--worktree", "../outside.md", "--dry-run", "--agent", "rehearsal", "--json")

    assert (ended.lines[0]["worktree"]["name"], ended.lines[0]["worktree"]["copied"]) == ("outside", [])
