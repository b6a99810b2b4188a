import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.changes import Rewritten
from dualgate.core.values.reviews import Reviews
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import StoreFailed
from dualgate.testing import NOW
from dualgate.workspace.phase_rules import DOCUMENTS_ONLY, FROZEN, READ_ONLY
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.steering.commands import read_called
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import CODE, TEST, a_project, a_worktree, in_phase


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


@pytest.fixture
def worktree(project: Path, tmp_path: Path) -> WorkTree:
    return a_worktree(project, tmp_path)


def test_created_modified_and_deleted_are_told_apart(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.GREEN, worktree)
    (project / "new.py").write_text("x = 1")
    (project / "code.py").write_text("x = 2")
    (project / "pyproject.toml").unlink()

    changes = worktree.settle(in_phase(Phase.RED, worktree))

    assert (changes.created, changes.modified, changes.deleted) == (("new.py",), ("code.py",), ("pyproject.toml",))
    assert changes.tree != state.proof.start_tree


def test_a_project_that_is_gone_is_told_with_the_way_back(project: Path, tmp_path: Path, worktree: WorkTree) -> None:
    shutil.rmtree(project)

    with pytest.raises(StoreFailed, match="is gone") as told:
        worktree.settle(in_phase(Phase.GREEN, worktree))

    assert "dualgate snapshot restore ID" in str(told.value.next_step)
    project.mkdir()
    with SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session") as saved:
        saved.restore(saved.catalog.all()[0], (), NOW)
    assert (project / "code.py").read_text() == CODE


def test_a_tree_that_was_can_be_had_back_and_the_present_one_is_kept(project: Path, worktree: WorkTree) -> None:
    before = worktree.present
    (project / "code.py").write_text("x = 2")
    (project / "new.py").write_text("x = 1")
    changed = worktree.settle(in_phase(Phase.REFACTOR, worktree)).tree

    back = worktree.become(before, "broken")

    assert (worktree.present, sorted(back.paths), back.left) == (before, ["code.py", "new.py"], ())
    assert ((project / "code.py").read_text(), (project / "new.py").exists()) == (CODE, False)
    assert worktree.become(changed, "again").tree == worktree.present
    assert (project / "new.py").read_text() == "x = 1"


def test_the_same_content_is_the_same_tree(project: Path, worktree: WorkTree) -> None:
    before = worktree.present
    (project / "code.py").write_text(CODE)

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).tree == before


