"""dualgate prompts: the texts of prompts, a project's own, and the next prompt with its sizes."""

import json
from pathlib import Path

import pytest

from tests.support import Dualgate

SPEC = """# Fees

## Background

The club keeps `fees.py` simple.

## Acceptance Criteria

- AC-1: The first hour is free.
"""


@pytest.fixture(autouse=True)
def spec(project: Path) -> None:
    (project / "FEES.md").write_text(SPEC)
    (project / "AGENTS.md").write_text("Use tabs.\n")


def test_the_first_prompt_is_printed_and_its_sizes_beside_it(dualgate: Dualgate) -> None:
    ended = dualgate("prompts", "next", "FEES.md")

    assert ended.code == 0
    assert "The club keeps `fees.py` simple." in ended.out
    assert "- Follow AGENTS.md." in ended.out
    assert "task " not in ended.out.splitlines()[-1]
    assert "RED, iteration 1: about" in ended.err
    assert "specification" in ended.err


def test_sizes_can_be_printed_alone_and_of_another_phase(dualgate: Dualgate) -> None:
    ended = dualgate("prompts", "next", "FEES.md", "--phase", "green", "--sizes")

    assert ended.out.startswith("GREEN, iteration 1: about")
    assert "is the form of the answer" in ended.out


def test_for_programs_a_prompt_is_one_object_with_its_parts(dualgate: Dualgate) -> None:
    found = json.loads(dualgate("prompts", "next", "FEES.md", "--json").out)

    assert [part["name"] for part in found["parts"]][:3] == ["task", "specification", "criteria"]
    assert found["tokens"] == sum(part["tokens"] for part in found["parts"])
    assert found["form_share"] < 0.25
    assert found["cut"] == []


def test_a_phase_of_the_other_workflow_is_refused(dualgate: Dualgate) -> None:
    ended = dualgate("prompts", "next", "FEES.md", "--phase", "BUILD")

    assert ended.code == 1
    assert "The workflow tdd has no phase BUILD." in ended.err


def test_without_a_session_a_specification_is_asked_for(dualgate: Dualgate) -> None:
    ended = dualgate("prompts", "next")

    assert ended.code == 1
    assert "dualgate prompts next SPEC" in ended.err


def test_an_ejected_text_is_used_shown_and_compared(dualgate: Dualgate, project: Path) -> None:
    assert dualgate("prompts", "eject", "red").code == 0
    own = project / ".dualgate" / "prompts" / "RED.md"
    same = dualgate("prompts", "diff")
    own.write_text(own.read_text() + "\nWrite the tests in French.\n")

    assert (same.code, same.out) == (0, "")
    assert "Write the tests in French." in dualgate("prompts", "next", "FEES.md").out
    assert "Write the tests in French." in dualgate("prompts", "show", "RED").out
    assert "+Write the tests in French." in dualgate("prompts", "diff", "red").out
    assert dualgate("prompts", "diff").code == 1
    assert "RED  (replaced by .dualgate/prompts/RED.md)" in dualgate("prompts", "list").out


def test_an_existing_text_is_not_overwritten(dualgate: Dualgate, project: Path) -> None:
    dualgate("prompts", "eject", "rules")
    own = project / ".dualgate" / "prompts" / "rules.md"
    own.write_text("mine\n")

    ended = dualgate("prompts", "eject", "rules")

    assert (ended.code, own.read_text()) == (1, "mine\n")
    assert "dualgate prompts diff rules" in ended.err


@pytest.mark.parametrize("name", ["answer", "packets/RED", "amendment"])
def test_the_form_of_the_answer_stays_that_of_the_loop(dualgate: Dualgate, name: str) -> None:
    ended = dualgate("prompts", "eject", name)

    assert ended.code == 2
    assert "the loop reads answers by their form" in ended.err


def test_a_misspelt_name_is_answered_with_the_right_one(dualgate: Dualgate) -> None:
    assert "Did you mean GREEN?" in dualgate("prompts", "show", "gren").err


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("RED.md", "{% if %}\n", ".dualgate/prompts/RED.md:1: "),
        ("GREEN.md", "{{ nonsense }}\n", "'nonsense' is undefined"),
        ("GREEN.md", "{{ prp.__class__.__mro__ }}\n", "unsafe"),
        ("ROUGE.md", "Bonjour\n", "replaces no prompt of dualgate"),
        ("packets/RED.md", "Bonjour\n", "replaces the form of the answer"),
    ],
)
def test_an_invalid_text_of_the_project_is_named_before_a_session_is_made(
    dualgate: Dualgate, project: Path, file: str, text: str, told: str
) -> None:
    own = project / ".dualgate" / "prompts" / file
    own.parent.mkdir(parents=True)
    own.write_text(text)

    ended = dualgate("run", "FEES.md", "--agent-command", "true", "--test-command", "true", "--yes")

    assert ended.code == 1
    assert told in ended.err
    assert dualgate("status").code == 1


def test_text_that_is_no_utf_8_is_refused(dualgate: Dualgate, project: Path) -> None:
    own = project / ".dualgate" / "prompts" / "RED.md"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"\xff\xfe")

    assert "Save it as UTF-8 text." in dualgate("prompts", "list").err


@pytest.mark.parametrize(
    "text", ["{{ 1 / 0 }}", "{{ 'a' + 1 }}", "{% include 'RED.md' %}", "{{ range(10 ** 9) | list }}"]
)
def test_whatever_a_template_does_wrong_is_an_error_of_the_project(
    dualgate: Dualgate, project: Path, text: str
) -> None:
    own = project / ".dualgate" / "prompts" / "RED.md"
    own.parent.mkdir(parents=True)
    own.write_text(text)

    ended = dualgate("prompts", "next", "FEES.md")

    assert ended.code == 1
    assert "dualgate prompts diff" in ended.err


def test_a_template_that_leaves_no_room_is_refused(dualgate: Dualgate, project: Path) -> None:
    own = project / ".dualgate" / "prompts" / "RED.md"
    own.parent.mkdir(parents=True)
    own.write_text("x" * 70_000)

    assert "is larger than 64 KB" in dualgate("prompts", "next", "FEES.md").err
