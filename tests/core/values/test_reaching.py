"""Commands in texts for people: with --worktree they work from the folder that the person is in."""

import pytest

from dualgate.core.values.reaching import reaching

TEXTS = [
    ("Continue with: dualgate resume --reset", "Continue with: dualgate resume --worktree x --reset"),
    ("'dualgate log show' and dualgate log", "'dualgate log show --worktree x' and dualgate log --worktree x"),
    ("dualgate snapshot restore 17", "dualgate snapshot restore --worktree x 17"),
    ("dualgate status --worktree y", "dualgate status --worktree y"),
    ("dualgate sessions --all", "dualgate sessions --all"),
    ("dualgate worktrees restore x", "dualgate worktrees restore x"),
    ("dualgate run SPEC.md", "dualgate run SPEC.md"),
    ("dualgate reports the cost", "dualgate reports the cost"),
    ("mydualgate status", "mydualgate status"),
]


@pytest.mark.parametrize(("before", "after"), TEXTS)
def test_each_command_that_takes_the_name_gets_it(before: str, after: str) -> None:
    assert reaching(before, "x") == after


def test_without_a_name_a_text_stays_as_it_is() -> None:
    assert reaching("dualgate resume", "") == "dualgate resume"
