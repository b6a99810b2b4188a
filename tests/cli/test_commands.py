import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from dualgate import __version__
from dualgate.cli.commands import COMMANDS, GROUPS
from dualgate.cli.commands import dualgate as program
from dualgate.cli.demo_action import FALSE_DONE, ending
from dualgate.cli.main import main
from dualgate.cli.prompts import STACK_NAMES
from dualgate.cli.prompts_action import STACKS
from dualgate.cli.sections import OTHERS, by_subject
from dualgate.cli.tests import RUNNER_NAMES
from dualgate.runners.registry import RUNNERS
from tests.support import Dualgate

WITHOUT_SUBJECT = {"--json", "--dry-run", "--help"}
HEAVY = {"click", "jinja2", "markdown_it", "msgspec", "psutil", "pathspec", "typing", "enum", "dualgate.core"}


def test_the_version_is_told_without_anything_heavy(dualgate: Dualgate) -> None:
    code = "import sys; from dualgate.__main__ import main; main(); print(*sys.modules)"

    out = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True).stdout
    first, modules = out.split("\n", 1)
    assert first == f"dualgate {__version__}"
    assert not HEAVY & set(modules.split())


HELPS = [(name,) for name in COMMANDS if name not in ("config", "parse", "schema")]  # whose words are what they read
BELOW = [("sessions", "show"), ("agents", "try"), ("snapshot", "restore"), ("guard", "check"), ("prompts", "show")]


@pytest.mark.parametrize("words", [*HELPS, *BELOW])
def test_help_waits_for_nothing_that_only_the_command_itself_needs(words: tuple[str, ...]) -> None:
    code = "import sys; from dualgate.__main__ import main; main(); print(*sys.modules)"

    out = subprocess.run(
        [sys.executable, "-c", code, *words, "--help"], capture_output=True, text=True, check=True
    ).stdout
    needed = HEAVY - {"click", "typing", "enum", "dualgate.core"} | {
        "dualgate.settings.resolving",
        "dualgate.core.values.limits",
        "dualgate.core.said.blocks",
    }
    assert not needed & set(out.split())


def test_the_words_of_an_option_are_those_of_what_it_chooses() -> None:
    assert (sorted(RUNNER_NAMES), sorted(STACK_NAMES)) == (sorted(RUNNERS), sorted(STACKS))


def test_help_names_every_command_and_the_options_have_help(dualgate: Dualgate) -> None:
    overview = dualgate("--help")

    assert overview.code == 0
    for name, (_, text) in COMMANDS.items():
        assert text in " ".join(overview.out.split())
        assert dualgate(name, "--help").code == 0


def test_every_command_has_one_place_in_the_list_of_commands() -> None:
    grouped = [name for names in GROUPS.values() for name in names]

    missing = sorted(COMMANDS.keys() - set(grouped))
    assert not missing, f"put {', '.join(missing)} into a group of GROUPS in cli/commands.py"
    assert sorted(grouped) == sorted(COMMANDS), "GROUPS in cli/commands.py names a command twice, or one that is gone"


@pytest.mark.parametrize("name", ["run", "resume"])
def test_every_option_of_a_long_help_has_a_subject(name: str) -> None:
    command = program.get_command(click.Context(program), name)
    assert command is not None

    others = dict(by_subject(click.Context(command), command)).get(OTHERS, [])
    without = {param.opts[0] for param in others} - WITHOUT_SUBJECT
    assert not without, f"put {', '.join(sorted(without))} into a subject of SUBJECTS in cli/sections.py"


def test_help_shows_three_examples_and_the_groups(dualgate: Dualgate) -> None:
    out = dualgate("--help").out

    order = [out.index(f"\n{heading}:\n") for heading in ("Examples", *GROUPS, "Options")]
    assert order == sorted(order)
    assert out.count("\n  dualgate ") == 3


