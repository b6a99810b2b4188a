"""dualgate resume: continue the session of this project where it stopped."""

import click

from dualgate.cli.options import setting_options


@click.command()
@setting_options
@click.option(
    "--respec",
    is_flag=True,
    help="Go on by the specification as it is now; criteria that are new or others are proven from RED on.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each agent call, and one for the result.")
def resume(respec: bool, as_json: bool, **flags: object) -> int:
    """Go on with the session of the current folder, from the last step that was finished.

    It goes on with the settings it was started with; flags that are given now come before them. A completed session
    prints its result. One that was halted because it went nowhere waits for 'dualgate reset'. Exit codes are those
    of run.
    """
    from dualgate.cli.resume_action import go_on

    return go_on(flags, respec, as_json)
