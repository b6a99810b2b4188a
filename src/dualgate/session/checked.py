"""A specification -> the object of `dualgate check --json`."""

from pathlib import Path
from typing import Any

from dualgate.core.money.estimate import Estimate, estimate_document
from dualgate.core.spec.readiness import decided_workflow
from dualgate.core.values.specification import Specification
from dualgate.display.specification import specification_record
from dualgate.languages.checks import proposed_checks
from dualgate.session.document import Document
from dualgate.settings import Settings


def checked_record(
    document: Document, read: Specification, settings: Settings, project: Path, found: Estimate | None = None
) -> dict[str, Any]:
    """The reading of a specification, its other commands, the checks that the project could have, and an estimate."""
    states = document.validation_states(read, settings)
    record = specification_record(read, decided_workflow(read, settings.workflow), states)
    wanted = {"documents": settings.documents, "adr_required": settings.adr_required}
    proposed = new_checks(settings, project)
    estimated = {"estimate": estimate_document(found)} if found else {}
    return record | {"wanted": wanted, "checks": settings.checks, "proposed_checks": proposed} | estimated


def new_checks(settings: Settings, project: Path) -> dict[str, str]:
    """The checks that the files of the project name and its settings do not."""
    known = settings.checks
    found = proposed_checks(project)
    return {name: command for name, command in found.items() if name not in known and command not in known.values()}
