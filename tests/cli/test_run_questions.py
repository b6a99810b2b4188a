"""What run asks before it starts: readings of a specification, and commands that may be run."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.cli.questions import can_ask, settled
from dualgate.core.values.specification import Criterion, Kind
from dualgate.errors import SpecError
from dualgate.settings import Settings
from tests.conftest import CALL_LIMIT
from tests.session.test_document import Read
from tests.spawner import Spawner
from tests.support import Dualgate, Ended

Typed = Callable[..., Ended]

LINT = Criterion(id="AC-1", text="clean", line=1, kind=Kind.CHECK, command="make lint")
ASKING = """\
# Doubling

## Acceptance Criteria

- AC-1: double(2) is 4
- AC-2: `make lint` passes.

## Plan

1. Write it.
2. Try it.
"""
AGENT = "import os, time; os.kill(os.getppid(), 2); time.sleep(60)"


@pytest.fixture
def pausing(tmp_path: Path) -> str:
    """An agent that pauses the run that asked it."""
    (tmp_path / "pause.py").write_text(AGENT)
    return f"{sys.executable} {tmp_path / 'pause.py'}"


@pytest.fixture
def at_terminal(project: Path, environment: dict[str, str], spawner: Spawner) -> Typed:
    """dualgate for a person who types answers; what they see is in `err`."""

    def call(answers: str, *words: str) -> Ended:
        ours, theirs = pty.openpty()
        os.write(ours, answers.encode())
        try:
            ended = spawner.call(words, project, environment, CALL_LIMIT, terminal=os.ttyname(theirs))
            os.write(theirs, b"\n")  # reading from a terminal without output would wait for ever
            return replace(ended, err=os.read(ours, 1 << 16).decode())
        finally:
            os.close(ours)
            os.close(theirs)

    return call


def started(dualgate: Dualgate) -> dict[str, object]:
    data: dict[str, object] = dualgate("log", "--json").lines[0]["data"]
    return data


def test_nobody_is_asked_without_a_terminal() -> None:
    document = Read(name="a.md", text="", criteria=(LINT,), asks=("plan",))

    with pytest.raises(SpecError) as raised:
        settled(document, Settings(), yes=False)

    assert not can_ask()
    assert (raised.value.details["questions"][0]["key"], raised.value.details["commands"]) == ("plan", ["make lint"])


def test_yes_takes_the_first_readings_and_approves_the_commands() -> None:
    document = settled(Read(name="a.md", text="", criteria=(LINT,), asks=("plan", "more")), Settings(), yes=True)

    assert (document.answers, document.approved) == ({"plan": 0, "more": 0}, ("make lint",))


def test_commands_of_the_settings_need_no_approval() -> None:
    document = Read(name="a.md", text="", criteria=(LINT,))

    assert settled(document, Settings(checks={"lint": "make lint"}), yes=False) == document


def test_errors_end_a_run_with_all_of_them_and_start_nothing(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    (project / "twice.md").write_text("# x\n\n## Acceptance Criteria\n\n- A-1: a\n- A-1: b\n- B-1: c\n- B-1: d\n")

    ended = dualgate("run", "twice.md", "--agent", "rehearsal", "--json", "--yes")

    (told,) = ended.lines
    assert (ended.code, [problem["line"] for problem in told["error"]["problems"]]) == (1, [6, 8])
    assert ("twice.md:6: " in ended.err, "twice.md:8: " in ended.err) == (True, True)
    assert not (Path(environment["HOME"]) / ".bp-sessions").exists()


def test_a_text_of_the_command_line_is_worked_on_and_gone_on_with_without_a_file(
    dualgate: Dualgate, project: Path, pausing: str
) -> None:
    text = (project / "SPEC.md").read_text()
    (project / "SPEC.md").unlink()

    paused = dualgate("run", "-p", text, "--agent-command", pausing)
    status = dualgate("status")
    ended = dualgate("resume", "--agent", "rehearsal", "--json")

    assert (paused.code, "PRP:        (command line)" in status.out, ended.code) == (130, True, 0)
    assert (ended.lines[-1]["proven"], ended.lines[-1]["spec_changed"]) == (True, False)
    assert (started(dualgate)["prp_file"], started(dualgate)["prp_text"]) == ("(command line)", text)


def test_standard_input_is_worked_on(project: Path, environment: dict[str, str], dualgate: Dualgate) -> None:
    text = (project / "SPEC.md").read_text()
    words = [sys.executable, "-m", "dualgate", "run", "-", "--agent", "rehearsal", "--dry-run", "--json"]

    ended = subprocess.run(words, cwd=project, env=environment, input=text, capture_output=True, text=True)

    assert (ended.returncode, json.loads(ended.stdout)["spec"]) == (0, "(standard input)")


def test_resume_keeps_the_workflow_of_the_session(dualgate: Dualgate, project: Path, pausing: str) -> None:
    dualgate("run", "SPEC.md", "--agent-command", pausing)

    ended = dualgate("resume", "--workflow", "ralph", "--agent", "rehearsal", "--json")

    assert (ended.code, ended.lines[-1]["phases_completed"][0]) == (0, "RED")


def test_open_questions_end_a_run_that_nobody_watches(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    (project / "asking.md").write_text(ASKING)

    ended = dualgate("run", "asking.md", "--agent", "rehearsal", "--json")

    (told,) = ended.lines
    assert (ended.code, told["error"]["questions"][0]["line"]) == (1, 10)
    assert told["error"]["commands"] == ["make lint"]
    assert "asking.md:10: " in ended.err
    assert not (Path(environment["HOME"]) / ".bp-sessions").exists()


def test_a_dry_run_shows_the_first_reading_and_says_what_is_open(dualgate: Dualgate, project: Path) -> None:
    (project / "asking.md").write_text(ASKING)
    words = ("run", "asking.md", "--agent-command", "false", "--dry-run")

    ended, agreed = dualgate(*words), dualgate(*words, "--yes")

    assert (ended.code, "Questions   open" in ended.out, "The first prompt" in ended.out) == (1, True, True)
    assert (agreed.code, "Questions   open" in agreed.out) == (0, False)


def test_a_person_is_asked_and_the_session_keeps_the_answers(
    dualgate: Dualgate, project: Path, pausing: str, at_terminal: Typed
) -> None:
    (project / "asking.md").write_text(ASKING)

    ended = at_terminal("3\n2\ny\n", "run", "asking.md", "--agent-command", pausing)

    assert ended.code == 130
    assert "asking.md:10: " in ended.err
    assert "run `make lint` with the gates? [y/N]" in ended.err
    assert (list(started(dualgate)["answers"].values()), started(dualgate)["approved"]) == ([1], ["make lint"])  # type: ignore[attr-defined]


def test_a_person_is_asked_nothing_for_a_run_that_could_not_start(project: Path, at_terminal: Typed) -> None:
    (project / "asking.md").write_text(ASKING)

    ended = at_terminal("", "run", "asking.md", "--agent", "nobody")

    assert (ended.code, "There is no agent 'nobody'." in ended.err, "asking.md" in ended.err) == (1, True, False)


def test_a_command_that_is_declined_is_not_approved(
    dualgate: Dualgate, project: Path, pausing: str, at_terminal: Typed
) -> None:
    (project / "asking.md").write_text(ASKING)

    ended = at_terminal("\n\n", "run", "asking.md", "--agent-command", pausing)

    assert "without their commands nothing proves AC-2" in ended.err
    assert (list(started(dualgate)["answers"].values()), started(dualgate)["approved"]) == ([0], [])  # type: ignore[attr-defined]


def resumptions(dualgate: Dualgate) -> list[dict[str, object]]:
    return [line["data"] for line in dualgate("log", "--json").lines if line["kind"] == "session.resumed"]


def test_resume_asks_for_commands_that_were_declined_and_yes_approves_them(
    dualgate: Dualgate, project: Path, pausing: str, at_terminal: Typed
) -> None:
    (project / "asking.md").write_text(ASKING)
    at_terminal("2\nn\n", "run", "asking.md", "--agent-command", pausing)

    unseen = dualgate("resume")
    asked = at_terminal("n\n", "resume")
    agreed = dualgate("run", "--resume", "--yes")
    silent = at_terminal("", "resume")

    assert [each.code for each in (unseen, asked, agreed, silent)] == [130] * 4
    assert ("run `make lint`" in asked.err, "run `make lint`" in silent.err) == (True, False)
    approved = [each["approved"] for each in resumptions(dualgate)]
    assert approved == [[], [], ["make lint"], ["make lint"]]


EXPECTED = "\n## Expected behavior\n\nmouse\n"


def test_an_adopted_specification_is_asked_about_and_its_answers_are_kept(
    dualgate: Dualgate, project: Path, pausing: str, at_terminal: Typed
) -> None:
    (project / "asking.md").write_text(ASKING)
    dualgate("run", "asking.md", "--agent-command", pausing, "--yes")
    (project / "asking.md").write_text(
        ASKING.replace("double(2) is 4", "double(2) is 4\n- `make types` passes.") + EXPECTED
    )

    refused = dualgate("resume", "--respec", "--json")
    asked = at_terminal("2\ny\n", "resume", "--respec")
    again = dualgate("resume", "--json")

    (told,) = refused.lines
    assert (refused.code, len(told["error"]["questions"]), told["error"]["commands"]) == (1, 1, ["make types"])
    assert (asked.code, again.code) == (130, 130)
    adopted, _ = resumptions(dualgate)
    assert (sorted(adopted["answers"].values()), adopted["approved"]) == ([0, 1], ["make types", "make lint"])  # type: ignore[attr-defined]
    assert [each["text"] for each in dualgate("status", "--json").lines[0]["criteria"]] == [
        "double(2) is 4",
        "`make types` passes.",
        "`make lint` passes.",
    ]


def test_an_adopted_specification_is_read_by_the_headings_of_the_session(
    dualgate: Dualgate, project: Path, pausing: str
) -> None:
    (project / "dualgate.toml").write_text('[spec]\ncriteria_headings = ["kriterieliste"]\n')
    (project / "own.md").write_text("# D\n\n## Kriterieliste\n\n- a is 1\n- b is 2\n")
    dualgate("run", "own.md", "--agent-command", pausing)
    (project / "own.md").write_text("# D\n\n## Kriterieliste\n\n- b is 2\n")

    told = dualgate("status").out
    adopted = dualgate("resume", "--respec")

    assert "own.md was changed: removed: AC-1 (was line 5)" in told
    assert adopted.code == 130
    assert [each["id"] for each in dualgate("status", "--json").lines[0]["criteria"]] == ["AC-2"]


VALIDATED = """\
# Doubling

