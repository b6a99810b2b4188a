"""Worktrees that are removed, by a person's command or by hand, and brought back."""

import json
import shutil
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dualgate.store.lease import owned
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import WorktreeState, held, read_records, write_record
from dualgate.testing import a_host
from dualgate.workspace.kept import KEPT
from tests.fleet.conftest import NOW, Called, Making
from tests.fleet.places import committed, everything, git
from tests.loop.scripts import RED
from tests.session.switched import killed_in_trial


def removed(ended_out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ended_out)
    return found


def states(call: Called, repository: Path) -> list[tuple[str, str]]:
    told = json.loads(call(repository, "worktrees", "--json").out)["worktrees"]
    return [(each["name"], each["state"]) for each in told]


def test_uncommitted_work_of_a_removed_worktree_comes_back(repository: Path, make: Making, call: Called) -> None:
    folder = make()
    (folder / "new.py").write_text("x = 1\n")
    (folder / "conftest.py").write_text("# changed\n")
    before = everything(repository)

    told = removed(call(repository, "worktrees", "remove", "night", "--json").out)

    assert told["snapshot"]
    assert not folder.parent.exists()
    assert git(repository, "worktree", "list").count("\n") == 0
    assert states(call, repository) == [("night", "removed")]
    assert everything(repository) == before

    assert call(repository, "worktrees", "restore", "night").code == 0
    assert ((folder / "new.py").read_text(), (folder / "conftest.py").read_text()) == ("x = 1\n", "# changed\n")
    assert git(folder, "symbolic-ref", "--short", "HEAD") == "dualgate/night"
    assert told["snapshot"] in call(folder, "snapshot", "list").out


def test_work_that_a_killed_step_left_in_a_snapshot_comes_back_with_a_removed_worktree(
    repository: Path, make: Making, call: Called, environment: dict[str, str]
) -> None:
    folder = make()
    killed_in_trial(a_host(folder, environment), "old = 1\n", "work = 1\n")

    ended = call(repository, "worktrees", "remove", "night")
    call(repository, "worktrees", "restore", "night")

    assert (ended.code, "restored the work that a killed step" in ended.err) == (0, True), ended.err
    assert (folder / "code.py").read_text() == "work = 1\n"


def test_a_branch_with_commits_stays_and_one_without_goes(repository: Path, make: Making, call: Called) -> None:
    commit = committed(make("kept"), **{"new.py": "x = 1\n"})
    make("empty")

    kept = removed(call(repository, "worktrees", "remove", "kept", "--json").out)
    empty = removed(call(repository, "worktrees", "remove", "empty", "--json").out)

    assert (kept["branch"], kept["snapshot"], empty["branch"]) == ("dualgate/kept", None, None)
    assert git(repository, "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads/dualgate") == (
        f"dualgate/kept {commit}"
    )
    call(repository, "worktrees", "restore", "kept")
    assert git(repository.parent / "doubling.worktrees" / "kept", "rev-parse", "HEAD") == commit


def test_a_worktree_with_an_active_run_is_not_removed(
    repository: Path, call: Called, make: Making, environment: dict[str, str]
) -> None:
    folder = make()
    with held(repository, "night", environment), owned(folder, session_folder(folder, environment), environment, NOW):
        ended = call(repository, "worktrees", "remove", "night")
        missing = call(repository, "status")

    assert (ended.code, folder.exists()) == (6, True)
    assert "dualgate pause --worktree night" in ended.err
    assert "A run works in the worktree night: dualgate status --worktree night" in missing.err


