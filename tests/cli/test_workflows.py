"""dualgate run --workflow ralph, as a user calls it."""

import json
import sys
from pathlib import Path

import pytest

from tests.core.said.blocks.block_samples import ralph_block
from tests.support import Dualgate

AGENT = """\
import pathlib, sys
prompt = sys.stdin.read()
plan = pathlib.Path("fix_plan.md")
text = plan.read_text().replace("[ ]", "[x]", 1) if plan.exists() else ""
if text:
    plan.write_text(text)
{work}
print("{going}" if "[ ]" in text.partition("## Optional")[0] else "{done}")
"""
CODE = 'pathlib.Path("fee.py").write_text("def fee(grams):\\n    return 290 if grams <= 500 else 490\\n")\n'
TEST = (
    'pathlib.Path("tests/test_fee.py").write_text("from fee import fee\\n\\n\\n'
    'def test_fee():\\n    assert (fee(500), fee(501)) == (290, 490)\\n")\n'
)


def write_agent(path: Path, work: str, script: str = AGENT) -> str:
    going = ralph_block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false").replace("\n", "\\n")
    done = ralph_block().replace("\n", "\\n")
    path.write_text(script.replace("{work}", work).replace("{going}", going).replace("{done}", done))
    return f"{sys.executable} {path}"


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """An agent that does its work and ticks one task a call, and says that it is done when none is left."""
    return write_agent(tmp_path / "agent.py", CODE + TEST)


@pytest.fixture
def prompt(project: Path) -> Path:
    (project / "PROMPT.md").write_text("Do what the list says, whatever AC-1 is.\n")
    (project / "fix_plan.md").write_text("- [ ] one\n* [ ] two\n\n## Optional\n- [ ] three\n")
    return project


def test_build_ends_proven_when_the_list_is_done_and_the_tests_pass(
    dualgate: Dualgate, agent: str, prompt: Path
) -> None:
    ended = dualgate("run", "--workflow", "ralph", "--agent-command", agent, "--json")

    assert [line["decision"] for line in ended.lines[:-1]] == ["continue", "project_complete"]
    assert ended.lines[0]["tasks"] == {"file": "fix_plan.md", "gone": False, "done": 1, "open": ["two"], "unmarked": []}
    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["unproven"]) == (0, True, [])
    asked = next(prompt.parent.glob("home/.bp-sessions/*/calls/0002-BUILD-prompt.md")).read_text()
    assert asked.startswith("Do what the list says, whatever AC-1 is.\n\n---\n")
    assert "1 done, 1 open:\n\n- two\n" in asked


def test_without_tests_the_work_is_completed_and_not_proven_and_that_is_said_everywhere(
    dualgate: Dualgate, agent: str, prompt: Path
) -> None:
    (prompt / "tests" / "test_old.py").unlink()
    (prompt / "conftest.py").unlink()
    write_agent(prompt.parent / "agent.py", CODE)
    (prompt / "PROMPT.md").rename(prompt / "BRIEF.md")
    settings = {"DUALGATE_WORKFLOW": "ralph", "DUALGATE_PLAN": "fix_plan.md", "DUALGATE_TEST_COMMAND": ""}

    ended = dualgate("run", "BRIEF.md", "--agent-command", agent, **settings)

    assert ended.code == 7
    assert "no tests yet: none are configured, none were found" in ended.out
    assert "completed, not proven: no test run of the loop shows that the work is done" in ended.out
    assert "completed, not proven" in dualgate("status").out
    assert '"unproven": ["no test run' in dualgate("status", "--json").out.replace('":["', '": ["')
    assert "not proven: no test run" in dualgate("log").out


