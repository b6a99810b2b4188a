"""verify(): base and head are run and compared, tests of both are tried on the other's code, changed code is broken."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate import __version__
from dualgate.core.secrets.redaction import redactor_of
from dualgate.core.values.control import Control
from dualgate.core.values.limits import MEASURES_NOTHING
from dualgate.core.values.specification import Criterion
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.values.verification import Finding, Rule, Side, Verification, Weight, standing_of
from dualgate.core.verification.cases import case_changes
from dualgate.core.verification.criteria import criterion_proofs
from dualgate.core.verification.judging import judge_change
from dualgate.core.verification.measured import ChangedPaths, Measured
from dualgate.core.verification.noticing import probe_counts
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cache import ResultCache
from dualgate.runners.fingerprints import FAMILIES, STEERING
from dualgate.settings import Settings
from dualgate.settings.files import read_files, user_file
from dualgate.settings.resolving import resolve as resolve_settings
from dualgate.store.sessions import RESULTS
from dualgate.verify.answers import ANSWERS, Answers, Surroundings, with_accepted
from dualgate.verify.compiling import compile_once
from dualgate.verify.installing import Installed, installed, other_locks
from dualgate.verify.request import Request
from dualgate.verify.runs import Planned, TreeRuns, environment_digest, planned
from dualgate.verify.sides import Sides, resolve
from dualgate.verify.texts import source_texts
from dualgate.verify.trees import Trees, Written, make_trees
from dualgate.verify.trials import Trials, with_wavering
from dualgate.workspace.checkouts import Carried, find_carried
from dualgate.workspace.steering.paths import is_document, is_of_tests, is_steering, is_work, shadows

BOTH_SIDES = "the tests of base and head"
NO_TESTS = "no tests were found that can be run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The values that a verification gets from its caller."""

    supervisor: Supervisor
    """Also holds the environment."""
    store: Path | None = None
    """The folder in which results and answers are kept; None to keep nothing."""

    @property
    def answers(self) -> Answers | None:
        return Answers(self.store / ANSWERS) if self.store else None


def verify(request: Request, host: Host, control: Control) -> Verification:
    """Gather the evidence for a change, and judge it. Nothing is written into the project or its repository."""
    began = control.clock()
    with scratch_folder("verify", measures=True) as scratch:
        sides = resolve(request, scratch / "git")
        paths = classify(sides)
        if not (paths.code or paths.tests or paths.steering or request.spec):
            return Verification(standing=standing_of(()), base=sides.base, head=sides.head, changed=sides.changed)
        environment, answers = host.supervisor.environment, host.answers
        with _furnished(request, sides, host, scratch, control) as rooms:
            found = replace(_judged(sides, paths, rooms), seconds=control.clock() - began)
            # before anything is kept, or shortened to be printed: half a secret is not recognised
            found = rooms.runs.redactor.value(with_accepted(found, rooms.accepted))
            if answers:
                answers.keep(request, sides, environment, found, rooms.surroundings)
            return with_accepted(found, request.allow)


