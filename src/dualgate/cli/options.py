"""The flags that are settings, and the settings that follow from them, the files and the environment.

Every command has them, and its help must not wait for more than this: what reads settings is imported when it is used.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dualgate.cli.output import here
from dualgate.core.values.notation import read_duration
from dualgate.core.values.vocabulary import Amend, OnQuestion, SandboxKind, Workflow

if TYPE_CHECKING:
    from dualgate.settings import Sourced
    from dualgate.settings.keys import Key

F = TypeVar("F", bound=Callable[..., Any])


class Duration(click.ParamType):  # type: ignore[type-arg]  # generic only to type checkers
    """`90s`, `30m`, `1h30m`, `250ms`; a plain number is seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return read_duration(value)
        except ValueError:
            self.fail(f"'{value}' is no duration such as 90s, 30m or 1h30m (a number is seconds).", param, ctx)


class DurationOrOff(Duration):
    """A duration, or the word `off`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "off" else super().convert(value, param, ctx)


class AmountOrOff(click.ParamType):  # type: ignore[type-arg]
    """A number as the setting of that name takes it, or the word `off`."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from dualgate.settings.keys import KEYS

        assert param is not None
        return _amount(KEYS[param.name or ""], str(value), param, ctx)


class Budget(click.ParamType):  # type: ignore[type-arg]
    """`GREEN.tokens=200000`: the setting `budget.GREEN.tokens` and its value."""

    name = "budget"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        from dualgate.settings.keys import KEYS

        name, _, text = str(value).partition("=")
        phase, _, measure = name.strip().partition(".")
        key = KEYS.get(f"budget.{phase.upper()}.{measure.lower()}")
        if key is None:
            self.fail(f"'{value}' is no budget such as GREEN.tokens=200000, GREEN.cost=5 or QA.calls=3.", param, ctx)
        return key.name, _amount(key, text.strip(), param, ctx)


def _amount(key: "Key", text: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
    parsed = key.kind.parse(text)
    try:
        key.kind.read(parsed)
    except ValueError:
        raise click.BadParameter(f"'{text}' is not {key.kind.legal}.", ctx, param) from None
    return parsed  # as a file would hold it: `off` is read where all values are


def _as_settings(ctx: click.Context, param: click.Parameter, given: Sequence[tuple[str, Any]]) -> None:
    """Each budget of a phase is a setting of its own, as if there were a flag for every one."""
    del param
    ctx.params |= dict(given)


_OPTIONS = (
    click.option(
        "--workflow",
        type=click.Choice([workflow.value for workflow in Workflow]),
        help="Five phases over a specification (tdd, the default), or one over a prompt and a task list (ralph).",
    ),
    click.option("--plan", metavar="FILE", help="The task list of ralph: tick boxes or a prd.json. Default: found."),
    click.option("--agent", metavar="NAME", help="The agent to ask: claude, codex, gemini, opencode, qwen, rehearsal."),
    click.option("--model", metavar="NAME", help="The model that the agent is told to use. Default: the agent's own."),
    click.option("--agent-command", metavar="CMD", help="Any program as the agent: prompt on stdin, answer on stdout."),
    click.option("--qa-agent-command", metavar="CMD", help="The same for the review, which another model should make."),
    click.option(
        "--fallback",
        multiple=True,
        callback=lambda _context, _option, given: given or None,
        metavar="NAME",
        help="An agent that takes over where the first cannot go on: a name, or command:CMD. May be given again.",
    ),
    click.option("--test-command", metavar="CMD", help="How to run the tests (pytest). Default: found out."),
    click.option(
        "--max-iterations", type=click.IntRange(min=1), metavar="N", help="Iterations per phase. Default: 100."
    ),
    click.option(
        "--max-duration",
        "--max-runtime",
        "max_duration",
        type=DurationOrOff(),
        metavar="TIME",
        help="Halt after so long, pauses not counted: 8h. Default: off.",
    ),
    click.option(
        "--max-calls-per-hour",
        "--calls",
        "max_calls_per_hour",
        type=AmountOrOff(),
        metavar="N",
        help="Wait when so many calls were made in an hour. Default: off.",
    ),
    click.option(
        "--max-tokens-per-hour",
        type=AmountOrOff(),
        metavar="N",
        help="Wait when so many tokens were used in an hour. Default: off.",
    ),
    click.option(
        "--max-tokens", type=AmountOrOff(), metavar="N", help="Halt when so many tokens were used. Default: off."
    ),
    click.option(
        "--max-cost", type=AmountOrOff(), metavar="DOLLARS", help="Halt when it has cost so much. Default: off."
    ),
    click.option(
        "--budget",
        type=Budget(),
        multiple=True,
        expose_value=False,
        callback=_as_settings,
        metavar="PHASE.WHAT=N",
        help="Calls, tokens or cost of one phase: GREEN.tokens=200000. May be repeated.",
    ),
    click.option("--timeout", type=Duration(), metavar="TIME", help="Time for one call of the agent. Default: 1h."),
    click.option(
        "--idle-timeout",
        type=DurationOrOff(),
        metavar="TIME",
        help="End a call that neither writes nor works for so long. Default: 10m.",
    ),
    click.option("--test-timeout", type=Duration(), metavar="TIME", help="Time for one test run. Default: 30m."),
    click.option(
        "--retry-delay", type=Duration(), metavar="TIME", help="Time before a failed call is made again. Default: 5s."
    ),
    click.option(
        "--sandbox",
        type=click.Choice([kind.value for kind in SandboxKind]),
        help="Run the agent and the tests in bubblewrap: project writable, system read-only. Default: none.",
    ),
    click.option(
        "--amend",
        type=click.Choice([word.value for word in Amend]),
        help="Who approves the change of a test that is wrong. Default: review.",
    ),
    click.option(
        "--no-wait",
        "wait",
        is_flag=True,
        flag_value=False,
        default=None,
        help="End instead of waiting: exit code 5 at a limit of the agent, 3 at one of calls or tokens in an hour.",
    ),
    click.option(
        "--on-question",
        type=click.Choice([str(choice) for choice in OnQuestion]),
        help="Tell an agent that asks to assume, or halt. Default: assume.",
    ),
)


def setting_options(command: F) -> F:
    """Give a command every flag that is a setting."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_from(flags: Mapping[str, Any]) -> "Sourced":
    """What holds in the current folder."""
    from dualgate.settings import read_files, resolve

    return resolve(os.environ, flags, read_files(here(), os.environ))
