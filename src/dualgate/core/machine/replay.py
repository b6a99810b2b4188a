"""Events -> Replay: every decision made again from what the journal holds, and where one comes out otherwise.

With other limits it tells where a run would first have gone another way. What was recorded after that place belongs to
a run that would not have been, so that nothing behind it is compared.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.controls import trial_after
from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.machine.moves import decide
from dualgate.core.money.budget import halt_before_call
from dualgate.core.team.fallover import next_switch
from dualgate.core.values.events import AgentSwitched, CallStarted, Event, ProvenAgain, SessionHalted, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.errors import IllegalTransition

# what makes two runs part: the rest of a ruling is why
WAY = ("decision", "phase", "status")
# what is compared before a call is made
BETWEEN_CALLS = (
    "wait",
    "max_duration",
    "max_calls_per_hour",
    "max_tokens_per_hour",
    "max_tokens",
    "max_cost",
    "budgets",
)
Numbered = tuple[int, Event]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What was decided at one event. Between two calls there are no gates."""

    decision: Decision
    phase: Phase
    status: Status = Status.RUNNING
    halt_reason: str | None = None
    outcome: Outcome | None = None
    gate_1: bool | None = None
    gate_2: bool | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    breaker: Breaker | None = None
    agent: str | None = None
    """Who is asked from then on, where that changes."""


