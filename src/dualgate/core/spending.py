"""CallStarted, CallEnded -> Spending: what the calls of a session used. The one place where that is counted.

A call counts from its start, so that one that was cut off counts too. What a call did not tell is counted as not told,
and never guessed: the sums are then the least that was used.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from dualgate.core.answer import Answer
from dualgate.core.phase import Phase
from dualgate.core.prices import Price, computed_cost
from dualgate.core.replacing import replace

HOUR = timedelta(hours=1)
ITERATIONS_KEPT = 50
DIGITS = 9
"""A sum of dollars is not to show how a machine adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    calls: int = 0
    """Those that were started."""
    input: int = 0
    """Tokens that were read, from a cache or not."""
    output: int = 0
    cached: int = 0
    cost_usd: float = 0.0
    computed_usd: float = 0.0
    """The part of the cost that was computed from the user's prices."""
    without_tokens: int = 0
    """Calls that told no tokens, or have not told them yet."""
    without_cost: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    @property
    def tells_tokens(self) -> bool:
        """Whether any call told its tokens."""
        return self.calls > self.without_tokens

    @property
    def tells_cost(self) -> bool:
        return self.calls > self.without_cost

    def __add__(self, other: "Used") -> "Used":
        return Used(
            calls=self.calls + other.calls,
            input=self.input + other.input,
            output=self.output + other.output,
            cached=self.cached + other.cached,
            cost_usd=round(self.cost_usd + other.cost_usd, DIGITS),
            computed_usd=round(self.computed_usd + other.computed_usd, DIGITS),
            without_tokens=self.without_tokens + other.without_tokens,
            without_cost=self.without_cost + other.without_cost,
        )

    def __sub__(self, other: "Used") -> "Used":
        return Used(
            calls=self.calls - other.calls,
            input=self.input - other.input,
            output=self.output - other.output,
            cached=self.cached - other.cached,
            cost_usd=round(self.cost_usd - other.cost_usd, DIGITS),
            computed_usd=round(self.computed_usd - other.computed_usd, DIGITS),
            without_tokens=self.without_tokens - other.without_tokens,
            without_cost=self.without_cost - other.without_cost,
        )


NOTHING = Used()
UNTOLD = Used(calls=1, without_tokens=1, without_cost=1)
"""A call that told nothing, as every call has at its start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """One call of the last hour."""

    started: datetime
    ended: datetime | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationUse:
    """What one iteration used, calls that failed and were made again included."""

    phase: Phase
    iteration: int
    used: Used


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    phases: Mapping[Phase, Used] = field(default_factory=dict)
    """By the phase that the run was in, all visits of it together."""
    iterations: tuple[IterationUse, ...] = ()
    """The last of them."""
    recent: tuple[Charge, ...] = ()
    """Calls of the last hour, the oldest first."""

    @property
    def total(self) -> Used:
        return sum(self.phases.values(), NOTHING)

    def of(self, phase: Phase) -> Used:
        return self.phases.get(phase, NOTHING)


def call_started(spending: Spending, phase: Phase, iteration: int, at: datetime) -> Spending:
    begun = _added(spending, phase, iteration, UNTOLD)
    return replace(begun, recent=(*_since(spending.recent, at - HOUR), Charge(started=at)))


def _since(recent: tuple[Charge, ...], since: datetime) -> tuple[Charge, ...]:
    """Without the oldest that ended before; no other is looked at, however many calls an hour had."""
    gone = next((n for n, charge in enumerate(recent) if (charge.ended or charge.started) > since), len(recent))
    return recent[gone:]


def call_ended(
    spending: Spending, phase: Phase, iteration: int, answer: Answer, at: datetime, prices: Mapping[str, Price]
) -> Spending:
    """The call that was started last has told what it used."""
    told = answer_used(answer, prices) - UNTOLD
    ended = tuple(replace(charge, ended=at, tokens=told.tokens) for charge in spending.recent[-1:])
    return replace(_added(spending, phase, iteration, told), recent=(*spending.recent[:-1], *ended))


def answer_used(answer: Answer, prices: Mapping[str, Price]) -> Used:
    """One call, by what it told of itself."""
    usage = answer.usage
    told = UNTOLD
    if usage is not None:
        told += Used(input=usage.input, output=usage.output, cached=usage.cached, without_tokens=-1)
    if answer.cost_usd is not None:
        return told + Used(cost_usd=answer.cost_usd, without_cost=-1)
    computed = computed_cost(usage, answer.model, prices)
    return told if computed is None else told + Used(cost_usd=computed, computed_usd=computed, without_cost=-1)


def _added(spending: Spending, phase: Phase, iteration: int, used: Used) -> Spending:
    if used == NOTHING:
        return spending
    before, last = spending.iterations[:-1], spending.iterations[-1:]
    if last and (last[0].phase, last[0].iteration) == (phase, iteration):
        used_so_far = last[0].used
    else:
        before, used_so_far = spending.iterations, NOTHING
    now = IterationUse(phase=phase, iteration=iteration, used=used_so_far + used)
    iterations = (*before, now)[-ITERATIONS_KEPT:]
    return replace(spending, phases={**spending.phases, phase: spending.of(phase) + used}, iterations=iterations)
