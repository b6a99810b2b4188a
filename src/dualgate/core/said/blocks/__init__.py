"""text <-> the blocks that agents and dualgate exchange.

RALPH_STATUS is the agent's claim, exported here. PRP_PHASE_STATUS is dualgate's record: see `phase_text`.
If a text holds several blocks, the last complete one counts.
"""

from dualgate.core.said.blocks.origin import status_form, why_not_of_this_call
from dualgate.core.said.blocks.ralph_text import emit_ralph_status, read_ralph_status
from dualgate.core.said.blocks.rules import contradictions, fitting_tests_status, not_honoured, required_answer
from dualgate.core.said.blocks.scan import BlockKind
from dualgate.core.said.blocks.value_forms import one_line
from dualgate.core.values.problems import Found, Malformed, Missing
from dualgate.core.values.ralph_status import CheckedClaim, RalphStatus
from dualgate.core.values.vocabulary import SuiteStatus, WorkStatus, WorkType

__all__ = [
    "BlockKind",
    "CheckedClaim",
    "Found",
    "Malformed",
    "Missing",
    "RalphStatus",
    "SuiteStatus",
    "WorkStatus",
    "WorkType",
    "contradictions",
    "emit_ralph_status",
    "fitting_tests_status",
    "not_honoured",
    "one_line",
    "read_ralph_status",
    "required_answer",
    "status_form",
    "why_not_of_this_call",
]
