"""Our hooks in the settings of a host: added once, removed exactly, and nothing else is touched."""

import json
from typing import Any

import pytest

from dualgate.errors import SettingError
from dualgate.hooks.answers import HOSTS
from dualgate.hooks.opting import MARK
from dualgate.hooks.registering import REGISTRATIONS, stop_commands, with_hooks, without_hooks

OTHERS: list[Any] = [
    {"permissions": {"allow": ["Bash(make:*)"]}, "model": "opus", "ünï": "cödé"},
    {"hooks": {"Other": [{"hooks": []}], "Empty": []}},
    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "make lint"}]}], "Notification": []}},
    {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo dualgate"}]}]}},
]


@pytest.mark.parametrize("host", HOSTS)
def test_a_new_file_holds_the_three_hooks_with_a_time_limit(host: str) -> None:
    text = with_hooks(host, "")
    row = REGISTRATIONS[host]

    assert [event.name in json.loads(text)["hooks"] for event in row.events] == [True] * 3
    assert text.count(f'"{row.limit_field}"') == 3
    assert stop_commands(host, text) == (f"dualgate hook stop --host {host}",)
    assert MARK in text.encode()


@pytest.mark.parametrize("host", HOSTS)
def test_adding_twice_is_adding_once_and_removing_leaves_nothing(host: str) -> None:
    text = with_hooks(host, "")

    assert with_hooks(host, text) == text
    assert without_hooks(host, text) == ""
    assert without_hooks(host, without_hooks(host, text)) == ""


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("indent", [2, 4, "\t"])
@pytest.mark.parametrize("document", OTHERS)
def test_everything_else_in_the_file_stays(host: str, indent: int | str, document: Any) -> None:
    before = json.dumps({"version": 1, **document}, indent=indent, ensure_ascii=False) + "\n"
    added = with_hooks(host, before)

    assert without_hooks(host, added) == before
    assert with_hooks(host, added) == added
    assert without_hooks(host, before) == before


def test_an_empty_list_of_an_event_of_ours_does_not_come_back() -> None:
    text = '{"hooks": {"Stop": []}, "model": "opus"}'

    assert json.loads(without_hooks("claude", with_hooks("claude", text))) == {"model": "opus"}


def test_an_older_form_of_ours_is_replaced_and_a_neighbour_in_its_group_stays() -> None:
    group = [
        {"type": "command", "command": "/opt/bin/dualgate hook stop --host claude --budget 9s"},
        {"type": "prompt"},
    ]
    text = json.dumps({"hooks": {"Stop": [{"hooks": group}]}})
    added = json.loads(with_hooks("claude", text))

    assert stop_commands("claude", text) == ("/opt/bin/dualgate hook stop --host claude --budget 9s",)
    assert [each["hooks"][0] for each in added["hooks"]["Stop"]] == [
        {"type": "prompt"},
        {"type": "command", "command": "dualgate hook stop --host claude", "timeout": 600},
    ]


WRONG = ["// a comment\n{}", '{"a": 1,}', "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1, "a": 2}', "{"]


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_not_plain_json_is_left_alone(text: str) -> None:
    for change in (with_hooks, without_hooks):
        with pytest.raises(SettingError, match="it was not changed"):
            change("claude", text)
