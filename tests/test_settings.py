import pytest

from dualgate.errors import SettingError
from dualgate.settings import Source, resolve


def test_flags_win_over_the_environment_and_that_over_defaults() -> None:
    environment = {"DUALGATE_MAX_ITERATIONS": "7", "DUALGATE_AGENT": "rehearsal", "OTHER": "x"}

    found = resolve(environment, {"max_iterations": 3, "agent": None, "unknown": 1})

    assert (found.settings.max_iterations, found.settings.agent, found.settings.retry_delay) == (3, "rehearsal", 5.0)
    assert (found.sources["max_iterations"], found.sources["agent"], found.sources["retry_delay"]) == (
        Source.FLAG,
        Source.ENVIRONMENT,
        Source.DEFAULT,
    )


def test_an_agent_named_by_a_flag_beats_the_other_way_of_naming_one() -> None:
    settings = resolve({"DUALGATE_AGENT": "rehearsal"}, {"agent_command": "my-agent"}).settings

    assert (settings.agent, settings.agent_command) == (None, "my-agent")


@pytest.mark.parametrize(
    ("name", "text"),
    [("TEST_TIMEOUT", "soon"), ("TEST_TIMEOUT", "nan"), ("MAX_ITERATIONS", "-3"), ("RETRY_DELAY", "inf")],
)
def test_a_number_that_is_none_is_refused_with_the_name_of_the_variable(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=f"DUALGATE_{name} is '{text}'"):
        resolve({f"DUALGATE_{name}": text}, {})
