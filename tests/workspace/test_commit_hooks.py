"""Hooks and settings by which git runs programs or pushes: what an agent adds to them during a run is noticed."""

import subprocess
from pathlib import Path

import pytest

from dualgate.workspace.commit_hooks import hooks_digest
from dualgate.workspace.commits import open_repository

SETTINGS = [
    ("core.hooksPath", "elsewhere"),
    ("core.sshCommand", "./ssh"),
    ("credential.helper", "!./keep"),
    ("gpg.program", "./gpg"),
    ("http.proxy", "http://somewhere"),
    ("http.sslVerify", "false"),
    ("lfs.customtransfer.x.path", "./transfer"),
    ("merge.ours.driver", "./merge"),
    ("protocol.ext.allow", "always"),
    ("push.recurseSubmodules", "on-demand"),
    ("remote.origin.pushurl", "somewhere"),
    ("url.somewhere.insteadOf", "https://"),
]


def git(project: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_a_setting_by_which_git_runs_a_program_or_pushes_elsewhere_is_noticed(
    project: Path, name: str, value: str
) -> None:
    git(project, "init", "-q", "-b", "main")
    before = hooks_digest(open_repository(project))

    git(project, "config", name, value)

    assert hooks_digest(open_repository(project)) != before


def test_a_file_that_a_hook_calls_is_noticed_below_the_hooks_too_and_so_is_the_end_of_a_large_one(
    project: Path,
) -> None:
    git(project, "init", "-q", "-b", "main")
    hooks = project / ".git" / "hooks"
    (hooks / "parts").mkdir(parents=True)
    (hooks / "pre-push").write_bytes(b"#\n" * (1 << 20))
    (hooks / "parts" / "check").write_text("true\n")
    seen = [hooks_digest(open_repository(project))]

    (hooks / "parts" / "check").write_text("./steal\n")
    seen.append(hooks_digest(open_repository(project)))
    with (hooks / "pre-push").open("ab") as file:
        file.write(b"./steal\n")
    seen.append(hooks_digest(open_repository(project)))

    assert len({*seen}) == len(seen)


def test_other_settings_and_other_files_of_the_project_are_the_agents_own_business(project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "core.hooksPath", "scripts")
    (project / "scripts" / "more").mkdir(parents=True)
    before = hooks_digest(open_repository(project))

    git(project, "config", "branch.main.description", "work")
    (project / "scripts" / "more" / "notes.txt").write_text("one\n")

    assert hooks_digest(open_repository(project)) == before
