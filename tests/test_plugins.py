"""The plug-ins of this repository: one version, one skill text, and hooks with a time limit."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.verification import Rule
from dualgate.hooks.registering import REGISTRATIONS
from dualgate.prompts import load_templates

ROOT = Path(__file__).parent.parent
PLUGIN, EXTENSION = ROOT / "plugins" / "dualgate", ROOT / "plugins" / "dualgate-gemini"
HOOKS = {
    "claude": (PLUGIN / "hooks" / "hooks.json", "${CLAUDE_PLUGIN_ROOT}"),
    "codex": (PLUGIN / "hooks" / "codex.json", "${PLUGIN_ROOT}"),
    "gemini": (EXTENSION / "hooks" / "hooks.json", "${extensionPath}"),
}


def read(path: Path) -> Any:
    return json.loads(path.read_text())


@pytest.mark.parametrize("host", HOOKS)
def test_a_plugin_calls_the_hooks_that_init_writes(host: str) -> None:
    path, root = HOOKS[host]
    found, row = read(path)["hooks"], REGISTRATIONS[host]

    assert list(found) == [event.name for event in row.events]
    for event in row.events:
        (group,) = found[event.name]
        (command,) = group["hooks"]
        assert command["command"] == f'"{root}/hooks/call.sh" {event.hook} {host}'
        assert command["timeout"] == event.seconds * row.limit_unit
        assert group.get("matcher", "") == event.tools


def test_the_skill_is_the_one_that_is_installed() -> None:
    skill = (PLUGIN / "skills" / "ralph-status" / "SKILL.md").read_text()

    assert skill == load_templates()["skills/ralph-status.md"], (
        "run: dualgate prompts install --to plugins/dualgate/skills"
    )


def test_both_plugins_call_hooks_by_the_same_script() -> None:
    scripts = [folder / "hooks" / "call.sh" for folder in (PLUGIN, EXTENSION)]

    assert scripts[0].read_text() == scripts[1].read_text()
    assert all(script.stat().st_mode & 0o111 for script in scripts)


def test_all_plugins_have_one_version_and_description() -> None:
    places = (PLUGIN / ".claude-plugin" / "plugin.json", PLUGIN / ".codex-plugin" / "plugin.json")
    found = [read(path) for path in (*places, EXTENSION / "gemini-extension.json")]

    assert len({(each["name"], each["version"], each["description"]) for each in found}) == 1


def test_the_marketplaces_lead_to_the_plugin() -> None:
    claude = read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"][0]["source"]
    codex = read(ROOT / ".agents" / "plugins" / "marketplace.json")["plugins"][0]["source"]["path"]

    assert [(ROOT / each).resolve() for each in (claude, codex)] == [PLUGIN, PLUGIN]


def test_refusals_are_explained_by_their_real_names() -> None:
    text = (PLUGIN / "skills" / "reading-refusals" / "SKILL.md").read_text()
    named = {name for row in re.findall(r"^\| (`.*?) \|", text, re.M) for name in re.findall(r"`(.*?)`", row)}

    assert named <= {str(rule) for rule in Rule}
    assert len(named) >= 10
