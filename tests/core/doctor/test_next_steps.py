from dataclasses import replace

import pytest

from dualgate.core.doctor.next_steps import AgentFound, SessionFound, Situation, next_steps
from dualgate.core.values.vocabulary import Login, Status

CLAUDE = AgentFound(name="claude", login=Login.FOUND, log_in="claude auth login")
LOGGED_OUT = replace(CLAUDE, name="codex", login=Login.NOT_FOUND)
PROJECT = Situation(is_repository=True, tests=("pytest",))
READY = replace(PROJECT, specification="SPEC.md", agents=(LOGGED_OUT, CLAUDE))


def session(status: Status, is_alive: bool = False) -> Situation:
    found = SessionFound(status=status, is_alive=is_alive, phase="GREEN", iteration=2, spec="SPEC.md")
    return replace(PROJECT, session=found)


CASES = [
    (Situation(), ["dualgate --help"]),
    (Situation(has_demo=True), ["dualgate demo", "dualgate --help"]),
    (Situation(is_repository=True), ["dualgate tests --list", "dualgate init"]),
    (PROJECT, ["dualgate verify", "dualgate init"]),
    (replace(PROJECT, settings="dualgate.toml"), ["dualgate verify", "dualgate new 'TITLE'"]),
    (replace(PROJECT, is_repository=False), ["dualgate init"]),
    (replace(PROJECT, is_repository=False, settings="dualgate.toml"), ["dualgate new 'TITLE'"]),
    (replace(PROJECT, broken_settings="dualgate.toml:1: …"), ["dualgate config"]),
    (READY, ["dualgate check SPEC.md", "dualgate run SPEC.md --agent claude"]),
    (replace(READY, chosen_agent="claude"), ["dualgate check SPEC.md", "dualgate run SPEC.md"]),
    (replace(READY, chosen_agent="codex"), ["dualgate check SPEC.md", "dualgate agents"]),
    (replace(READY, chosen_agent="./my-agent", agents=()), ["dualgate check SPEC.md", "dualgate run SPEC.md"]),
    (replace(READY, agents=(LOGGED_OUT,)), ["dualgate check SPEC.md", "dualgate agents"]),
    (replace(READY, agents=()), ["dualgate check SPEC.md", "dualgate agents"]),
    (session(Status.RUNNING, is_alive=True), ["dualgate status --watch", "dualgate pause"]),
    (session(Status.RUNNING), ["dualgate resume", "dualgate status"]),
    (session(Status.PAUSED), ["dualgate resume", "dualgate status"]),
    (session(Status.HALTED), ["dualgate status", "dualgate resume --reset"]),
    (session(Status.COMPLETED), ["dualgate status", "dualgate new 'TITLE'"]),
]


@pytest.mark.parametrize(("seen", "commands"), CASES)
def test_the_next_commands_follow_from_what_is_there(seen: Situation, commands: list[str]) -> None:
    assert [step.command for step in next_steps(seen)] == commands


def test_how_to_log_in_is_shown_for_an_agent_without_a_login() -> None:
    assert next_steps(replace(READY, agents=(LOGGED_OUT,)))[1].why == "log in to codex: claude auth login"
