"""FixRequest: a fix that a review asks for. Its command is a claim: kept as text, never run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

REQUEST_ID = re.compile(r"FR-[0-9]{1,9}")


class FixSeverity(StrEnum):
    """Severities, in the order of work."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


class FixCategory(StrEnum):
    TYPE_SAFETY = "type-safety"
    ERROR_HANDLING = "error-handling"
    SECURITY = "security"
    CLEAN_CODE = "clean-code"
    STYLE = "style"
    INTEGRATION = "integration"
    STRUCTURE = "structure"
    CIRCULAR_DEP = "circular-dep"
    CONVENTION = "convention"


class RouteTo(StrEnum):
    IMPLEMENTER = "implementer"
    REFACTORER = "refactorer"


class FixConfidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


# the implementer changes behaviour, the refactorer only structure
CATEGORY_ROUTES = {
    FixCategory.TYPE_SAFETY: RouteTo.IMPLEMENTER,
    FixCategory.ERROR_HANDLING: RouteTo.IMPLEMENTER,
    FixCategory.SECURITY: RouteTo.IMPLEMENTER,
    FixCategory.INTEGRATION: RouteTo.IMPLEMENTER,
    FixCategory.CLEAN_CODE: RouteTo.REFACTORER,
    FixCategory.STYLE: RouteTo.REFACTORER,
    FixCategory.STRUCTURE: RouteTo.REFACTORER,
    FixCategory.CIRCULAR_DEP: RouteTo.REFACTORER,
    FixCategory.CONVENTION: RouteTo.REFACTORER,
}
# where a request names no category
_CATEGORIES = {RouteTo.IMPLEMENTER: FixCategory.ERROR_HANDLING, RouteTo.REFACTORER: FixCategory.CLEAN_CODE}


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRequest:
    id: str
    file: str
    location: str
    severity: FixSeverity
    category: FixCategory
    description: str
    proposed_fix: str
    verification_command: str
    route_to: RouteTo
    confidence: FixConfidence
    rationale: str
    depends_on: tuple[str, ...] = ()

    @property
    def is_blocking(self) -> bool:
        return self.severity is not FixSeverity.MINOR


def fix_request(fields: Mapping[str, Any]) -> FixRequest:
    """Build a FixRequest from the fields of a packet's block; those that the loop does not need may be missing."""
    return FixRequest(
        id=fields["id"],
        file=fields["file"],
        location=fields["location"],
        severity=FixSeverity(fields["severity"]),
        category=FixCategory(fields.get("category") or _CATEGORIES[RouteTo(fields["routeTo"])]),
        description=fields["description"],
        proposed_fix=fields["proposedFix"],
        verification_command=fields.get("verificationCommand", ""),
        route_to=RouteTo(fields["routeTo"]),
        confidence=FixConfidence(fields.get("confidence", FixConfidence.MEDIUM)),
        rationale=fields.get("rationale", ""),
        depends_on=tuple(fields.get("dependsOn", ())),
    )
