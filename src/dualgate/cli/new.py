"""dualgate new: write a specification to fill in."""

import click


@click.command()
@click.argument("title")
@click.option("--output", type=click.Path(), metavar="FILE", help="The file to write. Default: named after the title.")
def new(title: str, output: str | None) -> int:
    """Write a specification with this TITLE to fill in. It overwrites no file.

    'dualgate check' reports problems until you fill in the places in [CAPITALS].
    """
    from dualgate.cli.new_action import write_new

    return write_new(title, output)
