"""Event, LoopState -> Gathered: what a report takes from the events of a session, in one pass.

Test results are not kept, so that a long session needs little memory. The last state holds all the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dualgate.core.money.spending import answer_used
from dualgate.core.report.catches import catch_of, with_catch
from dualgate.core.report.moments import moment_of
from dualgate.core.report.stays import first_stay, stays_after
from dualgate.core.report.values import Catch, Moment, PhaseStay, RunPoint
from dualgate.core.values.events import CallEnded, CallStarted, Event, SessionStarted, SuiteEnded, TurnEnded
from dualgate.core.values.probes import ProbeReport
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import HOLDING, CriterionStatus
from dualgate.core.values.spending import NOTHING, UNREPORTED, Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionHistory:
    red: RunPoint | None = None
    green: RunPoint | None = None


NEVER_SEEN = CriterionHistory()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUse:
    used: Used = NOTHING
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    started: SessionStarted
    stays: tuple[PhaseStay, ...]
    moments: tuple[Moment, ...] = ()
    catches: tuple[Catch, ...] = ()
    criteria: Mapping[str, CriterionHistory] = field(default_factory=dict)
    usage: Mapping[tuple[Phase, str], AgentUse] = field(default_factory=dict)
    probes: ProbeReport | None = None
    """The last report of the probes."""
    commit: str = ""
    """The git commit that was checked out when the session began; empty without a repository."""


def begin_gathering(started: SessionStarted, state: LoopState) -> Gathered:
    moment = moment_of(started, replace(state, iteration=-1))
    return Gathered(started=started, stays=(first_stay(started, state),), moments=(moment,) if moment else ())


def gathered_after(gathered: Gathered, event: Event, before: LoopState, after: LoopState) -> Gathered:
    """The facts gathered after one more event, which led from the state `before` to the state `after`."""
    stays = stays_after(gathered.stays, event, before, after)
    if stays is not gathered.stays:
        gathered = replace(gathered, stays=stays)
    if moment := moment_of(event, before):
        gathered = replace(gathered, moments=(*gathered.moments, moment))
    if caught := catch_of(event, before):
        gathered = replace(gathered, catches=with_catch(gathered.catches, caught))
    if before.criteria_states is not after.criteria_states:
        point = RunPoint(at=event.at, phase=before.phase, iteration=before.iteration + 1)
        gathered = replace(gathered, criteria=_histories(gathered.criteria, before, after, point))
    match event:
        case CallStarted() | CallEnded():
            return replace(gathered, usage=_usage_after(gathered.usage, event, before))
        case SuiteEnded() if not gathered.commit and not before.proof.start_tree:
            return replace(gathered, commit=event.report.commit)
        case TurnEnded() if event.facts.observed.probes:
            return replace(gathered, probes=event.facts.observed.probes)
        case _:
            return gathered


def _histories(
    known: Mapping[str, CriterionHistory], before: LoopState, after: LoopState, point: RunPoint
) -> dict[str, CriterionHistory]:
    """When each criterion was first red, and since when it holds. One that must be proven again begins again."""
    earlier = {each.id: each.state for each in before.criteria_states}
    found = dict(known)
    for each in after.criteria_states:
        if earlier.get(each.id) is each.state:
            continue
        history = found.get(each.id, NEVER_SEEN)
        if each.state is CriterionStatus.RED:
            history = CriterionHistory(red=history.red or point)
        elif each.state in HOLDING:
            history = replace(history, green=point)
        elif each.state is CriterionStatus.NO_TEST:
            history = NEVER_SEEN
        else:
            history = replace(history, green=None)
        found[each.id] = history
    return found


def _usage_after(
    usage: Mapping[tuple[Phase, str], AgentUse], event: CallStarted | CallEnded, before: LoopState
) -> dict[tuple[Phase, str], AgentUse]:
    """A call counts in the phase of the run, as the budgets do; one that does not end has reported nothing."""
    place = (before.phase, event.agent)
    known = usage.get(place, AgentUse())
    if isinstance(event, CallStarted):
        return {**usage, place: replace(known, used=known.used + UNREPORTED)}
    used = known.used - UNREPORTED + answer_used(event.answer, before.limits.prices)
    return {**usage, place: AgentUse(used=used, seconds=round(known.seconds + event.seconds, 3))}
