"""text -> the blocks that agents and the loop write to each other, and back.

RALPH_STATUS is the claim, and its names are here. PRP_PHASE_STATUS is the record: `phase_text`.
Of several blocks the last complete one counts.
"""

from dualgate.core.said.blocks.ralph_text import emit_ralph_status, read_ralph_status
from dualgate.core.said.blocks.rules import (
    Measured,
    Situation,
    compared,
    contradictions,
    fitting_tests_status,
    not_honoured,
    possible_answers,
    required_answer,
    untrue,
)
from dualgate.core.said.blocks.scan import BlockKind
from dualgate.core.said.blocks.value_forms import one_line
from dualgate.core.values.claim import CheckedClaim, RalphStatus
from dualgate.core.values.problems import Found, Malformed, Missing
from dualgate.core.values.vocabulary import SuiteStatus, WorkStatus, WorkType

__all__ = [
    "BlockKind",
    "CheckedClaim",
    "Found",
    "Malformed",
    "Measured",
    "Missing",
    "RalphStatus",
    "Situation",
    "SuiteStatus",
    "WorkStatus",
    "WorkType",
    "compared",
    "contradictions",
    "emit_ralph_status",
    "fitting_tests_status",
    "not_honoured",
    "one_line",
    "possible_answers",
    "read_ralph_status",
    "required_answer",
    "untrue",
]
