"""Whether a repository has opted in: one of the settings of hosts in it calls `dualgate hook stop`.

A plug-in calls the hook in every repository of a person: in all others it does nothing. No import here may take long.
"""

from pathlib import Path

PLACES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".github/hooks/dualgate.json",
}
"""The file from which each host reads the hooks of a repository."""
PERSONAL = (".claude/settings.local.json",)
"""Settings of one person in the repository, which are not committed."""
MARK = b"dualgate hook stop"
_LARGEST = 1 << 20


def has_opted_in(root: Path) -> bool:
    return any(MARK in _content(root / place) for place in (*PLACES.values(), *PERSONAL))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""
