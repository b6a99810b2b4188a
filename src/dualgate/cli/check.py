"""dualgate check: what a specification is read as, before money is spent on it."""

import click

from dualgate.cli.sources import require_one, spec_arguments
from dualgate.cli.words import OneOf
from dualgate.settings.keys import KEYS


@click.command()
@spec_arguments
@click.option("--workflow", type=OneOf(KEYS["workflow"].kind.words), help="Read it for this workflow.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(spec: str | None, prompt: str | None, workflow: str | None, as_json: bool) -> int:
    """Show how SPEC is read, its problems and open questions, and the least number of calls. - is standard input.

    Runs and writes nothing. Exit codes: 0 a run can start from it, 1 problems or open questions.
    """
    require_one(spec=spec, prompt=prompt)

    from dualgate.cli.check_action import check_spec

    return check_spec(spec, prompt, workflow, as_json)
