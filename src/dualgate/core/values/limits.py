"""Limits: every number that the gates, the breaker and the machine compare with. A run keeps those it began with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dualgate.core.values.vocabulary import Amend, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for a million tokens of each kind."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    """Of those that came from a cache; None: as those that did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """After how many iterations in a row the breaker opens."""

    no_progress: int
    same_error: int


THRESHOLDS: Mapping[Phase, Thresholds] = {
    Phase.RED: Thresholds(no_progress=3, same_error=5),
    Phase.GREEN: Thresholds(no_progress=3, same_error=3),
    Phase.REFACTOR: Thresholds(no_progress=5, same_error=5),
    Phase.DOCUMENT: Thresholds(no_progress=3, same_error=5),
    Phase.QA: Thresholds(no_progress=3, same_error=3),
    Phase.BUILD: Thresholds(no_progress=3, same_error=5),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseBudget:
    """What the calls of one phase may use, all visits of it together; None: as much as the run."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The first of them are settings, and explained where they are declared; times are in seconds."""

    thresholds: Mapping[Phase, Thresholds] = field(default_factory=lambda: dict(THRESHOLDS))
    cooldown: float | None = None
    max_iterations: int = 100
    max_duration: float | None = None
    max_calls_per_hour: int | None = None
    max_tokens_per_hour: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    budgets: Mapping[Phase, PhaseBudget] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    wait: bool = True
    retry_delay: float = 5.0
    halt_on_question: bool = False
    qa_returns: int = 3
    documents: int = 3
    adr_required: bool = True
    slow_suite: float = 600.0
    amendments: int = 3
    amend: Amend = Amend.REVIEW
    half_open_after: int = 2
    """Iterations without progress after which the breaker is half open."""
    failed_calls: int = 7
    """Failed calls in a row that end as stuck."""
    empty_calls: int = 3
    """Empty answers in a row that end as stuck."""
    limited_calls: int = 12
    """Rate limits in a row that end the run; a usage limit is waited for, however often it is met."""
    prompt_size: int = 24_000
    """Characters of a prompt above which the least important of it is left out."""
    same_error_nudge: int = 3
    """The same error so often in a row is stuck for the analyzer, and a nudge for the loop."""
    refactor_iterations: int = 5
    """Iterations after which REFACTOR needs no other sign that it is complete."""
    green_runs: int = 2
    """Full green runs of one tree that GREEN needs."""
    first_failing_after: float = 30.0
    """Seconds a whole run takes above which the tests that failed are run before the whole suite."""

    def of(self, phase: Phase) -> Thresholds:
        """The thresholds of a phase; those it has by default where none were kept for it."""
        return self.thresholds.get(phase, THRESHOLDS[phase])

    def budget_of(self, phase: Phase) -> PhaseBudget:
        return self.budgets.get(phase, PhaseBudget())
