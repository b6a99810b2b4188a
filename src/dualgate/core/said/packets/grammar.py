"""The fields of each packet, in the order in which they are written."""

from collections.abc import Sequence

from dualgate.core.said.packets import forms, review_forms
from dualgate.core.said.packets.records import Decided, Field, Record, Requests
from dualgate.core.said.packets.sections import FIX_REQUEST, NOTES, Words
from dualgate.core.said.packets.shapes import Excerpt, Items, Remarks, Text, Word
from dualgate.core.said.packets.values import (
    PHASES,
    AgentTaskStatus,
    ArchitectureDetails,
    CaseType,
    CodeReviewDetails,
    Decision,
    Details,
    DiffInventory,
    DocumentationDetails,
    FullTaskReview,
    GreenDetails,
    IntegrationSubtask,
    IntegrationVerdict,
    Intent,
    Invariants,
    NoRefactoringDetails,
    PacketPhase,
    PacketStatus,
    RedDetails,
    RedRunStatus,
    RefactorDecision,
    RefactorDetails,
    TypeConfidence,
    TypeSource,
)
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixRequest, FixSeverity, RouteTo

_LENGTH = "(5-15 lines)"
_LAST_ONLY = "(last subtask only)"
DECISION = "Decision"
REFACTORINGS = "Refactorings Applied"
_LONG = Text(lines=True)

COMMON = (
    Field(name="Phase", attribute="phase", shape=forms.PHASE),
    Field(name="Status", attribute="status", shape=Word(allowed=PacketStatus)),
    Field(name="Test file", attribute="test_file", shape=Text()),
    Field(name="Test command", attribute="test_command", shape=Text()),
    Field(name="Changed files", attribute="changed_files", shape=Items(item=forms.CHANGED_FILE, may_be_empty=True)),
)
CLOSING = (Field(name=NOTES, attribute="notes", shape=Remarks(), gap=True),)

_INTENT = Record(
    type=Intent,
    fields=(
        Field(name="Summary", attribute="summary", shape=_LONG),
        Field(name="Given", attribute="given", shape=_LONG),
        Field(name="When", attribute="when", shape=_LONG),
        Field(name="Then", attribute="then", shape=_LONG),
        Field(name="Contract surface", attribute="contract_surface", shape=_LONG),
        Field(name="Non-goals", attribute="non_goals", shape=_LONG),
        Field(name="Edge cases covered", attribute="edge_cases", shape=_LONG),
    ),
)
_RED = (
    Field(name="AgentTaskStatus", attribute="agent_task_status", shape=Word(allowed=AgentTaskStatus), gap=True),
    Field(name="TestRunStatus", attribute="run_status", shape=Word(allowed=RedRunStatus)),
    Field(name="Test type", attribute="case_type", shape=Word(allowed=CaseType)),
    Field(name="Type source", attribute="type_source", shape=Word(allowed=TypeSource)),
    Field(name="Confidence", attribute="confidence", shape=Word(allowed=TypeConfidence)),
    Field(name="Type Selection Reasoning", attribute="type_reasoning", shape=_LONG, gap=True),
    Field(name="Failure Excerpt", attribute="failure_excerpt", shape=Excerpt(), hint=_LENGTH, gap=True),
    Field(
        name="What tests verify",
        attribute="verifies",
        shape=Items(item=forms.WORDS, bullet="- Test {}: "),
        gap=True,
    ),
    Field(name="TestIntent", attribute="intent", shape=_INTENT, gap=True),
)

_INVENTORY = Record(
    type=DiffInventory,
    lead="- ",
    fields=(
        Field(name="New exports", attribute="new_exports", shape=forms.NAMES),
        Field(name="Modified exports", attribute="modified_exports", shape=forms.NAMES),
        Field(name="Internal only", attribute="internal_only", shape=forms.NAMES),
    ),
)
_GREEN = (
    Field(name="Diff inventory", attribute="diff_inventory", shape=_INVENTORY, gap=True),
    Field(name="Success Excerpt", attribute="success_excerpt", shape=Excerpt(), hint=_LENGTH, gap=True),
)

_INVARIANTS = Record(
    type=Invariants,
    lead="- ",
    fields=(
        Field(name="Module interfaces", attribute="module_interfaces", shape=_LONG),
        Field(name="Data structures", attribute="data_structures", shape=_LONG),
        Field(name="Side effects", attribute="side_effects", shape=_LONG),
    ),
)
_REFACTOR = (
    Field(name=REFACTORINGS, attribute="refactorings", shape=Items(item=forms.REFACTORING), gap=True),
    Field(name="Preserved Invariants", attribute="invariants", shape=_INVARIANTS, gap=True),
    Field(name="Test Verification Excerpt", attribute="excerpt", shape=Excerpt(), hint=_LENGTH, gap=True),
)
_NO_REFACTORING = (
    Field(
        name=DECISION,
        attribute="decision",
        shape=Decided(
            type=Decision,
            word=Field(name="Decision", attribute="decision", shape=Word(allowed=RefactorDecision)),
            reasons=Field(name="Reasons", attribute="reasons", shape=Items(item=forms.WORDS)),
        ),
        gap=True,
    ),
    Field(name="Preserved Invariants", attribute="invariants", shape=Items(item=forms.WORDS), gap=True),
    Field(
        name="Test Verification Excerpt",
        attribute="excerpt",
        shape=Excerpt(),
        hint=_LENGTH,
        required=False,
        gap=True,
    ),
)