@pytest.mark.parametrize("how", ["restore", "remove"])
def test_a_worktree_that_was_removed_by_hand_is_noticed(how: str, repository: Path, make: Making, call: Called) -> None:
    folder, other = make(), repository.parent / "other"
    commit = committed(folder, **{"new.py": "x = 1\n"})
    git(repository, "worktree", "add", "-q", "--detach", str(other))
    shutil.rmtree(folder)
    shutil.rmtree(other)

    assert states(call, repository) == [("night", "missing")]
    assert "was removed by hand" in call(repository, "worktrees").out
    assert call(repository, "status", "--worktree", "night").code == 1
    assert call(repository, "worktrees", how, "night").code == 0

    entries = sorted(each.name for each in (repository / ".git" / "worktrees").iterdir())
    assert entries == (["night", "other"] if how == "restore" else ["other"])  # those of others are not pruned
    assert git(repository, "rev-parse", "dualgate/night") == commit
    assert (folder / "new.py").exists() == (how == "restore")


def test_a_file_that_no_snapshot_can_keep_is_named_before_it_is_lost(
    repository: Path, make: Making, call: Called
) -> None:
    folder = make()
    (folder / "dump.bin").write_bytes(bytes(2000))
    small = {"DUALGATE_SNAPSHOTS_LARGEST_KEPT": "1000"}

    refused = call(repository, "worktrees", "remove", "night", **small)
    assert (refused.code, folder.exists()) == (1, True)
    assert "dump.bin" in refused.err

    forced = removed(call(repository, "worktrees", "remove", "night", "--force", "--json", **small).out)
    assert (forced["lost"], folder.exists()) == (["dump.bin"], False)


def test_the_folder_of_a_worktree_is_printed_alone(repository: Path, make: Making, call: Called) -> None:
    folder = make()

    assert call(repository, "worktrees", "path", "night").out == f"{folder}\n"
    assert json.loads(call(folder, "worktrees", "path", "night", "--json").out)["folder"] == str(folder)
    assert call(repository, "worktrees", "path", "day").code == 1


def test_a_worktree_is_not_removed_from_inside(repository: Path, make: Making, call: Called) -> None:
    folder = make()

    ended = call(folder, "worktrees", "remove", "night")

    assert (ended.code, folder.exists()) == (1, True)
    assert f"cd {repository}" in ended.err


def test_a_restored_worktree_has_its_inputs_and_packages_again(repository: Path, make: Making, call: Called) -> None:
    (repository / ".env").write_text("A=1\n")
    venv.create(repository / ".venv", symlinks=True)
    folder = make()

    call(repository, "worktrees", "remove", "night")
    call(repository, "worktrees", "restore", "night")

    assert (folder / ".env").read_text() == "A=1\n"
    assert (folder / ".venv" / "pyvenv.cfg").is_file()


@pytest.mark.parametrize("how", ["remove", "restore"])
def test_a_removal_that_was_killed_loses_nothing(
    how: str, repository: Path, make: Making, call: Called, environment: dict[str, str]
) -> None:
    folder = make()
    (folder / "new.py").write_text("x = 1\n")
    call(repository, "worktrees", "remove", "night")
    (record,) = read_records(repository, environment)
    # as a kill leaves it: files are there in part, and the record says what was going on
    state = WorktreeState.REMOVING if how == "remove" else WorktreeState.RESTORING
    write_record(replace(record, state=state), environment)
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text("half")

    assert states(call, repository) == [("night", "unfinished")]
    assert call(repository, "worktrees", how, "night").code == 0
    if how == "remove":
        assert not folder.exists()
        assert call(repository, "worktrees", "restore", "night").code == 0

    assert ((folder / "new.py").read_text(), (folder / "conftest.py").read_text()) == ("x = 1\n", "")


def test_work_that_was_committed_after_a_restore_is_not_undone_by_the_next_one(
    repository: Path, make: Making, call: Called
) -> None:
    folder = make()
    (folder / "new.py").write_text("x = 1\n")
    call(repository, "worktrees", "remove", "night")
    call(repository, "worktrees", "restore", "night")
    commit = committed(folder, **{"new.py": "x = 2\n"})

    call(repository, "worktrees", "remove", "night")
    call(repository, "worktrees", "restore", "night")

    assert ((folder / "new.py").read_text(), git(folder, "rev-parse", "HEAD")) == ("x = 2\n", commit)


