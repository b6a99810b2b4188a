"""The command group. A command's module is imported when the command or its help is called."""

from importlib import import_module

import click

from dualgate import __version__

# command -> module and function, and its line in the list of commands
COMMANDS = {
    "init": ("dualgate.cli.init:init", "Set a project up: write a short dualgate.toml."),
    "new": ("dualgate.cli.new:new", "Write a specification to fill in."),
    "check": ("dualgate.cli.check:check", "Show what a specification is read as, and what is wrong with it."),
    "verify": ("dualgate.cli.verify:verify_command", "Verify a change by its tests, without an agent."),
    "run": ("dualgate.cli.run:run", "Work on a specification until it is proven done."),
    "resume": ("dualgate.cli.resume:resume", "Go on with the session of this project where it was."),
    "status": ("dualgate.cli.status:status", "Say where the session of this project stands."),
    "log": ("dualgate.cli.log:log", "Tell what happened in the session, event by event."),
    "report": ("dualgate.cli.report:report", "Report what a session did, proved and caught: a page, Markdown, JSON."),
    "replay": ("dualgate.cli.replay:replay", "Make every decision of the session again, or with other limits."),
    "sessions": ("dualgate.cli.sessions:sessions", "List sessions, put one into the archive, let go of old ones."),
    "memory": ("dualgate.cli.memory:memory", "List, search, add and forget what earlier runs showed."),
    "pause": ("dualgate.cli.intervene:pause", "Pause the run of this folder after its present turn, or now."),
    "guide": ("dualgate.cli.intervene:guide", "Tell the agent something in every prompt, until you withdraw it."),
    "reset": ("dualgate.cli.intervene:reset", "Reset a halted session, so that it can be resumed."),
    "skip": ("dualgate.cli.intervene:skip", "Let the present phase through without proof."),
    "abort": ("dualgate.cli.intervene:abort", "Give the session up."),
    "config": ("dualgate.cli.config:config", "Show the settings, and where each value came from."),
    "doctor": ("dualgate.cli.doctor:doctor", "Say whether a run could start here, and what mends it if not."),
    "agents": ("dualgate.cli.agents:agents", "Say which agents are here, and what is missing; try one."),
    "tests": ("dualgate.cli.tests:tests_command", "Run the tests as the loop would, and say what they say."),
    "analyze": ("dualgate.cli.analyze:analyze_command", "Say what an agent's answers mean, and whether to go on."),
    "prompts": ("dualgate.cli.prompts:prompts", "Show the prompts and texts that come with dualgate."),
    "parse": ("dualgate.cli.parse:parse_command", "Say what a text says as a status block, packet or state document."),
    "schema": ("dualgate.cli.schema:schema_command", "Print the JSON Schemas of these documents."),
    "snapshot": ("dualgate.cli.snapshot:snapshot", "Keep the work tree as it is, see what changed, have it back."),
    "guard": ("dualgate.cli.guard:guard", "Say what a phase does not allow of what changed since a snapshot."),
    "hook": ("dualgate.cli.hook:hook", "Answer a hook of a coding agent, such as its wish to stop."),
    "mcp": ("dualgate.cli.mcp:mcp_command", "Serve verify, tests, check and status to an agent (MCP)."),
    "demo": ("dualgate.cli.demo:demo", "Show a whole run on a small project, without a key."),
}


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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Takes the help lines from the table, so that help imports no command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dualgate", message="%(prog)s %(version)s")
def dualgate() -> None:
    """Run a coding agent in a loop until the work is proven done.

    A phase ends only when two gates hold in the same iteration: the evidence that dualgate measured itself, and the
    agent's explicit word.
    """
