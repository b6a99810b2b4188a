import pytest

from dualgate.cli.build import load_templates
from dualgate.cli.texts import STACKS
from dualgate.core.blocks import Found, RalphStatus, read_ralph_status
from dualgate.core.prompt import prepare
from dualgate.core.ralph_prompt import EXAMPLE, render_ralph_prompt


@pytest.mark.parametrize("name", STACKS)
def test_the_example_of_the_template_is_a_report_that_goes_on(name: str) -> None:
    text = render_ralph_prompt(STACKS[name], prepare(load_templates()))

    found = read_ralph_status(text)
    assert isinstance(found, Found)
    assert found.fields == EXAMPLE
    assert found.fields != RalphStatus(exit_signal=True)
    assert STACKS[name].check in text
