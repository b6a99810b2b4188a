"""Limits: every number that gates, breaker and machine compare with. A run keeps the limits it started with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dualgate.core.values.vocabulary import Amend, Approve, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for a million tokens of each kind."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    """Price of tokens from a cache; None: the same as `input`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Iterations in a row after which the breaker opens."""

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
    """Budget for all calls of one phase, over all its visits; None: only the run's budget applies."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a run. Fields without a docstring are settings, explained where declared; times are in seconds."""

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
    prompt_tokens: int = 48_000
    halt_on_question: bool = False
    qa_returns: int = 3
    documents: int = 3
    adr_required: bool = True
    slow_suite: float = 600.0
    sensitivity: str = "report"
    sensitivity_time: float | None = None
    amendments: int = 3
    amend: Amend = Amend.REVIEW
    approve: Approve = Approve.NONE
    half_open_after: int = 2
    """Iterations without progress after which the breaker is half open."""
    failed_calls: int = 7
    """Failed calls in a row after which the run is stuck."""
    empty_calls: int = 3
    """Empty answers in a row after which the run is stuck."""
    limited_calls: int = 12
    """Rate limits in a row after which the run halts; usage limits are always waited for."""
    same_error_nudge: int = 3
    """Answers in a row with the same error: stuck for the analyzer, a nudge for the loop."""
    refactor_iterations: int = 5
    """Iterations after which REFACTOR counts as complete."""
    rewrites: int = 2
    """How often the tests of criteria without proof are rewritten."""
    green_runs: int = 2
    """Full green runs of one tree that GREEN needs."""
    first_failing_after: float = 30.0
    """If a whole run takes more seconds than this, failed tests are run before the whole suite."""

    def of(self, phase: Phase) -> Thresholds:
        """Return the thresholds of a phase, or its defaults."""
        return self.thresholds.get(phase, THRESHOLDS[phase])

    def budget_of(self, phase: Phase) -> PhaseBudget:
        return self.budgets.get(phase, PhaseBudget())


MEASURES_NOTHING = "off"
_REQUIRED = "require:"


def required_share(sensitivity: str) -> float | None:
    """The percent of probes that must be killed; None if surviving ones are only reported."""
    return float(sensitivity.removeprefix(_REQUIRED).removesuffix("%")) if sensitivity.startswith(_REQUIRED) else None