def _judged(sides: Sides, paths: ChangedPaths, rooms: "Rooms") -> Verification:
    if not rooms.runs.planned.suites:
        findings = _untested(paths, rooms.runs.planned)
        standing = standing_of(findings)
        return Verification(
            standing=standing, base=sides.base, head=sides.head, changed=sides.changed, findings=findings
        )
    seen = measure(sides, paths, rooms)
    findings = judge_change(seen)
    return Verification(
        standing=standing_of(findings),
        base=_side(sides.base, seen.base),
        head=_side(sides.head, seen.head),
        changed=sides.changed,
        cases=case_changes(seen),
        findings=findings,
        probes=probe_counts(seen.probes),
        criteria=criterion_proofs(seen),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """Both trees as folders, and how their tests are run."""

    base: Written
    head: Written
    runs: TreeRuns
    settings: Settings
    surroundings: Surroundings
    criteria: tuple[Criterion, ...] = ()
    red: tuple[CaseResult, ...] = ()
    """Tests that a session saw failing before the work."""
    installed: Written | None = None
    """The base, if it has packages of its own."""
    notes: tuple[str, ...] = ()
    """How the trees were set up, for people."""

    @property
    def accepted(self) -> Mapping[str, str]:
        """The findings that the base's settings accept: by id, with the reason."""
        pairs = (text.partition(":") for text in self.settings.verify.allow)
        return {name.strip(): reason.strip() for name, _, reason in pairs}

    @property
    def control(self) -> Control:
        return self.runs.control

    @property
    def is_late(self) -> bool:
        return self.control.remaining() == 0.0


@contextmanager
def _furnished(request: Request, sides: Sides, host: Host, scratch: Path, control: Control) -> Iterator[Rooms]:
    environment = host.supervisor.environment
    carried = find_carried(sides.revisions)
    trees = make_trees(sides, scratch, carried, environment)
    with (
        trees.written(sides.base.tree, sides.base_commit) as base,
        trees.written(sides.head.tree, sides.head_commit) as head,
    ):
        settings = policy(request, base, environment)
        control = control.within(request.budget or settings.verify.budget)
        locks = other_locks(trees, sides.base.tree, sides.head.tree)
        ready = Installed(written=base)
        if locks:
            setup = shlex.join(settings.setup)
            ready = installed(trees, base, locks, setup, host.supervisor.jobs, control)
        surroundings = _surroundings(trees, environment)
        runs = TreeRuns(
            trees=trees,
            planned=planned(settings, request.runner, ready.written, head),
            jobs=host.supervisor.jobs,
            control=control,
            state=scratch / "state",
            cache=ResultCache(host.store / RESULTS) if host.store else None,
            environment=_digest(surroundings, environment),
            compiled_in=ready.written,
            redactor=redactor_of(environment),
        )
        yield Rooms(
            base=ready.written,
            head=head,
            runs=runs,
            settings=settings,
            surroundings=surroundings,
            criteria=_criteria(request, settings),
            red=_red(request, environment),
            installed=ready.written if locks and not ready.note else None,
            notes=(*filter(None, [ready.note]), *_notes(carried, runs.planned)),
        )


def _criteria(request: Request, settings: Settings) -> tuple[Criterion, ...]:
    if request.spec is None:
        return ()
    from dualgate.verify.asked import read_criteria

    return read_criteria(request.project, request.spec, settings)


def _red(request: Request, environment: Mapping[str, str]) -> tuple[CaseResult, ...]:
    if not request.session:
        return ()
    from dualgate.verify.asked import red_in_session

    return red_in_session(request.project, environment)


def policy(request: Request, base: Written, environment: Mapping[str, str]) -> Settings:
    """The settings of the base: a change cannot relax the rules by which it is judged."""
    flags = {"test_command": request.test_command} if request.test_command else {}
    return resolve_settings(environment, flags, read_files(base.project, environment)).settings


def classify(sides: Sides) -> ChangedPaths:
    """The changed paths by what they are, seen from the project."""
    paths = [sides.seen_from_project(path) for path in sides.changed]
    tests = [path for path in paths if is_of_tests(path)]
    steering = [path for path in paths if path not in tests and (is_steering(path) or shadows(path))]
    others = [path for path in paths if not (path in tests or path in steering) and _is_beside(path)]
    code = [path for path in paths if path not in {*tests, *steering, *others}]
    return ChangedPaths(code=tuple(code), tests=tuple(tests), steering=tuple(steering), others=tuple(others))


def _is_beside(path: str) -> bool:
    return is_document(path) or not is_work(path)


def measure(sides: Sides, paths: ChangedPaths, rooms: Rooms) -> Measured:
    """Everything that the rules need; the dearest last, and nothing that cannot decide anything more."""
    runs = rooms.runs
    if not (runs.known(sides.base.tree) or runs.known(sides.head.tree)):
        compile_once(runs.suites_in(rooms.base), rooms.base, sides)
    base = _run(rooms.base, sides.base, runs)
    head = _run(rooms.head, sides.head, runs)
    seen = Measured(
        base=base, head=head, paths=paths, criteria=rooms.criteria, red_in_session=rooms.red, notes=rooms.notes
    )
    if rooms.is_late and not (base.trusted and head.trusted):
        nothing = SuiteReport(command=base.command, exit_code=None)
        return replace(seen, base=nothing, head=nothing, undone=(BOTH_SIDES, *(name for _, name in STEPS)))
    if not (base.trusted and head.trusted):
        return seen
    trials = Trials(sides=sides, runs=runs, paths=paths, installed=rooms.installed)
    trials.load()
    seen = trials.with_files(seen)
    seen = with_wavering(seen, trials.wavering(seen))
    undone: list[str] = []
    for step, name in STEPS:
        if rooms.is_late:
            undone.append(name)
        else:
            seen = step(seen, trials, rooms)
    return replace(seen, undone=tuple(undone))


def _new_tests(seen: Measured, trials: Trials, rooms: Rooms) -> Measured:
    del rooms
    return replace(seen, on_base=trials.on_base(seen))


def _old_tests(seen: Measured, trials: Trials, rooms: Rooms) -> Measured:
    del rooms
    return replace(seen, old=trials.old_tests(seen))


def _steering(seen: Measured, trials: Trials, rooms: Rooms) -> Measured:
    del rooms
    return replace(seen, steered=trials.steered(seen))


def _checks(seen: Measured, trials: Trials, rooms: Rooms) -> Measured:
    if not (rooms.settings.checks or rooms.criteria):
        return seen
    from dualgate.verify.asked import run_commands
    from dualgate.verify.checking import compare_checks

    checks = compare_checks(seen, trials.sides, rooms.runs, rooms.settings, rooms.base, rooms.head)
    commands = run_commands(rooms.criteria, rooms.settings, rooms.runs, rooms.head)
    return replace(seen, checks=checks, commands=commands)


def _texts(seen: Measured, trials: Trials, rooms: Rooms) -> Measured:
    del rooms
    return replace(seen, texts=source_texts(seen, trials.sides))


def _probes(seen: Measured, trials: Trials, rooms: Rooms) -> Measured:
    if rooms.settings.sensitivity == MEASURES_NOTHING or not seen.paths.code:
        return seen
    from dualgate.verify.probing import probe

    return replace(seen, probes=probe(seen, trials.sides, rooms.runs, rooms.settings))


STEPS = (
    (_new_tests, "new and changed tests on the base's code"),
    (_old_tests, "the base's tests on the head's code"),
    (_steering, "the head with the base's configuration"),
    (_checks, "the configured checks"),
    (_texts, "the texts of changed files"),
    (_probes, "whether tests notice broken code"),
)


def _run(written: Written, side: Side, runs: TreeRuns) -> SuiteReport:
    return runs.known(side.tree) or runs.run_in(written, side.tree, (), f"tests of {side.ref}")


def _side(side: Side, report: SuiteReport) -> Side:
    return replace(
        side,
        command=report.command,
        runner=report.runner,
        tools=report.tools,
        environment=report.environment,
        counts=report.counts,
        problems=report.problems,
        seconds=report.seconds,
    )


def _untested(paths: ChangedPaths, found: Planned) -> tuple[Finding, ...]:
    if not paths.code:
        return ()
    notes = "; ".join(found.plan.notes)
    text = f"{NO_TESTS}{f': {notes}' if notes else ''}"
    return (Finding(rule=Rule.UNTESTED, weight=Weight.NOT_PROVEN, text=text, subject="no tests"),)


def _notes(carried: Carried, found: Planned) -> Iterator[str]:
    if carried.left_out:
        yield f"ignored files that are too large to be copied were left out: {', '.join(carried.left_out[:3])}"
    yield from (f"not run: {note}" for note in found.plan.notes)


def _surroundings(trees: Trees, environment: Mapping[str, str]) -> Surroundings:
    """Packages, ignored files and settings of the user, whose change makes results worthless."""
    root = trees.sides.revisions.root
    copied = (str(root / path) for path in trees.carried.copied)
    installed = (str(root / path / ".package-lock.json") for path in trees.carried.linked)
    return Surroundings(paths=(*trees.interpreter.places, *copied, *installed, str(user_file(environment))))


def _digest(surroundings: Surroundings, environment: Mapping[str, str]) -> str:
    variables = {name: value for name, value in environment.items() if name in STEERING or name.startswith(FAMILIES)}
    return environment_digest(surroundings.stamps(), variables, __version__)
