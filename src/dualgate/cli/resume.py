"""dualgate resume: continue the session of this project where it stopped."""

import click

from dualgate.cli.options import setting_options


@click.command()
@setting_options
@click.option("--reset", is_flag=True, help="Reset a halted session first: close its breaker, begin its counts again.")
@click.option("--guidance", default="", metavar="TEXT", help="With --reset: what the agent is to do differently.")
@click.option(
    "--respec",
    is_flag=True,
    help="Go on with the specification as it is now; criteria that are new or changed are proven from RED on.",
)
@click.option("--keep-spec", is_flag=True, help="Go on with the specification as it was, though its file was changed.")
@click.option(
    "--yes", is_flag=True, help="Approve the commands of checks, and take the first reading of each new question."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each agent call, and one for the result.")
@click.option("--plain", is_flag=True, help="Write lines only, without the live view.")
@click.option("-q", "--quiet", is_flag=True, help="Write problems and the result only.")
def resume(
    reset: bool,
    guidance: str,
    respec: bool,
    keep_spec: bool,
    yes: bool,
    as_json: bool,
    plain: bool,
    quiet: bool,
    **flags: object,
) -> int:
    """Go on with the session of the current folder, from the last step that was finished.

    It goes on with the settings it was started with; flags that are given now come before them. A completed session
    prints its result. One that was halted because it went nowhere needs --reset. If the specification was changed,
    --respec or --keep-spec says which one counts. At a terminal it asks whether commands of checks that are not
    approved may be run, and about new questions. Exit codes are those of run.
    """
    if respec and keep_spec:
        raise click.UsageError("--respec and --keep-spec exclude each other; give one of them.")
    if guidance and not reset:
        raise click.UsageError("--guidance needs --reset; 'dualgate guide TEXT' tells the agent without a reset.")

    from dualgate.cli.resume_action import go_on, reset_first
    from dualgate.cli.run_display import style_of
    from dualgate.session.resume import Choices

    if reset:
        reset_first(guidance.strip(), as_json)
    return go_on(Choices(flags=flags, respec=respec, keep_spec=keep_spec), yes, style_of(plain, quiet, as_json))
