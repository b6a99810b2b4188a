"""The machine and the project -> checks. They change nothing and cost nothing."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import dualgate
from dualgate.agents.client import Errand
from dualgate.agents.command import local_now
from dualgate.agents.inspection import inspect_agent
from dualgate.agents.registry import CLIENTS
from dualgate.cli.output import in_colour
from dualgate.cli.sources import read_source
from dualgate.cli.tests_action import run_plan
from dualgate.core.doctor import checkup, surroundings
from dualgate.core.doctor.checkup import Check, Health
from dualgate.core.doctor.specification import check_spec
from dualgate.core.evidence.sandboxed import closed_packages
from dualgate.core.spec.readiness import decided_workflow
from dualgate.core.values.control import Control
from dualgate.core.values.specification import Specification
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import PHASES, Phase, SandboxKind, Workflow
from dualgate.errors import DualgateError, SessionLocked
from dualgate.processes.leftovers import name_leftovers
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.collection import collect
from dualgate.runners.detect import SuitePlan, detect, detect_by_files
from dualgate.session.document import Document
from dualgate.session.sandbox import Choice, choose_sandbox, confinement_of
from dualgate.session.suites import plan_of, plan_or_assume
from dualgate.session.team import agent_of, choice_for, escalation_of, in_order
from dualgate.settings import AgentChoice, Settings
from dualgate.settings.files import read_files
from dualgate.settings.resolving import Sourced, resolve
from dualgate.store.lease import owner_of
from dualgate.store.making_room import require_room
from dualgate.store.neighbours import require_alone
from dualgate.store.owners import described
from dualgate.store.sessions import session_folder, snapshot_store
from dualgate.workspace.repository import read_repository_state

COLLECTING_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Everything that the checks look at."""

    project: Path
    supervisor: Supervisor
    control: Control
    source: tuple[str | None, str | None] = (None, None)
    """The specification of the command line: the named file, and the text."""
    may_run: bool = False
    """Whether code of the project may run: tests are imported to be counted."""
    run_tests: bool = False
    sourced: Sourced | None = None
    """None if the settings cannot be read."""
    document: Document | None = None
    spec: Specification | None = None
    """None if no specification is given, or it cannot be read."""
    unread: DualgateError | None = None
    """Why settings or specification cannot be read."""

    @property
    def environment(self) -> Mapping[str, str]:
        return self.supervisor.environment

    @property
    def settings(self) -> Settings:
        return self.sourced.settings if self.sourced else Settings()

    @property
    def workflow(self) -> Workflow:
        if self.spec is not None:
            return decided_workflow(self.spec, self.settings.workflow)
        return self.settings.workflow or Workflow.TDD


Look = Callable[[Ground], Iterable[Check]]


def surveyed(ground: Ground, flags: Mapping[str, object]) -> Ground:
    """The ground with its settings and its specification, as far as they can be read."""
    try:
        files = read_files(ground.project, ground.environment)
        ground = replace(ground, sourced=resolve(ground.environment, flags, files))
        if ground.source == (None, None) and ground.workflow is Workflow.TDD:
            return ground
        document = read_source(*ground.source, ground.project, ground.settings)
        return replace(ground, document=document, spec=document.read(ground.settings))
    except DualgateError as error:
        return replace(ground, unread=error)


def look_at_all(ground: Ground) -> Iterator[Check]:
    """Run every check; skip those that need the settings if the settings cannot be read."""
    if ground.sourced is None and ground.unread:
        yield _failed("settings", ground.unread)
    looks = BY_SETTINGS | ALWAYS if ground.sourced else ALWAYS
    for name, look in looks.items():
        try:
            yield from look(ground)
        except DualgateError as error:
            yield _failed(name, error)
        except OSError as error:
            yield Check(name=name, health=Health.FAIL, seen=f"cannot be looked at: {error}")


def _failed(name: str, error: DualgateError) -> Check:
    return Check(name=name, health=Health.FAIL, seen=error.message, fix=error.next_step)


def _look_at_settings(ground: Ground) -> Iterator[Check]:
    assert ground.sourced is not None
    files = dict.fromkeys(origin.where for origin in ground.sourced.origins.values() if "file" in origin.source)
    yield Check(name="settings", seen=", ".join(files) or "no file; defaults, variables and flags")


def _look_at_spec(ground: Ground) -> Iterator[Check]:
    if ground.unread:
        raise ground.unread
    if ground.spec is None or ground.document is None:
        yield Check(name="specification", seen="none was named; 'dualgate doctor SPEC.md' looks at one")
        return
    name = ground.document.name
    count = len(ground.spec.criteria) if ground.workflow is Workflow.TDD else 0
    criteria = f", {count} acceptance {'criterion' if count == 1 else 'criteria'}" if count else ""
    yield Check(name="specification", seen=f"{name}: {ground.spec.title}{criteria}")
    yield from check_spec(ground.spec, name, ground.document.unapproved_commands(ground.spec, ground.settings))


