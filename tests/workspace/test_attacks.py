"""What an agent may try against the tree that is judged: it is seen, reverted, or named."""

import json
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.changes import Attribution
from dualgate.core.values.configuring import Reach
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW
from dualgate.workspace.history import HISTORY
from dualgate.workspace.phase_rules import FROZEN, READ_ONLY, SETTINGS
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import CODE, TEST, a_project, a_worktree, git, in_phase, run_python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


@pytest.fixture
def worktree(project: Path, tmp_path: Path) -> WorkTree:
    return a_worktree(project, tmp_path)


def broken(worktree: WorkTree, phase: Phase = Phase.GREEN, proven: str | None = None) -> list[tuple[str, str, bool]]:
    """The violations of a call: path, rule, and whether it was reverted."""
    given = {} if proven is None else {"start_tree": proven, "proven_tree": proven}
    changes = worktree.settle(in_phase(phase, worktree, **given))
    return [(each.path, each.rule, each.reverted) for each in changes.violations]


@pytest.mark.parametrize("hidden_by", [".gitignore", "tests/.gitignore", ".git/info/exclude"])
def test_a_conftest_is_not_hidden_by_ignoring_it(project: Path, tmp_path: Path, hidden_by: str) -> None:
    git(project, "init", "-q")
    worktree = a_worktree(project, tmp_path)
    (project / hidden_by).write_text("*\n")
    (project / "tests" / "conftest.py").write_text("collect_ignore_glob = ['*']")

    assert broken(worktree) == [("tests/conftest.py", FROZEN, True)]
    assert not (project / "tests" / "conftest.py").exists()


def test_a_conftest_in_a_folder_that_was_always_ignored_is_seen(project: Path, tmp_path: Path) -> None:
    (project / ".gitignore").write_text("conftest.py\n")
    worktree = a_worktree(project, tmp_path)
    (project / "conftest.py").write_text("collect_ignore = ['tests']")

    assert broken(worktree) == [("conftest.py", FROZEN, True)]


@pytest.mark.parametrize(("package", "expected"), [("", [FROZEN]), ("__init__.py", [])])
def test_a_module_of_the_library_is_not_replaced_beside_tests_of_any_folder(
    project: Path, tmp_path: Path, package: str, expected: list[str]
) -> None:
    tests = project / "api" / "tests"
    tests.mkdir(parents=True)
    for name in filter(None, ("test_api.py", package)):
        (tests / name).write_text("")
    worktree = a_worktree(project, tmp_path)
    (tests / "random.py").write_text("randint = max\n")

    assert [rule for _, rule, _ in broken(worktree)] == expected


OWN_FILE = "setup = 'touch made'\n"
TABLE = f"[project]\nname = 'a'\n\n[tool.dualgate]\n{OWN_FILE}"


@pytest.mark.parametrize("phase", [Phase.RED, Phase.BUILD, Phase.GREEN])
@pytest.mark.parametrize(("path", "text"), [("dualgate.toml", OWN_FILE), ("pyproject.toml", TABLE)])
def test_the_settings_of_dualgate_are_a_persons_in_every_phase(
    project: Path, tmp_path: Path, phase: Phase, path: str, text: str
) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    worktree = a_worktree(project, tmp_path)
    (project / path).write_text(text)

    ((changed, rule, reverted),) = broken(worktree, phase)

    assert (changed, rule in (SETTINGS, FROZEN), reverted) == (path, True, True)
    assert [own.read_text() for own in project.glob("*.toml")] == ["[project]\nname = 'a'\n"]


def test_other_settings_beside_those_of_dualgate_stay(project: Path, tmp_path: Path) -> None:
    (project / "pyproject.toml").write_text(TABLE)
    worktree = a_worktree(project, tmp_path)
    (project / "pyproject.toml").write_text(TABLE.replace("'a'", "'b'").replace("made", "more"))

    assert broken(worktree, Phase.RED) == [("pyproject.toml", SETTINGS, True)]
    assert (project / "pyproject.toml").read_text() == TABLE.replace("'a'", "'b'")


