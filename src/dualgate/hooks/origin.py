"""The JSON of a host -> the session and the folder that it is about. No import here may take long."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

Payload = Mapping[str, Any]
_PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")


def text_of(payload: Payload, *names: str) -> str:
    """The first of these fields that holds a text."""
    found = (payload.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")


def session_of(payload: Payload) -> str:
    return text_of(payload, "session_id", "sessionId")


def project_of(payload: Payload, environment: Mapping[str, str]) -> Path:
    """The folder that the host works in. The current one counts last: an agent may have changed it."""
    named = (*(environment.get(name, "") for name in _PROJECT_VARIABLES), text_of(payload, "cwd"))
    found = next((each for each in named if each.startswith("/")), "")
    return Path(found) if found else Path.cwd()
