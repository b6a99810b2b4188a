"""dualgate init: a short dualgate.toml for a project."""

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.agents.played import play
from tests.support import Dualgate, Ended


@pytest.fixture
def agents(tmp_path: Path) -> dict[str, str]:
    """claude and codex are installed, and claude is logged in."""
    play(tmp_path / "bin", "claude", b"2.1.197 (Claude Code)\n")
    play(tmp_path / "bin", "codex", b"codex-cli 0.1.0\n")
    return {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "ANTHROPIC_API_KEY": "x"}


def written(project: Path) -> dict[str, object]:
    return tomllib.loads((project / "dualgate.toml").read_text())


def test_the_file_that_is_written_can_be_used(dualgate: Dualgate, project: Path, agents: dict[str, str]) -> None:
    (project / "docs" / "adr").mkdir(parents=True)
    (project / "Makefile").write_text("lint:\n\ttouch RAN\n")

    ended = dualgate("init", "--yes", **agents, CODEX_API_KEY="x")
    config = dualgate("config", "--json", DUALGATE_TEST_COMMAND="").lines[0]

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith((project / "dualgate.toml").read_text())
    assert "dualgate new TITLE" in ended.out
    assert (config["agent"]["value"], config["agents.qa.agent"]["value"]) == ("claude", "codex")
    assert (config["checks.lint"]["value"], config["adr_required"]["value"]) == ("make lint", True)
    assert (config["documents"]["value"], config["max_duration"]["value"]) == (3, 14400.0)
    assert sorted(path.name for path in project.iterdir()) == sorted(
        ["SPEC.md", "conftest.py", "tests", "docs", "Makefile", "dualgate.toml"]
    )


def test_a_second_agent_without_a_login_is_only_named(
    dualgate: Dualgate, project: Path, agents: dict[str, str]
) -> None:
    dualgate("init", "--yes", **agents)

    assert (written(project)["agent"], "agents" in written(project)) == ("claude", False)
    assert "codex 0.1.0, missing: a login" in " ".join((project / "dualgate.toml").read_text().split("\n# "))


def test_without_an_agent_the_file_says_what_to_do(dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("init", "--yes", PATH="/nowhere")

    assert (ended.code, "agent" in written(project)) == (0, False)
    assert "# No agent is installed. See: dualgate agents." in (project / "dualgate.toml").read_text()


def test_nothing_of_the_project_is_executed(dualgate: Dualgate, project: Path, agents: dict[str, str]) -> None:
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\ntouch RAN\n")
    python.chmod(0o755)
    (project / "tests" / "test_old.py").write_text("import unittest\nclass T(unittest.TestCase): pass\n")
    (project / "conftest.py").unlink()

    dualgate("init", "--yes", **agents)

    assert not list(project.rglob("RAN"))
    assert written(project)["test_command"] == ".venv/bin/python -m unittest discover -s tests"


def test_without_a_terminal_the_file_is_shown_and_not_written(dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("init")

    assert (ended.code, (project / "dualgate.toml").exists()) == (1, False)
    assert tomllib.loads(ended.out)["max_duration"] == "4h"
    assert "dualgate init --yes" in ended.err


THERE = [
    ("dualgate.toml", "agent = 'qwen'\nmax_cost = 1\n", "dualgate.toml sets agent, max_cost."),
    ("dualgate.toml", "", "dualgate.toml sets nothing yet."),
    ("pyproject.toml", "[tool.dualgate]\nagent = 'qwen'\n", "[tool.dualgate] of pyproject.toml sets agent."),
    ("dualgate.toml", "agent = \n", "dualgate.toml is not valid TOML"),
]


@pytest.mark.parametrize(("name", "text", "message"), THERE)
def test_existing_settings_are_named_and_never_overwritten(
    dualgate: Dualgate, project: Path, name: str, text: str, message: str
) -> None:
    (project / name).write_text(text)

    ended = dualgate("init", "--yes")

    assert (ended.code, ended.out, message in ended.err) == (1, "", True), ended.err
    assert [path.name for path in project.glob("*.toml")] == [name]
    assert (project / name).read_text() == text


def test_a_link_that_leads_nowhere_is_not_written_through(dualgate: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").symlink_to("elsewhere.toml")

    ended = dualgate("init", "--yes")

    assert (ended.code, "dualgate.toml exists and is not a file." in ended.err) == (1, True)
    assert not (project / "elsewhere.toml").exists()


def at_terminal(project: Path, environment: dict[str, str], answer: str) -> Ended:
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    words = [sys.executable, "-m", "dualgate", "init"]
    try:
        ended = subprocess.run(
            words, cwd=project, env=environment, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True
        )
        return Ended(code=ended.returncode, out=ended.stdout, err=os.read(ours, 4096).decode())
    finally:
        os.close(ours)
        os.close(theirs)


def test_at_a_terminal_a_person_is_asked(project: Path, environment: dict[str, str]) -> None:
    refused = at_terminal(project, environment, "n")
    was_there = (project / "dualgate.toml").exists()
    taken = at_terminal(project, environment, "")

    assert (refused.code, was_there, "Nothing was written." in refused.out) == (1, False, True)
    assert (taken.code, "Write dualgate.toml? [Y/n]" in taken.err, "max_duration" in written(project)) == (
        0,
        True,
        True,
    )


PROPOSED = [((), 3, True), (("README.md",), 1, False), (("README.md", "CHANGELOG.md", "docs/a.md"), 3, False)]


@pytest.mark.parametrize(("documents", "count", "record"), PROPOSED)
def test_as_many_documents_are_proposed_as_the_project_has_kinds_of(
    dualgate: Dualgate, project: Path, documents: tuple[str, ...], count: int, record: bool
) -> None:
    for name in documents:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("# Read\n")

    dualgate("init", "--yes", PATH="/nowhere")

    assert (written(project)["documents"], written(project)["adr_required"]) == (count, record)