def test_the_first_tests_of_a_project_are_found_and_run_in_the_same_run(
    dualgate: Dualgate, agent: str, prompt: Path
) -> None:
    (prompt / "tests" / "test_old.py").unlink()
    settings = {"DUALGATE_TEST_COMMAND": ""}

    ended = dualgate("run", "--workflow", "ralph", "--agent-command", agent, "--json", **settings)

    assert (ended.code, ended.lines[-1]["unproven"]) == (0, [])
    assert ended.lines[0]["tests"]["passed"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--workflow", "ralph"), "There is no PROMPT.md or .ralph/PROMPT.md here."),
        (("SPEC.md", "--workflow", "ralph", "--plan", "todo.md"), "The task list todo.md does not exist."),
        (("SPEC.md", "--plan", "todo.md"), "A task list is given, which only the ralph workflow reads."),
    ],
)
def test_what_is_missing_is_named(dualgate: Dualgate, words: tuple[str, ...], message: str) -> None:
    ended = dualgate("run", *words, "--agent", "rehearsal")

    assert (ended.code, message in ended.err) == (1, True), ended.err


def test_the_prompt_in_the_root_comes_first_and_that_is_said(dualgate: Dualgate, agent: str, prompt: Path) -> None:
    (prompt / ".ralph").mkdir()
    (prompt / ".ralph" / "PROMPT.md").write_text("Another.\n")
    (prompt / "prd.json").write_text("{}")

    ended = dualgate("run", "--workflow", "ralph", "--agent-command", agent)

    assert "not used: the prompt .ralph/PROMPT.md: PROMPT.md is there too, and comes first" in ended.out
    assert "not used: the task list prd.json: fix_plan.md is there too, and comes first" in ended.out


def test_a_plain_list_that_is_taken_for_tasks_never_counts_as_done(
    dualgate: Dualgate, agent: str, project: Path
) -> None:
    (project / "todo.md").write_text("# Doubling\n\n## Tasks\n\n1. Write it.\n2. Try it.\n")

    ended = dualgate("run", "todo.md", "--yes", "--agent-command", agent, "--json")

    unseen = "todo.md: 2 without a tick box: what is done cannot be seen"
    assert (ended.code, ended.lines[-1]["unproven"]) == (7, [f"the task list {unseen}"])
    assert ended.lines[0]["tasks"]["unmarked"] == ["Write it.", "Try it."]
    assert "2 without a tick box: what is done cannot be seen, in todo.md" in dualgate("status").out


TOUCHING = 'import pathlib\npathlib.Path("_legacy.py").write_text("new")\npathlib.Path("vendor.py").write_text("new")\n'


def test_paths_that_a_prompt_or_a_task_list_forbids_are_guarded_in_build(
    dualgate: Dualgate, agent: str, prompt: Path, tmp_path: Path
) -> None:
    for name in ("_legacy.py", "vendor.py"):
        (prompt / name).write_text("old")
    (prompt / "PROMPT.md").write_text("# Work\n\nDo what the list says.\n\n- Do not touch `_legacy.py`.\n")
    (prompt / "fix_plan.md").write_text("- [ ] one\n- [ ] two\n\n## Constraints\n\n- Do not change `vendor.py`.\n")
    script = tmp_path / "agent.py"
    honest = script.read_text()
    script.write_text(honest + TOUCHING)

    touched = dualgate("run", "--workflow", "ralph", "--agent-command", agent, "--max-iterations", "1", "--json")
    dualgate("reset")
    again = dualgate("resume", "--json")
    script.write_text(honest)
    dualgate("reset")
    ended = dualgate("resume", "--json")

    rules = [(each["path"], each["rule"].partition(" (")[2]) for each in touched.lines[0]["violations"]]
    assert rules == [
        ("_legacy.py", "AC-1: Do not touch `_legacy.py`.)"),
        ("vendor.py", "fix_plan.md:6: Do not change `vendor.py`.)"),
    ]
    assert [each["path"] for each in again.lines[0]["violations"]] == ["_legacy.py", "vendor.py"]
    assert [(prompt / name).read_text() for name in ("_legacy.py", "vendor.py")] == ["old", "old"]
    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["criteria"]) == (0, True, [])


