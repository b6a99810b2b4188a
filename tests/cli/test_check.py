"""dualgate check: what a specification is read as."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Dualgate

KEYS = (
    "title goal workflow criteria tasks validation context questions problems warnings "
    "calls spec_id dependencies blocks wanted checks proposed_checks estimate"
)
PLAIN = "# Fees\n\nJust some words that are to be worked on, and not one of them says what has to be true in the end.\n"


def test_a_specification_that_is_ready_is_shown_with_the_command_that_runs_it(dualgate: Dualgate) -> None:
    ended = dualgate("check", "SPEC.md")

    assert (ended.code, ended.err) == (0, "")
    for words in (
        "Title       Doubling\n",
        "Goal        A module that doubles.\n",
        "Workflow    tdd: RED, GREEN, REFACTOR, DOCUMENT, QA\n",
        "Criteria    2 new\n",
        "  AC-1  new *     9  double(2) is 4\n",
        "Cost        at least 5 calls of an agent, one for each phase\n",
        "Next        dualgate run SPEC.md --agent NAME\n",
    ):
        assert words in ended.out


def test_nothing_is_written_or_executed(dualgate: Dualgate, project: Path, environment: dict[str, str]) -> None:
    (project / "conftest.py").write_text("import pathlib\npathlib.Path('RAN').touch()\n")
    before = sorted(project.rglob("*")), sorted(Path(environment["HOME"]).rglob("*"))

    dualgate("check", "SPEC.md")

    assert (sorted(project.rglob("*")), sorted(Path(environment["HOME"]).rglob("*"))) == before


def test_for_programs_it_is_one_object_with_exit_1_too(dualgate: Dualgate, project: Path) -> None:
    (project / "twice.md").write_text("# Fees\n\n## Acceptance Criteria\n\n- AC-1: one\n- AC-1: two\n")

    (ready,) = dualgate("check", "SPEC.md", "--json").lines
    ended = dualgate("check", "twice.md", "--json")

    assert " ".join(ready) == KEYS
    assert ready["criteria"][1]["text"] == 'double("a") is "aa"'
    assert (ended.code, [problem["line"] for problem in ended.lines[0]["problems"]]) == (1, [6])


def test_problems_are_named_with_file_and_line_and_what_to_do(dualgate: Dualgate, project: Path) -> None:
    (project / "twice.md").write_text("# Fees\n\n## Acceptance Criteria\n\n- AC-1: one\n- AC-1: two\n")

    ended = dualgate("check", "twice.md")

    assert (ended.code, ended.err) == (1, "")
    assert "Problems    1\n  twice.md:6: " in ended.out
    assert ended.out.endswith("Next        fix the problems, then: dualgate check twice.md\n")


def test_any_text_is_a_prompt_for_ralph(dualgate: Dualgate, project: Path) -> None:
    (project / "PROMPT.md").write_text(PLAIN)

    ended = dualgate("check", "--workflow", "ralph")

    assert (ended.code, "Workflow    ralph: BUILD" in ended.out) == (0, True)
    assert "Cost        at least 1 call of an agent\n" in ended.out
    assert "Next        dualgate run PROMPT.md --workflow ralph --agent NAME\n" in ended.out


def test_a_text_on_the_command_line_is_read_as_a_file_is(dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("check", "-p", (project / "SPEC.md").read_text(), "--json")

    assert (ended.code, len(ended.lines[0]["criteria"])) == (0, 2)


def test_standard_input_is_read_where_the_name_is_a_dash(project: Path, environment: dict[str, str]) -> None:
    words = [sys.executable, "-m", "dualgate", "check", "-"]

    ended = subprocess.run(
        words, cwd=project, env=environment, input=(project / "SPEC.md").read_text(), capture_output=True, text=True
    )
    wrong = subprocess.run(words, cwd=project, env=environment, input=b"# x\n\xff", capture_output=True)

    assert (ended.returncode, "Read from   (standard input)\n" in ended.stdout) == (0, True)
    assert "Next        dualgate run - --agent NAME\n" in ended.stdout
    assert (wrong.returncode, b"The standard input is not UTF-8 text: byte 4." in wrong.stderr) == (1, True)


def test_an_agent_of_the_settings_need_not_be_named(dualgate: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").write_text('agent = "claude"\n')
    (project / "a spec.md").write_text((project / "SPEC.md").read_text())

    assert "Next        dualgate run 'a spec.md'\n" in dualgate("check", "a spec.md").out


WRONG = [
    (("check", "GONE.md"), 1, "GONE.md cannot be read: No such file or directory."),
    (("check",), 2, "Missing argument 'SPEC'."),
    (("check", "SPEC.md", "-p", "x"), 2, "SPEC and --prompt exclude each other"),
    (("check", "SPEC.md", "--workflow", "x"), 2, "'x' is invalid. Use one of: tdd, ralph."),
]


@pytest.mark.parametrize(("words", "code", "message"), WRONG)
def test_a_wrong_call_says_what_is_wrong(dualgate: Dualgate, words: tuple[str, ...], code: int, message: str) -> None:
    ended = dualgate(*words)

    assert (ended.code, message in ended.err) == (code, True), ended.err


def test_checks_that_the_project_names_are_proposed_and_not_run(dualgate: Dualgate, project: Path) -> None:
    (project / "Makefile").write_text("lint:\n\ttouch RAN\nbuild:\n\ttouch RAN\n")
    (project / "dualgate.toml").write_text("[checks]\nbuild = 'make build'\n")
    with (project / "SPEC.md").open("a") as spec:
        spec.write("\n## Validation\n\n```bash\nmake build\nmypy .\npytest -q\n```\n")

    shown, (record,) = dualgate("check", "SPEC.md"), dualgate("check", "SPEC.md", "--json").lines

    assert 'add to dualgate.toml:\n  [checks]\n  lint = "make lint"\n' in shown.out
    assert "not run: not approved   mypy .\n" in shown.out
    assert (record["checks"], record["proposed_checks"]) == ({"build": "make build"}, {"lint": "make lint"})
    assert [each["run"] for each in record["validation"]] == [
        "run before each review",
        "not run: not approved",
        "not run: the tests",
    ]
    assert not (project / "RAN").exists()
