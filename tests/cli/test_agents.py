"""dualgate agents: what is here, and one small call."""

from pathlib import Path

import pytest

from dualgate.agents.registry import CLIENTS
from tests.agents.played import heard, in_form, play, play_recording, whole_answer
from tests.support import Dualgate


def test_it_says_what_is_here_and_how_to_get_what_is_not(dualgate: Dualgate, tmp_path: Path) -> None:
    found = play(tmp_path / "bin", "claude", b"2.1.197 (Claude Code)\n")

    ended = dualgate("agents", PATH=str(tmp_path / "bin"), HOME=found["HOME"], ANTHROPIC_API_KEY="sk-secret")

    assert ended.code == 0
    assert f"claude      2.1.197  login found (ANTHROPIC_API_KEY)  {tmp_path / 'bin' / 'claude'}\n" in ended.out
    assert "missing: the program 'codex': npm install -g @openai/codex\n" in ended.out
    assert "sk-secret" not in ended.out


def test_programs_are_told_the_same(dualgate: Dualgate, tmp_path: Path) -> None:
    (answer,) = dualgate("agents", "--json", PATH=str(tmp_path)).lines

    assert [agent["name"] for agent in answer["agents"]] == sorted(CLIENTS)
    assert not any(agent["usable"] for agent in answer["agents"])


def test_a_try_says_what_it_may_cost_and_writes_nothing(dualgate: Dualgate, tmp_path: Path, project: Path) -> None:
    path = play(tmp_path / "bin", "claude", whole_answer("claude", "Ready."))["PATH"]

    ended = dualgate("agents", "try", "claude", "--model", "haiku", PATH=path)

    cost, result = ended.out.splitlines()[0], ended.out.splitlines()[1]
    assert (ended.code, "tokens" in cost, result.startswith("it works: ")) == (0, True, True)
    (call,) = heard(tmp_path / "bin")
    argv = call["argv"]
    assert isinstance(argv, list)
    assert argv[argv.index("--model") + 1] == "haiku"
    assert "--disallowedTools" in argv
    assert call["cwd"] != str(project)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('agent = "codex"\nmodel = "gpt-5.5"\n\n[agents.qa]\nagent = "claude"\nmodel = "opus"\n', ("opus",)),
        ('agent = "claude:sonnet"\n\n[agents.default]\nargs = ["--add-dir", "/data"]\n', ("sonnet", "/data")),
        ('[agents.default]\nmodel = "sonnet"\n', ("sonnet",)),
        ('agent = "codex"\nmodel = "gpt-5.5"\n', ()),
    ],
)
def test_a_try_asks_the_agent_as_a_run_here_would(
    dualgate: Dualgate, tmp_path: Path, project: Path, settings: str, expected: tuple[str, ...]
) -> None:
    path = play(tmp_path / "bin", "claude", whole_answer("claude", "Ready."))["PATH"]
    (project / "dualgate.toml").write_text(settings)

    ended = dualgate("agents", "try", "claude", PATH=path)

    assert ended.code == 0
    (call,) = heard(tmp_path / "bin")
    argv = call["argv"]
    assert isinstance(argv, list)
    assert {"gpt-5.5", "opus", "sonnet", "/data"} & {*argv} == {*expected}


def test_a_try_whose_answer_is_another_word_does_not_work(dualgate: Dualgate, tmp_path: Path) -> None:
    path = play(tmp_path / "bin", "claude", whole_answer("claude", "no phase seen"))["PATH"]

    ended = dualgate("agents", "try", "claude", PATH=path)

    assert ended.code == 1
    assert "it answers, but not with the word it was asked for ('ready')" in ended.out


def test_programs_are_told_first_too_what_a_try_may_cost(dualgate: Dualgate, tmp_path: Path) -> None:
    path = play(tmp_path / "bin", "codex", whole_answer("codex", ""))["PATH"]

    ended = dualgate("agents", "try", "codex", "--json", PATH=path)

    assert ended.err == "codex: one call, at most about 15,000 tokens, and what your own settings of it add\n"
    assert ended.lines[-1]["at_most_tokens"] == 15_000


def test_an_agent_that_is_not_here_is_told_without_a_price(dualgate: Dualgate, tmp_path: Path) -> None:
    ended = dualgate("agents", "try", "claude", PATH=str(tmp_path))

    assert (ended.code, ended.out) == (1, "")
    assert "npm install -g @anthropic-ai/claude-code" in ended.err


@pytest.mark.parametrize(("case", "code"), [("auth", 4), ("usage_limit", 5), ("server", 1)])
def test_a_try_that_fails_says_why(dualgate: Dualgate, tmp_path: Path, case: str, code: int) -> None:
    (recorded,) = (each for each in in_form("codex") if each.name.startswith(f"{case}."))
    path = play_recording(tmp_path / "bin", "codex", recorded)["PATH"]

    ended = dualgate("agents", "try", "codex", "--json", PATH=path)

    (answer,) = ended.lines
    assert (ended.code, answer["works"]) == (code, False)
    assert answer["failure"]["message"]


def test_an_agent_that_nobody_knows_cannot_be_tried(dualgate: Dualgate) -> None:
    assert "Name one of: claude, codex, gemini, opencode, qwen." in dualgate("agents", "try", "cobol").err


def test_a_run_needs_the_program_of_its_agent(dualgate: Dualgate, tmp_path: Path) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "claude", PATH=str(tmp_path))

    assert ended.code == 1
    assert "Install it with 'npm install -g @anthropic-ai/claude-code'" in ended.err
