"""Whole runs with checks: one that passed before any work has to pass before the reviewer is asked."""

from pathlib import Path

import pytest

from tests.loop.conftest import Dying
from tests.loop.scripts import DOCUMENT, GREEN, RED, REFACTOR, REST
from tests.support import Dualgate, Ended

LINT = "! grep -n FIXME doubling.py"
DIRTY = GREEN.replace("return x + x", "return x + x  # FIXME")
WORSE = """
[[turn]]
phase = "REFACTOR"
[[turn.write]]
path = "doubling.py"
text = "def double(x): return 2 * x  # FIXME later"
"""
CLEAN = WORSE.replace("  # FIXME later", "")


def configure(project: Path, **checks: str) -> None:
    lines = "\n".join(f"{name} = '''{command}'''" for name, command in checks.items())
    (project / "dualgate.toml").write_text(f"[checks]\n{lines}\n")


def turns(ended: Ended) -> list[tuple[str, str]]:
    return [(line["phase"], line["decision"]) for line in ended.lines if "decision" in line]


def kinds(dualgate: Dualgate) -> list[str]:
    return [line["kind"] for line in dualgate("log", "--json").lines]


def test_refactor_ends_when_the_check_passes_again(rehearse: Dualgate, dualgate: Dualgate, project: Path) -> None:
    configure(project, lint=LINT)

    ended = rehearse(RED + DIRTY + WORSE + CLEAN + REST)

    refactor = [line for line in ended.lines if line.get("phase") == "REFACTOR" and "decision" in line]
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
    assert [line["decision"] for line in refactor] == ["continue", "next_phase"]
    assert f"lint: `{LINT}` passed before any work, and now exits with 1: 1:def double" in refactor[0]["reasons"][0]
    assert "checks.failed" not in kinds(dualgate)


BROKEN_BY_DOCUMENT = DOCUMENT.replace("Call `double`.", "Call `double`, or halve.")
FIXED = """
[[turn]]
phase = "GREEN"
[[turn.write]]
path = "README.md"
text = "# Doubling\\n\\nCall `double`."
"""


def test_a_check_that_breaks_before_the_review_returns_the_work_and_asks_no_reviewer(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    configure(project, docs="! grep -n halve README.md")
    ended = rehearse(RED + GREEN + REFACTOR + BROKEN_BY_DOCUMENT + FIXED + REST)

    told = [line for line in ended.lines if line.get("without_call") == "checks that passed before any work fail"]
    (finding,) = ended.lines[-1]["review"]["fixes"]
    calls = [line for line in dualgate("log", "--json").lines if line["kind"] == "call.started"]
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
    assert [(line["phase"], line["decision"]) for line in told] == [("QA", "rejected")]
    assert (finding["id"], finding["state"]) == ("CHECK-docs", "closed")
    assert [line["data"]["phase"] for line in calls].count("QA") == 1
    assert dualgate("replay").code == 0


def test_a_check_that_failed_before_any_work_blames_nobody(rehearse: Dualgate, project: Path) -> None:
    configure(project, lint="echo old trouble; exit 1", gone="no-such-linter", slow="sleep 60")

    ended = rehearse(RED + GREEN + REST, "--test-timeout", "3s")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
    checks = {check["name"]: check["state"] for check in ended.lines[-1]["checks"]}
    assert checks == {"lint": "failed before", "gone": "unusable", "slow": "unusable"}


SILENCED = """
[[turn]]
phase = "REFACTOR"
[[turn.write]]
path = "lint.sh"
text = "exit 0"
"""


def test_an_agent_that_changes_the_check_instead_of_the_code_gets_it_back(rehearse: Dualgate, project: Path) -> None:
    (project / "lint.sh").write_text(LINT)
    configure(project, lint="sh lint.sh")

    ended = rehearse(RED + DIRTY + SILENCED + CLEAN + REST)

    first = next(line for line in ended.lines if line.get("phase") == "REFACTOR")
    assert (ended.code, [each["path"] for each in first["violations"]]) == (0, ["lint.sh"])
    assert (project / "lint.sh").read_text() == LINT


PROGRAM = """
[[turn.write]]
path = "node_modules/.bin/mylint"
text = "#!/bin/sh\\n{}"
"""


def test_an_agent_that_replaces_an_ignored_program_of_a_check_does_not_pass(rehearse: Dualgate, project: Path) -> None:
    program = project / "node_modules" / ".bin" / "mylint"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{LINT}")
    program.chmod(0o755)
    (project / ".gitignore").write_text("node_modules\n")
    configure(project, lint="mylint")

    ended = rehearse(RED + DIRTY + WORSE + PROGRAM.format("") + CLEAN + PROGRAM.format(LINT) + REST)

    refactor = [line for line in ended.lines if line.get("phase") == "REFACTOR" and "decision" in line]
    assert (ended.code, [line["decision"] for line in refactor]) == (0, ["continue", "next_phase"])
    assert f"its program changed since before any work: {program}" in refactor[0]["reasons"][0]


@pytest.mark.parametrize("number", [6, 37])
def test_a_killed_check_is_run_again(dying: Dying, dualgate: Dualgate, project: Path, number: int) -> None:
    configure(project, lint="true")

    code = dying(number, "after")
    (last,) = dualgate("log", "--json").lines[-1:]
    ended = dualgate("resume", "--json")

    assert (code, last["kind"]) == (-9, "check.started")
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)


