"""What one run showed is recalled in the next."""

import json
import shutil
from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate

FAULTY = GREEN.replace("return x + x", "return x + tariff(x)")
CURED = GREEN.replace('phase = "GREEN"', 'phase = "GREEN"\nsays = "I added the tariff."')
ERROR = "NameError: name 'tariff' is not defined"
HEADING = "## What earlier runs of this project showed"


def prompts(environment: dict[str, str], phase: str) -> list[str]:
    folder = Path(environment["HOME"], ".bp-sessions", "doubling", "calls")
    return [path.read_text() for path in sorted(folder.glob(f"*-{phase}-prompt.md"))]


def start_over(project: Path) -> None:
    """As if the work of the first run had been thrown away."""
    for path in ("doubling.py", "tests/test_double.py", "README.md"):
        (project / path).unlink()
    shutil.rmtree(project / "docs")


def test_the_cure_of_an_error_is_recalled_when_a_later_run_meets_that_error(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    first = rehearse(RED + FAULTY + CURED + REST)
    known = dualgate("memory", "--json").lines[0]["entries"]
    dualgate("memory", "add", "double() is also used for texts", "--file", "doubling.py")
    start_over(project)

    second = rehearse(RED + FAULTY + CURED + REST)

    assert (first.code, second.code) == (0, 0)
    (error, _) = (each for each in known if each["kind"] == "error")
    assert error["text"].endswith(ERROR)
    before, after = prompts(environment, "GREEN")
    assert HEADING not in before
    _, _, recalled = after.partition(HEADING)
    assert f"Source: session {first.lines[-1]['session_id'][:8]}, GREEN 2, 20" in recalled
    assert "Fixed by: changed doubling.py" in recalled
    assert "        -def double(x): return x + tariff(x)\n        +def double(x): return x + x\n" in recalled
    (review,) = prompts(environment, "QA")
    assert "- double() is also used for texts\n    Source: a person's note, " in review
    (started,) = (
        event["data"]
        for line in dualgate("log", "--json").out.splitlines()
        if (event := json.loads(line))["kind"] == "call.started"
        and event["data"]["phase"] == "GREEN"
        and event["data"]["iteration"] == 2
    )
    assert started["recalled"][0]["cure"].startswith("changed doubling.py")
    assert dualgate("replay").code == 0


@pytest.mark.parametrize("switch", [{"DUALGATE_MEMORY_ENABLED": "false"}, {}])
def test_a_memory_that_is_off_recalls_and_keeps_nothing(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, environment: dict[str, str], switch: dict[str, str]
) -> None:
    dualgate("memory", "add", "double() is also used for texts", "--file", "doubling.py")
    if not switch:
        dualgate("memory", "off")

    ended = rehearse(RED + FAULTY + CURED + REST, **switch)

    assert ended.code == 0
    assert not any(HEADING in prompt for phase in ("GREEN", "QA") for prompt in prompts(environment, phase))
    assert len(dualgate("memory", "--json").lines[0]["entries"]) == 1


def test_a_memory_that_cannot_be_used_does_not_stop_a_run(
    rehearse: Dualgate, dualgate: Dualgate, environment: dict[str, str]
) -> None:
    Path(environment["HOME"], ".bp-sessions", ".memory", "memory.db").mkdir(parents=True)

    ended = rehearse(RED + FAULTY + CURED + REST)

    assert ended.code == 0
    assert ended.err.count("This run continues without it.") == 1