EVERYTHING = tuple(field.name for field in fields(Ruling))
Pair = tuple[Ruling, Ruling]
"""As it was recorded, and as it comes out now."""
Rule = Callable[[LoopState, Event], Pair | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`seq` is the number of the event, `phase` and `iteration` are where the run was."""

    seq: int
    phase: Phase
    iteration: int
    recorded: Ruling
    recomputed: Ruling

    @property
    def what(self) -> tuple[str, ...]:
        """The names of what is not the same."""
        return tuple(name for name in EVERYTHING if getattr(self.recorded, name) != getattr(self.recomputed, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    events: int
    """Those that were gone through, the start of the session aside."""
    decisions: int
    """Those that were made again."""
    differences: tuple[Difference, ...] = ()
    other_reasons: tuple[Difference, ...] = ()
    """Where a run with other limits would have halted before the same call, and for another reason."""
    not_compared: int = 0
    """Events after the place where a run with other limits parts from the recorded one, or where the events break."""
    broken: str = ""
    """Why the events cannot be followed to the end."""

    @property
    def is_same(self) -> bool:
        return not (self.differences or self.broken)


def replay(events: Iterable[Numbered]) -> Replay:
    """Every decision, made again as it was made then."""
    return _replayed(list(events), lambda state, event: _decided(state, event, state.limits), EVERYTHING)


def what_if(events: Iterable[Numbered], changed: Callable[[Limits], Limits]) -> Replay:
    """Where a run would first have gone another way, had its limits been changed like this.

    They are changed wherever the run takes others itself, as one that is resumed may.
    """

    def under(state: LoopState, event: Event) -> Pair | None:
        limits = changed(state.limits)
        decided = _cooled(state, event, limits) or _decided(state, event, limits)
        return decided or _between_calls(state, event, limits)

    return _replayed(list(events), under, WAY)


def _replayed(events: Sequence[Numbered], rule: Rule, compared: Sequence[str]) -> Replay:
    """All differences; of the way that a run takes the first alone, since nothing after it can be compared."""
    seq = passed = decisions = 0
    differences: list[Difference] = []
    other_reasons: list[Difference] = []
    broken = ""
    try:
        for seq, state, event in _followed(events):
            passed += 1
            pair = rule(state, event)
            decisions += pair is not None
            if pair and any(getattr(pair[0], name) != getattr(pair[1], name) for name in compared):
                differences.append(_difference(seq, state, *pair))
                if compared is WAY:
                    break
            elif pair and isinstance(event, SessionHalted) and pair[0].halt_reason != pair[1].halt_reason:
                other_reasons.append(_difference(seq, state, *pair))
    except IllegalTransition as error:
        broken = f"event {seq} cannot follow those before it: {error.message}"
    return Replay(
        events=passed,
        decisions=decisions,
        differences=tuple(differences),
        other_reasons=tuple(other_reasons),
        not_compared=len(events) - 1 - passed,
        broken=broken,
    )


def _followed(events: Sequence[Numbered]) -> Iterator[tuple[int, LoopState, Event]]:
    """Each event but the first with the state before it."""
    state = begin(first_of(events[0][1] if events else None))
    for seq, event in events[1:]:
        yield seq, state, event
        state = apply(state, event)


def _decided(state: LoopState, event: Event, limits: Limits) -> Pair | None:
    """What a turn came to, and what it comes to; None for events that decide nothing."""
    if isinstance(event, AgentSwitched):
        return _switched(replace(state, limits=limits), event)
    if not isinstance(event, TurnEnded | ProvenAgain):
        return None
    turn = event.turn if isinstance(event, ProvenAgain) else event
    under = replace(state, limits=limits)
    verdict = judge(turn.facts, limits)
    breaker = state.breaker
    if isinstance(event, TurnEnded):
        breaker = breaker_after(breaker, state.phase, measure(turn.facts), limits)
    recomputed = _ruling(verdict, breaker, decide(under, turn.facts, verdict, breaker))
    return _ruling(turn.verdict, turn.breaker, turn.move), recomputed


def _switched(state: LoopState, event: AgentSwitched) -> Pair:
    recorded = replace(_going_on(state), agent=event.agent, reasons=(event.reason,))
    again = next_switch(state, event.at)
    return recorded, replace(_going_on(state), agent=again.agent, reasons=(again.reason,)) if again else _going_on(
        state
    )


def _between_calls(state: LoopState, event: Event, limits: Limits) -> Pair | None:
    """Whether a call would have been made, or the run ended before it: by its time, or by a limit of the provider."""
    under = replace(state, limits=limits)
    match event:
        case CallStarted():
            # what a limit or the time decides, it may have decided before the run waited
            times = (state.last_activity, event.at)
            halts = (halt_before_call(under, at, event.agent) for at in times)
            return _going_on(state), _halted(under, next(filter(None, halts), None))
        case SessionHalted():
            # how long it would have waited is not recorded, and where nothing was changed it need not be known
            same = all(getattr(limits, name) == getattr(state.limits, name) for name in BETWEEN_CALLS)
            halt = event if same else halt_before_call(under, event.at)
            return _halted(state, event), _halted(under, halt)
        case _:
            return None


def _cooled(state: LoopState, event: Event, limits: Limits) -> Pair | None:
    """A halt by the breaker that rests and is tried once more under one set of limits, and under the other is not."""
    if not isinstance(event, TurnEnded):
        return None
    after = apply(state, event)
    rests, would_rest = trial_after(after), trial_after(replace(after, limits=limits))
    if (rests is None) == (would_rest is None):
        return None
    halted = _ruling(event.verdict, event.breaker, event.move)
    tried = replace(halted, decision=Decision.CONTINUE, status=Status.RUNNING, halt_reason=None)
    return (halted, tried) if rests is None else (tried, halted)


def _going_on(state: LoopState) -> Ruling:
    return Ruling(decision=Decision.CONTINUE, phase=state.phase)


def _halted(state: LoopState, halt: SessionHalted | None) -> Ruling:
    if halt is None:
        return _going_on(state)
    return Ruling(decision=halt.decision, phase=state.phase, status=Status.HALTED, halt_reason=halt.reason)


def _ruling(verdict: Verdict, breaker: Breaker, move: Move) -> Ruling:
    return Ruling(
        decision=move.decision,
        phase=move.phase,
        status=move.status,
        halt_reason=move.halt_reason,
        outcome=verdict.outcome,
        gate_1=verdict.gate_1,
        gate_2=verdict.gate_2,
        reasons=verdict.reasons,
        warnings=verdict.warnings,
        blockers=verdict.blockers,
        breaker=breaker,
    )


def _difference(seq: int, state: LoopState, recorded: Ruling, recomputed: Ruling) -> Difference:
    return Difference(
        seq=seq, phase=state.phase, iteration=state.iteration + 1, recorded=recorded, recomputed=recomputed
    )
