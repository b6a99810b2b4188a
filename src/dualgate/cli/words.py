"""Values of arguments that shells complete, and a suggestion where a value is misspelt. It must load little."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from dualgate.core.values.suggestion import did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]

AGENT_NAMES = ("claude", "codex", "gemini", "opencode", "qwen", "rehearsal")
"""The agents by name, repeated here so that help does not load them."""


class OneOf(click.Choice[str]):
    """One of a few words, in any case; a misspelt word is answered with the word that is close."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([str(word) for word in words], case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        del ctx
        return f"'{value}' is invalid. {did_you_mean(str(value), self.choices)}Use one of: {', '.join(self.choices)}."

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The words as they are written; click would complete them in lower case."""
        del ctx, param
        return _items((word for word in self.choices if word.lower().startswith(incomplete.lower())), "")


def complete_agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    del ctx, param
    return _items(AGENT_NAMES, incomplete)


def complete_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    del ctx, param
    return [CompletionItem(incomplete, type="file")]


def complete_settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    from dualgate.settings.keys import KEYS

    del ctx, param
    return _items(KEYS, incomplete)


def complete_sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """The ids of all sessions that are kept, each with its project and status."""
    from click.shell_completion import CompletionItem

    from dualgate.store.peek import peek_at_all

    del ctx, param
    found = (each for each in peek_at_all(os.environ) if each.id.startswith(incomplete))
    return [CompletionItem(each.id, help=f"{each.folder.name}, {each.status}") for each in found]


def _items(words: Iterable[str], incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words if word.startswith(incomplete)]
