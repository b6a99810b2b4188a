"""dualgate doctor: whether a run can start here, and how to fix what is missing."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.played import heard, play
from tests.support import Dualgate, Ended


def checks(ended: Ended) -> dict[str, dict[str, Any]]:
    (record,) = ended.lines
    assert record["can_start"] == (ended.code == 0)
    return {check["name"]: check for check in record["checks"]}


def test_where_all_is_there_a_run_can_start(dualgate: Dualgate) -> None:
    ended = dualgate("doctor", "SPEC.md", "--agent", "rehearsal", "--run", "--json")

    found = checks(ended)
    assert ended.code == 0
    assert found["specification"]["seen"] == "SPEC.md: Doubling, 2 acceptance criteria"
    assert found["tests"]["seen"].endswith("-m pytest -q: 1 test")
    assert {name for name, check in found.items() if check["health"] != "ok"} == {"reviewer", "git"}


def test_people_see_what_fails_with_its_fix_and_nothing_else(dualgate: Dualgate) -> None:
    ended = dualgate("doctor", "GONE.md", "--agent", "claude", PATH="/nowhere")
    every = dualgate("doctor", "GONE.md", "--agent", "claude", "--all", PATH="/nowhere")

    assert ended.code == 2
    assert "fail  agent          claude: the program 'claude' is not installed\n" in ended.out
    assert "                     fix: npm install -g @anthropic-ai/claude-code\n" in ended.out
    assert "fail  specification  GONE.md cannot be read: No such file or directory.\n" in ended.out
    assert "warn  npm            missing, and needed to install claude\n" in ended.out
    assert ended.out.endswith("\nA run cannot start: specification, agent\n")
    assert [ended.out.count("\nok "), "other checks are ok ('dualgate doctor --all' shows them)\n" in ended.out] == [
        0,
        True,
    ]
    assert every.out.count("\nok ") > 5


def test_npm_is_looked_at_only_where_an_agent_has_to_be_installed(dualgate: Dualgate) -> None:
    assert "npm" not in checks(dualgate("doctor", "--agent", "rehearsal", "--json"))


def test_nothing_is_written_and_no_agent_is_asked(dualgate: Dualgate, project: Path, tmp_path: Path) -> None:
    played = play(tmp_path / "bin", "claude", b"2.1.197 (Claude Code)\n")
    before = sorted(project.rglob("*"))

    dualgate("doctor", "SPEC.md", "--agent", "claude", PATH=played["PATH"], ANTHROPIC_API_KEY="sk-secret")

    assert sorted(project.rglob("*")) == before
    assert [call["argv"] for call in heard(tmp_path / "bin")] == [["--version"]]
    assert not (tmp_path / "home" / ".bp-sessions").exists()


def test_an_agent_without_a_login_or_with_words_that_hamper_it_fails(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    path = play(tmp_path / "bin", "claude", b"2.1.197 (Claude Code)\n")["PATH"]
    (project / "dualgate.toml").write_text('[agents.default]\nagent = "claude"\nargs = ["--permission-mode", "plan"]\n')

    absent = checks(dualgate("doctor", "--json", PATH=path))
    hampered = checks(dualgate("doctor", "--json", PATH=path, ANTHROPIC_API_KEY="x"))

    assert (absent["agent"]["health"], absent["agent"]["seen"]) == ("fail", "claude 2.1.197, no login found")
    assert "--permission-mode plan lets it change nothing" in hampered["agent"]["seen"]


def test_the_reviewer_is_looked_at_for_itself(dualgate: Dualgate) -> None:
    ended = dualgate("doctor", "--agent", "rehearsal", "--qa-agent-command", "no-such-program", "--json")

    assert checks(ended)["reviewer"]["seen"] == "There is no program 'no-such-program'."


def test_a_reviewer_by_name_is_looked_at_too(dualgate: Dualgate) -> None:
    ended = dualgate("doctor", "--agent", "rehearsal", "--qa-agent", "nobody", "--json")
    alone = dualgate("doctor", "--agent", "rehearsal", "--json")

    assert checks(ended)["reviewer"]["seen"] == "There is no agent 'nobody'."
    assert "--qa-agent NAME" in checks(alone)["reviewer"]["fix"]


def test_who_takes_over_is_looked_at_too_and_reviews(dualgate: Dualgate) -> None:
    ended = dualgate("doctor", "--agent-command", "cat", "--fallback", "rehearsal", "--fallback", "nobody", "--json")

    found = checks(ended)
    assert found["agent, fallback 1"]["seen"] == "rehearsal"
    assert "There is no agent 'nobody'" in found["agent, fallback 2"]["seen"]
    assert "reviewer" not in found


def test_settings_that_cannot_be_read_are_named_and_the_rest_is_looked_at(dualgate: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").write_text("max_iterations = 0\n")

    found = checks(dualgate("doctor", "--json"))

    assert (found["settings"]["health"], "agent" in found, "git" in found) == ("fail", False, True)
    assert "max_iterations is 0; legal is a whole number from 1 on" in found["settings"]["seen"]


def test_no_code_of_the_project_runs_unless_asked_for(dualgate: Dualgate, project: Path) -> None:
    (project / "conftest.py").write_text("open('was-run', 'w')\n")

    found = checks(dualgate("doctor", "SPEC.md", "--agent", "rehearsal", "--json"))
    ran = (project / "was-run").exists()
    dualgate("doctor", "SPEC.md", "--agent", "rehearsal", "--run")

    assert found["tests"]["seen"].endswith("; not looked at: whether its tests can be collected (--run)")
    assert (ran, (project / "was-run").exists()) == (False, True)


def test_with_run_tests_they_are_run(dualgate: Dualgate, project: Path) -> None:
    (project / "tests" / "test_old.py").write_text("def test_old():\n    assert False\n")

    found = checks(dualgate("doctor", "--agent", "rehearsal", "--run-tests", "--json"))

    assert (found["tests"]["health"], "1 fail already" in found["tests"]["seen"]) == ("warn", True)


def test_a_run_that_is_at_work_is_in_the_way(dualgate: Dualgate, project: Path) -> None:
    descriptor = os.open(project, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        found = checks(dualgate("doctor", "--agent", "rehearsal", "--json"))
    finally:
        os.close(descriptor)

    assert (found["owner"]["health"], found["owner"]["fix"]) == ("fail", "dualgate pause")
    assert "leftovers" not in found


def test_a_session_that_is_not_finished_is_worth_a_look(dualgate: Dualgate, tmp_path: Path) -> None:
    (tmp_path / "stop.py").write_text("import os, time; os.kill(os.getppid(), 2); time.sleep(60)")
    dualgate("run", "SPEC.md", "--agent-command", f"{sys.executable} {tmp_path / 'stop.py'}")

    session = checks(dualgate("doctor", "--agent", "rehearsal", "--json"))["session"]

    assert (session["health"], session["fix"]) == ("warn", "dualgate resume")


def test_a_home_that_cannot_be_written_to_is_in_the_way(dualgate: Dualgate, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    found = checks(dualgate("doctor", "--agent", "rehearsal", "--json", HOME=str(tmp_path / "file")))

    assert (found["sessions"]["health"], found["snapshots"]["health"]) == ("fail", "fail")


@pytest.mark.parametrize(("zone", "health"), [("Mars/Olympus", "warn"), ("CET-1CEST", "ok"), ("Asia/Tokyo", "ok")])
def test_a_zone_that_there_is_not_is_named(dualgate: Dualgate, zone: str, health: str) -> None:
    assert checks(dualgate("doctor", "--agent", "rehearsal", "--json", TZ=zone))["clock"]["health"] == health


def test_ralph_needs_a_prompt_and_no_reviewer(dualgate: Dualgate, project: Path) -> None:
    without = checks(dualgate("doctor", "--workflow", "ralph", "--agent", "rehearsal", "--json"))
    (project / "PROMPT.md").write_text("# Do it\n")
    found = checks(dualgate("doctor", "--workflow", "ralph", "--agent", "rehearsal", "--json"))

    assert without["specification"]["seen"] == "There is no PROMPT.md or .ralph/PROMPT.md here."
    assert (found["specification"]["seen"], "reviewer" in found) == ("PROMPT.md: Do it", False)


def test_a_sandbox_that_cannot_be_had_is_in_the_way(dualgate: Dualgate) -> None:
    without = checks(dualgate("doctor", "--agent", "rehearsal", "--json"))
    asked = checks(dualgate("doctor", "--agent", "rehearsal", "--sandbox", "bwrap", "--json", PATH="/nowhere"))

    assert (without["sandbox"]["health"], asked["sandbox"]["health"]) == ("ok", "fail")
    assert "bubblewrap" in asked["sandbox"]["fix"]


def test_packages_that_the_agent_cannot_install_in_the_sandbox_are_worth_a_look(dualgate: Dualgate) -> None:
    words = ("doctor", "--agent", "rehearsal", "--sandbox", "bwrap", "--json")
    if checks(dualgate(*words))["sandbox"]["health"] != "ok":
        pytest.skip("bubblewrap cannot start here")

    bare = checks(dualgate(*words, "--test-command", "/usr/bin/python3 -m pytest"))
    unconfined = checks(dualgate(*words[:3], "--json", "--test-command", "/usr/bin/python3 -m pytest"))

    assert bare["packages"]["health"] == "warn"
    assert "/usr/bin/python3 is outside the project" in bare["packages"]["seen"]
    assert "packages" not in unconfined


def test_a_merge_under_way_is_worth_a_look(dualgate: Dualgate, project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".git" / "MERGE_HEAD").write_text("")

    git = checks(dualgate("doctor", "--agent", "rehearsal", "--json"))["git"]

    assert (git["health"], git["fix"]) == ("warn", "git merge --abort")
