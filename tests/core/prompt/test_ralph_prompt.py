import pytest

from dualgate.cli.prompts_action import STACKS
from dualgate.core.prompt.writing import EXAMPLE, prepare, render_ralph_prompt
from dualgate.core.said.blocks import Found, read_ralph_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.prompts import load_templates


@pytest.mark.parametrize("name", STACKS)
def test_the_example_of_the_template_is_a_report_that_goes_on(name: str) -> None:
    text = render_ralph_prompt(STACKS[name], prepare(load_templates()))

    found = read_ralph_status(text)
    assert isinstance(found, Found)
    assert found.fields == EXAMPLE
    assert found.fields != RalphStatus(exit_signal=True)
    assert STACKS[name].check in text
