"""The command group. A command's module is imported when the command or its help is called."""

from importlib import import_module

import click

from dualgate import __version__

# command -> module and function, and its line in the list of commands
COMMANDS = {
    "init": ("dualgate.cli.init:init", "Set up a project: propose and write dualgate.toml, or hooks."),
    "new": ("dualgate.cli.new:new", "Write a specification to fill in."),
    "check": ("dualgate.cli.check:check", "Show how a specification is read, and its problems."),
    "verify": ("dualgate.cli.verify:verify_command", "Verify a change by its tests, without an agent."),
    "run": ("dualgate.cli.run:run", "Let an agent work on a specification until it is proven."),
    "queue": ("dualgate.cli.queue:queue", "Work on several specifications, in worktrees of their own."),
    "resume": ("dualgate.cli.resume:resume", "Continue the session of this folder."),
    "status": ("dualgate.cli.status:status", "Show the state of this folder's session."),
    "log": ("dualgate.cli.log:log", "Show the events of a session, with times."),
    "dashboard": ("dualgate.cli.dashboard:dashboard_command", "Show every session in a browser, live."),
    "report": ("dualgate.cli.report:report", "Report what a session proved, caught and changed."),
    "pr": ("dualgate.cli.pr:pr", "Push a session's branch, and open a pull request."),
    "replay": ("dualgate.cli.replay:replay", "Replay a session's decisions, optionally with other limits."),
    "traces": ("dualgate.cli.traces:traces", "Export a session as OpenTelemetry traces."),
    "sessions": ("dualgate.cli.sessions:sessions", "List, archive and delete sessions."),
    "worktrees": ("dualgate.cli.worktrees:worktrees", "List, remove and restore the worktrees of runs."),
    "memory": ("dualgate.cli.memory:memory", "List, search, add and delete what runs remember."),
    "pause": ("dualgate.cli.intervene:pause", "Pause the run of this folder after its iteration, or now."),
    "guide": ("dualgate.cli.intervene:guide", "Add guidance to every prompt, until you withdraw it."),
    "reset": ("dualgate.cli.intervene:reset", "Reset a halted session, so that it can continue."),
    "skip": ("dualgate.cli.intervene:skip", "Skip the current phase; the session is then not proven."),
    "approve": ("dualgate.cli.decide:approve", "Approve what waits for you: an amendment, or finished work."),
    "reject": ("dualgate.cli.decide:reject", "Reject what waits for you, with a reason for the agent."),
    "answer": ("dualgate.cli.decide:answer", "Answer a question of the agent."),
    "abort": ("dualgate.cli.intervene:abort", "End the session for good."),
    "notify": ("dualgate.cli.notify:notify", "Show how you are notified of a run, and send a test."),
    "config": ("dualgate.cli.config:config", "Show all settings, and the source of each value."),
    "doctor": ("dualgate.cli.doctor:doctor", "Check that a run can start, and show how to fix it."),
    "agents": ("dualgate.cli.agents:agents", "List installed agents and what is missing; try one."),
    "tests": ("dualgate.cli.tests:tests_command", "Run the tests as a run does, and show the results."),
    "analyze": ("dualgate.cli.analyze:analyze_command", "Show what an agent's answers claim."),
    "prompts": ("dualgate.cli.prompts:prompts", "Show the prompts, and replace parts of them."),
    "parse": ("dualgate.cli.parse:parse_command", "Parse a status block, packet or state document."),
    "schema": ("dualgate.cli.schema:schema_command", "Print the JSON Schemas of these documents."),
    "snapshot": ("dualgate.cli.snapshot:snapshot", "Save, compare and restore the work tree."),
    "guard": ("dualgate.cli.guard:guard", "List changes that a phase does not allow."),
    "hook": ("dualgate.cli.hook:hook", "Answer a hook of a coding agent."),
    "mcp": ("dualgate.cli.mcp:mcp_command", "Serve verify, tests, check and status to agents (MCP)."),
    "demo": ("dualgate.cli.demo:demo", "Show a whole run on a small project, without a key."),
    "completions": ("dualgate.cli.completions:completions", "Print the completions for bash, zsh or fish."),
}

# each command has one place in the list of commands
GROUPS = {
    "Start": ("demo", "init", "new", "check", "doctor", "agents", "run", "resume", "pr", "queue"),
    "Watch": ("status", "log", "dashboard", "report", "traces", "sessions", "worktrees", "notify"),
    "Steer": ("pause", "guide", "approve", "reject", "answer", "reset", "skip", "abort"),
    "Evidence": ("verify", "tests", "snapshot", "guard", "replay"),
    "Plumbing": ("config", "memory", "prompts", "parse", "schema", "analyze", "hook", "mcp", "completions"),
}
EXAMPLES = (
    ("dualgate verify", "is your change proven by its tests?"),
    ("dualgate check SPEC.md", "how is the specification read?"),
    ("dualgate run SPEC.md --agent claude", "let an agent work until it is proven"),
)


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command for a misspelt one; click would look only at commands that are imported."""
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from dualgate.core.values.suggestion import did_you_mean

            ctx.fail(f"There is no command '{args[0]}'. {did_you_mean(args[0], COMMANDS)}".rstrip())
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Takes the help lines from the tables, so that help imports no command."""
        del ctx
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES, col_max=40)
        width = max(map(len, COMMANDS))
        listed = {name for names in GROUPS.values() for name in names}
        others = tuple(name for name in COMMANDS if name not in listed)
        for group, names in (GROUPS | ({"Others": others} if others else {})).items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:<{width}}", COMMANDS[name][1]) for name in names])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands come first: the options are only --version and --help."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dualgate", message="%(prog)s %(version)s")
@click.pass_context
def dualgate(context: click.Context) -> int | None:
    """Run a coding agent in a loop until the work is proven done.

    A phase ends only when both gates are open in one iteration: the evidence that dualgate measured itself, and the
    agent's explicit signal. 'dualgate' alone shows what to do next in the current folder.
    """
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.next_action import show_next_steps

    return show_next_steps()
