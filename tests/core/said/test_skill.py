"""The skill text for agents: its examples parse, it carries every rule, and quoting it decides nothing."""

import re
import textwrap
from importlib.resources import files

import pytest

from dualgate.core.said.blocks import Found, Malformed, Missing, read_ralph_status
from dualgate.core.said.packets import read_packets

SKILL = (files("dualgate.prompts") / "skills" / "ralph-status.md").read_text(encoding="utf-8")
BLOCKS = [textwrap.dedent(block) for block in re.findall(r"(?m)^ {4}---RALPH_STATUS---\n(?:.+\n)+", SKILL)]
*EXAMPLES, FORM = BLOCKS


def test_examples_show_the_four_outcomes() -> None:
    found = [read_ralph_status(block) for block in EXAMPLES]
    shown = [(f.fields.status, f.fields.tests_status, f.fields.exit_signal) for f in found if isinstance(f, Found)]
    assert shown == [
        ("IN_PROGRESS", "PASSING", False),
        ("COMPLETE", "PASSING", True),
        ("BLOCKED", "NOT_RUN", False),
        ("IN_PROGRESS", "FAILING", False),
    ]


@pytest.mark.parametrize("block", EXAMPLES)
def test_example_gives_all_seven_fields(block: str) -> None:
    found = read_ralph_status(block)
    assert isinstance(found, Found)
    assert None not in (found.fields.tasks_completed, found.fields.files_modified, found.fields.work_type)
    assert found.fields.recommendation.startswith(("Next: ", "All tasks complete, tests passing, ", "Blocked: "))


def test_form_is_found_and_invalid() -> None:
    assert isinstance(read_ralph_status(FORM), Malformed)


QUOTED = [
    ("as it stands", SKILL),
    ("without indentation", re.sub(r"(?m)^ +", "", SKILL)),
    ("with remarks around it", f"I follow these rules:\n\n{SKILL}\nNow I begin."),
    ("in a quotation", textwrap.indent(SKILL, "> ")),
    ("with other line ends", SKILL.replace("\n", "\r\n")),
]


@pytest.mark.parametrize("answer", [case[1] for case in QUOTED], ids=[case[0] for case in QUOTED])
def test_agent_that_quotes_the_whole_skill_decides_nothing(answer: str) -> None:
    assert isinstance(read_ralph_status(answer), Missing | Malformed)
    assert read_packets(answer) == ()


def test_front_matter_has_name_and_description() -> None:
    _, front, _ = SKILL.split("---\n", 2)
    assert front.startswith("name: ralph-status\ndescription: >-\n")


RULES = {
    "announcing sentence": '"Producing RALPH_STATUS block for this iteration."',
    "trigger: every iteration": "At the end of every iteration",
    "trigger: build": "When the BUILD phase of the loop is over",
    "trigger: monitoring": "When a monitor asks for progress",
    "trigger: exit gate": "an exit gate is about to be judged",
    "trigger: parent skill": "`autonomous-loop`",
    "metric: tasks": "tasks that you ticked off in this iteration",
    "metric: files": "files created, edited or deleted",
    "metric: tests": "start the whole test suite now",
    "metric: work type": "the kind of work that took most",
    "metric: blockers": "any task that could not go on",
    "work type: implementation": "| IMPLEMENTATION | new code",
    "work type: testing": "| TESTING | writing or fixing tests",
    "work type: documentation": "| DOCUMENTATION | documents",
    "work type: refactoring": "| REFACTORING | another structure",
    "status: work finished": "| some left | any | work was finished | IN_PROGRESS | false |",
    "status: investigation": "| some left | any | only looked into, nothing finished | IN_PROGRESS | false |",
    "status: blocked": "| any | any | you cannot go on without something from outside | BLOCKED | false |",
    "status: tests fail": "| none left | FAILING | | IN_PROGRESS | false |",
    "status: tests not run": "| none left | NOT_RUN | | IN_PROGRESS | false |",
    "status: complete": "| none left | PASSING | | COMPLETE | see step 3 |",
    "blocked names its blocker": "Say in RECOMMENDATION what exactly is missing",
    "blocked is not complete": "Blocked is not complete",
    "circuit breaker": "the circuit breaker may open",
    "condition 1": "1. No task remains: IMPLEMENTATION_PLAN.md",
    "condition 2": "2. All tests pass: TESTS_STATUS is PASSING",
    "condition 3": "3. No error in this iteration",
    "condition 4": "4. No meaningful work remains: no TODO",
    "exit: tasks left": "| yes | any | any | any | false |",
    "exit: tests fail": "| no | FAILING or NOT_RUN | any | any | false |",
    "exit: errors": "| no | PASSING | yes | any | false |",
    "exit: work left": "| no | PASSING | no | yes | false |",
    "exit: true": "| no | PASSING | no | no | true |",
    "two signals": "two independent signals at the same moment",
    "completion words": '"all done", "everything passes", "no remaining work"',
    "delimiters": "spelled exactly so",
    "seven fields": "there are the seven fields and no other",
    "recommendation: next": "| IN_PROGRESS | `Next:`",
    "recommendation: complete": "| COMPLETE | `All tasks complete, tests passing,`",
    "recommendation: blocked": "| BLOCKED | `Blocked:`",
    "check: form": "in every character | write it again |",
    "check: status": "STATUS and EXIT_SIGNAL fit each other",
    "check: tests": "TESTS_STATUS is what the run said | run the tests again |",
    "check: exit": "EXIT_SIGNAL is true only with all four conditions | make it false |",
    "check: recommendation": "RECOMMENDATION is there, on one line | add it |",
    "mistake: no block": "No block at all",
    "mistake: exit with failures": "EXIT_SIGNAL true while tests fail",
    "mistake: contradiction": "EXIT_SIGNAL true with BLOCKED, or COMPLETE with open tasks",
    "mistake: own fields": "A field of your own, a delimiter of your own",
    "mistake: recommendation": "A RECOMMENDATION of several lines, or none",
    "mistake: guesses": "A TESTS_STATUS without a run, a FILES_MODIFIED by guess",
    "thought: overhead": '"The block is mere overhead."',
    "thought: done": '"All is done, so true."',
    "thought: extra field": '"One more field would help."',
    "thought: tests": '"The tests surely pass."',
}


@pytest.mark.parametrize("words", RULES.values(), ids=RULES.keys())
def test_skill_carries_the_rule(words: str) -> None:
    assert words in SKILL


def test_skill_is_short_enough_to_be_read() -> None:
    lines = SKILL.split("\n")
    assert len(lines) < 200
    assert max(map(len, lines)) <= 120
