"""Packet: the work report of one phase. Commands in it are text; nothing runs them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.problems import Problem, has_errors


class PacketPhase(StrEnum):
    """DOCUMENTATION is the packet of DOCUMENT; CODE_REVIEW and ARCHITECTURE are the two reviews of QA."""

    RED = "RED"
    GREEN = "GREEN"
    REFACTOR = "REFACTOR"
    CODE_REVIEW = "CODE_REVIEW"
    ARCHITECTURE = "ARCHITECTURE"
    DOCUMENTATION = "DOCUMENTATION"


class PacketStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NEEDS_FIX = "needs-fix"
    NEEDS_DIAGNOSIS = "needs-diagnosis"
    INTEGRATION_SUBTASK_CREATED = "integration-subtask-created"


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """One packet of a text. `fields` holds the legal fields by the document's names, with JSON values."""

    line: int
    complete: bool
    """Whether the packet has its last field, Notes."""
    phase: PacketPhase | None
    fields: Mapping[str, Any]
    fix_requests: tuple[FixRequest, ...] = ()
    """The readable FixRequests, typed; fields that the loop does not need may be missing in them."""
    problems: tuple[Problem, ...] = ()

    @property
    def is_valid(self) -> bool:
        return not has_errors(self.problems)
