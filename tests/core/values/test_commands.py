import pytest

from dualgate.core.values.notation import split_command

COMMANDS = [
    ("claude -p 'two words'", ("claude", "-p", "two words")),
    ("cat | claude", ("/bin/sh", "-c", "cat | claude")),
    ("MODEL=big claude", ("/bin/sh", "-c", "MODEL=big claude")),
    ("echo $HOME", ("/bin/sh", "-c", "echo $HOME")),
    ("it's broken", ("/bin/sh", "-c", "it's broken")),
]


@pytest.mark.parametrize(("command", "words"), COMMANDS)
def test_a_shell_runs_what_only_a_shell_understands(command: str, words: tuple[str, ...]) -> None:
    assert split_command(command) == words
