"""The options and help of dualgate tests. The action is imported when the command is called."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from dualgate.cli.words import OneOf
from dualgate.cli.worktree_option import in_worktree, own_file
from dualgate.core.values.notation import read_duration
from dualgate.core.values.vocabulary import RunnerName

RUNNER_NAMES = tuple(name.value for name in RunnerName)


def as_seconds(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """The callback of an option that takes a duration greater than zero."""
    if value is None:
        return None
    with suppress(ValueError):
        if seconds := read_duration(value):
            return seconds
    raise click.BadParameter(f"'{value}' is no duration; write 90s, 10m or 1h30m.", context, parameter)


@click.command("tests")
@click.option("--test-command", metavar="CMD", help="How to run the tests. Default: found out.")
@click.option("--runner", type=OneOf(RUNNER_NAMES), help="How --test-command reports. Default: by its words.")
@click.option("--suite", "names", metavar="NAME", multiple=True, help="Only this suite; may be given again.")
@click.option("--only", metavar="ID…", multiple=True, help="Only these tests; may be given again.")
@click.argument("more", metavar="", nargs=-1)
@click.option(
    "--timeout",
    metavar="DURATION",
    callback=as_seconds,
    help="How long a suite may take, as 90s, 10m or 1h30m. Default: 30m.",
)
@click.option(
    "--against",
    metavar="REPORT",
    type=click.Path(path_type=Path),
    callback=own_file,
    help="An earlier --json, to compare with.",
)
@click.option("--list", "is_list", is_flag=True, help="Show the suites and why these, and run nothing.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def tests_command(is_list: bool, as_json: bool, only: tuple[str, ...], more: tuple[str, ...], **options: Any) -> int:
    """Run the tests of the current folder as a run does, and report whether the result is trusted.

    Exit codes: 0 a trusted run in which tests passed and none failed, 1 some failed, 3 no trustworthy result. With
    --against: 0 nothing is worse than before, 1 a test regressed, is gone, newly skipped, or new and failing.
    """
    if more and not only:
        raise click.UsageError(f"Got unexpected extra argument ({more[0]}); say --only before the ids of tests.")
    from dualgate.cli.tests_action import run_tests

    return run_tests(is_list, as_json, options | {"only": (*only, *more)})
