"""A project and the installed agents -> the settings that fit. It reads files, and runs nothing of the project."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dualgate.agents.client import Client
from dualgate.agents.inspection import AgentState, inspect_agent
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.suite import Suite
from dualgate.errors import SuiteUnusable
from dualgate.languages.checks import proposed_checks
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import SuitePlan, detect_by_files
from dualgate.settings.writing import Proposed, Setup

PREFERRED = ("claude", "codex", "gemini", "opencode", "qwen")
DURATION = 4 * 3600.0
DOLLARS = 10
DOCUMENTS = ("README*", "CHANGELOG*", "docs/**/*.md")
MOST_DOCUMENTS = 3
RECORDS = ("docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "adr", "doc/adr")


def propose(project: Path, supervisor: Supervisor) -> Setup:
    states = [state for name in PREFERRED if (state := inspect_agent(CLIENTS[name], supervisor, project)).path]
    ranked = sorted(states, key=lambda state: not state.usable)
    worker, others = next(iter(ranked), None), ranked[1:]
    reviewer = next((state for state in others if state.usable), None)
    record = next((place for place in RECORDS if (project / place).is_dir()), "")
    return Setup(
        agent=_worker(worker),
        reviewer=_reviewer(worker, reviewer, others),
        test_command=_test_command(project, _suites(project, supervisor.environment)),
        checks=proposed_checks(project),
        documents=_documents(project),
        adr_required=_records(project, record),
        max_duration=DURATION,
        max_cost=_cost([CLIENTS[state.name] for state in (worker, reviewer) if state]),
    )


def _worker(state: AgentState | None) -> Proposed:
    if state is None:
        return Proposed(reason='No agent is installed. See: dualgate agents. Then write here: agent = "NAME"')
    return Proposed(value=state.name, reason=f"The agent that works: {_seen(state)}.")


def _reviewer(worker: AgentState | None, reviewer: AgentState | None, others: Sequence[AgentState]) -> Proposed:
    """Another agent than the worker, if one can be used; else a comment."""
    if reviewer is not None:
        return Proposed(value=reviewer.name, reason=f"Another agent reviews: {_seen(reviewer)}.")
    could = "".join(f" {_seen(state)}." for state in others)
    alone = f"{worker.name if worker else 'The agent'} reviews its own work."
    return Proposed(reason=f'{alone} Another agent goes under [agents.qa] as agent = "NAME".{could}')


def _seen(state: AgentState) -> str:
    version = f" {state.version}" if state.version else ""
    missing = f"missing: {'; '.join(state.missing)}" if state.missing else "login found"
    return f"{state.name}{version}, {missing}"


def _suites(project: Path, environment: Mapping[str, str]) -> SuitePlan:
    try:
        return detect_by_files(project, environment)
    except SuiteUnusable as error:
        return SuitePlan(suites=(), notes=(error.message.rstrip("."),))


def _test_command(project: Path, plan: SuitePlan) -> Proposed:
    """The command of a single suite, if it means the same on other machines; else a comment on what is found."""
    if not plan.suites:
        found = f" {plan.notes[0]}." if plan.notes else ""
        return Proposed(reason=f"No tests were found.{found} See: dualgate tests --list")
    if len(plan.suites) > 1:
        names = ", ".join(suite.name for suite in plan.suites)
        return Proposed(reason=f"Suites found at each run: {names}. See: dualgate tests --list")
    (suite,) = plan.suites
    command = _portable(project, suite)
    if not command:
        return Proposed(reason=f"Found at each run: {' '.join(suite.command)} ({suite.reason})")
    return Proposed(value=command, reason=f"{suite.name}: {suite.reason}")


def _portable(project: Path, suite: Suite) -> str:
    """The command seen from the project; empty if it names a program elsewhere or runs in another folder."""
    program, *rest = suite.command
    if Path(program).is_absolute():
        if not Path(program).is_relative_to(project):
            return ""
        program = Path(program).relative_to(project).as_posix()
    words = (program, *rest)
    return " ".join(words) if suite.folder == "." and not any(" " in word for word in words) else ""


def _documents(project: Path) -> Proposed:
    """As many as the project has kinds of documents; where it has none, the default."""
    kinds = _kinds(project)
    found = f"This project has {kinds} of: README, CHANGELOG, docs/." if kinds else "0 needs none."
    return Proposed(value=kinds or MOST_DOCUMENTS, reason=f"Documents that a run must write or change. {found}")


def _records(project: Path, record: str) -> Proposed:
    if record:
        return Proposed(value=True, reason=f"One of them is a decision record, as in {record}.")
    if _kinds(project):
        return Proposed(value=False, reason="Decision records were not found; true asks each run for one.")
    return Proposed(
        value=True, reason="One of them is a decision record (docs/adr/0001-title.md); false asks for none."
    )


def _kinds(project: Path) -> int:
    return sum(any(project.glob(pattern)) for pattern in DOCUMENTS)


def _cost(chosen: list[Client]) -> Proposed:
    silent = [client.name for client in chosen if not client.tells_cost]
    if silent:
        return Proposed(reason=f"max_cost needs [prices]: the cost of a call is not reported by {', '.join(silent)}.")
    return Proposed(value=DOLLARS, reason="Dollars.")
