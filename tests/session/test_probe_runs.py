"""Probes are made once for a tree and its tests, leave nothing behind, and are not repeated after a crash."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.secrets.redaction import Redactor, redactor_of
from dualgate.core.values.changes import Changes
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.facts import Facts
from dualgate.core.values.probes import ProbeGroup, ProbePlan, ProbeReport, ProbesEnded, ProbesStarted
from dualgate.core.values.specification import CriterionResult, CriterionStatus, Kind
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.session.probe_runs import ProbeRuns
from dualgate.session.record import Recording
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.testing import NOW, a_control, a_report, a_state, facts, not_done, passed
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree
from tests.session.test_unfinished import ANSWER, SETTLED, found

DATA = ("rates.json", "queries/all.sql", "words.txt")
NO_DATA = ("pyproject.toml", "uv.lock", "Makefile", "LICENSE", ".github/a.yml", "shop/py.typed", "app.js", "fee.pyi")
SOURCES = ("fee.py", "rate.py", *DATA, *NO_DATA)


@dataclass
class Breaking:
    """A prober that keeps its plans, and whose broken code may write to the project."""

    project: Path
    writes: dict[str, str] = field(default_factory=dict)
    plans: list[ProbePlan] = field(default_factory=list)

    def probe(self, plan: ProbePlan, control: Control) -> ProbeReport:
        del control
        self.plans.append(plan)
        for name, text in self.writes.items():
            (self.project / name).write_text(text)
        return ProbeReport(ran=tuple(test for group in plan.groups for test in group.tests), seconds=1.0)


@dataclass
class Place:
    prober: Breaking
    worktree: WorkTree
    state: LoopState
    events: list[Event] = field(default_factory=list)

    def runs(self, unfinished: UnfinishedTurn | None = None, redactor: Redactor | None = None) -> ProbeRuns:
        to = Recording(
            record=self.events.append,
            now=lambda: NOW,
            unfinished=unfinished or UnfinishedTurn(),
            redactor=redactor or Redactor(),
        )
        return ProbeRuns(prober=self.prober, worktree=self.worktree, to=to)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "project"
    root.mkdir()
    (root / "fee.py").write_text("def fee(): raise NotImplementedError\n")
    saved = SavedSnapshots(root, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW)
    start = worktree.present
    (root / "fee.py").write_text("def fee(): return 2\n")
    (root / "rate.py").write_text("RATE = 2\n")
    state = a_state(phase=Phase.GREEN, proof=Proof(start_tree=start, proven=()))
    worktree.settle(state)
    return Place(prober=Breaking(root), worktree=worktree, state=state)


def green(**values: Any) -> Facts:
    criterion = CriterionResult(id="AC-1", kind=Kind.NEW, state=CriterionStatus.GREEN, proof=("test_ac1",))
    changes = Changes(tree="t", sources=SOURCES)
    return facts(Phase.GREEN, criteria=(criterion,), changes=changes, **values)


def test_the_plan_holds_the_sources_before_any_work_and_the_tests_of_each_criterion(place: Place) -> None:
    report = place.runs().decide(place.state, green(), a_control())

    (plan,) = place.prober.plans
    assert plan.before == {"fee.py": "def fee(): raise NotImplementedError\n", "rate.py": ""}
    assert plan.data == DATA
    assert plan.groups == (ProbeGroup(id="AC-1", tests=("test_ac1",)),)
    assert report is not None
    assert report.tree == place.worktree.present
    assert [type(event) for event in place.events] == [ProbesStarted, ProbesEnded]


def test_nothing_is_broken_before_the_gates_would_open(place: Place) -> None:
    silent = facts(Phase.GREEN, not_done())
    off = replace(place.state, limits=replace(place.state.limits, sensitivity="off"))

    assert place.runs().decide(place.state, green(green_runs=0), a_control()) is None
    assert place.runs().decide(place.state, silent, a_control()) is None
    assert place.runs().decide(off, green(), a_control()) is None
    assert place.runs().decide(replace(place.state, phase=Phase.REFACTOR), green(), a_control()) is None
    assert place.prober.plans == []


TOKENS = tuple(f"ghp_{'a1b2c3d4' * 4}{end}" for end in ("aaaa", "bbbb"))
PASSWORDS = ("postgres://bob:hunter2-one@db", "postgres://bob:hunter2-two@db")


@pytest.mark.parametrize(
    ("parameters", "is_of_environment"), [(("q7-Zz81mmPq0",), True), (TOKENS, False), (PASSWORDS, False)]
)
def test_code_is_broken_for_tests_by_their_real_names_and_recorded_by_redacted_ones(
    place: Place, parameters: tuple[str, ...], is_of_environment: bool
) -> None:
    runs = place.runs(redactor=redactor_of({"SERVICE_TOKEN": "q7-Zz81mmPq0"}))
    real = tuple(f"test_ac1[{each}]" for each in parameters)
    shown = tuple(dict.fromkeys(map(runs.to.redactor.text, real)))
    if not is_of_environment:  # the value of a variable is known again in another process
        runs.to.redacted(a_report(*(replace(passed("ac1"), id=each) for each in real)))
    criterion = CriterionResult(id="AC-1", kind=Kind.NEW, state=CriterionStatus.GREEN, proof=shown)
    named = facts(Phase.GREEN, criteria=(criterion,), changes=Changes(tree="t", sources=SOURCES))

    report = runs.decide(place.state, named, a_control())

    (plan,) = place.prober.plans
    assert plan.groups == (ProbeGroup(id="AC-1", tests=real),)
    assert report is not None
    assert set(report.ran) == set(shown)
    assert not set(real) & set(shown)
    assert runs.decide(place.state, named, a_control()) == report
    assert len(place.prober.plans) == 1


def test_an_unchanged_tree_is_not_measured_again(place: Place) -> None:
    runs = place.runs()
    first = runs.decide(place.state, green(), a_control())

    assert runs.decide(place.state, green(), a_control()) == first
    assert len(place.prober.plans) == 1
    assert first is not None
    assert place.events[-1] == ProbesEnded(at=NOW, report=first, known=True)


def test_files_that_broken_code_leaves_are_removed(place: Place) -> None:
    place.prober.writes = {"left.txt": "x", "fee.py": "broken"}
    before = place.worktree.present

    place.runs().decide(place.state, green(), a_control())

    assert place.worktree.present == before
    assert not (place.prober.project / "left.txt").exists()


def test_finished_probes_of_a_turn_that_was_cut_off_are_not_repeated(place: Place) -> None:
    report = ProbeReport(seconds=3.0)
    cut_off = replace(found(ANSWER, SETTLED), probes=report)

    assert place.runs(UnfinishedTurn(cut_off)).decide(place.state, green(), a_control()) is report
    assert place.prober.plans == []