def test_line_ends_are_what_they_are_whatever_the_attributes_say(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    (project / ".gitattributes").write_text("* text eol=crlf\n")
    (project / "data.txt").write_bytes(b"one\ntwo\n")
    git(project, "add", ".")
    worktree = a_worktree(project, tmp_path)
    (project / "data.txt").write_bytes(b"one\r\ntwo\r\n")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).modified == ("data.txt",)
    (project / "data.txt").write_bytes(b"one\ntwo\n")
    worktree.settle(in_phase(Phase.GREEN, worktree))
    (project / "data.txt").write_bytes(b"one\r\ntwo\r\n")
    assert broken(worktree, Phase.QA) == [("data.txt", READ_ONLY, True)]
    assert (project / "data.txt").read_bytes() == b"one\ntwo\n"


def test_what_is_in_a_nested_repository_is_seen(project: Path, worktree: WorkTree) -> None:
    git(project / "tests", "init", "-q")
    (project / "tests" / "test_x.py").write_text("def test_a(): pass\n")
    git(project / "tests", "add", ".")
    git(project / "tests", "commit", "-qm", "mine")

    assert broken(worktree) == [("tests/test_x.py", FROZEN, True)]
    assert (project / "tests" / "test_x.py").read_text() == TEST


def test_a_repository_that_is_gone_is_named_and_the_guard_works_without_it(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    (project / ".gitignore").write_text("build/\n")
    (project / "build").mkdir()
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    worktree = a_worktree(project, tmp_path)
    shutil.rmtree(project / ".git")
    (project / "tests" / "test_x.py").unlink()
    (project / "build" / "out").write_text("x")

    found = broken(worktree)

    assert found[0] == ("tests/test_x.py", FROZEN, True)
    assert found[1] == (
        ".git",
        f"{HISTORY}: the repository itself (.git) is gone; restore it from a backup",
        False,
    )
    assert len(found) == 2
    assert broken(worktree) == []


@pytest.fixture
def history(project: Path) -> str:
    """Two commits and two things stashed; answers with the second commit."""
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    (project / "more.py").write_text("x = 1\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "second")
    for number in range(2):
        (project / "code.py").write_text(f"{CODE}# {number}\n")
        git(project, "stash", "-q")
    return git(project, "rev-parse", "HEAD").strip()


LOSSES: dict[str, tuple[tuple[str, ...], str]] = {
    "a rewritten history": (("commit", "-q", "--amend", "-m", "other"), "main was at "),
    "a reset": (("reset", "-q", "--hard", "HEAD~1"), "main was at "),
    "the newest stash": (("stash", "drop", "-q"), "stash@{0} was at "),
    "an older stash": (("stash", "drop", "-q", "stash@{1}"), "stash@{1} was at "),
    "all that was stashed": (("stash", "clear"), "stash@{0} was at "),
}


@pytest.mark.parametrize("name", LOSSES)
def test_commits_that_nothing_leads_to_any_more_are_named(
    project: Path, tmp_path: Path, history: str, name: str
) -> None:
    words, told = LOSSES[name]
    worktree = a_worktree(project, tmp_path)
    git(project, *words)

    path, rule, reverted = broken(worktree)[0]

    assert (path, reverted) == (".git", False)
    assert rule.startswith(f"{HISTORY}: {told}")
    rescued = rule.partition("git branch rescue ")[2].partition("'")[0]
    git(project, "branch", "rescue", rescued)


@pytest.mark.parametrize("name", LOSSES)
def test_commits_that_tests_lose_are_noted_with_the_next_call_which_is_not_blamed(
    project: Path, tmp_path: Path, history: str, name: str
) -> None:
    words, told = LOSSES[name]
    worktree = a_worktree(project, tmp_path)
    git(project, *words)
    worktree.edited(in_phase(Phase.GREEN, worktree))

    changes = worktree.settle(in_phase(Phase.GREEN, worktree))
    later = worktree.settle(in_phase(Phase.GREEN, worktree))

    assert (changes.violations, later.notes) == ((), ())
    assert changes.notes[0].startswith(told)
    assert changes.notes[0].endswith("keeps it (no call was at work then: the tests did it, or a person)")
    rescued = changes.notes[0].partition("git branch rescue ")[2].partition("'")[0]
    git(project, "branch", "rescue", rescued)


HARMLESS: list[tuple[str, ...]] = [
    ("commit", "-q", "--allow-empty", "-m", "third"),
    ("checkout", "-q", "-b", "other"),
    ("checkout", "-q", "--detach"),
    ("branch", "-m", "main", "trunk"),
    ("stash", "push", "-q", "--include-untracked"),
    ("pack-refs", "--all"),
    ("gc", "-q"),
]


@pytest.mark.parametrize("words", HARMLESS)
def test_what_loses_nothing_is_no_violation(
    project: Path, tmp_path: Path, history: str, words: tuple[str, ...]
) -> None:
    worktree = a_worktree(project, tmp_path)
    (project / "new.py").write_text("x = 1\n")
    git(project, *words)

    assert broken(worktree) == []


OWN: dict[str, tuple[tuple[str, ...], ...]] = {
    "amended": (("commit", "-q", "--allow-empty", "--amend", "-m", "better"),),
    "squashed": (("reset", "-q", "--soft", "HEAD~2"), ("commit", "-q", "--allow-empty", "-m", "both")),
    "taken back": (("reset", "-q", "--hard", "HEAD~1"),),
    "left on a branch that is deleted": (("checkout", "-q", "-b", "o", "HEAD~2"), ("branch", "-qD", "main")),
}


@pytest.mark.parametrize(("name", "is_resumed"), [*((name, False) for name in OWN), ("amended", True)])
def test_an_agent_may_rewrite_its_own_commits_of_earlier_calls(
    project: Path, tmp_path: Path, history: str, name: str, is_resumed: bool
) -> None:
    worktree = a_worktree(project, tmp_path)
    for words in ("one", "two"):
        git(project, "commit", "-q", "--allow-empty", "-m", words)
    made = worktree.settle(in_phase(Phase.GREEN, worktree)).commits
    later = a_worktree(project, tmp_path / "later") if is_resumed else worktree
    for command in OWN[name]:
        git(project, *command)
    state = in_phase(Phase.GREEN, later)
    state = replace(state, touched=Attribution(commits=made if is_resumed else ()))

    assert later.settle(state).violations == ()


def test_commits_of_a_call_that_was_killed_count_as_the_users(project: Path, tmp_path: Path, history: str) -> None:
    a_worktree(project, tmp_path)  # the run that is killed: it never sees what its call did
    git(project, "commit", "-q", "--allow-empty", "-m", "of the killed call")
    later = a_worktree(project, tmp_path / "later")
    git(project, "reset", "-q", "--hard", "HEAD~1")

    ((path, rule, _),) = broken(later)

    assert (path, "main was at" in rule) == (".git", True)


def test_a_commit_of_the_user_below_an_agents_own_is_not_lost_unseen(
    project: Path, tmp_path: Path, history: str
) -> None:
    worktree = a_worktree(project, tmp_path)
    git(project, "commit", "-q", "--allow-empty", "-m", "own")
    assert broken(worktree) == []
    git(project, "reset", "-q", "--hard", "HEAD~2")

    ((path, rule, _),) = broken(worktree)

    assert (path, "main was at" in rule) == (".git", True)


def test_an_agent_may_drop_what_it_stashed_itself(project: Path, tmp_path: Path, history: str) -> None:
    worktree = a_worktree(project, tmp_path)
    (project / "code.py").write_text(f"{CODE}# own\n")
    git(project, "stash", "-q")
    assert broken(worktree) == []
    git(project, "stash", "pop", "-q")

    assert broken(worktree) == []


def test_commits_of_a_repository_around_the_project_are_the_users_too(
    project: Path, tmp_path: Path, history: str
) -> None:
    inner = project / "tests"
    worktree = a_worktree(inner, tmp_path)
    git(project, "reset", "-q", "--hard", "HEAD~1")

    assert [(path, rule.partition(" was at ")[0]) for path, rule, _ in broken(worktree)] == [
        (".git", f"{HISTORY}: main")
    ]


def test_a_commit_on_no_branch_is_the_users_too(project: Path, tmp_path: Path, history: str) -> None:
    git(project, "checkout", "-q", "--detach")
    git(project, "commit", "-q", "--allow-empty", "-m", "on no branch")
    worktree = a_worktree(project, tmp_path)
    git(project, "checkout", "-q", "main")

    ((path, rule, _),) = broken(worktree)

    assert (path, "HEAD was at" in rule) == (".git", True)


def test_a_file_swapped_for_a_link_out_of_the_tree_is_no_way_out(
    project: Path, worktree: WorkTree, tmp_path: Path
) -> None:
    (tmp_path / "outside.py").write_text("outside")
    (project / "code.py").unlink()
    (project / "code.py").symlink_to(tmp_path / "outside.py")

    assert broken(worktree, Phase.QA) == [("code.py", READ_ONLY, True)]
    assert (project / "code.py").read_text() == CODE
    assert (tmp_path / "outside.py").read_text() == "outside"


def link(place: Path) -> None:
    (root,) = (folder for folder in place.parents if folder.name == "project")
    (root.parent / "elsewhere").mkdir()
    place.symlink_to(root.parent / "elsewhere")


def dangling_link(place: Path) -> None:
    place.symlink_to("nowhere")


def file(place: Path) -> None:
    place.write_text("x")


def pipe(place: Path) -> None:
    os.mkfifo(place)


def listener(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(place.name)
    os.chdir(here)


@pytest.mark.parametrize("stand_in", [link, dangling_link, file, pipe, listener])
@pytest.mark.parametrize("swapped", ["tests", "tests/test_x.py"])
def test_what_stands_in_for_tests_gives_way_to_them(
    project: Path, worktree: WorkTree, tmp_path: Path, swapped: str, stand_in: Callable[[Path], None]
) -> None:
    (project / swapped).rename(tmp_path / "away")
    stand_in(project / swapped)

    assert any(
        (path, reverted) == ("tests/test_x.py", True) and FROZEN in rule for path, rule, reverted in broken(worktree)
    )
    assert not (project / "tests").is_symlink()
    assert (project / "tests" / "test_x.py").read_text() == TEST
    assert broken(worktree) == []
    assert list((tmp_path / "elsewhere").iterdir() if stand_in is link else ()) == []


def test_a_folder_in_the_place_of_a_test_gives_way(project: Path, worktree: WorkTree) -> None:
    (project / "tests" / "test_x.py").unlink()
    (project / "tests" / "test_x.py" / "deep").mkdir(parents=True)
    (project / "tests" / "test_x.py" / "deep" / "x").write_text("x")

    broken(worktree)

    assert (project / "tests" / "test_x.py").read_text() == TEST


@pytest.fixture
def environment(project: Path) -> Path:
    packages = project / ".venv" / "lib" / "python3.12" / "site-packages"
    for name in ("_pytest/runner.py", "pluggy/_hooks.py", "requests/api.py", "x-1.0.dist-info/entry_points.txt"):
        (packages / name).parent.mkdir(parents=True)
        (packages / name).write_text(
            "# as installed\n[console_scripts]\nx = x:main\n" if name.endswith(".txt") else "# as installed\n"
        )
    (project / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (project / ".venv" / "bin").mkdir()
    (project / ".venv" / "bin" / "pytest").write_text("#!/bin/sh\n")
    (project / ".gitignore").write_text(".venv/\n")
    return packages


RIGGED = ["_pytest/runner.py", "pluggy/_hooks.py", "x-1.0.dist-info/entry_points.txt", "zz.pth", "sitecustomize.py"]


@pytest.mark.parametrize("name", RIGGED)
def test_what_is_installed_to_run_tests_is_put_back(
    project: Path, tmp_path: Path, environment: Path, name: str
) -> None:
    worktree = a_worktree(project, tmp_path)
    before = (environment / name).read_text() if (environment / name).exists() else None
    (environment / name).write_text(f"{before or ''}[pytest11]\nrigged = rigged\n")

    assert broken(worktree) == [((environment / name).relative_to(project).as_posix(), FROZEN, True)]
    assert ((environment / name).read_text() if (environment / name).exists() else None) == before


def test_an_install_of_the_project_itself_can_be_tried(project: Path, tmp_path: Path, environment: Path) -> None:
    worktree = a_worktree(project, tmp_path)
    (environment / "__editable__.x.pth").write_text(f"{project}/src\n")
    state = in_phase(Phase.GREEN, worktree)

    proposed = worktree.settle(state).proposed

    path = (environment / "__editable__.x.pth").relative_to(project).as_posix()
    assert proposed is not None
    assert (proposed.settings, proposed.reach) == ((f"{path}: sys.path",), Reach.REPORTED)


@pytest.mark.parametrize("line", ["import rigged", "{project}/../rigged", "/rigged", "rigged", "\udcff"])
def test_an_install_that_runs_code_or_leads_outside_is_not_tried(
    project: Path, tmp_path: Path, environment: Path, line: str
) -> None:
    worktree = a_worktree(project, tmp_path)
    text = f"{project}/src\n{line.format(project=project)}\n"
    (environment / "x.pth").write_bytes(text.encode("utf-8", "surrogateescape"))

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).proposed is None
    assert not (environment / "x.pth").exists()


def test_a_new_plug_in_can_be_tried(project: Path, tmp_path: Path, environment: Path) -> None:
    worktree = a_worktree(project, tmp_path)
    for name in ("pytest_more/plugin.py", "pytest_more-1.dist-info/entry_points.txt"):
        (environment / name).parent.mkdir()
        (environment / name).write_text("[pytest11]\nmore = pytest_more\n")

    proposed = worktree.settle(in_phase(Phase.GREEN, worktree)).proposed

    assert proposed is not None
    assert (len(proposed.paths), proposed.reach) == (2, Reach.COMPARED)


@pytest.mark.parametrize(
    "name",
    ["_pytest/more.py", "pluggy/more.py", "sitecustomize.py", "pytest.py", "py.py", "x-1.0.dist-info/entry_points.txt"],
)
def test_what_runs_the_tests_is_never_tried(project: Path, tmp_path: Path, environment: Path, name: str) -> None:
    worktree = a_worktree(project, tmp_path)
    (environment / name).write_text("[pytest11]\nrigged = rigged\n")

    changes = worktree.settle(in_phase(Phase.GREEN, worktree))

    assert (changes.proposed, len(changes.violations)) == (None, 1)


def test_other_packages_may_be_installed(project: Path, tmp_path: Path, environment: Path) -> None:
    worktree = a_worktree(project, tmp_path)
    (environment / "requests" / "api.py").write_text("# newer\n")
    (environment / "urllib3").mkdir()
    (environment / "urllib3" / "__init__.py").write_text("")

    assert broken(worktree) == []


@pytest.mark.parametrize("stand_in", [link, file, pipe])
def test_nothing_stands_in_the_way_of_undoing(
    project: Path, worktree: WorkTree, tmp_path: Path, stand_in: Callable[[Path], None]
) -> None:
    stand_in(project / ".dualgate-restore")
    (project / "tests" / "test_x.py").unlink()

    assert ("tests/test_x.py", FROZEN, True) in broken(worktree)
    assert list((tmp_path / "elsewhere").iterdir() if stand_in is link else ()) == []


def test_nothing_is_hidden_where_a_restore_lays_files_ready(project: Path, worktree: WorkTree) -> None:
    (project / ".dualgate-restore").mkdir()
    (project / ".dualgate-restore" / "module.py").write_text("x")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).created == (".dualgate-restore/module.py",)


def test_what_a_killed_restore_left_is_not_the_work_of_anybody(project: Path, tmp_path: Path) -> None:
    (project / ".dualgate-restore").mkdir()
    (project / ".dualgate-restore" / "0").write_text("x")
    worktree = a_worktree(project, tmp_path)

    changes = worktree.settle(in_phase(Phase.GREEN, worktree))

    assert (changes.created, changes.deleted) == ((), ())
    assert not (project / ".dualgate-restore").exists()


def test_a_tracked_file_is_seen_whatever_it_is_called(project: Path, tmp_path: Path) -> None:
    (project / "venv").write_text("1\n")
    git(project, "init", "-q")
    git(project, "add", "venv")
    worktree = a_worktree(project, tmp_path)
    (project / "venv").write_text("2\n")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).modified == ("venv",)


def test_a_tracked_folder_is_seen_whatever_it_is_called(project: Path, tmp_path: Path) -> None:
    (project / "venv").mkdir()
    (project / "venv" / "__init__.py").write_text("x = 1\n")
    git(project, "init", "-q")
    git(project, "add", ".")
    worktree = a_worktree(project, tmp_path)
    (project / "venv" / "__init__.py").write_text("x = 2\n")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).modified == ("venv/__init__.py",)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a user without rights can get to and write in."""
    with tempfile.TemporaryDirectory(prefix="dualgate-open-") as name:
        Path(name).chmod(0o777)
        yield Path(name)


SHUT = """
import json, sys
from pathlib import Path
from dualgate.core.values.vocabulary import Phase
from tests.workspace.places import a_project, a_worktree, become_somebody, in_phase
folder = Path(sys.argv[1])
a_worktree(a_project(folder / "first"), folder / "of-first")
become_somebody()
project = a_project(folder / "project")
worktree = a_worktree(project, folder / "kept")
state = in_phase(Phase.GREEN, worktree)
for name in sys.argv[4:]:
    (project / name).write_text("collect_ignore_glob = ['*']")
