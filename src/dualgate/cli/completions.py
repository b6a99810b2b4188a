"""dualgate completions: print the script with which a shell completes commands, options and values."""

import os
from pathlib import Path

import click

from dualgate.cli.words import OneOf

VARIABLE = "_DUALGATE_COMPLETE"
"""The variable by which click is asked for completions; it follows from the name of the program."""


@click.command()
@click.argument("shell", type=OneOf(("bash", "zsh", "fish")))
@click.pass_context
def completions(context: click.Context, shell: str) -> int:
    """Print the completions for SHELL: bash, zsh or fish.

    \b
    bash:  echo 'eval "$(dualgate completions bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(dualgate completions zsh)"' >> ~/.zshrc
    fish:  dualgate completions fish > ~/.config/fish/completions/dualgate.fish
    """
    from click.shell_completion import get_completion_class

    from dualgate.processes.outside import path_outside

    # click asks bash for its version
    os.environ["PATH"] = path_outside(Path.cwd(), os.environ)
    program = context.find_root()
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(program.command, {}, "dualgate", VARIABLE).source())
    return 0