FLAKY = ", but failed before on the same tree: it is flaky"
FAILS_EVERY_OTHER_TIME = "echo >> runs.txt; test $(( $(wc -l < runs.txt) % 2 )) -eq 0"


@pytest.mark.parametrize(("number", "reason"), [(25, FLAKY), (43, "")], ids=["in GREEN", "before the review"])
def test_a_flaky_check_does_not_refuse_the_work_even_when_killed_between_its_runs(
    dying: Dying, dualgate: Dualgate, project: Path, number: int, reason: str
) -> None:
    configure(project, lint=FAILS_EVERY_OTHER_TIME)

    code = dying(number, "after")
    (last,) = dualgate("log", "--json").lines[-1:]
    ended = dualgate("resume", "--json")

    runs = [line["data"]["check"] for line in dualgate("log", "--json").lines if line["kind"] == "check.ended"]
    assert (code, last["kind"], last["data"]["check"]["exit_code"]) == (-9, "check.ended", 1)
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
    assert {run["exit_code"] for run in runs if run.get("is_second")} == {0}
    (check,) = ended.lines[-1]["checks"]
    assert (check["state"], check["reason"]) == ("passes", reason)
    assert dualgate("replay").code == 0


def test_a_project_of_a_task_list_is_not_complete_while_a_check_fails(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    configure(project, lint=LINT)
    (project / "PROMPT.md").write_text("Do the tasks of fix_plan.md.\n")
    (project / "fix_plan.md").write_text("- [ ] double\n")
    done = '[[turn]]\nphase = "BUILD"\n[[turn.write]]\npath = "fix_plan.md"\ntext = "- [x] double\\n"\n'
    code = '[[turn.write]]\npath = "doubling.py"\ntext = "def double(x): return x + x{}"\n'
    again = '[[turn]]\nphase = "BUILD"\n' + code.format("")
    (tmp_path / "ralph.toml").write_text(done + code.format("  # FIXME") + again)

    ended = dualgate("run", "--workflow", "ralph", "--agent", f"rehearsal:{tmp_path / 'ralph.toml'}", "--json")

    first, second = (line for line in ended.lines if line.get("phase") == "BUILD" and "decision" in line)
    assert (first["decision"], second["decision"]) == ("continue", "project_complete")
    assert f"lint: `{LINT}` passed before any work" in first["reasons"][0]