(project / sys.argv[2]).chmod(int(sys.argv[3], 8))
changes = worktree.settle(state)
told = [(each.path, each.reverted) for each in changes.violations]
for item in (project, *project.rglob("*")):
    if item.is_dir():
        item.chmod(0o777)
print(json.dumps([told, changes.tree == state.proof.proven_tree]))
"""


@pytest.mark.parametrize(
    ("path", "mode", "told"),
    [
        ("tests/test_x.py", "000", ["tests/test_x.py", True]),
        ("tests", "000", ["tests/test_x.py", True]),
        ("tests", "444", ["tests/test_x.py", True]),
        ("code.py", "000", None),
        (".", "000", None),
        (".", "555", None),
    ],
)
def test_what_is_made_unreadable_is_opened_or_told(
    open_folder: Path, path: str, mode: str, told: list[object] | None
) -> None:
    violations, same = json.loads(run_python(SHUT, str(open_folder), path, mode))

    assert violations == ([told] if told else [])
    assert same == (path != "code.py")


def test_what_is_hidden_in_a_folder_that_is_shut_is_found_when_it_is_opened(open_folder: Path) -> None:
    violations, same = json.loads(run_python(SHUT, str(open_folder), "tests", "000", "tests/conftest.py"))

    assert sorted(violations) == [["tests/conftest.py", True], ["tests/test_x.py", True]]
    assert same


READ_ONLY_STORE = """
import sys
from pathlib import Path
from dualgate.errors import StoreFailed
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
from tests.workspace.places import a_project, become_somebody
folder = Path(sys.argv[1])
with SavedSnapshots(a_project(folder / "project"), folder / "store" / "snapshots.db") as saved:
    made = saved.save("first", NOW)
