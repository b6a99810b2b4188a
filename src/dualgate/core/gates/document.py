"""DOCUMENT's gate: still green, and enough documents changed, one of them a decision record."""

import re

from dualgate.core.evidence.green import why_not_green
from dualgate.core.gates.criteria import criteria_missing
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying

ADR_PATH = re.compile(r"(^|/)(adrs?|decisions)/[^/]+\.\w+$|(^|/)adr[-_]?\d+[^/]*$", re.IGNORECASE)


def document_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    documents = facts.observed.changes.documents
    has_adr = any(ADR_PATH.search(path) for path in documents)
    shut = why_not_green(facts.observed, facts.suites) + criteria_missing(facts)
    return shut + applying(
        (
            len(documents) < limits.documents,
            f"{limits.documents} documents must be new or changed; there are {len(documents)}",
        ),
        (limits.adr_required and not has_adr, "none of the documents is a decision record (docs/adr/…)"),
    )
