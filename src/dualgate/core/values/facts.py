"""Facts by which one iteration is judged: claims and evidence, kept apart."""

from dataclasses import dataclass, field

from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckResult, CheckRun
from dualgate.core.values.claim import Claim
from dualgate.core.values.probes import ProbeReport, WeakCriterion
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.reviews import Weighed
from dualgate.core.values.specification import CriterionResult, Plan
from dualgate.core.values.suite import CaseResult, Counts, Trial
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOnce:
    """A flaw of the tests that keeps RED's gate shut once; `about` says what was asked, so that it is not again."""

    about: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Evidence only; nothing in it comes from the agent's claims."""

    counts: Counts = field(default_factory=Counts)
    problems: tuple[str, ...] = ()
    """Why the test runs are not trusted; empty if they are."""
    failing: tuple[CaseResult, ...] = ()
    """Failures that count: those of the baseline with unchanged code do not, except in BUILD."""
    red: tuple[str, ...] = ()
    """New or changed tests that fail by themselves."""
    counted: int | None = None
    """Number of red tests that count: functions with different bodies. None in sessions that counted all of `red`."""
    idle: tuple[str, ...] = ()
    """New or changed tests that are skipped or expected to fail."""
    uncovered: tuple[str, ...] = ()
    """New criteria that no red test names, without those that hold already."""
    nameless: tuple[str, ...] = ()
    """Red tests that are not new and name no criterion."""
    spare: int = 0
    """Number of counted red tests that name no criterion."""
    asks: tuple[AskedOnce, ...] = ()
    """In RED: what is asked of the agent in this iteration only."""
    met: tuple[str, ...] = ()
    """New criteria that no red test names, but passing new or changed tests, and that are not shown to hold already."""
    held: tuple[str, ...] = ()
    """New criteria that hold already: their tests passed in two runs against the code as it was. They become keep."""
    reread: tuple[str, ...] = ()
    """Criteria that were read as keep and whose tests are red. They become new."""
    code: tuple[str, ...] = ()
    """In RED: changed files outside the tests, which may make new tests pass."""
    never_red: tuple[str, ...] = ()
    """In RED, if no test is red: criteria whose tests are all new or changed, so nothing shows that these can fail."""
    criteria: tuple[CriterionResult, ...] = ()
    """Each criterion with its kind, its proof and its state."""
    checks: tuple[CheckRun, ...] = ()
    """Runs of the commands of checks on this tree."""
    broken_checks: tuple[CheckResult, ...] = ()
    """Checks that passed before any work, fail now, and keep the gate shut in the phases that wait for them."""
    unkept: tuple[str, ...] = ()
    """Kept tests (proven for unchanged criteria before the specification changed) that changed."""
    bereft: tuple[str, ...] = ()
    """Criteria that were proven red and whose test a person removed."""
    broken: tuple[str, ...] = ()
    """Tests of the baseline that fail now and were not changed."""
    reshaped: tuple[str, ...] = ()
    """Tests of the baseline that fail now, and whose file or a file of fixtures above it changed."""
    vanished: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    """Proven tests whose code changed."""
    flaky: tuple[str, ...] = ()
    """Tests whose results differ between runs of this tree."""
    unstable_ids: tuple[str, ...] = ()
    """Functions whose case ids differ between two runs of this tree."""
    green_runs: int = 0
    """Number of green runs of the whole suite."""
    repeats: int = 0
    """Number of repeated passes of a slow suite's new, changed and flaky tests."""
    partial: bool = False
    """Whether only some of the tests were run, which proves nothing."""
    seconds: float = 0.0
    """Seconds that the whole suite took; 0 if it was not run."""
    notes: tuple[str, ...] = ()
    probes: ProbeReport | None = None
    """Which tests notice that changed code is broken; None if that was not measured on this tree."""
    held_before: tuple[str, ...] = ()
    """In RED: red tests that pass on the code from before the run, so that they fail for a change of RED itself."""
    weak: tuple[WeakCriterion, ...] = ()
    """Criteria whose tests do not notice that the code is broken."""
    sensitive: tuple[str, ...] = ()
    """Criteria whose tests do notice it."""
    trial: Trial | None = None
    """While tests are rewritten: their run without the work."""
    unrewritten: tuple[str, ...] = ()
    """While tests are rewritten: what is still missing, for each criterion."""
    hollow: tuple[str, ...] = ()
    """New and changed tests that cannot fail by their syntax tree, each as a sentence with the test and the line."""
    leaning: tuple[str, ...] = ()
    """Tests of RED that pass only with tests that were added since, as sentences."""
    disarmed: tuple[str, ...] = ()
    """Changed, removed or skipped tests whose baseline version fails on this tree without excuse, as sentences."""
    upheld: tuple[str, ...] = ()
    """Changed test functions whose baseline version passes on this tree."""
    watching: tuple[str, ...] = ()
    """Changed sources that look at their tests, or do only what these ask, each as a sentence with file and line."""
    judged_before: bool = False
    """Whether this work tree, with this task list, was judged before in the session."""
    fresh: tuple[str, ...] = ()
    """In BUILD: passing tests that are new, or that failed before any work and have the same code."""
    plan: Plan | None = None
    """The task list in the work tree; None if there is none."""
    changes: Changes

    @property
    def has_stand_ins(self) -> bool:
        """Whether changed old tests, named before the criteria existed, are enough for the uncovered criteria."""
        return 0 < len(self.uncovered) <= len(self.nameless)

    @property
    def unlinked(self) -> tuple[str, ...]:
        """Uncovered criteria without any test; those whose tests pass are asked about elsewhere."""
        return () if self.has_stand_ins else tuple(name for name in self.uncovered if name not in self.met)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    phase: Phase
    iteration: int
    criteria: int
    """Number of criteria that need a test that was seen failing."""
    claimed: Claim
    observed: Observed
    suites: tuple[str, ...] = ()
    """Names of the suites; if there is only one, test ids are shown without it."""
    rewriting: tuple[str, ...] = ()
    """Criteria whose tests are rewritten in this iteration, because they did not notice broken code."""
    rewrites_left: int = 0
    """How often tests may still be rewritten."""
    past: FailuresInARow = field(default_factory=FailuresInARow)
    """Failures before this call."""
    checked: tuple[CheckedClaim, ...] = ()
    weighed: Weighed = field(default_factory=Weighed)
    """In a review: its findings, weighed against those of earlier reviews."""
