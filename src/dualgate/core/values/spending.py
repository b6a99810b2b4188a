"""Usage of calls: tokens, dollars and times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.values.vocabulary import Phase

DIGITS = 9
"""Decimal places that sums of dollars are rounded to, to hide binary fractions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    calls: int = 0
    """Number of started calls."""
    input: int = 0
    """Input tokens, from a cache or not."""
    output: int = 0
    cached: int = 0
    cost_usd: float = 0.0
    computed_usd: float = 0.0
    """The part of the cost that was computed from the user's prices."""
    without_tokens: int = 0
    """Calls that did not report tokens, or have not yet."""
    without_cost: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    @property
    def tells_tokens(self) -> bool:
        """Whether any call reported its tokens."""
        return self.calls > self.without_tokens

    @property
    def tells_cost(self) -> bool:
        return self.calls > self.without_cost

    def __add__(self, other: "Used") -> "Used":
        return self._plus(other, 1)

    def __sub__(self, other: "Used") -> "Used":
        return self._plus(other, -1)

    def _plus(self, other: "Used", sign: int) -> "Used":
        return Used(
            calls=self.calls + sign * other.calls,
            input=self.input + sign * other.input,
            output=self.output + sign * other.output,
            cached=self.cached + sign * other.cached,
            cost_usd=round(self.cost_usd + sign * other.cost_usd, DIGITS),
            computed_usd=round(self.computed_usd + sign * other.computed_usd, DIGITS),
            without_tokens=self.without_tokens + sign * other.without_tokens,
            without_cost=self.without_cost + sign * other.without_cost,
        )


NOTHING = Used()
UNREPORTED = Used(calls=1, without_tokens=1, without_cost=1)
"""A call that has reported nothing yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """One call of the last hour."""

    started: datetime
    ended: datetime | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationUse:
    """Usage of one iteration, including failed and retried calls."""

    phase: Phase
    iteration: int
    used: Used


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    phases: Mapping[Phase, Used] = field(default_factory=dict)
    """Usage by the run's phase, over all visits."""
    iterations: tuple[IterationUse, ...] = ()
    """The latest iterations."""
    recent: tuple[Charge, ...] = ()
    """Calls of the last hour, the oldest first."""
    escalated: Used = NOTHING
    """The part of the total that agents used which took over for lack of progress."""

    @property
    def total(self) -> Used:
        return sum(self.phases.values(), NOTHING)

    def of(self, phase: Phase) -> Used:
        return self.phases.get(phase, NOTHING)