## Acceptance Criteria

- AC-1: double(2) is 4

## Validation

```bash
true
make types
pytest -q
```
"""


@pytest.mark.parametrize(("answer", "checks"), [("y\n", ["true", "make types"]), ("n\n", [])])
def test_validation_commands_are_asked_about_once_and_a_run_starts_without_them(
    project: Path, dualgate: Dualgate, pausing: str, answer: str, checks: list[str], at_terminal: Typed
) -> None:
    (project / "valid.md").write_text(VALIDATED)

    ended = at_terminal(answer, "run", "valid.md", "--agent-command", pausing)

    data = dualgate("log", "--json").lines[0]["data"]
    assert (ended.code, [check["command"] for check in data["checks"]]) == (130, checks)
    assert ended.err.count("run them before any work and before each review?") == 1
    assert ("  make types\r\n" in ended.err, "pytest -q" in ended.err) == (True, False)


def test_without_a_terminal_validation_commands_are_not_run_and_stop_nothing(
    project: Path, dualgate: Dualgate, pausing: str
) -> None:
    (project / "valid.md").write_text(VALIDATED)

    ended = dualgate("run", "valid.md", "--agent-command", pausing)
    plain = dualgate("log", "--json").lines[0]["data"]["checks"]
    approved = dualgate("run", "valid.md", "--agent-command", pausing, "--fresh", "--yes")

    data = dualgate("log", "--json").lines[0]["data"]
    assert (ended.code, plain, approved.code) == (130, [], 130)
    assert [check["name"] for check in data["checks"]] == ["validation", "validation-2"]
