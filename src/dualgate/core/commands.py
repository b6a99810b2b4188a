"""A command line -> its words."""

import shlex

SHELL_SIGNS = frozenset("|&;<>()$`*?~#\n")


def split_command(command: str) -> tuple[str, ...]:
    """The words of a command line; a shell runs it where it uses what only a shell understands."""
    words = _words(command)
    if not words or "=" in words[0] or SHELL_SIGNS & set(command):
        return ("/bin/sh", "-c", command)
    return tuple(words)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
