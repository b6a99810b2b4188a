"""A text for people -> the same text, with commands that reach a session from outside of its worktree."""

import re

REACHING = (
    *("status", "log", "log show", "report", "traces export", "pr", "replay", "resume"),
    *("pause", "guide", "approve", "reject", "answer", "reset", "skip", "abort"),
    *("sessions", "sessions list", "sessions show", "sessions metrics", "sessions archive", "sessions prune"),
    *("verify", "tests", "snapshot save", "snapshot list", "snapshot diff", "snapshot show", "snapshot restore"),
    *("snapshot prune", "guard check", "doctor", "config", "prompts next"),
    *("memory", "memory list", "memory search", "memory add", "memory forget", "memory export", "memory off"),
    "memory on",
)
"""The commands that take --worktree NAME."""

_COMMAND = re.compile(
    rf"\bdualgate (?:{'|'.join(sorted(REACHING, key=len, reverse=True))})(?![\w-])(?! --worktree)(?! --all)"
)


def reaching(text: str, name: str) -> str:
    """Add --worktree NAME to each command in a text that takes it."""
    return _COMMAND.sub(lambda found: f"{found[0]} --worktree {name}", text) if name else text
