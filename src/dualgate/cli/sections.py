"""Help in sections: the options of a command by subject."""

from collections.abc import Iterator

import click

# a subject -> the first name of each option about it, in the order of help
SUBJECTS = {
    "Specification": ("-p", "-P", "--workflow", "--plan", "--yes", "--respec", "--keep-spec"),
    "Agents": (
        "--agent",
        "--agent-command",
        "--model",
        "--fallback",
        "--escalate-model",
        "--escalate-agent",
        "--qa-agent",
        "--qa-agent-command",
        "--on-question",
        "--approve",
        "--retry-delay",
        "--no-wait",
    ),
    "Tests": ("--test-command", "--runner", "--sensitivity", "--amend"),
    "Limits": (
        "--max-iterations",
        "--max-duration",
        "--max-cost",
        "--max-tokens",
        "--max-tokens-per-hour",
        "--max-calls-per-hour",
        "--budget",
        "--timeout",
        "--idle-timeout",
        "--test-timeout",
    ),
    "Session": ("--fresh", "--resume", "--reset", "--guidance", "--no-memory", "--report", "--traces"),
    "Git": ("--commit", "--branch", "--pr"),
    "Safety": ("--sandbox", "--worktree", "--from"),
    "Output": ("--plain", "-q", "--json"),
}
OTHERS = "Other options"


class BySubject(click.Command):
    """A command with so many options that its help shows them by subject."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for subject, options in by_subject(ctx, self):
            with formatter.section(subject):
                formatter.write_dl([record for each in options if (record := each.get_help_record(ctx))])


def by_subject(ctx: click.Context, command: click.Command) -> Iterator[tuple[str, list[click.Parameter]]]:
    """The options of a command by subject; those without one come last."""
    own = {param.opts[0]: param for param in command.get_params(ctx) if isinstance(param, click.Option)}
    for subject, names in SUBJECTS.items():
        if found := [own.pop(name) for name in names if name in own]:
            yield subject, list[click.Parameter](found)
    if own:
        yield OTHERS, list(own.values())