def test_a_change_of_the_same_length_in_the_same_moment_is_seen(project: Path, worktree: WorkTree) -> None:
    stamp = (project / "code.py").stat()
    (project / "code.py").write_text(CODE.replace("1", "2"))
    os.utime(project / "code.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).modified == ("code.py",)


ALLOWED = [
    (Phase.RED, "tests/test_x.py", "def test_a(): pass\n"),
    (Phase.GREEN, "code.py", "def f(): return 2\n"),
    (Phase.GREEN, "tests/test_x.py", "def test_a():\n\n    assert (1 == 2)  # formatted\n"),
    (Phase.GREEN, "tests/test_new.py", "def test_b(): pass\n"),
    (Phase.GREEN, "pyproject.toml", "[project]\nname='x'\ndependencies=['y']\n"),
    (Phase.GREEN, "setup.cfg", "[metadata]\nname = x\n"),
    (Phase.GREEN, "x.egg-info/entry_points.txt", "[console_scripts]\nx = x:main\n"),
    (Phase.GREEN, "tests/new_helper.py", "def helper(): pass\n"),
    (Phase.REFACTOR, "code.py", "def f(): return 1\n"),
    (Phase.DOCUMENT, "docs/use.txt", "Use it."),
    (Phase.DOCUMENT, "README.md", "# Read"),
    (Phase.DOCUMENT, "CHANGES.txt", "1.1: more"),
    (Phase.DOCUMENT, "docs/requirements.txt", "sphinx"),
    (Phase.DOCUMENT, "code.py", 'def f():\n    """New."""\n    return 1  # why\n'),
]


@pytest.mark.parametrize(("phase", "path", "text"), ALLOWED)
def test_what_a_phase_may_do_stays(project: Path, worktree: WorkTree, phase: Phase, path: str, text: str) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_text(text)

    changes = worktree.settle(in_phase(phase, worktree))

    assert changes.violations == ()
    assert (project / path).read_text() == text


REFUSED = [
    (Phase.GREEN, "tests/test_x.py", "def test_a(): pass\n", FROZEN),
    (Phase.GREEN, "tests/test_x.py", None, FROZEN),
    (Phase.GREEN, "conftest.py", "collect_ignore = ['tests']", FROZEN),
    (Phase.GREEN, "pytest.ini", "[pytest]\naddopts = -k nothing\n", FROZEN),
    (Phase.GREEN, "pyproject.toml", "[project]\nname='x'\n[tool.pytest.ini_options]\naddopts = '-k nothing'\n", FROZEN),
    (Phase.GREEN, "setup.cfg", "[tool:pytest]\naddopts = -k nothing\n", FROZEN),
    (Phase.GREEN, "tox.ini", "[pytest]\naddopts = -k nothing\n", FROZEN),
    (Phase.REFACTOR, "tests/test_x.py", "def test_a(): pass\n", FROZEN),
    (Phase.DOCUMENT, "code.py", "def f(): return 3\n", DOCUMENTS_ONLY),
    (Phase.DOCUMENT, "code.py", None, DOCUMENTS_ONLY),
    (Phase.DOCUMENT, "new.py", "x = 1\n", DOCUMENTS_ONLY),
    (Phase.QA, "README.md", "# Read", READ_ONLY),
    (Phase.QA, "code.py", None, READ_ONLY),
]


@pytest.mark.parametrize(("phase", "path", "text", "rule"), REFUSED)
def test_what_a_phase_may_not_do_is_undone_and_told(
    project: Path, worktree: WorkTree, phase: Phase, path: str, text: str | None, rule: str
) -> None:
    state = in_phase(phase, worktree)
    target = project / path
    before = target.read_text() if target.exists() else None
    target.write_text(text) if text is not None else target.unlink()

    changes = worktree.settle(state)

    assert [(violation.path, violation.rule) for violation in changes.violations] == [(path, rule)]
    assert (target.read_text() if target.exists() else None) == before
    assert (changes.paths, changes.tree) == ((), state.proof.start_tree)


def test_a_frozen_file_swapped_for_a_link_is_put_back(project: Path, worktree: WorkTree, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("def test_a(): pass\n")
    (project / "tests/test_x.py").unlink()
    (project / "tests/test_x.py").symlink_to(tmp_path / "elsewhere.py")

    worktree.settle(in_phase(Phase.GREEN, worktree))

    assert not (project / "tests/test_x.py").is_symlink()
    assert (project / "tests/test_x.py").read_text() == TEST
    assert (tmp_path / "elsewhere.py").read_text() == "def test_a(): pass\n"


def test_links_and_modes_are_given_back(project: Path, tmp_path: Path) -> None:
    (project / "link").symlink_to("code.py")
    (project / "tool.sh").write_text("#!/bin/sh\n")
    (project / "tool.sh").chmod(0o755)
    worktree = a_worktree(project, tmp_path)
    (project / "link").unlink()
    (project / "tool.sh").chmod(0o644)

    worktree.settle(in_phase(Phase.QA, worktree))

    assert (project / "link").readlink() == Path("code.py")
    assert (project / "tool.sh").stat().st_mode & 0o777 == 0o755


def test_documents_are_those_since_the_session_began(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.RED, worktree)
    (project / "code.py").write_text("def double(): return 2\n")
    (project / "README.md").write_text("# Read\n\nIt can double.\n")
    worktree.settle(state)
    (project / "docs").mkdir()
    (project / "docs" / "use.txt").write_text("Call double().")

    changes = worktree.settle(state)

    assert changes.created == ("docs/use.txt",)
    assert changes.documents == ("README.md", "docs/use.txt")


def test_what_is_another_than_at_the_start_is_known_in_every_later_call(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.RED, worktree)
    (project / "code.py").write_text("x = 2")
    (project / "stub.py").write_text("")
    worktree.settle(state)

    changes = worktree.settle(state)

    assert (changes.paths, changes.added, changes.rewritten) == ((), ("stub.py",), ("code.py",))


@pytest.mark.parametrize("line", ["!", "foo\\", "[z-a]"])
def test_a_line_of_the_ignore_file_that_is_no_pattern_is_passed_over(project: Path, tmp_path: Path, line: str) -> None:
    (project / ".gitignore").write_text(f"{line}\nbuild/\n")
    worktree = a_worktree(project, tmp_path)
    (project / "build").mkdir()
    (project / "build" / "x").write_text("x")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).paths == ()


CALLED = [
    (
        ("make", "test"),
        {"Makefile": "include test.mk\n", "test.mk": "test:\n"},
        {"Makefile", "test.mk", "GNUmakefile", "makefile"},
    ),
    (("/bin/sh", "-c", "cd backend && sh rt.sh"), {"backend/rt.sh": "pytest"}, {"backend/rt.sh"}),
    (
        ("./run.sh",),
        {"run.sh": "sh tools/inner.sh", "tools/inner.sh": "pytest src/app.py"},
        {"run.sh", "tools/inner.sh"},
    ),
    (("python", "-m", "tools.rt"), {"tools/rt.py": "import pytest"}, {"tools/rt.py"}),
    (("pytest", "x" * 300), {}, set()),
]


@pytest.mark.parametrize(("command", "files", "called"), CALLED)
def test_what_the_test_command_runs_is_known(
    tmp_path: Path, command: tuple[str, ...], files: dict[str, str], called: set[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert read_called(tmp_path, command).files == called


def test_what_is_ignored_at_the_start_is_no_part_of_the_work(project: Path, tmp_path: Path) -> None:
    (project / ".gitignore").write_text("build/\n")
    worktree = a_worktree(project, tmp_path)
    for name in ("build", "__pycache__", ".git"):
        (project / name).mkdir()
        (project / name / "x").write_text("x")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).paths == ()


def test_ignoring_a_file_later_does_not_hide_it(project: Path, worktree: WorkTree) -> None:
    (project / ".gitignore").write_text("*\n")
    (project / "conftest.py").write_text("collect_ignore = ['tests']")

    changes = worktree.settle(in_phase(Phase.GREEN, worktree))

    assert [violation.path for violation in changes.violations] == ["conftest.py"]
    assert changes.created == (".gitignore",)


def test_a_session_inside_the_project_is_no_part_of_the_work(project: Path) -> None:
    worktree = a_worktree(project, project / ".prp-session")

    assert worktree.settle(in_phase(Phase.GREEN, worktree)).paths == ()


def test_names_that_are_no_text_are_kept_exactly(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.QA, worktree)
    name = os.fsencode(project) + b"/\xff\nname"
    Path(os.fsdecode(name)).write_text("x")

    changes = worktree.settle(state)

    assert changes.violations[0].path == r"\xff\nname"
    assert not Path(os.fsdecode(name)).exists()


def test_what_a_test_run_writes_is_told_once(project: Path, worktree: WorkTree) -> None:
    (project / "out.txt").write_text("x")

    assert worktree.written_since() == ("out.txt",)
    assert worktree.written_since() == ()


def test_a_review_is_told_which_lines_changed_since_the_one_before(worktree: WorkTree, project: Path) -> None:
    state = in_phase(Phase.QA, worktree)
    again = replace(state, reviews=Reviews(count=1, tree=worktree.present))
    (project / "code.py").write_text(CODE.replace("return 1", "return 2"))
    (project / "new.py").write_text("x = 1\n")
    worktree.edited(state)

    assert worktree.settle(state).since_review == ()
    assert worktree.settle(again).since_review == (Rewritten(path="code.py", lines=((3, 3),)), Rewritten(path="new.py"))
    assert worktree.settle(replace(again, phase=Phase.GREEN)).since_review == ()


def test_a_state_after_a_call_is_listed_with_the_call_that_made_it(project: Path, tmp_path: Path) -> None:
    worktree = a_worktree(project, tmp_path)
    state = replace(in_phase(Phase.GREEN, worktree), total_agent_calls=3)
    (project / "code.py").write_text("x = 3\n")

    worktree.settle(state)

    with SavedSnapshots(project, tmp_path / "snapshots.db") as saved:
        assert [each.label for each in saved.catalog.all()] == ["before the run", "after call 3 (GREEN)"]


def test_changed_fixtures_and_dependencies_are_named_as_such(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.RED, worktree)
    for name in ("conftest.py", "uv.lock", "stub.py"):
        (project / name).write_text("# new")

    changes = worktree.settle(state)

    assert (changes.fixtures, changes.dependencies) == (("conftest.py",), ("uv.lock",))


def test_a_reviewer_gets_the_changes_of_the_run_by_file(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.QA, worktree)
    state = replace(state, proof=replace(state.proof, outputs=("out.txt",)))
    (project / "new.py").write_text("x = 1\ny = 2\n")
    (project / "code.py").write_text(CODE + "z = 3\n")
    (project / "pyproject.toml").unlink()
    (project / "logo.png").write_bytes(b"\0\1")
    (project / "link").symlink_to("code.py")
    (project / "out.txt").write_text("written by tests")
    worktree.edited(state)

    diffs = {each.path: each for each in worktree.diffs(state)}

    assert {path: each.change.value for path, each in diffs.items()} == {
        "code.py": "changed",
        "link": "new",
        "logo.png": "new",
        "new.py": "new",
        "pyproject.toml": "deleted",
    }
    assert (diffs["new.py"].added, diffs["code.py"].added, diffs["code.py"].removed) == (2, 1, 0)
    assert "+z = 3" in diffs["code.py"].diff
    assert (diffs["logo.png"].diff, diffs["link"].diff) == ("", "")


def test_the_start_of_a_run_has_a_snapshot_even_after_a_person_changed_it(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.QA, worktree)
    (project / "code.py").write_text("x = 2")
    edits = worktree.edited(state)

    assert edits is not None
    first, second = worktree.saved_as(edits.start_tree, "start"), worktree.saved_as(edits.start_tree, "start")
    assert first == second != worktree.saved_as(state.proof.start_tree, "start")


def test_the_tests_of_one_tree_can_be_joined_with_the_code_of_another(project: Path, worktree: WorkTree) -> None:
    (project / "tests").mkdir(exist_ok=True)
    (project / "tests" / "test_joined.py").write_text("from a import b\n")
    (project / "tests" / "data.txt").write_text("old")
    (project / "joined.py").write_text("old")
    old = worktree.leave()
    (project / "tests" / "test_joined.py").write_text("new")
    (project / "tests" / "data.txt").unlink()
    (project / "tests" / "conftest.py").write_text("new")
    (project / "joined.py").write_text("new")
    new = worktree.leave()

    joined, lone = worktree.with_tests(new, old), worktree.with_tests(new, old, lone_imports=True)

    names = ("tests/test_joined.py", "tests/data.txt", "tests/conftest.py", "joined.py")
    assert [worktree.read(joined, name) for name in names] == [b"from a import b\n", b"old", None, b"new"]
    assert b"try:\n    from a import b\nexcept" in (worktree.read(lone, names[0]) or b"")
