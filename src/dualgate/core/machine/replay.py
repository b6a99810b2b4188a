"""Events -> Replay: repeat every decision from the journal, and list those that differ.

With other limits, the replay stops at the first decision that differs. The events after it belong to a run that would
not have happened, so they are not compared.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from dualgate.core.gates.breaker import breaker_after, notice_of
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.checking import held_verdict
from dualgate.core.machine.controls import trial_after
from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.machine.moves import decide, reject
from dualgate.core.money.budget import halt_before_call
from dualgate.core.team.fallover import next_switch
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.events import CallStarted, Event, ProvenAgain, SessionHalted, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.errors import IllegalTransition

# a run diverges when one of these differs; the other fields of a ruling are its reasons
WAY = ("decision", "phase", "status")
# the limits that can halt a run before a call
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
    """The decision at one event. Gates are None for decisions between two calls."""

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
    """The agent that is asked from now on, if it changes."""


EVERYTHING = tuple(field.name for field in fields(Ruling))
Pair = tuple[Ruling, Ruling]
"""The recorded ruling and the recomputed ruling."""
Rule = Callable[[LoopState, Event], Pair | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One decision that differs: `seq` numbers its event, `phase` and `iteration` locate it in the run."""

    seq: int
    phase: Phase
    iteration: int
    recorded: Ruling
    recomputed: Ruling

    @property
    def what(self) -> tuple[str, ...]:
        """Names of the fields that differ."""
        return tuple(name for name in EVERYTHING if getattr(self.recorded, name) != getattr(self.recomputed, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    events: int
    """Number of events replayed, without the start of the session."""
    decisions: int
    """Number of decisions recomputed."""
    differences: tuple[Difference, ...] = ()
    other_reasons: tuple[Difference, ...] = ()
    """Halts before the same call, but for a different reason under the other limits."""
    not_compared: int = 0
    """Number of events after the first difference under other limits, or after an illegal event."""
    broken: str = ""
    """Why the events cannot be replayed to the end."""

    @property
    def is_same(self) -> bool:
        return not (self.differences or self.broken)


def replay(events: Iterable[Numbered]) -> Replay:
    """Recompute every decision with the recorded limits."""
    return _replayed(list(events), lambda state, event: _decided(state, event, state.limits), EVERYTHING)


def what_if(events: Iterable[Numbered], changed: Callable[[Limits], Limits]) -> Replay:
    """Find the first decision that differs under changed limits.

    `changed` is applied to the limits in force at each event, since a resumed run may have new ones.
    """

    def under(state: LoopState, event: Event) -> Pair | None:
        limits = changed(state.limits)
        decided = _cooled(state, event, limits) or _decided(state, event, limits)
        return decided or _between_calls(state, event, limits)

    return _replayed(list(events), under, WAY)


def _replayed(events: Sequence[Numbered], rule: Rule, compared: Sequence[str]) -> Replay:
    """Collect all differences; when comparing WAY only the first, since nothing after it can be compared."""
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
    """Yield each event after the first, with the state before it."""
    state = begin(first_of(events[0][1] if events else None))
    for seq, event in events[1:]:
        yield seq, state, event
        state = apply(state, event)


def _decided(state: LoopState, event: Event, limits: Limits) -> Pair | None:
    """Return the recorded and the recomputed ruling; None for events that decide nothing."""
    if isinstance(event, AgentSwitched):
        return _switched(replace(state, limits=limits), event)
    if isinstance(event, ChecksFailed):
        verdict = held_verdict(event.results)
        again = _ruling(verdict, state.breaker, reject(replace(state, limits=limits), verdict))
        return _ruling(event.verdict, state.breaker, event.move), again
    if not isinstance(event, TurnEnded | ProvenAgain):
        return None
    turn = event.turn if isinstance(event, ProvenAgain) else event
    under = replace(state, limits=limits)
    verdict = judge(turn.facts, limits)
    breaker = state.breaker
    if isinstance(event, TurnEnded):
        notice = notice_of(turn.facts.claimed, verdict)
        breaker = breaker_after(breaker, state.phase, measure(turn.facts), limits, notice)
    recomputed = _ruling(verdict, breaker, decide(under, turn.facts, verdict, breaker))
    return _ruling(turn.verdict, turn.breaker, turn.move), recomputed


def _switched(state: LoopState, event: AgentSwitched) -> Pair:
    recorded = replace(_going_on(state), agent=event.agent, reasons=(event.reason,))
    again = next_switch(state, event.at)
    return recorded, replace(_going_on(state), agent=again.agent, reasons=(again.reason,)) if again else _going_on(
        state
    )


def _between_calls(state: LoopState, event: Event, limits: Limits) -> Pair | None:
    """Compare whether the next call is made, or time, a budget or a limit halts the run before it."""
    under = replace(state, limits=limits)
    match event:
        case CallStarted() if not event.follows:
            # the halt may have been due before the run waited, so both times are checked
            times = (state.last_activity, event.at)
            halts = (halt_before_call(under, at, event.agent) for at in times)
            return _going_on(state), _halted(under, next(filter(None, halts), None))
        case SessionHalted():
            # the length of the wait is not recorded, so unchanged limits are taken to halt as recorded
            same = all(getattr(limits, name) == getattr(state.limits, name) for name in BETWEEN_CALLS)
            halt = event if same else halt_before_call(under, event.at)
            return _halted(state, event), _halted(under, halt)
        case _:
            return None


def _cooled(state: LoopState, event: Event, limits: Limits) -> Pair | None:
    """Compare a breaker halt that gets a trial iteration after its cool-down under only one set of limits."""
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
        agent=move.escalates_to or None,
    )


def _difference(seq: int, state: LoopState, recorded: Ruling, recomputed: Ruling) -> Difference:
    return Difference(
        seq=seq, phase=state.phase, iteration=state.iteration + 1, recorded=recorded, recomputed=recomputed
    )
