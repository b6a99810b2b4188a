"""To look at a project runs nothing of it: no tests, no interpreter or tool that lies in it, no filter of its git."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dualgate.workspace.repository import read_repository_state
from tests.support import Dualgate

LOOKS = [
    ("tests", "--list"),
    ("run", "SPEC.md", "--agent", "rehearsal", "--dry-run"),
    ("check", "SPEC.md"),
    ("doctor", "SPEC.md", "--agent", "claude"),
    ("agents",),
    ("status",),
    ("config",),
    ("init", "--dry-run"),
    ("run", "SPEC.md", "--agent", "rehearsal", "--dry-run", "--worktree", "--commit", "run"),
    ("worktrees",),
    ("queue", "list"),
    ("sessions",),
    ("report",),
    ("log",),
    ("completions", "bash"),
    (),
]
OLD = "import unittest\n\n\nclass Old(unittest.TestCase):\n    def test_old(self): pass\n"


@pytest.fixture
def trapped(project: Path, tmp_path: Path) -> dict[str, str]:
    """A project whose parts each leave a mark if they run; answers with the variables of an activated environment."""
    mark = tmp_path / "was-run"
    (project / "conftest.py").unlink()
    # whether these are pytest's or unittest's depends on what the interpreter has
    (project / "tests" / "test_old.py").write_text(f"open({str(mark)!r}, 'a').write('tests ')\n{OLD}")
    for folder in (project / ".venv" / "bin", project / "node_modules" / ".bin"):
        folder.mkdir(parents=True)
        for program in ("python", "python3", "pytest", "git", "claude", "npm", "bwrap", "node", "sh", "uv", "gh"):
            (folder / program).write_text(f"#!/bin/sh\necho {program} >> {mark}\n")
            (folder / program).chmod(0o755)
    (project / ".venv" / "pyvenv.cfg").write_text("")
    trap_git(project, mark)
    path = os.pathsep.join((str(project / ".venv" / "bin"), "node_modules/.bin", os.environ["PATH"]))
    return {"VIRTUAL_ENV": str(project / ".venv"), "PATH": path, "DUALGATE_TEST_COMMAND": ""}


def trap_git(project: Path, mark: Path) -> None:
    (project / "data.txt").write_text("one\n")
    library = _library(project.parent / "library")
    for words in (
        ("init", "-q", "-b", "main"),
        ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib"),
        ("add", "-A"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "one"),
        ("config", "filter.a=b.clean", f"sh -c 'echo clean >> {mark}; cat'"),
        ("config", "filter.c.process", f"sh -c 'echo process >> {mark}; cat'"),
        ("config", "filter.a=b.required", "true"),
        ("config", "core.fsmonitor", f"sh -c 'echo fsmonitor >> {mark}'"),
        ("config", "filter.a=b.smudge", f"sh -c 'echo smudge >> {mark}; cat'"),
        ("config", "core.pager", f"sh -c 'echo pager >> {mark}'"),
        ("config", "diff.external", f"sh -c 'echo external >> {mark}'"),
        ("config", "diff.text.textconv", f"sh -c 'echo textconv >> {mark}'"),
        ("config", "core.hooksPath", "hooks"),
        ("-C", "lib", "config", "filter.of-lib.clean", f"sh -c 'echo of-lib >> {mark}; cat'"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)
    (project / "hooks").mkdir()
    (project / "hooks" / "post-index-change").write_text(f"#!/bin/sh\necho hook >> {mark}\n")
    (project / "hooks" / "post-index-change").chmod(0o755)
    (project / "lib" / ".gitattributes").write_text("* filter=of-lib\n")
    os.utime(project / "lib" / "one.txt", (1, 1))
    (project / ".gitattributes").write_text("data.txt filter=a=b diff=text\nSPEC.md filter=c\n")
    # a file that looks changed is filtered, to be compared
    os.utime(project / "data.txt", (1, 1))
    os.utime(project / "SPEC.md", (1, 1))


def _library(folder: Path) -> Path:
    folder.mkdir()
    (folder / "one.txt").write_text("one\n")
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "one"),
    ):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_looking_runs_nothing_of_the_project(
    dualgate: Dualgate, tmp_path: Path, trapped: dict[str, str], words: tuple[str, ...]
) -> None:
    ended = dualgate(*words, **trapped)

    assert "Traceback" not in ended.err
    assert not (tmp_path / "was-run").exists(), (tmp_path / "was-run").read_text()


def test_a_module_of_the_project_is_not_imported_in_place_of_one_of_ours(project: Path, tmp_path: Path) -> None:
    for module in ("click", "jinja2", "journal"):
        (project / f"{module}.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'a')\n")

    ended = subprocess.run(
        [sys.executable, "-m", "dualgate", "check", "SPEC.md"], cwd=project, capture_output=True, text=True
    )

    assert (ended.returncode, ended.stderr, (tmp_path / "was-run").exists()) == (0, "", False)


def test_the_traps_of_a_project_do_work(trapped: dict[str, str], project: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "status"], cwd=project, capture_output=True)
    subprocess.run([project / ".venv" / "bin" / "claude"])
    subprocess.run([sys.executable, "tests/test_old.py"], cwd=project)

    assert set((tmp_path / "was-run").read_text().split()) == {
        *("fsmonitor", "clean", "process", "of-lib", "hook", "claude", "tests"),
    }


def test_a_repository_whose_filters_are_switched_off_is_read_all_the_same(
    trapped: dict[str, str], project: Path
) -> None:
    state = read_repository_state(project)

    assert state is not None
    assert (state.branch, state.changed) == ("main", (".gitattributes", "hooks/"))


def test_filters_that_are_the_users_own_work(
    trapped: dict[str, str], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text('[filter "upper"]\n\tclean = tr a-z A-Z\n')
    (project / ".gitattributes").write_text("data.txt filter=upper\n")

    state = read_repository_state(project)

    assert state is not None
    assert "data.txt" in state.changed


def test_without_another_git_than_the_projects_there_is_none(
    trapped: dict[str, str], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    monkeypatch.setenv("PATH", os.pathsep.join((str(project / ".venv" / "bin"), str(tmp_path / "bin"))))

    state = read_repository_state(project)

    assert state is not None
    assert (state.branch, (tmp_path / "was-run").exists()) == (None, False)