(folder / "project").chmod(0o777)
become_somebody()
for place in (folder / "store", folder / "new"):
    try:
        (folder / "store").chmod(0o555)
    except OSError:
        pass
    try:
        SavedSnapshots(folder / "project", place / "snapshots.db").save("x", NOW)
    except StoreFailed as error:
        print(error.next_step)
"""


def test_a_store_that_may_not_be_written_is_told(open_folder: Path) -> None:
    told = run_python(READ_ONLY_STORE, str(open_folder)).splitlines()

    assert told[0] == "Make room or give permission, or choose another place with PRP_SESSION_DIR."


def test_what_was_beside_the_work_is_kept_with_every_state_of_a_run(project: Path, tmp_path: Path) -> None:
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("SECRET=1")
    (project / "empty").mkdir()
    worktree = a_worktree(project, tmp_path)
    (project / ".env").write_text("SECRET=2")
    (project / "new.py").write_text("x = 1\n")
    worktree.settle(in_phase(Phase.GREEN, worktree))
    (project / ".env").unlink()
    (project / "empty").rmdir()

    with SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session") as saved:
        first, after = saved.catalog.all()
        saved.restore(after, [], NOW)
        assert ((project / ".env").read_text(), (project / "empty").is_dir()) == ("SECRET=2", True)
        saved.restore(first, [], NOW)
        assert ((project / ".env").read_text(), (project / "new.py").exists()) == ("SECRET=1", False)


FORBIDDING = """
import sys
from pathlib import Path
from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots
from tests.workspace.places import become_somebody
from tests.workspace.test_any_tree import read
root = Path(sys.argv[1]) / "project"
(root / "outer" / "empty").mkdir(parents=True)
(root / "outer" / "file").write_text("x")
with SavedSnapshots(root, root.parent / "first.db") as saved:
    saved.restore(saved.save("x", NOW), [], NOW)
