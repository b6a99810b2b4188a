"""What an agent's CLI sees of the environment: what it needs, and nothing of ours."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.agents.client import DefaultSettings, Errand
from dualgate.agents.environment import client_environment
from dualgate.agents.registry import CLIENTS

EDITING = Errand(may_edit=True)
SECRETS = {"DATABASE_PASSWORD": "s", "AWS_SECRET_ACCESS_KEY": "s", "GITHUB_TOKEN": "s", "SSH_AUTH_SOCK": "/s"}
OURS = {"PRP_SESSION_DIR": "/s", "DUALGATE_AGENT": "claude", "DUALGATE_JOB": "mark"}


def test_only_what_is_on_a_list_gets_through() -> None:
    needed = {"PATH": "/bin", "HOME": "/home/me", "LC_ALL": "C", "XDG_CONFIG_HOME": "/c", "HTTPS_PROXY": "http://p"}

    for client in CLIENTS.values():
        seen = client_environment(client, EDITING, {**needed, **SECRETS, **OURS})
        ours = {*client.sets(EDITING), *((client.defaults.variable,) if client.defaults else ())}
        assert seen.keys() - ours == needed.keys()


def test_a_cli_without_a_flag_for_its_retries_gets_settings_below_those_of_the_user() -> None:
    gemini, qwen = (CLIENTS[name] for name in ("gemini", "qwen"))
    own = {"QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/mine.json"}

    given = client_environment(gemini, EDITING, {})["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]

    assert json.loads(Path(given).read_text())["general"] == {"maxAttempts": 3}
    assert client_environment(qwen, EDITING, own)["QWEN_CODE_SYSTEM_DEFAULTS_PATH"] == "/mine.json"


@pytest.mark.parametrize("agent", ["gemini", "qwen"])
def test_a_cli_that_waits_at_its_end_for_the_host_of_its_statistics_sends_none(agent: str) -> None:
    client = CLIENTS[agent]
    assert client.defaults

    given = client_environment(client, EDITING, {})[client.defaults.variable]

    assert json.loads(Path(given).read_text())["privacy"] == {"usageStatisticsEnabled": False}


def test_settings_that_the_machine_has_for_all_its_users_are_not_replaced(tmp_path: Path) -> None:
    there = DefaultSettings(variable="QWEN_CODE_SYSTEM_DEFAULTS_PATH", installed=(str(tmp_path),))

    assert client_environment(replace(CLIENTS["qwen"], defaults=there), EDITING, {}) == {}


def test_each_sees_its_own_keys_and_not_those_of_another() -> None:
    keys = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g"}

    seen = {name: client_environment(CLIENTS[name], EDITING, keys) for name in ("claude", "codex", "gemini")}

    assert {name: keys.keys() & found.keys() for name, found in seen.items()} == {
        "claude": {"ANTHROPIC_API_KEY"},
        "codex": {"OPENAI_API_KEY"},
        "gemini": {"GEMINI_API_KEY"},
    }


def test_the_cloud_is_seen_where_the_agent_is_told_to_use_it() -> None:
    cloud = {"AWS_REGION": "eu-central-1", "CLAUDE_CODE_USE_BEDROCK": "1"}

    assert cloud.items() <= client_environment(CLIENTS["claude"], EDITING, cloud).items()


def test_the_user_lets_more_through_but_never_what_is_ours() -> None:
    extra = ("DATABASE_*", "PRP_SESSION_DIR", "DUALGATE_*")

    seen = client_environment(CLIENTS["codex"], EDITING, {**SECRETS, **OURS}, extra)

    assert seen == {"DATABASE_PASSWORD": "s"}


def test_a_claude_that_runs_dualgate_is_not_taken_for_the_one_that_is_run() -> None:
    nested = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SSE_PORT": "1"}

    assert nested.keys().isdisjoint(client_environment(CLIENTS["claude"], EDITING, nested))


def test_what_the_user_has_set_wins() -> None:
    given = {"CLAUDE_CODE_MAX_RETRIES": "9"}

    assert client_environment(CLIENTS["claude"], EDITING, given)["CLAUDE_CODE_MAX_RETRIES"] == "9"
