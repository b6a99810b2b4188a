"""What of an agent is here, seen without asking a model."""

from pathlib import Path

import pytest

from dualgate.agents.inspection import inspect_agent
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import Login
from dualgate.processes.supervisor import Supervisor
from tests.agents.played import heard, play

PROJECT = Path("/nowhere/project")

every_client = pytest.mark.parametrize("name", CLIENTS)
LOGIN_FILES = {
    "claude": ".claude/.credentials.json",
    "codex": ".codex/auth.json",
    "gemini": ".gemini/oauth_creds.json",
    "qwen": ".qwen/oauth_creds.json",
    "opencode": ".local/share/opencode/auth.json",
}


@every_client
def test_what_is_not_there_is_named_with_how_to_get_it(name: str, tmp_path: Path) -> None:
    state = inspect_agent(CLIENTS[name], Supervisor({"PATH": str(tmp_path), "HOME": str(tmp_path)}), PROJECT, "linux")

    program, login = state.missing
    assert not state.usable
    assert program.endswith(f"npm install -g {CLIENTS[name].package}")
    assert login == f"a login: {CLIENTS[name].log_in}"


@every_client
def test_an_agent_that_is_here_has_a_version_and_a_login(name: str, tmp_path: Path) -> None:
    environment = play(tmp_path / "bin", name, b"the-cli 1.2.3 (something)\n")
    file = tmp_path / "bin" / LOGIN_FILES[name]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"token": "x"}')

    state = inspect_agent(CLIENTS[name], Supervisor(environment), PROJECT, "linux")

    assert state.usable
    assert (state.version, state.login, state.login_from) == ("1.2.3", Login.FOUND, str(file))


@every_client
def test_a_key_in_the_environment_is_a_login_and_is_not_told(name: str, tmp_path: Path) -> None:
    key = CLIENTS[name].keys[0]

    state = inspect_agent(CLIENTS[name], Supervisor({"PATH": "", key: "sk-secret"}), PROJECT, "linux")

    assert (state.login, state.login_from) == (Login.FOUND, key)


def test_a_provider_in_the_settings_of_opencode_is_a_login() -> None:
    settings = '{"provider": {"own": {"options": {"apiKey": "sk-secret"}}}}'

    state = inspect_agent(
        CLIENTS["opencode"], Supervisor({"PATH": "", "OPENCODE_CONFIG_CONTENT": settings}), PROJECT, "linux"
    )

    assert (state.login, state.login_from) == (Login.FOUND, "OPENCODE_CONFIG_CONTENT")


def test_what_a_logout_left_is_no_login(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text("{}")

    state = inspect_agent(CLIENTS["codex"], Supervisor({"PATH": "", "CODEX_HOME": str(tmp_path)}), PROJECT, "linux")

    assert state.login is Login.NOT_FOUND


def test_a_keychain_is_not_looked_into(tmp_path: Path) -> None:
    state = inspect_agent(CLIENTS["claude"], Supervisor({"PATH": "", "HOME": str(tmp_path)}), PROJECT, "darwin")

    assert state.login is Login.UNKNOWN


def test_a_version_is_asked_for_once_while_the_program_stays_the_same(tmp_path: Path) -> None:
    environment = play(tmp_path / "bin", "claude", b"2.1.197 (Claude Code)\n")
    first, second = (inspect_agent(CLIENTS["claude"], Supervisor(environment), PROJECT).version for _ in range(2))
    assert (first, second, len(heard(tmp_path / "bin"))) == ("2.1.197", "2.1.197", 1)

    play(tmp_path / "bin", "claude", b"2.1.198 (Claude Code)\n", code="# another file")
    assert inspect_agent(CLIENTS["claude"], Supervisor(environment), PROJECT).version == "2.1.198"


def test_a_damaged_cache_is_written_anew(tmp_path: Path) -> None:
    environment = play(tmp_path / "bin", "claude", b"2.1.197 (Claude Code)\n")
    cache = tmp_path / "bin" / ".cache" / "dualgate" / "versions.json"
    cache.parent.mkdir(parents=True)
    cache.write_text("[torn")

    assert inspect_agent(CLIENTS["claude"], Supervisor(environment), PROJECT).version == "2.1.197"
    assert "2.1.197" in cache.read_text()
