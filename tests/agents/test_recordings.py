"""Every recorded output of every agent is read as was written down beside it."""

import pytest

from tests.agents.recordings import DATA, Recording, assert_read_rightly, recordings

RECORDED = [each for index in sorted(DATA.glob("*/index.json")) for each in recordings(index.parent.name)]


@pytest.mark.parametrize("recorded", RECORDED, ids=str)
def test_a_recorded_output_is_read_rightly(recorded: Recording) -> None:
    assert_read_rightly(recorded)
