"""The acceptance criteria of the response analyzer, each by its name, and the scenarios that need only words."""

import json
from pathlib import Path
from typing import Any

import pytest

from dualgate.analyzer import (
    add,
    detect_format,
    detect_stuck_loop,
    extract_status,
    get_work_type,
    parse_json,
    parse_text,
    read_answer,
    should_exit,
    start,
)
from dualgate.cli.prompts_action import STACKS
from dualgate.core.gates.exits import ExitEvidence
from dualgate.core.prompt.writing import prepare, render_ralph_prompt
from dualgate.core.spec.plan import read_plan
from dualgate.core.values.answer import AnswerFormat, Trouble
from dualgate.core.values.vocabulary import Decision, WorkStatus, WorkType
from dualgate.prompts import load_templates
from tests.core.said.blocks.block_samples import ralph_block

DATA = Path(__file__).parent / "data"
SCENARIOS = [json.loads(line) for line in (DATA / "corpus" / "exit-scenarios.jsonl").read_text().splitlines()]
# these turn on what happened in the work tree: progress, or the lack of it
OF_THE_TREE = {"B10", "B18", "B28", "C14"}
CLAUDE = json.dumps(
    {"type": "result", "subtype": "success", "is_error": False, "result": ralph_block(), "num_turns": 3}
)


def test_s03_ac1_structured_fields_are_extracted_from_json() -> None:
    answer = parse_json((DATA / "claude" / "ok.json").read_bytes())

    assert (answer.agent, answer.format, answer.turns, answer.cost_usd) == ("claude", AnswerFormat.JSON, 2, 0.00819)
    assert answer.session_id == "cca0b466-bf6d-4b6d-9b2d-41fe83dd0ab1"


def test_s03_ac2_exit_signal_is_extracted_from_text() -> None:
    status = extract_status(parse_text(f"All well.\n{ralph_block()}\n"))

    assert status is not None
    assert status.exit_signal is True


def test_s03_ac3_the_same_error_in_the_last_three_outputs_is_stuck() -> None:
    history = start()
    for number in range(3):
        add(history, f"I tried again.\nError: cannot find module 'left-pad' at line {number}\n")

    assert detect_stuck_loop(history)
    assert should_exit(history).decision is Decision.STUCK


def test_s03_ac4_two_indicators_and_the_signal_complete_the_project() -> None:
    history = start()
    add(history, CLAUDE)

    found = should_exit(history, ExitEvidence(tests_pass=True))

    assert (found.decision, len(found.indicators)) == ("project_complete", 2)


def test_s03_ac5_an_explicit_false_wins_over_indicators() -> None:
    history = start()
    add(history, ralph_block(EXIT_SIGNAL="false"))

    found = should_exit(history, ExitEvidence(tests_pass=True))

    assert (found.decision, len(found.indicators)) == ("continue", 2)


@pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS.keys())
def test_s03_ac6_the_prompt_template_has_a_status_section_with_format_and_example(stack: Any) -> None:
    text = render_ralph_prompt(stack, prepare(load_templates()))

    assert "## RALPH_STATUS: the report that ends every answer (mandatory)" in text
    assert "EXIT_SIGNAL: false | true" in text
    assert f"- Tests: `{stack.test}`" in text
    assert extract_status(text) is not None
    assert should_exit([add([], text)], ExitEvidence(tests_pass=True)).decision == "continue"


def test_s03_ac7_without_a_block_there_is_a_warning_and_a_cautious_reading() -> None:
    history = start()
    analysis = add(history, "Everything is done, all tests pass!")

    assert "no RALPH_STATUS block: the wording was read instead, which decides nothing" in analysis.problems
    assert analysis.speaks_of_completion
    assert should_exit(history, ExitEvidence(tests_pass=True)).decision == "continue"


def test_s03_ac8_status_blocked_notifies_the_breaker() -> None:
    assert add([], ralph_block(STATUS="BLOCKED", EXIT_SIGNAL="false")).notifies_breaker
    assert not add([], ralph_block()).notifies_breaker


