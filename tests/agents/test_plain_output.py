"""Agents without a form of their own: their output is plain text, and how the process ended is all that is known."""

import pytest

from tests.agents.recorded import Recording, read, recordings, shown


@pytest.mark.parametrize("recording", [*recordings("aider"), *recordings("mini")], ids=str)
def test_a_recorded_output_is_read_as_plain_text(recording: Recording) -> None:
    assert shown(read(recording)) == recording.expected