def _look_at_agents(ground: Ground) -> Iterator[Check]:
    for role, choice in _roles(ground.settings, ground.workflow).items():
        try:
            yield _agent(role, choice, ground)
        except DualgateError as error:
            yield _failed(role, error)
    is_alone = not choice_for(ground.settings, Phase.GREEN).fallback and "reviewer" not in _roles(
        ground.settings, ground.workflow
    )
    if ground.workflow is Workflow.TDD and is_alone:
        yield Check(
            name="reviewer",
            health=Health.WARN,
            seen="the agent reviews its own work",
            fix="dualgate run … --qa-agent NAME, or [agents.qa] in dualgate.toml",
        )


def _roles(settings: Settings, workflow: Workflow) -> dict[str, AgentChoice]:
    """The agents by role: the general agent, then the agents of single phases, each with its fallbacks."""
    every = choice_for(settings)
    phases = PHASES[workflow]
    own = {phase: choice for phase in phases if (choice := choice_for(settings, phase)) != every}
    names = {phase: "reviewer" if phase is Phase.QA else f"agent of {phase}" for phase in own}
    general = {} if len(own) == len(phases) else {"agent": every}
    firsts = general | {names[phase]: choice for phase, choice in own.items()}
    return {name: each for role, choice in firsts.items() for name, each in _in_turn(role, choice, settings)}


def _in_turn(role: str, choice: AgentChoice, settings: Settings) -> Iterator[tuple[str, AgentChoice]]:
    first, *others = in_order(choice)
    yield role, first
    yield from ((f"{role}, fallback {number}", each) for number, each in enumerate(others, 1))
    steps = enumerate(escalation_of(settings, choice), 1)
    yield from ((f"{role}, escalation {number}", each) for number, each in steps)


def _agent(role: str, choice: AgentChoice, ground: Ground) -> Check:
    name = (choice.agent or "").partition(":")[0]
    if choice.command or name not in CLIENTS:
        agent_of(choice, ground.project, ground.supervisor, None)
        return Check(name=role, seen=choice.command or choice.agent or "")
    client = CLIENTS[name]
    state = inspect_agent(client, ground.supervisor, ground.project)
    if state.path:
        agent_of(choice, ground.project, ground.supervisor, None)
    errand = Errand(may_edit=not role.startswith("reviewer"), args=choice.args)
    seen = checkup.AgentSeen(
        agent=client.name,
        program=client.program,
        version=state.version,
        login=state.login,
        login_from=state.login_from,
        installed=state.path is not None,
        install=client.install,
        log_in=client.log_in,
        hampered=client.hampered(errand, ground.environment, os.geteuid() == 0),
    )
    return checkup.check_agent(role, seen)


def _look_at_npm(ground: Ground) -> Iterator[Check]:
    names = {(choice.agent or "").partition(":")[0] for choice in _roles(ground.settings, ground.workflow).values()}
    path = ground.environment.get("PATH", "")
    absent = [name for name in sorted(names & CLIENTS.keys()) if not shutil.which(CLIENTS[name].program, path=path)]
    if absent:
        yield checkup.check_npm(shutil.which("npm", path=path), absent)


def _look_at_tests(ground: Ground) -> Iterator[Check]:
    plan = _plan(ground)
    if not plan.suites:
        yield _no_tests(plan, ground.workflow)
    elif ground.run_tests:
        yield _run(plan)
    else:
        yield from (checkup.check_suite(_suite(suite, ground), len(plan.suites) > 1) for suite in plan.suites)
    yield from (_note(note) for note in plan.notes if plan.suites)


def _no_tests(plan: SuitePlan, workflow: Workflow) -> Check:
    if workflow is Workflow.TDD and not plan.notes:
        return Check(name="tests", seen="none yet; those that the agent writes are found and run")
    told = "; ".join(("none can be run, so that the work cannot be proven", *plan.notes))
    return Check(name="tests", health=Health.WARN, seen=told, fix="dualgate tests --list")


def _plan(ground: Ground) -> SuitePlan:
    find = detect if ground.may_run or ground.run_tests else detect_by_files
    planned = plan_of
    if ground.workflow is Workflow.TDD:
        planned = partial(plan_or_assume, text=ground.spec.text if ground.spec else "")
    return planned(ground.settings, ground.project, ground.environment, find=find)


def _suite(suite: Suite, ground: Ground) -> checkup.SuiteSeen:
    control = ground.control.within(COLLECTING_SECONDS)
    found = collect(suite, ground.project, ground.supervisor, control, ground.may_run)
    return checkup.SuiteSeen(
        name=suite.name,
        command=" ".join(suite.command),
        collected=found.count,
        problem=found.problem,
        note=found.note,
    )


def _run(plan: SuitePlan) -> Check:
    report, _ = run_plan(plan, ())
    seen = checkup.RunSeen(
        command=" ".join(report.command), problems=report.problems, counts=report.counts, seconds=report.seconds
    )
    return checkup.check_run(seen)