EMPTY = [
    ("", "", "no code changed in this run"),
    (
        'plan.write_text(plan.read_text().replace("* [ ] two", "- ~~two~~"))',
        CODE + TEST,
        "1 task left the list without being ticked: two",
    ),
    (
        'pathlib.Path("tests/test_fee.py").write_text("def test_fee(): assert __file__.endswith(\'fee.py\')")',
        "",
        'only tests changed in this run, and "one", "two" ask for more',
    ),
]


@pytest.mark.parametrize(("before", "work", "reason"), EMPTY)
def test_ticks_without_work_are_completed_and_not_proven_and_the_reason_is_everywhere(
    dualgate: Dualgate, prompt: Path, before: str, work: str, reason: str
) -> None:
    script = AGENT.replace("text = plan", f"{before}\ntext = plan", 1)
    agent = write_agent(prompt.parent / "agent.py", work, script)

    ended = dualgate("run", "--workflow", "ralph", "--agent-command", agent)

    status = json.loads(dualgate("status", "--json").out)
    assert (ended.code, status["unproven"], status["proven"]) == (7, [reason], False)
    assert f"completed, not proven: {reason}" in " ".join(ended.out.split())
    assert reason in " ".join(dualgate("status").out.split())
    log = dualgate("log").out
    assert f"not proven: {reason}" in log
    warnings = [each["text"] for each in status["warnings"]]
    assert ("tasks removed from the list without being ticked: two" in warnings) == reason.startswith("1 task left")
    assert [text for text in warnings if f"warning: {text}" not in log] == []
    assert [text for text in warnings if text not in " ".join(ended.out.split())] == []


@pytest.mark.parametrize("work", ["print(prompt)", "{swap}"])
def test_an_agent_that_echoes_its_prompt_or_goes_back_and_forth_is_halted(
    dualgate: Dualgate, prompt: Path, work: str
) -> None:
    swap = 'fee = pathlib.Path("fee.py"); fee.write_text("B" if fee.exists() and fee.read_text() == "A" else "A")'
    script = "import pathlib, sys\nprompt = sys.stdin.read()\n{work}\n"
    agent = write_agent(prompt.parent / "agent.py", work.replace("{swap}", f'{swap}; print("{{going}}")'), script)

    ended = dualgate("run", "--workflow", "ralph", "--agent-command", agent)

    assert (ended.code, "no progress in 3 iterations" in " ".join(ended.out.split())) == (3, True)


CLAIMING = """\
import pathlib, sys
prompt = sys.stdin.read()
plan = pathlib.Path("fix_plan.md")
name = "ab"[pathlib.Path("tests/test_a.py").exists()]
pathlib.Path(f"{name}.py").write_text("def one():\\n    return 1\\n")
test = f"from {name} import one\\n\\ndef test_{name}():\\n    assert one() == 1\\n"
pathlib.Path(f"tests/test_{name}.py").write_text(test)
{work}
print("{done}")
"""


def test_dualgate_ticks_the_boxes_if_a_person_wants_it_and_takes_back_the_ticks_of_an_agent(
    dualgate: Dualgate, prompt: Path
) -> None:
    eager = 'name == "b" and plan.write_text(plan.read_text().replace("[ ]", "[x]"))'
    agent = write_agent(prompt.parent / "agent.py", eager, CLAIMING)
    (prompt / "dualgate.toml").write_text('plan.tick = "dualgate"\n')

    ended = dualgate("run", "--workflow", "ralph", "--agent-command", agent, "--json", "--max-iterations", "3")

    assert ended.lines, ended.err
    first, second, *_ = ended.lines
    assert (first["ticked"], first["tasks"]["open"]) == (["one"], ["two"])
    assert (second["ticked"], second["tasks"]["open"]) == (["two"], [])
    (violation,) = second["violations"]
    assert violation["rule"].startswith("boxes are ticked by dualgate")
    assert (prompt / "fix_plan.md").read_text() == "- [x] one\n* [x] two\n\n## Optional\n- [ ] three\n"
    asked = next(prompt.parent.glob("home/.bp-sessions/*/calls/0001-BUILD-prompt.md")).read_text()
    assert "Leave the boxes as they are: the loop ticks them." in asked
    assert "person" not in dualgate("log").out
