"""A missing login is found before anything runs; a login that cannot be known is taken for one."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import ExitCode, LoginMissing
from dualgate.session.logins import require_logins
from dualgate.settings import AgentChoice, Settings

CLAUDE = Settings(agent="claude")
CODEX = Settings(agent="codex:gpt-5.5")
WITH_KEY = {"ANTHROPIC_API_KEY": "sk-secret"}
REVIEWED = Settings(agent="claude", qa_agent="codex")

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="a keychain may hold the login of claude there")


def test_an_agent_without_a_login_stops_the_run_and_says_how_to_log_in(tmp_path: Path) -> None:
    with pytest.raises(LoginMissing, match=r"The agent codex of RED has no login\.\nRun 'codex login'") as stopped:
        require_logins(CODEX, {"HOME": str(tmp_path)})

    assert stopped.value.exit_code is ExitCode.BLOCKED


def test_a_reviewer_without_a_login_stops_the_run_although_nobody_asks_it_for_hours(tmp_path: Path) -> None:
    with pytest.raises(LoginMissing, match="The agent codex of QA has no login"):
        require_logins(REVIEWED, {"HOME": str(tmp_path), **WITH_KEY})


def test_a_reviewer_that_a_task_list_does_not_have_needs_no_login(tmp_path: Path) -> None:
    require_logins(REVIEWED.but(workflow=Workflow.RALPH), {"HOME": str(tmp_path), **WITH_KEY})


@pytest.mark.parametrize("agent", [name for name, client in CLIENTS.items() if not client.has_free_models])
def test_a_key_or_a_file_is_a_login(agent: str, tmp_path: Path) -> None:
    (tmp_path / CLIENTS[agent].logins[0].folder).mkdir(exist_ok=True)
    file = tmp_path / CLIENTS[agent].logins[0].folder / CLIENTS[agent].logins[0].name
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"token": "x"}')

    require_logins(Settings(agent=agent), {"HOME": str(tmp_path)})
    require_logins(Settings(agent=agent), {CLIENTS[agent].keys[0]: "sk-secret"})


def key_of_its_own(home: Path) -> tuple[Settings, dict[str, str]]:
    choice = AgentChoice(agent="codex", env=("MY_*",))
    return Settings(agents={"default": choice}), {"HOME": str(home), "MY_KEY": "x"}


def own_provider(home: Path) -> tuple[Settings, dict[str, str]]:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('model_provider = "own"\n')
    return CODEX, {"HOME": str(home)}


def helper(home: Path) -> tuple[Settings, dict[str, str]]:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"apiKeyHelper": "pass show claude"}')
    return CLAUDE, {"HOME": str(home)}


def arguments(home: Path) -> tuple[Settings, dict[str, str]]:
    return Settings(agents={"default": AgentChoice(agent="codex", args=("--oss",))}), {"HOME": str(home)}


def free_models(home: Path) -> tuple[Settings, dict[str, str]]:
    return Settings(agent="opencode"), {"HOME": str(home)}


def other_takes_over(home: Path) -> tuple[Settings, dict[str, str]]:
    return Settings(agent="codex", fallback=("claude",)), {"HOME": str(home), **WITH_KEY}


def command(home: Path) -> tuple[Settings, dict[str, str]]:
    return Settings(agent_command="claude -p"), {"HOME": str(home)}


@pytest.mark.parametrize(
    "given", [key_of_its_own, own_provider, helper, arguments, free_models, other_takes_over, command]
)
def test_where_a_login_may_be_the_run_starts(
    given: Callable[[Path], tuple[Settings, dict[str, str]]], tmp_path: Path
) -> None:
    require_logins(*given(tmp_path))


def test_a_logout_leaves_no_login_behind(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").write_text("{}")

    with pytest.raises(LoginMissing):
        require_logins(CODEX, {"HOME": str(tmp_path)})
