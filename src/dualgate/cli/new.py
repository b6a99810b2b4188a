"""dualgate new: write a specification to fill in."""

import click


@click.command()
@click.argument("title")
@click.option("--output", type=click.Path(), metavar="FILE", help="Where to write it. Default: the title, as a name.")
def new(title: str, output: str | None) -> int:
    """Write a specification with this TITLE to fill in. No file is overwritten.

    'dualgate check' refuses it until the places in [CAPITALS] are filled in.
    """
    from dualgate.cli.new_action import write_new

    return write_new(title, output)
