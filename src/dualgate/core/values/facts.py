"""Everything that one iteration is judged by: claims and evidence, apart."""

from dataclasses import dataclass, field

from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import CheckedClaim, Claim
from dualgate.core.values.reviews import Weighed
from dualgate.core.values.specification import Plan
from dualgate.core.values.suite import CaseResult, Counts
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Evidence alone. Nothing in it came from what the agent wrote about itself."""

    counts: Counts = field(default_factory=Counts)
    problems: tuple[str, ...] = ()
    """Why the test runs cannot be believed; empty where they can."""
    failing: tuple[CaseResult, ...] = ()
    """Failures that are not the project's own."""
    red: tuple[str, ...] = ()
    """New or changed tests that fail by themselves."""
    uncovered: tuple[str, ...] = ()
    """Criteria that no red test names."""
    nameless: tuple[str, ...] = ()
    """Red tests that were there before, and so were named before there was a criterion to name."""
    met: tuple[str, ...] = ()
    """Criteria that no red test names, but new tests that pass: the behaviour seems to be there."""
    unkept: tuple[str, ...] = ()
    """Tests that were proven before the specification was changed, for criteria that did not, and are others now."""
    bereft: tuple[str, ...] = ()
    """Criteria that were proven red and have no test any more, since a person took it away."""
    broken: tuple[str, ...] = ()
    """Tests of the baseline that fail now and were not changed."""
    reshaped: tuple[str, ...] = ()
    """Tests of the baseline that fail now and were changed through what stands beside or above them."""
    vanished: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    """Proven tests whose code changed."""
    flaky: tuple[str, ...] = ()
    """Tests that went one way and the other in the runs of this tree."""
    volatile: tuple[str, ...] = ()
    """Functions whose cases had other ids in two runs of this tree."""
    green_runs: int = 0
    """Of the whole suite."""
    repeats: int = 0
    """How often the new, changed and wavering tests of a slow suite passed once more."""
    partial: bool = False
    """Whether only some of the tests were run: that proves nothing."""
    seconds: float = 0.0
    """How long the whole suite took; 0 where it was not run."""
    notes: tuple[str, ...] = ()
    plan: Plan | None = None
    """The task list as it stands in the work tree; None where there is none."""
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    phase: Phase
    iteration: int
    criteria: int
    claimed: Claim
    observed: Observed
    suites: tuple[str, ...] = ()
    """The suites of the project; where there is one, its tests are shown without its name."""
    past: FailuresInARow = field(default_factory=FailuresInARow)
    """What went wrong before this call."""
    checked: tuple[CheckedClaim, ...] = ()
    weighed: Weighed = field(default_factory=Weighed)
    """Of a review: what it finds, beside what earlier ones did."""