SLIPS = [
    (("statu",), "There is no command 'statu'. Did you mean status?\n"),
    (("xyzzy",), "There is no command 'xyzzy'.\n"),
    (("skip", "GREN"), "'GREN' is invalid. Did you mean GREEN? Use one of: RED, GREEN,"),
    (("run", "SPEC.md", "--agnet", "x"), "No such option '--agnet'. (Did you mean one of: '--agent'"),
    (("run", "SPEC.md", "--agent", "cluade"), "There is no agent 'cluade'.\nDid you mean claude? Give --agent-command"),
    (("run", "SPEC.md", "--workflow", "tddd"), "'tddd' is invalid. Did you mean tdd? Use one of: tdd, ralph."),
    (("agents", "try", "codx"), "There is no agent 'codx' to try.\nDid you mean codex? Name one of:"),
    (("config", "--show", "max_iteration"), "There is no setting max_iteration.\nDid you mean max_iterations?"),
]


@pytest.mark.parametrize(("words", "told"), SLIPS)
def test_a_slip_is_answered_with_what_was_probably_meant(dualgate: Dualgate, words: tuple[str, ...], told: str) -> None:
    ended = dualgate(*words)

    assert (ended.code in (1, 2), ended.out) == (True, "")
    assert told in ended.err


def test_a_slip_in_the_id_of_a_session_is_answered_with_the_right_one(dualgate: Dualgate) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--max-iterations", "1")
    right = json.loads(dualgate("status", "--json").out)["session_id"][:8]
    wrong = right[:3] + ("0" if right[3] != "0" else "1") + right[4:]

    assert f"Did you mean {right}? 'dualgate sessions --all' lists them all." in dualgate("log", wrong).err


USAGE = [("frobnicate",), ("run",), ("run", "SPEC.md", "--max-iterations", "0"), ("status", "--nonsense")]


@pytest.mark.parametrize("words", USAGE)
def test_a_wrong_call_is_a_usage_error(dualgate: Dualgate, words: tuple[str, ...]) -> None:
    ended = dualgate(*words)

    assert (ended.code, ended.out) == (2, "")
    assert "Usage: dualgate" in ended.err


SPILT = [("run", "SPEC.md", "--agent-command", "mine", "q7-Zz81mmPq0"), ("q7-Zz81mmPq0",), ("run", "--q7-Zz81mmPq0")]


@pytest.mark.parametrize("words", SPILT)
def test_a_usage_error_does_not_repeat_a_secret(dualgate: Dualgate, words: tuple[str, ...]) -> None:
    ended = dualgate(*words, SERVICE_TOKEN="q7-Zz81mmPq0")

    assert (ended.code, "q7-Zz81mmPq0" in ended.err) == (2, False)
    assert "[redacted:SERVICE_TOKEN]" in ended.err


MENDABLE = [
    (("run", "SPEC.md"), "No agent is given.\nGive --agent-command CMD, or --agent with one of: claude, codex,"),
    (("run", "SPEC.md", "--agent", "nobody"), "There is no agent 'nobody'."),
    (("run", "SPEC.md", "--agent", "rehearsal", "--agent-command", "x"), "Both an agent and an agent command"),
    (("run", "SPEC.md", "--agent", "rehearsal:gone.toml"), "There is no rehearsal script 'gone.toml'."),
    (("run", "GONE.md", "--agent", "rehearsal"), "GONE.md cannot be read: No such file or directory."),
    (("run", "tests", "--agent", "rehearsal"), "tests cannot be read: Is a directory."),
    (("run", "conftest.py", "--agent", "rehearsal"), "conftest.py:1: The specification is empty."),
    (("run", "SPEC.md", "--agent-command", "no-such-program"), "There is no program 'no-such-program'."),
    (("run", "SPEC.md", "--agent", "rehearsal", "--test-command", "no-such"), "There is no program 'no-such'."),
    (("status",), "There is no session in "),
    (("log",), "There is no session in "),
]


@pytest.mark.parametrize(("words", "message"), MENDABLE)
def test_what_a_user_can_mend_is_said_with_code_1(dualgate: Dualgate, words: tuple[str, ...], message: str) -> None:
    ended = dualgate(*words)

    assert ended.code == 1
    assert f"dualgate: {message}" in ended.err
    assert "Traceback" not in ended.err


