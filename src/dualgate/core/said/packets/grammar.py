"""The fields of each packet, in the order of writing."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dualgate.core.said.packets import phrases
from dualgate.core.said.packets.fields import PacketField, RequestBlocks, Subfields
from dualgate.core.said.packets.forms import Bullets, Excerpt, Prose, Remarks, WithReasons
from dualgate.core.said.packets.packet import PacketPhase, PacketStatus
from dualgate.core.said.packets.sections import FIX_REQUEST, NOTES, Keys
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixSeverity, RouteTo

Table = tuple[PacketField, ...]
DECISION = "Decision"
REFACTORINGS = "Refactorings Applied"
_LENGTH = "(5-15 lines)"
_LAST_ONLY = "(last subtask only)"
_LINE, _LONG = Prose(), Prose(lines=True)

_COMMON: Table = (
    PacketField("Phase", phrases.PHASE),
    PacketField("Status", phrases.one_of(*PacketStatus)),
    PacketField("Test file", _LINE),
    PacketField("Test command", _LINE),
    PacketField("Changed files", Bullets(item=phrases.CHANGED_FILE, may_be_empty=True)),
)
_CLOSING: Table = (PacketField(NOTES, Remarks(), gap=True),)

_INTENT: Table = (
    PacketField("Summary", _LONG),
    PacketField("Given", _LONG),
    PacketField("When", _LONG),
    PacketField("Then", _LONG),
    PacketField("Contract surface", _LONG),
    PacketField("Non-goals", _LONG),
    PacketField("Edge cases covered", _LONG),
)
_RED: Table = (
    PacketField("AgentTaskStatus", phrases.one_of("completed", "failed"), gap=True),
    PacketField("TestRunStatus", phrases.one_of("failed")),
    PacketField("Test type", phrases.one_of("Unit", "Integration")),
    PacketField("Type source", phrases.one_of("directive", "task-master", "heuristics", "user")),
    PacketField("Confidence", phrases.one_of("high", "medium")),
    PacketField("Type Selection Reasoning", _LONG, gap=True),
    PacketField("Failure Excerpt", Excerpt(), hint=_LENGTH, gap=True),
    PacketField("What tests verify", Bullets(item=phrases.WORDS, bullet="- Test {}: "), gap=True),
    PacketField("TestIntent", Subfields(fields=_INTENT), gap=True),
)

_INVENTORY: Table = (
    PacketField("New exports", phrases.NAMES),
    PacketField("Modified exports", phrases.NAMES),
    PacketField("Internal only", phrases.NAMES),
)
_GREEN: Table = (
    PacketField("Diff inventory", Subfields(fields=_INVENTORY, lead="- "), gap=True),
    PacketField("Success Excerpt", Excerpt(), hint=_LENGTH, gap=True),
)

_INVARIANTS: Table = (
    PacketField("Module interfaces", _LONG),
    PacketField("Data structures", _LONG),
    PacketField("Side effects", _LONG),
)
_REFACTOR: Table = (
    PacketField(REFACTORINGS, Bullets(item=phrases.REFACTORING), gap=True),
    PacketField("Preserved Invariants", Subfields(fields=_INVARIANTS, lead="- "), gap=True),
    PacketField("Test Verification Excerpt", Excerpt(), hint=_LENGTH, gap=True),
)
_SENTENCES = Bullets(item=phrases.WORDS)
_NO_REFACTORING: Table = (
    PacketField(DECISION, WithReasons(word=phrases.one_of("No Refactoring Needed"), reasons=_SENTENCES), gap=True),
    PacketField("Preserved Invariants", _SENTENCES, gap=True),
    PacketField("Test Verification Excerpt", Excerpt(), hint=_LENGTH, required=False, gap=True),
)

OF_SHORT_USE = frozenset({"category", "verificationCommand", "confidence", "rationale", "dependsOn"})
REQUEST = Subfields(
    lead="- ",
    fields=(
        PacketField("id", phrases.FIX_ID),
        PacketField("file", _LINE),
        PacketField("location", _LINE),
        PacketField("severity", phrases.one_of(*FixSeverity)),
        PacketField("category", phrases.one_of(*FixCategory)),
        PacketField("description", _LONG),
        PacketField("proposedFix", _LONG),
        PacketField("verificationCommand", _LINE),
        PacketField("routeTo", phrases.one_of(*RouteTo)),
        PacketField("confidence", phrases.one_of(*FixConfidence)),
        PacketField("rationale", _LONG),
        PacketField("dependsOn", phrases.DEPENDS_ON),
    ),
)
SHORT_REQUEST = Subfields(
    lead="- ", fields=tuple(replace(field, required=field.name not in OF_SHORT_USE) for field in REQUEST.fields)
)
"""A FixRequest as the loop reads it: the fields that it does not need may be missing."""
_REQUESTS = PacketField(FIX_REQUEST, RequestBlocks(block=REQUEST), gap=True)
_MINOR_ISSUES = Bullets(item=phrases.MINOR_ISSUE, may_be_empty=True)
_CODE_REVIEW: Table = (
    PacketField("Files reviewed", phrases.COUNT, gap=True),
    PacketField("Test Verification", Excerpt(), gap=True),
    PacketField("Issues Found", phrases.ISSUE_COUNTS, gap=True),
    _REQUESTS,
    PacketField("Minor Issues", _MINOR_ISSUES, hint="(non-blocking)", required=False, gap=True),
)

_VERDICT: Table = (
    PacketField("Structure compliance", phrases.STRUCTURE),
    PacketField("Integration status", phrases.INTEGRATION),
    PacketField("Full Task Review", phrases.one_of("performed", "skipped (not last subtask)")),
)
_SUBTASK: Table = (
    PacketField("ID", _LINE),
    PacketField("Title", _LINE),
    PacketField("Dependencies", phrases.NAMES),
)
_ARCHITECTURE: Table = (
    PacketField("Context", phrases.REVIEW_CONTEXT, gap=True),
    PacketField("Files reviewed", phrases.COUNT),
    PacketField("IntegrationVerdict", Subfields(fields=_VERDICT, lead="- "), gap=True),
    _REQUESTS,
    PacketField("Integration Subtask", Subfields(fields=_SUBTASK), hint="(if created)", required=False, gap=True),
)

_DOCUMENTS = Bullets(item=phrases.MODULE_DOCUMENT, bullet="", indent="  ", may_be_empty=True)
_DOCUMENTATION: Table = (
    PacketField("Context", phrases.TASK_CONTEXT, gap=True),
    PacketField("Modules affected", phrases.MODULES),
    PacketField("Last subtask", phrases.YES_NO),
    PacketField("Task-Master Update", phrases.TASK_MASTER, gap=True),
    PacketField("Module Documentation", _DOCUMENTS, hint=_LAST_ONLY, required=False, gap=True),
    PacketField("Root Documentation", phrases.ROOT_LINKS, hint=_LAST_ONLY, required=False, gap=True),
)

# only REFACTOR has two forms
TABLES: tuple[tuple[PacketPhase, Table], ...] = tuple(
    (phase, (*_COMMON, *extension, *_CLOSING))
    for phase, extension in (
        (PacketPhase.RED, _RED),
        (PacketPhase.GREEN, _GREEN),
        (PacketPhase.REFACTOR, _REFACTOR),
        (PacketPhase.REFACTOR, _NO_REFACTORING),
        (PacketPhase.CODE_REVIEW, _CODE_REVIEW),
        (PacketPhase.ARCHITECTURE, _ARCHITECTURE),
        (PacketPhase.DOCUMENTATION, _DOCUMENTATION),
    )
)


def table_for(phase: PacketPhase | None, given: Mapping[str, object]) -> Table:
    """The fields that a packet must hold; only the common fields if the phase is invalid."""
    tables = [table for its_phase, table in TABLES if its_phase is phase]
    if not tables:
        return (*_COMMON, *_CLOSING)
    return tables[-1] if DECISION in given else tables[0]


def _keys(tables: Iterable[Table]) -> Keys:
    known = {field.name.casefold(): field for table in tables for field in table}
    return Keys(
        known={folded: field.name for folded, field in known.items()},
        excerpts=frozenset(field.name for field in known.values() if isinstance(field.form, Excerpt)),
        foreign=frozenset(field.name.casefold() for _, table in TABLES for field in table) - known.keys(),
    )


KEYS = {phase: _keys(table for its_phase, table in TABLES if its_phase is phase) for phase in PacketPhase}
# with an invalid phase, the fields of all phases are known
ANY_KEYS = _keys(table for _, table in TABLES)
