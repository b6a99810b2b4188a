"""DOCUMENT's gate: still green, and enough documents that count, one of them a decision record."""

from dualgate.core.evidence.green import why_not_green
from dualgate.core.gates.criteria import criteria_missing
from dualgate.core.values.changes import DocumentCount
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import counted, listed

NO_RECORD = "a decision record (context, decision, consequences) is missing"
_SHOWN = 8


def document_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    shut = why_not_green(facts.observed, facts.suites) + criteria_missing(facts)
    count = facts.observed.changes.document_count
    return (
        shut
        if has_enough(count, limits)
        else (*shut, f"documents: {counted_documents(count, limits)}", *_why_not(count))
    )


def has_enough(count: DocumentCount, limits: Limits) -> bool:
    return len(count.counting) >= limits.documents and has_record(count, limits)


def has_record(count: DocumentCount, limits: Limits) -> bool:
    return bool(count.records) or not limits.adr_required


def counted_documents(count: DocumentCount, limits: Limits) -> str:
    """Which documents count, and what is missing: `2 of 3: README.md, docs/usage.md; a decision record is missing`."""
    named = f": {listed(count.counting, _SHOWN)}" if count.counting else ""
    missing = "" if has_record(count, limits) else f"; {NO_RECORD}"
    return f"{len(count.counting)} of {limits.documents}{named}{missing}"


def wanted_documents(limits: Limits) -> str:
    """How many documents a run needs, in words."""
    if limits.documents < 2 and limits.adr_required:
        return "a decision record"
    record = ", one of them a decision record" if limits.adr_required else ""
    return f"{counted(limits.documents, 'document', 'documents')} about the change{record}"


def _why_not(count: DocumentCount) -> tuple[str, ...]:
    reasons = [each.sentence for each in count.others[:_SHOWN]]
    more = len(count.others) - _SHOWN
    return (*reasons, f"{more} more changed documents do not count") if more > 0 else tuple(reasons)