def test_with_json_an_error_is_an_object_on_standard_output(dualgate: Dualgate) -> None:
    ended = dualgate("run", "GONE.md", "--agent", "rehearsal", "--json")

    assert ended.lines == [
        {
            "status": "error",
            "proven": False,
            "error": {
                "kind": "SpecError",
                "message": "GONE.md cannot be read: No such file or directory.",
                "next": "Give the path of a Markdown file.",
            },
            "exit_code": 1,
        }
    ]


def test_a_setting_from_the_environment_that_is_no_number_is_named(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal", DUALGATE_MAX_ITERATIONS="many")

    assert (ended.code, ended.err.splitlines()[0]) == (
        1,
        "dualgate: DUALGATE_MAX_ITERATIONS is 'many'; legal is a whole number from 1 on.",
    )


def test_a_specification_that_is_not_utf8_is_named_with_the_byte(dualgate: Dualgate, project: Path) -> None:
    (project / "SPEC.md").write_bytes(b"# x\n\xff")

    assert "SPEC.md is not UTF-8 text: byte 4." in dualgate("run", "SPEC.md", "--agent", "rehearsal").err


def test_status_and_log_tell_of_the_last_run(dualgate: Dualgate) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying")

    status, line, log = dualgate("status"), dualgate("status", "--line"), dualgate("log")

    assert "\nHalted   GREEN after 3 iterations: no progress in 3 iterations\n" in status.out
    facts = ("no progress in 3", "SPEC.md", "100", "test_ac_1: AssertionError")
    assert [status.out.count(fact) for fact in facts] == [1, 1, 1, 1]
    assert "dualgate resume --reset --guidance 'TEXT'  also put TEXT in all prompts\n" in status.out
    assert "\nAC-1       new   failing  double(2) is 4" in status.out
    assert line.out == "[GREEN] Iteration 3/100 | 1/3 tests passing | Status: halted\n"
    assert 'the agent says "done"; the evidence says no: 2 failing' in log.out
    assert re.search(r"^\d\d:\d\d:\d\d +GREEN +3  warning: TESTS_STATUS was given as PASSING", log.out, re.MULTILINE)
    assert "Warnings RED 1: the effective configuration changed" in status.out
    assert (status.code, line.code, log.code) == (0, 0, 0)


def test_log_as_json_is_the_journal_and_status_as_json_the_state(dualgate: Dualgate) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")

    kinds = [line["kind"] for line in dualgate("log", "--json").lines]
    state = json.loads(dualgate("status", "--json").out)

    assert (kinds[0], kinds[-1], kinds.count("call.started"), kinds.count("suite.started")) == (
        "session.started",
        "turn.ended",
        5,
        6,
    )
    assert (state["status"], state["proven"], state["seq"]) == ("completed", True, len(kinds))
    assert state["criteria"][0] == {
        "id": "AC-1",
        "kind": "new",
        "text": "double(2) is 4",
        "state": "green",
        "proof": ["tests/rehearsal/test_rehearsal.py::test_ac_1"],
    }


def test_the_state_file_is_what_the_journal_makes(dualgate: Dualgate, environment: dict[str, str]) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")

    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    written = json.loads((folder / "loop-state.json").read_text())
    told = json.loads(dualgate("status", "--json").out)
    added = {"workflow": "tdd", "proven": True, "unproven": [], "alive": False, "owner": None, "session": str(folder)}
    healthy = {"journal_problem": None, "killed_step": None, "worktree_of": None}
    asked = {
        "agent": "rehearsal",
        "agents": {"rehearsal": 5},
        "escalations": [],
        "spec_changed": False,
        "spec_changes": [],
    }
    assert told["review"]["fixes"] == told["guidance"] == []
    assert any(each["text"].startswith("the effective configuration changed") for each in told["warnings"])
    assert told.pop("documents")["records"] == ["docs/adr/0001-rehearsal.md"]
    seen = {name: told[name] for name in ("review", "warnings", "guidance")}
    expected = written | added | asked | seen | {"blocked": None, "self_reviewed": True} | healthy
    assert {name: told[name] for name in expected} == expected
    shown = {"breaker", "doing", "halt", "iteration", "max_iterations", "needed", "next", "phase_progress"}
    assert told.keys() - expected.keys() == shown | {"commits", "report", "standing", "tests"}


def test_an_archived_session_is_shown_by_the_beginning_of_its_id(dualgate: Dualgate) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")
    before = dualgate("log")
    session = json.loads(dualgate("status", "--json").out)["session_id"]
    dualgate("sessions", "archive")

    archived, none, missing = dualgate("log", session[:8], "--follow"), dualgate("log"), dualgate("log", "ffffffff-")

    assert (archived.code, archived.out) == (0, before.out)
    assert (none.code, missing.code) == (1, 1)


def test_a_session_that_does_not_run_is_watched_and_followed_to_its_end(dualgate: Dualgate) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")

    assert dualgate("status", "--watch").out == dualgate("status").out
    assert dualgate("log", "--follow").out == dualgate("log").out


def test_what_was_asked_and_answered_is_kept(dualgate: Dualgate, environment: dict[str, str]) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")

    calls = Path(environment["HOME"]) / ".bp-sessions" / "doubling" / "calls"
    assert "AC-1 (new, no test): double(2) is 4" in (calls / "0001-RED-prompt.md").read_text()
    assert "Verdict: APPROVE" in (calls / "0005-QA-answer.txt").read_text()
    kept = [each["label"] for each in dualgate("snapshot", "list", "--json").lines[0]["snapshots"]]
    assert kept == ["before the run", "after call 1 (RED)", "after call 2 (GREEN)", "after call 4 (DOCUMENT)"]


def test_a_bug_of_ours_leaves_a_report_and_code_70(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMMANDS, "broken", ("dualgate.no_such_module:broken", "Does not exist."))

    code = main(["broken"])

    told = capsys.readouterr().err
    report = Path(told.split("The details are in ")[1].split(";")[0])
    assert code == 70
    assert "No module named 'dualgate.no_such_module'" in report.read_text()
    report.unlink()


def test_the_demo_catches_three_things_and_completes(dualgate: Dualgate, tmp_path: Path) -> None:
    ended = dualgate("demo", TMPDIR=str(tmp_path), COLUMNS="200", PYTEST_DISABLE_PLUGIN_AUTOLOAD="")

    assert ended.code == 0
    assert 'the agent says "done"; the evidence says no: 1 failing: tests/test_fee.py::test_ac3' in ended.out
    assert re.findall(r"^==> caught (\d): (.*?)\.", ended.out, re.MULTILINE) == [
        ("1", 'a false "done"'),
        ("2", "an edited test"),
        ("3", "wrong work with passing tests"),
    ]
    assert re.search(r"^GREEN +2 .*tests/test_fee.py", ended.out, re.MULTILINE)
    assert "rehearsal" not in ended.out
    _, _, end = ended.out.rpartition("completed and proven\n")
    assert len(end.splitlines()) < 23, "the last screen does not fit 24 lines"
    # the last line names the program by the path of whoever runs this
    assert max(map(len, end.strip().splitlines()[:-1])) <= 80 + len(str(tmp_path))
    assert [line[:20] for line in end.splitlines()[2:5]] == [
        '  1. a false "done":',
        "  2. an edited test:",
        "  3. wrong work with",
    ]
    (session,) = tmp_path.glob("dualgate-demo-*/session")
    assert "hypothesis" not in dualgate("log", "--json", PRP_SESSION_DIR=str(session)).out


def test_the_demo_names_commands_that_can_be_called_if_dualgate_is_not_on_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "dualgate").touch(mode=0o755)
    beside = Path(sys.executable).with_name("dualgate")

    monkeypatch.setenv("PATH", str(tmp_path))
    there = ending((FALSE_DONE,), tmp_path, tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("PWD", str(beside.parents[1]))
    missing = ending((FALSE_DONE,), tmp_path, tmp_path)

    assert ("pipx" in there, " dualgate log" in there) == (False, True)
    assert ("pipx install ." in missing, f" {beside.parent.name}/dualgate log" in missing) == (True, True)


def test_a_reader_who_goes_away_is_no_bug(dualgate: Dualgate, project: Path, environment: dict[str, str]) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal")
    command = f"({sys.executable} -m dualgate log --json; echo $? > code) | true"

    ended = subprocess.run(command, shell=True, cwd=project, env=environment, capture_output=True, text=True)

    assert (ended.stderr, (project / "code").read_text()) == ("", "1\n")
