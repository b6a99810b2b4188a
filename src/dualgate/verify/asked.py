"""The further questions of a verification besides the tests: the criteria of a specification, and a session's proof."""

from collections.abc import Mapping
from pathlib import Path

from dualgate.core.spec.readiness import commands_of
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.problems import has_errors
from dualgate.core.values.specification import Criterion, Specification
from dualgate.core.values.suite import CaseResult
from dualgate.errors import SessionMissing, SpecError
from dualgate.runners.check import ShellChecker
from dualgate.session.document import first_readings, read_document
from dualgate.settings import Settings
from dualgate.store.making_room import load_state
from dualgate.store.sessions import session_folder
from dualgate.verify.runs import TreeRuns
from dualgate.verify.trees import Written


def read_criteria(project: Path, spec: Path, settings: Settings) -> tuple[Criterion, ...]:
    """The criteria of a specification, each part by its first reading. Raises SpecError for one with errors."""
    document = first_readings(read_document(project, spec), settings)
    read = document.read(settings)
    if has_errors(read.problems):
        raise SpecError(f"{spec} cannot be used as it is.", f"See what is wrong: dualgate check {spec}")
    if not read.criteria:
        raise SpecError(f"{spec} has no criteria.", f"See how it is read: dualgate check {spec}")
    return read.criteria


def run_commands(
    criteria: tuple[Criterion, ...], settings: Settings, runs: TreeRuns, written: Written
) -> Mapping[str, CheckRun]:
    """Run the commands of criteria that the base's settings approve, on the head."""
    spec = Specification(title="", goal="", criteria=criteria, text="")
    prints = {criterion.command: criterion.prints for criterion in criteria}
    checker = ShellChecker(project=written.project, supervisor=runs.supervisor_in(written))
    approved = [command for command in commands_of(spec) if command in settings.checks.values()]
    return {command: checker.run(command, tuple(filter(None, [prints[command]])), runs.control) for command in approved}


def red_in_session(project: Path, environment: Mapping[str, str]) -> tuple[CaseResult, ...]:
    """Tests that the session of a project saw failing before the work; empty if it has not got that far."""
    folder = session_folder(project, environment)
    try:
        state = load_state(folder)
    except SessionMissing as error:
        raise SessionMissing("There is no session here whose proof could be used.", "Leave out --session.") from error
    return tuple(result for result in state.proof.red if result.failed)
