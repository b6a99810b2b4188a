"""How a user would tell each CLI to ask a model of their own: by variables, or by settings under the home folder."""

import json
from collections.abc import Callable
from pathlib import Path

KEY = "sk-dummy"
MODEL = "DUALGATE_MODEL"


def claude(home: Path, url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        MODEL: "claude-sonnet-4-5",
    }


def claude_on_a_plan(home: Path, url: str) -> dict[str, str]:
    settings = claude(home, url)
    del settings["ANTHROPIC_API_KEY"]
    return settings | {"CLAUDE_CODE_OAUTH_TOKEN": KEY}


def codex(home: Path, url: str) -> dict[str, str]:
    _write(
        home / ".codex" / "config.toml",
        f"""
model = "gpt-5.5"
model_provider = "played"
[analytics]
enabled = false
[model_providers.played]
name = "played"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[features]
plugins = false
apps = false
remote_plugin = false
plugin_discovery_prefetch = false
unbounded_connection_retries = false
""",
    )
    return {"OPENAI_API_KEY": KEY}


def gemini(home: Path, url: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": False},
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url, MODEL: "gemini-2.5-pro"}


def qwen(home: Path, url: str) -> dict[str, str]:
    _write(home / ".qwen" / "settings.json", json.dumps({"security": {"auth": {"selectedType": "openai"}}}))
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake-model"}


def opencode(home: Path, url: str) -> dict[str, str]:
    models = {"fake-model": {"name": "fake-model", "limit": {"context": 200000, "output": 8000}, "tool_call": True}}
    options = {"baseURL": f"{url}/v1", "apiKey": KEY}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "played", "options": options, "models": models}
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps({"provider": {"played": provider}, "autoupdate": False}),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        MODEL: "played/fake-model",
    }


def copilot(home: Path, url: str) -> dict[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


SETUPS: dict[str, Callable[[Path, str], dict[str, str]]] = {
    "claude": claude,
    "claude on a plan": claude_on_a_plan,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "opencode": opencode,
    "copilot": copilot,
}
