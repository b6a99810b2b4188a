"""What the packet of each phase says, as values. Commands in it are text that an agent wrote, and nothing runs them."""

import re
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.values.fix_request import FixRequest


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


class AgentTaskStatus(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"


class RedRunStatus(StrEnum):
    """RED ends with a test that was seen to fail, so there is one word only."""

    FAILED = "failed"


class CaseType(StrEnum):
    UNIT = "Unit"
    INTEGRATION = "Integration"


class TypeSource(StrEnum):
    DIRECTIVE = "directive"
    TASK_MASTER = "task-master"
    HEURISTICS = "heuristics"
    USER = "user"


class TypeConfidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"


class RefactorDecision(StrEnum):
    NO_REFACTORING_NEEDED = "No Refactoring Needed"


class FullTaskReview(StrEnum):
    PERFORMED = "performed"
    SKIPPED = "skipped (not last subtask)"


class DocumentState(StrEnum):
    CREATED = "created"
    UPDATED = "updated"


class LinkState(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    file: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What RED's tests mean, for those who make them pass."""

    summary: str
    given: str
    when: str
    then: str
    contract_surface: str
    non_goals: str
    edge_cases: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedDetails:
    agent_task_status: AgentTaskStatus
    run_status: RedRunStatus
    case_type: CaseType
    type_source: TypeSource
    confidence: TypeConfidence
    type_reasoning: str
    failure_excerpt: str
    verifies: tuple[str, ...]
    intent: Intent


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffInventory:
    new_exports: tuple[str, ...]
    modified_exports: tuple[str, ...]
    internal_only: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GreenDetails:
    diff_inventory: DiffInventory
    success_excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refactoring:
    kind: str
    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariants:
    module_interfaces: str
    data_structures: str
    side_effects: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefactorDetails:
    refactorings: tuple[Refactoring, ...]
    invariants: Invariants
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    decision: RefactorDecision
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRefactoringDetails:
    decision: Decision
    invariants: tuple[str, ...]
    excerpt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueCounts:
    critical: int
    major: int
    minor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MinorIssue:
    location: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReviewDetails:
    files_reviewed: int
    verification: str
    issues: IssueCounts
    fix_requests: tuple[FixRequest, ...] = ()
    minor_issues: tuple[MinorIssue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskContext:
    task: str
    subtask: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContext:
    task: str
    subtask: str
    last_subtask: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationVerdict:
    """`structure` is "passed" or the issue; `integration` is "all connected" or counts the orphans."""

    structure: str
    integration: str
    full_review: FullTaskReview

    @property
    def orphaned(self) -> int:
        count = re.match(r"[0-9]+", self.integration)
        return int(count[0]) if count else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationSubtask:
    id: str
    title: str
    dependencies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchitectureDetails:
    context: ReviewContext
    files_reviewed: int
    verdict: IntegrationVerdict
    fix_requests: tuple[FixRequest, ...] = ()
    subtask: IntegrationSubtask | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulesAffected:
    count: int
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMasterUpdate:
    subtask: str
    files: int
    modules: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleDocument:
    file: str
    state: DocumentState


@dataclass(frozen=True, slots=True, kw_only=True)
class RootLinks:
    links: int
    state: LinkState


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentationDetails:
    context: TaskContext
    modules: ModulesAffected
    last_subtask: bool
    update: TaskMasterUpdate
    module_documents: tuple[ModuleDocument, ...] = ()
    root: RootLinks | None = None


Details = (
    RedDetails
    | GreenDetails
    | RefactorDetails
    | NoRefactoringDetails
    | CodeReviewDetails
    | ArchitectureDetails
    | DocumentationDetails
)

PHASES: dict[type[Details], PacketPhase] = {
    RedDetails: PacketPhase.RED,
    GreenDetails: PacketPhase.GREEN,
    RefactorDetails: PacketPhase.REFACTOR,
    NoRefactoringDetails: PacketPhase.REFACTOR,
    CodeReviewDetails: PacketPhase.CODE_REVIEW,
    ArchitectureDetails: PacketPhase.ARCHITECTURE,
    DocumentationDetails: PacketPhase.DOCUMENTATION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """The work report of one phase. `notes` is empty where the agent wrote none."""

    status: PacketStatus
    test_file: str
    test_command: str
    changed_files: tuple[ChangedFile, ...]
    details: Details
    notes: str = ""

    @property
    def phase(self) -> PacketPhase:
        return PHASES[type(self.details)]

    @property
    def fix_requests(self) -> tuple[FixRequest, ...]:
        match self.details:
            case CodeReviewDetails(fix_requests=requests) | ArchitectureDetails(fix_requests=requests):
                return requests
        return ()