def test_a_removed_worktree_is_not_made_anew_for_a_session_that_can_go_on(
    repository: Path, call: Called, tmp_path: Path
) -> None:
    (tmp_path / "script.toml").write_text(RED)
    agent = ("--agent", f"rehearsal:{tmp_path / 'script.toml'}")
    call(repository, "run", "SPEC.md", "--worktree", "night", *agent)
    call(repository, "worktrees", "remove", "night")

    again = call(repository, "run", "SPEC.md", "--worktree", "night", *agent)

    assert again.code == 1
    assert "dualgate worktrees restore night" in again.err
    call(repository, "worktrees", "restore", "night")
    folder = Path(call(repository, "worktrees", "path", "night").out.strip())
    assert (folder / "tests" / "test_double.py").is_file()
    call(repository, "worktrees", "remove", "night")
    assert call(repository, "run", "SPEC.md", "--worktree", "night", "--fresh", "--agent", "nobody").code
    assert not folder.exists()
    call(repository, "worktrees", "restore", "night")
    assert (folder / "tests" / "test_double.py").is_file()


def test_commits_that_no_branch_has_survive_the_removal(repository: Path, make: Making, call: Called) -> None:
    folder = make()
    committed(folder, **{"kept.py": "x = 0\n"})
    git(folder, "checkout", "-q", "--detach")
    commit = committed(folder, **{"new.py": "x = 1\n"})

    told = removed(call(repository, "worktrees", "remove", "night", "--json").out)
    git(repository, "gc", "-q", "--prune=now")

    assert git(repository, "rev-parse", told["kept"]) == commit
    assert call(repository, "worktrees", "restore", "night").code == 0
    assert git(folder, "rev-parse", "HEAD") == commit
    assert git(repository, "for-each-ref", "refs/dualgate") == ""


@pytest.mark.parametrize("last", ["x = 3\n", "", "x = 1\n"])
def test_staged_content_that_the_file_has_no_more_survives_the_removal(
    last: str, repository: Path, make: Making, call: Called
) -> None:
    folder = make()
    committed(folder, **{"new.py": "x = 1\n"})
    (folder / "new.py").write_text("x = 2\n")
    git(folder, "add", "new.py")
    (folder / "new.py").write_text(last)
    status = git(folder, "status", "--short")

    ended = call(repository, "worktrees", "remove", "night")
    git(repository, "gc", "-q", "--prune=now")

    assert "staged changes, are kept as refs/dualgate/kept/night/" in ended.out
    assert call(repository, "worktrees", "restore", "night").code == 0
    assert git(folder, "show", ":new.py") == "x = 2"
    assert git(folder, "status", "--short") == status
    assert ((folder / "new.py").read_text(), git(repository, "for-each-ref", "refs/dualgate")) == (last, "")


def test_an_input_that_was_edited_in_the_worktree_comes_back(repository: Path, make: Making, call: Called) -> None:
    (repository / "local_settings.py").write_text("A = 1\n")
    folder = make()
    told = json.loads(call(repository, "worktrees", "--json").out)["worktrees"]
    (folder / "local_settings.py").write_text("A = 2\n")

    ended = call(repository, "worktrees", "remove", "night")

    assert told[0]["uncommitted"] == 0
    assert "is kept as snapshot" in ended.out
    assert "uncommitted work in snapshot" in call(repository, "worktrees").out
    call(repository, "worktrees", "restore", "night")
    assert (folder / "local_settings.py").read_text() == "A = 2\n"


def test_the_page_names_the_refs_that_a_removal_writes_where_it_says_what_stays() -> None:
    text = Path("docs/worktrees.md").read_text()
    section = text.partition("## Your checkout stays as it is")[2].partition("\n## ")[0]

    assert f"`{KEPT}/NAME/COMMIT`" in section
