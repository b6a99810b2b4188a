"""The action of check: read a specification, show the table, and say how to go on."""

import os
import shlex
import sys

from dualgate.cli.options import settings_from
from dualgate.cli.output import columns_of, here, say_json, show
from dualgate.cli.sources import read_source
from dualgate.core.money.estimate import Estimate
from dualgate.core.spec.readiness import decided_workflow
from dualgate.core.values.problems import has_errors
from dualgate.core.values.specification import Specification
from dualgate.display.specification import (
    cost_lines,
    documents_line,
    next_lines,
    proposal_lines,
    remark_lines,
    separated,
    specification_lines,
)
from dualgate.errors import ExitCode
from dualgate.session.checked import checked_record, new_checks
from dualgate.session.document import COMMAND_LINE, STANDARD_INPUT, Document
from dualgate.session.forecast import forecast, size_of_work
from dualgate.session.team import choice_for
from dualgate.settings import Settings
from dualgate.settings.limits import limits_of
from dualgate.store.work_trees import session_folders

SOURCES = {COMMAND_LINE: "-p …", STANDARD_INPUT: "-"}


def check_spec(spec: str | None, prompt: str | None, workflow: str | None, as_json: bool) -> int:
    settings = settings_from({"workflow": workflow}).settings
    document = read_source(spec, prompt, here(), settings)
    read = document.read(settings)
    decided = decided_workflow(read, settings.workflow)
    found = forecast(settings, decided, size_of_work(read, decided), session_folders(here(), os.environ))
    if as_json:
        say_json(checked_record(document, read, settings, here(), found))
    else:
        _show(document, read, settings, workflow, found)
    return ExitCode.PROVEN if read.is_ready else ExitCode.ERROR


def _show(document: Document, read: Specification, settings: Settings, workflow: str | None, found: Estimate) -> None:
    columns = columns_of(sys.stdout)
    unapproved = document.unapproved_commands(read, settings)
    decided = decided_workflow(read, settings.workflow)
    flag = f" --workflow {workflow}" if workflow else ""
    parts = (
        specification_lines(read, document.name, decided, columns, document.validation_states(read, settings)),
        remark_lines(read, document.name, unapproved, columns),
        proposal_lines(new_checks(settings, here()), columns),
        [
            *cost_lines(decided, found, columns),
            *documents_line(decided, limits_of(settings)),
            *next_lines(_way_on(document, read, settings, bool(unapproved), flag), columns),
        ],
    )
    show(separated(parts))


def _way_on(document: Document, read: Specification, settings: Settings, asks: bool, flag: str) -> list[str]:
    """The command that goes on: check again after the problems are fixed, else run."""
    source = SOURCES.get(document.name) or shlex.quote(document.name)
    if has_errors(read.problems):
        return [f"fix the problems, then: dualgate check {source}{flag}"]
    chosen = choice_for(settings)
    run = f"dualgate run {source}{flag}{'' if chosen.agent or chosen.command else ' --agent NAME'}"
    if not asks and not read.questions:
        return [run]
    return [run, "it asks first; --yes takes the first readings and approves the commands"]