FORMATS = [
    (ralph_block(), AnswerFormat.TEXT),
    (CLAUDE, AnswerFormat.JSON),
    (f"[{CLAUDE}]", AnswerFormat.LIST),
    ((DATA / "codex" / "ok.jsonl").read_bytes(), AnswerFormat.LINES),
]


@pytest.mark.parametrize(("output", "format_"), FORMATS, ids=[format_.value for _, format_ in FORMATS])
def test_the_format_is_detected(output: str | bytes, format_: AnswerFormat) -> None:
    assert detect_format(output) is format_


def test_the_kind_of_work_is_what_the_block_says_else_what_the_words_say() -> None:
    assert get_work_type(ralph_block(WORK_TYPE="TESTING")) is WorkType.TESTING
    assert get_work_type("I refactored the parser.") is WorkType.REFACTORING
    assert get_work_type("Hm.") is None


def test_status_of_a_broken_block_is_none() -> None:
    assert extract_status(ralph_block(STATUS="DONE")) is None
    assert extract_status("nothing") is None


def test_a_call_that_was_stopped_at_its_limit_is_known() -> None:
    answer = read_answer(CLAUDE, timed_out=True, exit_code=None)

    assert answer.failure is not None
    assert answer.failure.kind is Trouble.TIMED_OUT
    assert WorkStatus.COMPLETE in answer.text


def output_of(given: dict[str, Any]) -> str:
    body = given["body"]
    if given["kind"] == "stream":
        text = "\n".join(json.dumps(event) for event in body)
    else:
        text = body if isinstance(body, str) else json.dumps(body)
    if pad := given.get("pad"):
        padding = pad["line"] * pad["times"]
        text = text.replace("@PAD@", padding if given["kind"] == "text" else json.dumps(padding)[1:-1])
    return text


def task_lists(scenario: dict[str, Any]) -> list[str]:
    """The task list after each iteration."""
    plan, lists = scenario["facts"]["plan"], []
    for given in scenario["inputs"]:
        for effect in given.get("effects", ()):
            plan = effect.get("text", plan) if effect["op"] == "plan" else plan
        lists.append(plan)
    return lists


@pytest.mark.parametrize(
    "scenario",
    [scenario for scenario in SCENARIOS if scenario["id"][:3] not in OF_THE_TREE],
    ids=lambda scenario: scenario["id"],
)
def test_every_scenario_that_needs_only_words_gets_its_decision(scenario: dict[str, Any]) -> None:
    history = start()
    expected = scenario["expected"]
    for number, given in enumerate(scenario["inputs"]):
        changed = any(effect["op"] in ("write", "delete", "commit") for effect in given.get("effects", ()))
        stderr, code = given.get("stderr", ""), given.get("exit_code", 0)
        add(history, read_answer(output_of(given), exit_code=code, stderr=stderr), changed_files=changed)
        tests = {"pass": True, "fail": False, "unknown": None}[scenario["facts"]["tests"][number]]
        plan = read_plan(task_lists(scenario)[number])
        found = should_exit(history, ExitEvidence(tests_pass=tests, plan=plan, changed_files=changed))

        assert found.decision in (expected["decisions"][number], *expected["also_ok"][number]), found.reasons
        if found.decision not in ("continue", "retry"):
            break


def test_the_end_of_a_limit_is_read_where_a_scenario_says_it() -> None:
    (scenario,) = [scenario for scenario in SCENARIOS if scenario["id"].startswith("C04")]
    given = scenario["inputs"][0]

    answer = read_answer(output_of(given), exit_code=given.get("exit_code", 0), stderr=given.get("stderr", ""))

    assert answer.failure is not None
    assert answer.failure.resets_at is not None
    assert answer.failure.resets_at.timestamp() == scenario["expected"]["fields"][0]["reset_at_epoch"]
