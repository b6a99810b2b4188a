"""Stack -> PROMPT.md: what an agent is told in a loop over a task list, with the report it must give each time."""

from typing import TYPE_CHECKING

from dualgate.core.said.blocks import emit_ralph_status
from dualgate.core.values.claim import RalphStatus
from dualgate.core.values.suite import Stack
from dualgate.core.values.vocabulary import SuiteStatus, WorkStatus, WorkType

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATE = "ralph.md"
GENERIC = Stack(
    name="generic",
    sign="",
    install="[command that installs what the project needs]",
    test="[command that runs all tests]",
    check="[command that checks format and types]",
    layout="[where code and tests are]",
)
EXAMPLE = RalphStatus(
    status=WorkStatus.IN_PROGRESS,
    tasks_completed=1,
    files_modified=3,
    tests_status=SuiteStatus.PASSING,
    work_type=WorkType.IMPLEMENTATION,
    exit_signal=False,
    recommendation="Next: check the input of the login form",
)


def render_ralph_prompt(stack: Stack, templates: "Environment") -> str:
    """The template for one stack. Its example is a report that goes on, so that quoting it ends nothing."""
    return templates.get_template(TEMPLATE).render(stack=stack, example=emit_ralph_status(EXAMPLE))
