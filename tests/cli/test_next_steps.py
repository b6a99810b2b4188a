"""`dualgate` alone: what to do next in the current folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Dualgate


def commands_in(out: str) -> list[str]:
    return [line.split("  ")[1] for line in out.partition("Next:\n")[2].splitlines()]


def test_a_project_with_a_specification_and_an_agent_is_checked_and_run(
    dualgate: Dualgate, project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").write_text("#!/bin/sh\ntouch was-run\n")
    (tmp_path / "bin" / "claude").chmod(0o755)
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"

    without = dualgate(PATH=path)
    with_login = dualgate(PATH=path, ANTHROPIC_API_KEY="k")

    assert "Agents         claude (no login found)\n" in without.out
    assert commands_in(without.out) == ["dualgate check SPEC.md", "dualgate agents"]
    assert with_login.out == (
        "Project        doubling (no git repository)\n"
        "Tests          pytest\n"
        "Settings       none; defaults are used\n"
        "Specification  SPEC.md\n"
        "Agents         claude (login found)\n"
        "\n"
        "Next:\n"
        "  dualgate check SPEC.md               show how it is read, and its problems\n"
        "  dualgate run SPEC.md --agent claude  let the agent work until it is proven\n"
    )
    assert (with_login.code, list(project.glob("was-run"))) == (0, [])


def test_without_a_specification_agents_are_only_named(dualgate: Dualgate, project: Path, tmp_path: Path) -> None:
    (project / "SPEC.md").unlink()
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)

    assert "Agents         claude\n" in dualgate(PATH=f"{tmp_path}:/usr/bin:/bin").out


def test_a_specification_is_found_by_its_heading(dualgate: Dualgate, project: Path) -> None:
    (project / "SPEC.md").rename(project / "the plan.md")
    (project / "README.md").write_text("# Doubling\n")

    assert "dualgate check 'the plan.md'" in dualgate().out


def test_settings_that_cannot_be_read_come_first(dualgate: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").write_text("tiemout = 3\n")

    ended = dualgate()

    assert ("there is no setting tiemout" in ended.out, commands_in(ended.out)) == (True, ["dualgate config"])


def test_the_state_of_a_session_decides(dualgate: Dualgate) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--max-iterations", "1")
    halted = dualgate()
    dualgate("run", "SPEC.md", "--agent", "rehearsal", "--fresh")
    completed = dualgate()

    assert "Session  SPEC.md, GREEN iteration 1, halted\nReason   GREEN:" in halted.out
    assert commands_in(halted.out) == ["dualgate status", "dualgate resume --reset"]
    assert "Session  SPEC.md, QA iteration 1, completed\n" in completed.out
    assert commands_in(completed.out) == ["dualgate status", "dualgate new 'TITLE'"]


@pytest.mark.parametrize("name", ["halted", "new"])
def test_no_journal_and_no_agent_is_loaded_where_none_is_needed(
    dualgate: Dualgate, project: Path, environment: dict[str, str], name: str
) -> None:
    if name == "halted":
        dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--max-iterations", "1")
    code = "import sys; from dualgate.__main__ import main; main(); print(*sys.modules)"
    settings = {**environment, "PATH": os.defpath}

    out = subprocess.run(
        [sys.executable, "-c", code], cwd=project, env=settings, capture_output=True, text=True, check=True
    ).stdout
    heavy = {"msgspec", "rich", "psutil", "jinja2", "dualgate.store.reading", "dualgate.agents.registry"}
    assert not heavy & set(out.split())
