"""The JSON that a host gives to a hook -> values. Hosts differ in names and leave fields out; nothing here raises."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.hooks.origin import Payload, text_of
from dualgate.store.atomic import opened

PLAN = "plan"
_FINISHED = frozenset({"completed", "complete", "failed", "killed", "cancelled", "canceled", "done", "exited"})
_TRANSCRIPT_TAIL = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """An agent that wants to stop."""

    message: str = ""
    """Its last message; empty if the host does not say it."""
    in_plan_mode: bool = False
    has_background_work: bool = False
    event: str = ""
    """Differs between two stops, and is the same for two hooks that one stop calls."""


def read_stop(payload: Payload) -> Stop:
    message = text_of(payload, "last_assistant_message", "lastAssistantMessage", "prompt_response")
    transcript = text_of(payload, "transcript_path", "transcriptPath")
    tasks = payload.get("background_tasks")
    return Stop(
        message=message or _last_message(transcript),
        in_plan_mode=text_of(payload, "permission_mode") == PLAN,
        has_background_work=isinstance(tasks, list) and any(map(_is_running, tasks)),
        event=_fingerprint(text_of(payload, "turn_id"), message or _size(transcript)),
    )


def _is_running(task: object) -> bool:
    state = task.get("status") if isinstance(task, dict) else None
    return not (isinstance(state, str) and state.lower() in _FINISHED)


def _fingerprint(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _size(transcript: str) -> str:
    try:
        return str(os.stat(transcript).st_size) if transcript else ""  # noqa: PTH116
    except (OSError, ValueError):
        return ""


def _last_message(transcript: str) -> str:
    """The last message of the agent in a transcript of JSON lines, from its end: transcripts can be huge."""
    for line in reversed(_tail(transcript)):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and (text := "".join(_said(entry))):
            return text
    return ""


def _tail(transcript: str) -> list[bytes]:
    try:
        with opened(Path(transcript)) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TRANSCRIPT_TAIL))
            return file.read(_TRANSCRIPT_TAIL).splitlines()
    except (OSError, ValueError):
        return []


def _said(entry: Mapping[str, Any]) -> Iterator[str]:
    """The text of an entry that an assistant wrote: Copilot has it in `data`, others in `message`."""
    if not str(entry.get("type", entry.get("role", ""))).startswith("assistant"):
        return
    for holder in (entry.get("data"), entry.get("message"), entry):
        content = holder.get("content") if isinstance(holder, dict) else None
        if isinstance(content, str):
            yield content
            return
        if isinstance(content, list):
            yield from (str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
            return
