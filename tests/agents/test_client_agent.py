"""What a known CLI is called with: its session, its permissions, and what mends its failures."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dualgate.agents.client_agent import ClientAgent, explained
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble
from dualgate.core.values.vocabulary import Phase, SessionUse
from dualgate.errors import ProgramNotFound
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control
from tests.agents.played import heard, in_form, play, play_recording, whole_answer

every_client = pytest.mark.parametrize("name", CLIENTS)
RESUMES = {"claude": "--resume", "codex": "resume", "gemini": "--resume", "qwen": "--resume", "opencode": "--session"}
GREEN_1, GREEN_2 = a_call(phase=Phase.GREEN, number=1), a_call(phase=Phase.GREEN, number=2)


def an_agent(folder: Path, name: str, **values: Any) -> ClientAgent:
    environment = play(folder / "bin", name, whole_answer(name, ""))
    return ClientAgent(**{"client": CLIENTS[name], "project": folder, "supervisor": Supervisor(environment), **values})


def ask(folder: Path, agent: ClientAgent, **values: Any) -> list[str]:
    """The command line of one call."""
    agent.ask(a_call(**values), a_control())
    return words(folder)


def words(folder: Path) -> list[str]:
    argv = heard(folder / "bin")[-1]["argv"]
    assert isinstance(argv, list)
    return argv


def failed_with(folder: Path, name: str, case: str) -> Answer:
    (recorded,) = (each for each in in_form(name) if each.name.startswith(f"{case}."))
    environment = play_recording(folder / "bin", name, recorded)
    agent = ClientAgent(client=CLIENTS[name], project=folder, supervisor=Supervisor(environment))
    return agent.ask(a_call(), a_control()).answer


@every_client
def test_the_prompt_comes_on_standard_input_and_the_project_is_the_folder(name: str, tmp_path: Path) -> None:
    ask(tmp_path, an_agent(tmp_path, name), prompt="Grüße")

    (call,) = heard(tmp_path / "bin")
    assert (call["stdin"], call["cwd"]) == ("Grüße", str(tmp_path))


@pytest.mark.parametrize("name", ["codex", "opencode"])
@pytest.mark.parametrize("given", [{"model": "big"}, {"args": ("--model", "big")}, {"args": ("-m=big",)}])
def test_the_model_of_a_program_that_does_not_tell_it_is_the_one_it_was_told(
    name: str, given: dict[str, Any], tmp_path: Path
) -> None:
    assert an_agent(tmp_path, name, **given).ask(a_call(), a_control()).answer.model == "big"
    assert an_agent(tmp_path, name).ask(a_call(), a_control()).answer.model is None


@every_client
def test_a_session_goes_on_within_a_phase(name: str, tmp_path: Path) -> None:
    agent = an_agent(tmp_path, name)
    session = agent.ask(GREEN_1, a_control()).answer.session_id

    agent.ask(GREEN_2, a_control())

    assert session
    assert session in words(tmp_path)
    assert words(tmp_path)[words(tmp_path).index(session) - 1] == RESUMES[name]


@every_client
def test_another_phase_begins_a_session_of_its_own(name: str, tmp_path: Path) -> None:
    agent = an_agent(tmp_path, name)
    agent.ask(GREEN_1, a_control())

    assert RESUMES[name] not in ask(tmp_path, agent, phase=Phase.REFACTOR, number=2)


@every_client
def test_a_session_ends_where_another_agent_was_asked_in_between(name: str, tmp_path: Path) -> None:
    agent = an_agent(tmp_path, name)
    agent.ask(GREEN_1, a_control())

    assert RESUMES[name] not in ask(tmp_path, agent, phase=Phase.GREEN, number=3)


@every_client
def test_a_follow_up_goes_on_in_the_session_of_its_call_even_where_every_call_is_fresh(
    name: str, tmp_path: Path
) -> None:
    agent = an_agent(tmp_path, name, session=SessionUse.FRESH)
    agent.ask(GREEN_1, a_control())

    agent.ask(replace(GREEN_2, follows=1), a_control())

    assert RESUMES[name] in words(tmp_path)


@every_client
def test_every_call_can_be_fresh(name: str, tmp_path: Path) -> None:
    agent = an_agent(tmp_path, name, session=SessionUse.FRESH)
    agent.ask(GREEN_1, a_control())
    agent.ask(GREEN_2, a_control())

    assert RESUMES[name] not in words(tmp_path)


@pytest.mark.parametrize(("case", "goes_on"), [("overloaded", True), ("context", False)])
def test_a_session_survives_what_it_is_not_to_blame_for(case: str, goes_on: bool, tmp_path: Path) -> None:
    (recorded,) = (each for each in in_form("claude") if each.name.startswith(f"{case}."))
    environment = play_recording(tmp_path / "bin", "claude", recorded)
    agent = ClientAgent(client=CLIENTS["claude"], project=tmp_path, supervisor=Supervisor(environment))
    agent.ask(GREEN_1, a_control())
    agent.ask(GREEN_2, a_control())

    assert ("--resume" in words(tmp_path)) is goes_on


@pytest.mark.parametrize("name", ["codex", "qwen"])
def test_tokens_that_a_cli_adds_up_over_a_session_are_counted_once(name: str, tmp_path: Path) -> None:
    agent = an_agent(tmp_path, name)
    first, second = (agent.ask(call, a_control()).answer.usage for call in (GREEN_1, GREEN_2))

    assert first
    assert first.input > 0
    assert second
    assert (second.input, second.output, second.cached) == (0, 0, 0)


EDITS = {
    "claude": ("--permission-mode", "acceptEdits"),
    "codex": ("--sandbox", "workspace-write"),
    "gemini": ("--approval-mode", "yolo"),
    "qwen": ("--approval-mode", "yolo"),
}
READS = {
    "claude": ("--disallowedTools", "Edit,MultiEdit,Write,NotebookEdit"),
    "codex": ("--sandbox", "read-only"),
    "gemini": ("--approval-mode", "default"),
    "qwen": ("--approval-mode", "default"),
}


# who documents; Codex reads by its shell
DOCUMENTS = {
    "claude": ("--disallowedTools", "Bash"),
    "codex": ("--sandbox", "workspace-write"),
    "gemini": ("--approval-mode", "auto_edit"),
    "qwen": ("--approval-mode", "auto-edit"),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize(("phase", "pairs"), [(Phase.GREEN, EDITS), (Phase.DOCUMENT, DOCUMENTS), (Phase.QA, READS)])
def test_who_implements_may_edit_who_documents_has_no_shell_and_who_reviews_may_read(
    name: str, phase: Phase, pairs: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    said = ask(tmp_path, an_agent(tmp_path, name), phase=phase)

    assert pairs[name] in list(pairwise(said))


@pytest.mark.parametrize(("phase", "rule"), [(Phase.GREEN, '"edit": "allow"'), (Phase.QA, '"edit": "deny"')])
def test_opencode_has_its_permissions_from_a_variable(phase: Phase, rule: str, tmp_path: Path) -> None:
    ask(tmp_path, an_agent(tmp_path, "opencode"), phase=phase)

    environment = heard(tmp_path / "bin")[-1]["environment"]
    assert isinstance(environment, dict)
    assert rule in environment["OPENCODE_PERMISSION"]


@every_client
def test_model_and_further_words_are_passed_on(name: str, tmp_path: Path) -> None:
    said = ask(tmp_path, an_agent(tmp_path, name, model="some/model", args=("--more", "of it")))

    assert said[said.index("--model") + 1] == "some/model"
    assert said[said.index("--more") + 1] == "of it"


INSTEAD = [
    ("claude", ("--permission-mode", "plan"), "acceptEdits"),
    ("claude", ("--dangerously-skip-permissions",), "acceptEdits"),
    ("codex", ("--sandbox=danger-full-access",), "workspace-write"),
    ("codex", ("-s", "danger-full-access"), "workspace-write"),
    ("gemini", ("--approval-mode", "auto_edit"), "yolo"),
    ("qwen", ("--approval-mode", "auto-edit"), "yolo"),
    ("opencode", ("-m", "other/model"), "some/model"),
]


@pytest.mark.parametrize(("name", "args", "replaced"), INSTEAD)
def test_a_flag_of_the_user_stands_in_place_of_ours(
    name: str, args: tuple[str, ...], replaced: str, tmp_path: Path
) -> None:
    said = ask(tmp_path, an_agent(tmp_path, name, model="some/model", args=args), phase=Phase.GREEN)

    assert replaced not in said
    assert set(args) <= set(said)


def test_words_for_codex_stand_before_the_session_it_resumes(tmp_path: Path) -> None:
    agent = an_agent(tmp_path, "codex", args=("--oss",))
    agent.ask(GREEN_1, a_control())
    agent.ask(GREEN_2, a_control())

    said = words(tmp_path)
    assert said.index("--oss") < said.index("resume")
    assert said[-1] == "-"


@every_client
def test_words_that_are_no_event_are_no_answer(name: str, tmp_path: Path) -> None:
    agent = an_agent(tmp_path, name)
    play(tmp_path / "bin", name, b"All done, believe me.\n")

    failure = agent.ask(a_call(), a_control()).answer.failure

    assert failure
    assert (failure.kind, "All done, believe me." in failure.message) == (Trouble.CUT_STREAM, True)


def test_a_failed_login_says_how_to_log_in(tmp_path: Path) -> None:
    failure = failed_with(tmp_path, "claude", "auth").failure

    assert failure
    assert failure.sentence.endswith("(run 'claude' once and log in, or set ANTHROPIC_API_KEY)")


def test_a_refused_tool_says_what_would_allow_it(tmp_path: Path) -> None:
    answer = failed_with(tmp_path, "claude", "denied")

    assert answer.denied == ("Bash",)
    assert answer.allowed_by == 'allow it with agents.default.args = ["--allowedTools", "<tool>"]'
    assert "OPENCODE_PERMISSION" in getattr(failed_with(tmp_path, "opencode", "denied").failure, "hint", "")


@every_client
def test_a_program_that_is_not_there_says_how_to_install_it(name: str, tmp_path: Path) -> None:
    agent = ClientAgent(client=CLIENTS[name], project=tmp_path, supervisor=Supervisor({"PATH": str(tmp_path)}))

    with pytest.raises(ProgramNotFound) as raised:
        agent.ask(a_call(), a_control())

    assert f"npm install -g {CLIENTS[name].package}" in raised.value.next_step


@every_client
@pytest.mark.parametrize("kind", [Trouble.AUTHENTICATION, Trouble.QUOTA, Trouble.MODEL_UNKNOWN, Trouble.DENIED])
def test_what_only_a_person_can_mend_says_how(name: str, kind: Trouble) -> None:
    failure = explained(Answer(failure=Failure(kind=kind)), CLIENTS[name]).failure

    assert failure
    assert failure.hint in failure.sentence
    assert failure.hint


COMPACTS = b'{"type":"text","sessionID":"s","part":{"type":"text","synthetic":true,"text":"Continue"}}\n' * 3
SITS = 'message="stream error" small=false agent=build error.error="AI_APICallError: usage limit, resets in 3 hours"\n'


@pytest.mark.parametrize(
    ("stdout", "stderr", "kind"), [(COMPACTS, "", Trouble.CONTEXT_FULL), (b"", SITS, Trouble.USAGE_LIMIT)]
)
def test_a_call_that_can_come_to_nothing_is_ended_although_it_would_go_on(
    stdout: bytes, stderr: str, kind: Trouble, tmp_path: Path
) -> None:
    environment = play(tmp_path / "bin", "opencode", stdout, stderr=stderr, hangs=True)
    agent = ClientAgent(client=CLIENTS["opencode"], project=tmp_path, supervisor=Supervisor(environment))

    reply = agent.ask(a_call(), a_control().within(60.0))

    assert reply.ending is Ending.CUT_SHORT
    assert reply.answer.failure is not None
    assert reply.answer.failure.kind is kind
    assert agent.thread is None or kind is Trouble.USAGE_LIMIT