def _note(note: str) -> Check:
    return Check(name="tests", health=Health.WARN, seen=f"not run: {note}", fix="dualgate tests --list")


def _look_at_sandbox(ground: Ground) -> Iterator[Check]:
    settings, choice = ground.settings, Choice(kind=ground.settings.sandbox.kind)
    if settings.sandbox.kind is SandboxKind.AUTO:
        choice = choose_sandbox(settings.but(workflow=ground.workflow), ground.project, ground.environment)
        settings = settings.but(sandbox=settings.sandbox.but(kind=choice.kind))
    found = confinement_of(settings, ground.project, ground.environment)
    yield surroundings.check_sandbox(found.program if found else "", choice.why, choice.fix)
    if found:
        yield from _closed(ground)


def _closed(ground: Ground) -> Iterator[Check]:
    with suppress(DualgateError):  # the check of the tests names it
        for told in closed_packages(_plan(ground).suites, str(ground.project), ground.settings.sandbox.writable):
            yield checkup.worth_a_look("packages", told, "dualgate config")


def _look_at_git(ground: Ground) -> Iterator[Check]:
    state = read_repository_state(ground.project)
    if state is None:
        yield surroundings.check_git(surroundings.GitSeen(installed=shutil.which("git") is not None, repository=False))
        return
    yield surroundings.check_git(
        surroundings.GitSeen(
            installed=shutil.which("git") is not None,
            readable=state.branch is not None,
            branch=state.branch or "",
            changed=state.changed,
            under_way=state.under_way,
        )
    )


def _look_at_session(ground: Ground) -> Iterator[Check]:
    folder = session_folder(ground.project, ground.environment)
    try:
        require_room(folder, fresh=False)
    except DualgateError as error:
        yield Check(name="session", health=Health.WARN, seen=error.message, fix="dualgate resume")
        return
    yield Check(name="session", seen=f"nothing unfinished in {folder}")


def _look_at_places(ground: Ground) -> Iterator[Check]:
    places = {
        "project": ground.project,
        "sessions": session_folder(ground.project, ground.environment),
        "snapshots": snapshot_store(ground.project, ground.environment).parent,
        "scratch": Path(tempfile.gettempdir()),
    }
    for what, path in places.items():
        place = next(each for each in (path, *path.parents) if each.exists())
        writable = place.is_dir() and os.access(place, os.W_OK | os.X_OK)
        yield surroundings.check_place(
            surroundings.PlaceSeen(
                what=what,
                path=str(path if writable else place),
                writable=writable,
                free=shutil.disk_usage(place).free,
                is_kept=what in ("sessions", "snapshots"),
            )
        )


def _look_at_owner(ground: Ground) -> Iterator[Check]:
    """Report leftover processes only if the tree has no owner; otherwise they belong to the owner's run."""
    owner = owner_of(ground.project, ground.environment)
    yield surroundings.check_owner(None if owner is None else described(owner), _near(ground))
    if owner is None:
        yield surroundings.check_leftovers(name_leftovers(ground.project))


def _near(ground: Ground) -> str:
    try:
        require_alone(ground.project, ground.environment)
    except SessionLocked as error:
        return error.message.rstrip(".")
    return ""


def _look_at_python(_: Ground) -> Iterator[Check]:
    yield surroundings.check_python(sys.version_info[:3])


def _look_at_terminal(_: Ground) -> Iterator[Check]:
    yield surroundings.check_terminal(
        surroundings.TerminalSeen(
            is_terminal=sys.stdout.isatty(),
            columns=shutil.get_terminal_size().columns,
            in_colour=in_colour(),
            encoding=sys.stdout.encoding or "utf-8",
        )
    )


def _look_at_clock(ground: Ground) -> Iterator[Check]:
    """Check that the clock is not behind the modification time of our own files."""
    written = Path(dualgate.__file__).stat().st_mtime
    zone = ground.environment.get("TZ", "")
    yield surroundings.check_clock(
        surroundings.ClockSeen(
            now=local_now(), newest=datetime.fromtimestamp(written, UTC), zone=zone, zone_known=_is_zone(zone)
        )
    )


def _is_zone(zone: str) -> bool:
    """Whether TZ is a known zone. Rules such as CET-1CEST count as known, since only the C library reads them."""
    if not zone or any(sign in "0123456789" for sign in zone) or zone.startswith((":", "/")):
        return True
    try:
        return ZoneInfo(zone) is not None
    except (KeyError, ValueError, OSError):
        return False


BY_SETTINGS: dict[str, Look] = {
    "settings": _look_at_settings,
    "specification": _look_at_spec,
    "agent": _look_at_agents,
    "npm": _look_at_npm,
    "tests": _look_at_tests,
    "sandbox": _look_at_sandbox,
}
ALWAYS: dict[str, Look] = {
    "git": _look_at_git,
    "session": _look_at_session,
    "sessions": _look_at_places,
    "owner": _look_at_owner,
    "python": _look_at_python,
    "terminal": _look_at_terminal,
    "clock": _look_at_clock,
}