for place in (root, root / "outer", root / "outer" / "empty"):
    place.chmod(0o777)
become_somebody()
root = root.parent / "other"
(root / "outer" / "empty").mkdir(parents=True)
(root / "outer" / "file").write_text("x")
(root / "outer").chmod(0o555)
states = [dict(read(root))]
with SavedSnapshots(root, root.parent / "kept" / "second.db") as saved:
    made = saved.save("x", NOW)
    (root / "outer").chmod(0o755)
    (root / "outer" / "empty").rmdir()
    (root / "outer" / "file").write_text("y")
    (root / "outer").chmod(0o500)
    states.append(dict(read(root)))
    undo = saved.restore(made, [], NOW).before
    assert dict(read(root)) == states[0]
    saved.restore(undo, [], NOW)
    assert dict(read(root)) == states[1]
    saved.restore(made, ["outer/file"], NOW)
    assert (root / "outer").stat().st_mode & 0o777 == 0o500
print("as it was")
"""


def test_a_folder_that_forbids_to_write_is_no_obstacle_and_forbids_again(open_folder: Path) -> None:
    assert run_python(FORBIDDING, str(open_folder)) == "as it was\n"


@pytest.mark.parametrize("looks_between", [False, True])
def test_a_commit_that_is_lost_while_the_repository_is_away_is_named(
    project: Path, tmp_path: Path, history: str, looks_between: bool
) -> None:
    worktree = a_worktree(project, tmp_path)
    (project / ".git").rename(tmp_path / "away")
    gone = broken(worktree)
    if looks_between:
        worktree.edited(in_phase(Phase.GREEN, worktree))
    (tmp_path / "away").rename(project / ".git")
    git(project, "commit", "-q", "--amend", "-m", "other")

    found = broken(worktree)

    assert ["is gone" in rule for _, rule, _ in gone] == [True]
    assert [rule.startswith(f"{HISTORY}: main was at {history[:12]}") for _, rule, _ in found] == [True]


def test_a_repository_that_a_person_took_away_is_not_missed(project: Path, tmp_path: Path, history: str) -> None:
    worktree = a_worktree(project, tmp_path)
    shutil.rmtree(project / ".git")
    worktree.edited(in_phase(Phase.GREEN, worktree))
    git(project, "init", "-q")

    assert broken(worktree) == []
