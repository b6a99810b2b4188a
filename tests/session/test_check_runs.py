"""Checks are run once for a tree, and not again when a turn that was cut off goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from dualgate.core.values.checks import Check, CheckEnded, CheckRun, CheckStarted
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.specification import Criterion, Kind
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.session.check_runs import CheckRuns
from dualgate.session.record import RecordedChecker, Recording
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.testing import NOW, a_control, a_report, a_state, passed
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.trees import MISSING
from dualgate.workspace.worktree import WorkTree
from tests.session.test_unfinished import ANSWER, RUN, SETTLED, found

LINT = Criterion(id="AC-1", text="x", line=1, kind=Kind.CHECK, command="make lint", prints="ok")
STATE = a_state(phase=Phase.GREEN, proof=Proof(start_tree=MISSING), approved=("make lint",))
GREEN = [a_report(passed("test_a"))]


@dataclass
class Linter:
    """A checker that counts its runs and may write to the project while it runs."""

    project: Path
    writes: list[str] = field(default_factory=list)
    exit_code: int = 0
    first_codes: list[int] = field(default_factory=list)
    """Exit codes of the first runs."""
    times: int = 0

    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        self.times += 1
        if self.writes:
            (self.project / "a.py").write_text(self.writes.pop(0))
        code = self.first_codes.pop(0) if self.first_codes else self.exit_code
        return CheckRun(command=command, exit_code=code, printed=tuple(prints))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("x = 1")
    return tmp_path / "project"


@pytest.fixture
def worktree(project: Path, tmp_path: Path) -> WorkTree:
    saved = SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")
    return WorkTree(saved, saved.look_anew(), lambda: NOW)


def checks(
    linter: Linter, worktree: WorkTree, events: list[Event], unfinished: UnfinishedTurn | None = None
) -> CheckRuns:
    to = Recording(record=events.append, now=lambda: NOW, unfinished=unfinished or UnfinishedTurn())
    return CheckRuns(checker=RecordedChecker(checker=linter, to=to), worktree=worktree, to=to, criteria=(LINT,))


def decided(runs: CheckRuns, state: LoopState = STATE) -> tuple[CheckRun, ...]:
    return runs.decide(state, Claim(), GREEN, a_control())


def test_the_same_tree_is_not_checked_twice(project: Path, worktree: WorkTree) -> None:
    linter, events = Linter(project, exit_code=2), list[Event]()
    runs = checks(linter, worktree, events)

    (first,), (second,) = decided(runs), decided(runs)
    (project / "a.py").write_text("x = 2")
    worktree.settle(a_state(phase=Phase.GREEN))
    (third,) = decided(runs)

    assert (first, first.printed, linter.times) == (second, ("ok",), 2)
    assert first.tree != third.tree
    assert [event.known for event in events if isinstance(event, CheckEnded)] == [False, True, False]


def test_what_was_not_approved_is_not_run(project: Path, worktree: WorkTree) -> None:
    linter = Linter(project)

    assert decided(checks(linter, worktree, []), replace(STATE, approved=("make other",))) == ()
    assert linter.times == 0


def test_a_check_that_changes_the_work_tree_is_put_back_and_run_again(project: Path, worktree: WorkTree) -> None:
    once, always = Linter(project, ["x = 2"]), Linter(project, ["x = 2", "x = 3"])

    (clean,) = decided(checks(once, worktree, []))
    (spoilt,) = decided(checks(always, worktree, []))

    assert (clean.problem, once.times, always.times) == ("", 2, 2)
    assert (spoilt.written, "changed the work tree" in spoilt.problem) == (("a.py",), True)
    assert (project / "a.py").read_text() == "x = 1"


def test_a_check_that_was_finished_is_not_run_again(project: Path, worktree: WorkTree) -> None:
    ran = CheckRun(command="make lint", exit_code=0, tree="t1")
    events: list[Event] = [CheckStarted(at=NOW, command="make lint"), CheckEnded(at=NOW, check=ran)]
    linter, unfinished = Linter(project), UnfinishedTurn(found(ANSWER, SETTLED, *RUN, *events))
    runs = checks(linter, worktree, [], unfinished)

    assert (decided(runs), linter.times) == ((ran,), 0)
    assert (len(decided(runs)), linter.times) == (1, 1)


def test_a_tree_that_changed_is_checked_again(project: Path, worktree: WorkTree) -> None:
    events: list[Event] = [CheckEnded(at=NOW, check=CheckRun(command="make lint", exit_code=0, tree="t1"))]
    unfinished = UnfinishedTurn(found(ANSWER, SETTLED, *RUN, *events))
    unfinished.forget_tree()

    assert unfinished.check("make lint") is None


STYLE = Check(name="style", command="make lint")
PASSED_BEFORE = a_state(
    phase=Phase.REFACTOR,
    proof=Proof(start_tree=MISSING, checks=(CheckRun(command="make lint", exit_code=0),)),
    checks=(STYLE,),
)
TWICE = [
    ([1], [0], 2, [1, 0]),
    ([1, 1], [1], 2, [1, 1]),
    ([], [0], 1, [0]),
]


@pytest.mark.parametrize(("codes", "counted", "times", "recorded"), TWICE)
def test_a_check_that_would_be_broken_is_run_twice_on_the_tree(
    project: Path, worktree: WorkTree, codes: list[int], counted: list[int], times: int, recorded: list[int]
) -> None:
    linter, events = Linter(project, first_codes=codes), list[Event]()
    runs = checks(linter, worktree, events)

    first, again = decided(runs, PASSED_BEFORE), decided(runs, PASSED_BEFORE)

    assert ([run.exit_code for run in first], first, linter.times) == (counted, again, times)
    ended = [event for event in events if isinstance(event, CheckEnded) and not event.known]
    assert [event.check.exit_code for event in ended] == recorded
    assert [event.check.is_second for event in ended] == [False, True][:times]


def test_a_check_that_failed_before_any_work_is_run_once(project: Path, worktree: WorkTree) -> None:
    failed_before = Proof(start_tree=MISSING, checks=(CheckRun(command="make lint", exit_code=1),))
    linter = Linter(project, exit_code=1)
    runs = replace(checks(linter, worktree, []), checks=(STYLE,))

    runs.before_review(replace(PASSED_BEFORE, phase=Phase.QA, proof=failed_before), a_control())

    assert linter.times == 1


def test_a_run_of_another_program_than_before_any_work_does_not_pass(project: Path, worktree: WorkTree) -> None:
    before = CheckRun(command="make lint", exit_code=0, programs=("/bin/make (1)",))
    linter, events = Linter(project), list[Event]()

    (run,) = decided(
        checks(linter, worktree, events), replace(PASSED_BEFORE, proof=Proof(start_tree=MISSING, checks=(before,)))
    )

    assert (run.problem, linter.times) == ("its program changed since before any work: /bin/make (1)", 1)


FIRST, SECOND = (CheckRun(command="make lint", exit_code=1 - n, tree="t1", is_second=bool(n)) for n in (0, 1))
CUT_OFF = [((FIRST,), 1, 0), ((FIRST, SECOND), 0, 0), ((FIRST, replace(SECOND, exit_code=1)), 0, 1)]


@pytest.mark.parametrize(("ended", "times", "code"), CUT_OFF)
def test_a_turn_that_is_cut_off_between_two_runs_makes_the_second(
    project: Path, worktree: WorkTree, ended: tuple[CheckRun, ...], times: int, code: int
) -> None:
    events: list[Event] = [CheckEnded(at=NOW, check=run) for run in ended]
    linter, recorded = Linter(project), list[Event]()
    runs = checks(linter, worktree, recorded, UnfinishedTurn(found(ANSWER, SETTLED, *RUN, *events)))

    (run,) = decided(runs, PASSED_BEFORE)

    assert (run.exit_code, run.is_second, linter.times) == (code, True, times)
    assert [event.kind for event in recorded] == ["check.started", "check.ended"] * times


@dataclass
class Builder:
    """A checker that writes these files with each run."""

    project: Path
    files: dict[str, str]

    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        for name, text in self.files.items():
            (self.project / name).parent.mkdir(exist_ok=True)
            (self.project / name).write_text(text)
        return CheckRun(command=command, exit_code=0)


def before_work(project: Path, worktree: WorkTree, files: dict[str, str]) -> tuple[CheckRun, tuple[str, ...]]:
    to = Recording(record=lambda _: None, now=lambda: NOW)
    build = Check(name="build", command="make build")
    runs, outputs = CheckRuns(checker=Builder(project, files), worktree=worktree, to=to, checks=(build,)).before_work(
        (), a_control()
    )
    return runs[0], outputs


def test_files_that_a_check_creates_before_any_work_are_its_outputs(project: Path, worktree: WorkTree) -> None:
    run, outputs = before_work(project, worktree, {"dist/a.js": "1", "dist/b.js": "2"})

    assert (run.problem, outputs) == ("", ("dist/*",))


def test_a_check_that_changes_the_work_before_any_work_is_unusable(project: Path, worktree: WorkTree) -> None:
    run, outputs = before_work(project, worktree, {"a.py": "x = 3", "dist/a.js": "1"})

    assert (run.problem.startswith("changed the work tree"), outputs) == (True, ())
    assert (project / "a.py").read_text() == "x = 1"
