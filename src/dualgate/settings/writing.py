"""Setup -> the text of a new dualgate.toml, short and with its reasons."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap

from dualgate.core.values.notation import show_duration

WIDTH = 80
CHECKS = "Run before any work and before each review: a check that passed and then fails is work for the agent."
HEAD = "# Settings of dualgate in this project. All keys: dualgate config --defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A value and the reason for it; without a value the reason says what a person can do."""

    value: str | int | float | bool | tuple[str, ...] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The settings that are proposed for a project."""

    agent: Proposed
    reviewer: Proposed
    test_command: Proposed
    checks: Mapping[str, str]
    """Commands of linters and other tools by name."""
    documents: Proposed
    adr_required: Proposed
    max_duration: float
    max_cost: Proposed


def settings_text(setup: Setup) -> str:
    parts = (
        (HEAD,),
        _key("agent", setup.agent),
        _key("test_command", setup.test_command),
        (*_key("documents", setup.documents), *_key("adr_required", setup.adr_required)),
        (
            "# The budget: a run halts there, and can continue with a larger one.",
            f'max_duration = "{show_duration(setup.max_duration)}"',
            *_key("max_cost", setup.max_cost),
        ),
        tuple(_checks(setup.checks)),
        tuple(_reviewer(setup.reviewer)),
    )
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _key(name: str, proposed: Proposed) -> tuple[str, ...]:
    reason = _comment(proposed.reason)
    return reason if proposed.value is None else (*reason, f"{name} = {_toml(proposed.value)}")


def _checks(checks: Mapping[str, str]) -> Iterator[str]:
    if checks:
        yield from _comment(CHECKS)
        yield "[checks]"
        yield from (f"{name} = {_toml(command)}" for name, command in checks.items())


def _reviewer(proposed: Proposed) -> Iterator[str]:
    yield from _comment(proposed.reason)
    if proposed.value is not None:
        yield "[agents.qa]"
        yield f"agent = {_toml(proposed.value)}"


def _comment(text: str) -> tuple[str, ...]:
    return tuple(wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False))


def _toml(value: object) -> str:
    """A value in TOML, which shares its texts, numbers, lists and booleans with JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