REQUEST = Record(
    type=FixRequest,
    lead="- ",
    fields=(
        Field(name="id", attribute="id", shape=forms.REQUEST_ID_LINE),
        Field(name="file", attribute="file", shape=Text()),
        Field(name="location", attribute="location", shape=Text()),
        Field(name="severity", attribute="severity", shape=Word(allowed=FixSeverity)),
        Field(name="category", attribute="category", shape=Word(allowed=FixCategory)),
        Field(name="description", attribute="description", shape=_LONG),
        Field(name="proposedFix", attribute="proposed_fix", shape=_LONG),
        Field(name="verificationCommand", attribute="verification_command", shape=Text()),
        Field(name="routeTo", attribute="route_to", shape=Word(allowed=RouteTo)),
        Field(name="confidence", attribute="confidence", shape=Word(allowed=FixConfidence)),
        Field(name="rationale", attribute="rationale", shape=_LONG),
        Field(name="dependsOn", attribute="depends_on", shape=forms.DEPENDS_ON),
    ),
)
REQUESTS = Field(name=FIX_REQUEST, attribute="fix_requests", shape=Requests(record=REQUEST), gap=True)
_CODE_REVIEW = (
    Field(name="Files reviewed", attribute="files_reviewed", shape=forms.INTEGER_LINE, gap=True),
    Field(name="Test Verification", attribute="verification", shape=Excerpt(), gap=True),
    Field(name="Issues Found", attribute="issues", shape=review_forms.ISSUE_COUNTS, gap=True),
    REQUESTS,
    Field(
        name="Minor Issues",
        attribute="minor_issues",
        shape=Items(item=review_forms.MINOR_ISSUE, may_be_empty=True),
        hint="(non-blocking)",
        required=False,
        gap=True,
    ),
)

_VERDICT = Record(
    type=IntegrationVerdict,
    lead="- ",
    fields=(
        Field(name="Structure compliance", attribute="structure", shape=review_forms.STRUCTURE),
        Field(name="Integration status", attribute="integration", shape=review_forms.INTEGRATION),
        Field(name="Full Task Review", attribute="full_review", shape=Word(allowed=FullTaskReview)),
    ),
)
_SUBTASK = Record(
    type=IntegrationSubtask,
    fields=(
        Field(name="ID", attribute="id", shape=Text()),
        Field(name="Title", attribute="title", shape=Text()),
        Field(name="Dependencies", attribute="dependencies", shape=forms.NAMES),
    ),
)
_ARCHITECTURE = (
    Field(name="Context", attribute="context", shape=review_forms.REVIEW_CONTEXT, gap=True),
    Field(name="Files reviewed", attribute="files_reviewed", shape=forms.INTEGER_LINE),
    Field(name="IntegrationVerdict", attribute="verdict", shape=_VERDICT, gap=True),
    REQUESTS,
    Field(
        name="Integration Subtask",
        attribute="subtask",
        shape=_SUBTASK,
        hint="(if created)",
        required=False,
        gap=True,
    ),
)

_DOCUMENTATION = (
    Field(name="Context", attribute="context", shape=review_forms.TASK_CONTEXT, gap=True),
    Field(name="Modules affected", attribute="modules", shape=review_forms.MODULES),
    Field(name="Last subtask", attribute="last_subtask", shape=forms.YES_NO),
    Field(name="Task-Master Update", attribute="update", shape=review_forms.TASK_MASTER, gap=True),
    Field(
        name="Module Documentation",
        attribute="module_documents",
        shape=Items(item=review_forms.MODULE_DOCUMENT, bullet="", indent="  ", may_be_empty=True),
        hint=_LAST_ONLY,
        required=False,
        gap=True,
    ),
    Field(
        name="Root Documentation",
        attribute="root",
        shape=review_forms.ROOT_LINKS,
        hint=_LAST_ONLY,
        required=False,
        gap=True,
    ),
)

TABLES: dict[type[Details], tuple[Field, ...]] = {
    RedDetails: _RED,
    GreenDetails: _GREEN,
    RefactorDetails: _REFACTOR,
    NoRefactoringDetails: _NO_REFACTORING,
    CodeReviewDetails: _CODE_REVIEW,
    ArchitectureDetails: _ARCHITECTURE,
    DocumentationDetails: _DOCUMENTATION,
}


def _words(extension: Sequence[Field]) -> Words:
    known = {field.name.casefold(): field.name for field in (*COMMON, *extension, *CLOSING)}
    return Words(
        known=known,
        excerpts=frozenset(field.name for field in extension if isinstance(field.shape, Excerpt)),
        foreign=frozenset(field.name.casefold() for table in TABLES.values() for field in table) - known.keys(),
    )


WORDS = {
    phase: _words([field for kind, table in TABLES.items() if PHASES[kind] is phase for field in table])
    for phase in PacketPhase
}
# where the phase is no phase, no field is called unknown
ANY_WORDS = _words([field for table in TABLES.values() for field in table])
