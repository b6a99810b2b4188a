"""Trials: another tree in the place of the present one, for one test run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dualgate.core.values.control import Control
from dualgate.core.values.events import Event, SuiteEnded
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import SuiteReport, TrialEnded, TrialStarted
from dualgate.errors import Interrupted
from dualgate.runners.cache import ResultCache
from dualgate.session.record import Recording
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.testing import NOW, a_control, a_report, a_state, passed
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree

OLD, NEW = "def f(): return 1\n", "def f(): return 2\n"


@dataclass
class Seeing:
    """A runner that keeps the content of the file that it would test, and does what it is told to."""

    file: Path
    does: Callable[[], object] = lambda: None
    command: tuple[str, ...] = ("pytest",)
    seen: list[str] = field(default_factory=list)

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        del control
        self.seen.append(self.file.read_text())
        self.does()
        return a_report(passed("test_a"), command=self.command, only=tuple(only), environment="e")


@dataclass
class Place:
    runner: Seeing
    suites: SuiteRuns
    events: list[Event]
    old: str

    def try_old(self) -> SuiteReport:
        state = a_state(proof=Proof(environment="e"))
        return try_tree(self.old, "the old tree", ("test_a",), self.suites, state, a_control())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "project"
    root.mkdir()
    (root / "code.py").write_text(OLD)
    saved = SavedSnapshots(root, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW)
    old = worktree.present
    (root / "code.py").write_text(NEW)
    worktree.settle(a_state())
    runner, events = Seeing(root / "code.py"), list[Event]()
    to = Recording(record=events.append, now=lambda: NOW)
    suites = SuiteRuns(runner=runner, worktree=worktree, to=to, cache=ResultCache(tmp_path / "results"))
    return Place(runner=runner, suites=suites, events=events, old=old)


def test_the_tests_are_run_on_the_other_tree_and_the_present_one_comes_back(place: Place) -> None:
    present = place.suites.worktree.present

    report = place.try_old()

    assert (report.tree, report.only, place.runner.seen) == (place.old, ("test_a",), [OLD])
    assert (place.runner.file.read_text(), place.suites.worktree.present) == (NEW, present)
    started, ran, ended = place.events
    assert started == TrialStarted(at=NOW, label="the old tree", tree=present)
    assert (type(ran), getattr(ran, "trial", "")) == (SuiteEnded, "the old tree")
    assert ended == TrialEnded(at=NOW, label="the old tree", tree=present)


def test_a_trial_of_a_known_tree_is_not_repeated(place: Place) -> None:
    first, events = place.try_old(), len(place.events)

    assert (place.try_old(), len(place.runner.seen), len(place.events)) == (first, 1, events)


def test_the_present_tree_comes_back_if_the_run_is_stopped(place: Place) -> None:
    def stop() -> None:
        raise Interrupted("The run was asked to stop.")

    place.runner.does = stop
    with pytest.raises(Interrupted):
        place.try_old()

    assert place.runner.file.read_text() == NEW
    assert [type(event) for event in place.events] == [TrialStarted, TrialEnded]


def test_files_that_the_tests_leave_behind_are_gone_afterwards(place: Place) -> None:
    left = place.runner.file.with_name("left.py")
    place.runner.does = lambda: left.write_text("x")

    place.try_old()

    assert (left.exists(), place.runner.file.read_text()) == (False, NEW)


def test_bytecode_of_the_other_tree_is_not_left_for_the_present_one(place: Place) -> None:
    bytecode = place.runner.file.parent / "__pycache__" / "code.cpython-313.pyc"
    bytecode.parent.mkdir()
    place.runner.does = lambda: bytecode.write_bytes(b"old")

    place.try_old()

    assert not bytecode.exists()
