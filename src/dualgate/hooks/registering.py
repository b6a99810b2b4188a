"""The settings file of a host -> the same with our hooks, or without them. Everything else in it stays.

A row for each host: the event, which tools it is about, and how the host writes a command and its time limit.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.errors import SettingError
from dualgate.hooks.opting import PLACES

OURS = re.compile(r"(^|[\s/\"'])dualgate(\"|')? hook (start|stop|edit)\b")
_START_SECONDS, _EDIT_SECONDS = 30, 30
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    name: str
    """As the host calls it."""
    hook: str
    seconds: int
    tools: str = ""
    """A pattern of the tools that it is called for; empty for events without a tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The registration of hooks in one host."""

    events: tuple[Event, ...]
    command_field: str = "command"
    limit_field: str = "timeout"
    limit_unit: int = 1
    """How many of the host's units are a second."""
    in_groups: bool = True
    """Whether commands stand in a group with the pattern of tools."""
    first: tuple[tuple[str, Any], ...] = ()
    """Fields that a new file begins with."""
    next_step: str = ""
    """The steps of a person in the host before the hooks run."""


def _events(start: str, stop: str, edit: str, tools: str, seconds: int) -> tuple[Event, ...]:
    return (
        Event(name=start, hook="start", seconds=_START_SECONDS),
        Event(name=stop, hook="stop", seconds=seconds),
        Event(name=edit, hook="edit", seconds=_EDIT_SECONDS, tools=tools),
    )


REGISTRATIONS = {
    "claude": Registration(
        events=_events("SessionStart", "Stop", "PreToolUse", "Edit|Write|MultiEdit|NotebookEdit", 600),
        next_step="Claude Code reads them when its next session begins; /hooks lists them",
    ),
    "codex": Registration(
        events=_events("SessionStart", "Stop", "PreToolUse", "apply_patch|Edit|Write", 600),
        next_step="Codex runs them after you trusted the folder and the hooks: open /hooks in Codex",
    ),
    "gemini": Registration(
        events=_events("SessionStart", "AfterAgent", "BeforeTool", "write_file|replace", 60),
        limit_unit=1000,
        next_step="Gemini reads them when its next session begins in a trusted folder; /hooks lists them",
    ),
    "copilot": Registration(
        events=_events("sessionStart", "agentStop", "preToolUse", "", 30),
        command_field="bash",
        limit_field="timeoutSec",
        in_groups=False,
        first=(("version", 1),),
        next_step="Copilot reads them when its next session begins",
    ),
}


def with_hooks(host: str, text: str) -> str:
    """The settings with our hooks, each once; as they are if they hold all of them already."""
    document = read_settings(host, text)
    if _ours(host, document) == _wanted(host):
        return text
    row = REGISTRATIONS[host]
    document = {**dict(row.first), **_without(document)}
    hooks = dict(document.get("hooks", {}))
    for event in row.events:
        hooks[event.name] = [*hooks.get(event.name, []), _entry(host, event)]
    return _written({**document, "hooks": hooks}, text)


def without_hooks(host: str, text: str) -> str:
    """The settings without our hooks; empty if nothing else is in them."""
    document = read_settings(host, text)
    if not _commands(host, document):
        return text
    left = _without(document)
    return "" if left in ({}, dict(REGISTRATIONS[host].first)) else _written(left, text)


def command_of(host: str, hook: str) -> str:
    return f"dualgate hook {hook} --host {host}"


def stop_commands(host: str, text: str) -> tuple[str, ...]:
    """The commands of ours that a host calls when an agent stops."""
    stop = next(event.name for event in REGISTRATIONS[host].events if event.hook == "stop")
    return tuple(command for name, command in _commands(host, read_settings(host, text)) if name == stop)


def read_settings(host: str, text: str) -> Document:
    """The document of a settings file. Raises SettingError if it is not plain JSON with lists of hooks."""
    place = PLACES[host]
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise SettingError(
            f"{place} is not plain JSON ({error}); it was not changed.",
            f"Remove comments and trailing commas, or add the hooks by hand: dualgate hook stop --host {host}",
        ) from error
    hooks = found.get("hooks", {}) if isinstance(found, dict) else None
    if not isinstance(hooks, dict) or any(not isinstance(each, list) for each in _lists(host, hooks)):
        raise SettingError(f"{place} has hooks of an unknown form; it was not changed.", "Look at its key 'hooks'.")
    return dict(found)


def _lists(host: str, hooks: Mapping[str, Any]) -> list[Any]:
    return [hooks.get(event.name, []) for event in REGISTRATIONS[host].events]


def _once(pairs: list[tuple[str, Any]]) -> Document:
    """An object; a name that stands in it twice would be lost."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _entry(host: str, event: Event) -> Document:
    row = REGISTRATIONS[host]
    limit = {row.limit_field: event.seconds * row.limit_unit}
    command = {"type": "command", row.command_field: command_of(host, event.hook), **limit}
    if not row.in_groups:
        return command
    return {"matcher": event.tools, "hooks": [command]} if event.tools else {"hooks": [command]}


def _wanted(host: str) -> list[tuple[str, Document]]:
    return [(event.name, _entry(host, event)) for event in REGISTRATIONS[host].events]


def _ours(host: str, document: Mapping[str, Any]) -> list[tuple[str, Document]]:
    """The groups with commands of ours, in the order of the events."""
    hooks = document.get("hooks", {})
    named = [event.name for event in REGISTRATIONS[host].events]
    names = (*named, *(name for name in hooks if name not in named))
    return [(name, group) for name in names for group in _list(hooks.get(name)) if _is_ours(group)]


def _commands(host: str, document: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _ours(host, document)
    flat = [(name, each) for name, group in found for each in (group, *_list(group.get("hooks"))) if _is_command(each)]
    return [(name, str(each.get("command", each.get("bash", "")))) for name, each in flat]


def _without(document: Document) -> Document:
    """The document without commands of ours, and without groups, lists and tables that they leave empty."""
    hooks = document.get("hooks")
    if not isinstance(hooks, dict):
        return document
    kept = {name: _cleaned(groups) if isinstance(groups, list) else groups for name, groups in hooks.items()}
    kept = {name: groups for name, groups in kept.items() if groups or not hooks[name]}
    left = {name: value for name, value in document.items() if name != "hooks"}
    return {name: kept if name == "hooks" else left[name] for name in document if name != "hooks" or kept or not hooks}


def _cleaned(groups: list[Any]) -> list[Any]:
    left = []
    for group in groups:
        if not _is_ours(group):
            left.append(group)
        elif others := [each for each in _list(group.get("hooks")) if not _is_command(each)]:
            left.append({**group, "hooks": others})
    return left


def _is_ours(group: Any) -> bool:
    return isinstance(group, dict) and (_is_command(group) or any(map(_is_command, _list(group.get("hooks")))))


def _is_command(entry: Any) -> bool:
    texts = (entry.get("command"), entry.get("bash")) if isinstance(entry, dict) else ()
    return any(isinstance(text, str) and OURS.search(text) for text in texts)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _written(document: Document, before: str) -> str:
    """The document as text, with the indent of the text before."""
    found = _INDENT.search(before)
    text = json.dumps(document, indent=found[1] if found else 2, ensure_ascii=False)
    return f"{text}\n" if before.endswith("\n") or not before else text
