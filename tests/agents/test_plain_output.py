"""Agents without a form of their own: their output is plain text, and how the process ended is all that is known."""

import pytest

from tests.agents.recordings import Recording, assert_read_rightly, recordings


@pytest.mark.parametrize("recording", [*recordings("aider"), *recordings("mini")], ids=str)
def test_a_recorded_output_is_read_as_plain_text(recording: Recording) -> None:
    assert_read_rightly(recording)
