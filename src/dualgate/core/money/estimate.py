"""Earlier sessions -> what a run may use: a range of calls, tokens and dollars, and the sessions it rests on.

Every phase costs about as much as one criterion, so an earlier session counts by the size of the new one: its figures
times (phases + criteria of the new one) / (phases + its own criteria). The range goes from the least to the most of
these, and is wider if there are few. Nothing is estimated without an earlier session.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dualgate.core.money.allowances import show_cost
from dualgate.core.values.notation import counted
from dualgate.core.values.shapes import ANY_TEXT, NUMBER, Schema, integer, or_null, record
from dualgate.core.values.team import Lineup
from dualgate.core.values.vocabulary import PHASES, Workflow

WIDER: Mapping[int, float] = {1: 3.0, 2: 2.2, 3: 1.7, 4: 1.5, 5: 1.35, 6: 1.3, 7: 1.2, 8: 1.15}
"""Number of sessions -> the factor by which their range is widened at both ends; 1 for more."""
TRIMMED = 20
"""For each this many sessions, the least and the most are left out: one odd session must not decide the range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A session of the project that completed. Tokens and cost are None if not every call reported them."""

    workflow: Workflow
    agent: str
    """The first agent of its lineup, with its model."""
    size: int
    """Its criteria, or the open tasks of its list."""
    calls: int
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Ranges are None if nothing is known. `ground` says on which sessions they rest, or why there is none."""

    ground: str
    sessions: int = 0
    calls: Range | None = None
    tokens: Range | None = None
    cost_usd: Range | None = None


def team_name(lineup: Lineup, workflow: Workflow) -> str:
    """The first agents of the phases, each once."""
    return joined(lineup.of(phase)[0] for phase in PHASES[workflow] if lineup.of(phase))


def joined(names: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(names))


def estimate(earlier: Sequence[Earlier], workflow: Workflow, agent: str, size: int) -> Estimate:
    """Estimate a run of this size by sessions of the same agents; by all if it has none, or is not chosen yet."""
    fitting = [each for each in earlier if each.workflow is workflow]
    if not fitting:
        none = "only sessions of the other workflow completed" if earlier else "no earlier session of this project"
        return Estimate(ground=f"{none}: no estimate")
    own = [each for each in fitting if each.agent == agent]
    used = own or fitting
    others = "" if own or not agent else "other agents: "
    return Estimate(
        ground=_ground(used, workflow, others),
        sessions=len(used),
        calls=_at_least(len(PHASES[workflow]), _range(used, size, lambda each: each.calls)),
        tokens=_range(used, size, lambda each: each.tokens),
        cost_usd=_range(used, size, lambda each: each.cost_usd),
    )


def _range(used: Sequence[Earlier], size: int, figure: Callable[[Earlier], float | None]) -> Range | None:
    found = sorted(value * scale(each, size) for each in used if (value := figure(each)) is not None)
    if not found:
        return None
    trimmed = len(found) // TRIMMED
    wider = WIDER.get(len(found), 1.0)
    return Range(low=found[trimmed] / wider, high=found[-1 - trimmed] * wider)


def _at_least(least: int, found: Range | None) -> Range | None:
    """A run makes one call for each phase at least."""
    return found and Range(low=max(float(least), found.low), high=max(float(least), found.high))


def scale(earlier: Earlier, size: int) -> float:
    """The factor from an earlier session to one with this many criteria."""
    phases = len(PHASES[earlier.workflow])
    return (phases + size) / (phases + earlier.size)


def _ground(used: Sequence[Earlier], workflow: Workflow, others: str) -> str:
    sizes = sorted(each.size for each in used)
    one, many = ("criterion", "criteria") if workflow is Workflow.TDD else ("open task", "open tasks")
    span = counted(sizes[0], one, many) if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]} {many}"
    names = ", ".join(dict.fromkeys(each.agent for each in used))
    return f"from {counted(len(used), 'earlier session', 'earlier sessions')} with {span}, {others}{names}"


def estimate_text(found: Estimate) -> str:
    """The estimate as one sentence: `12 to 31 calls, $1.20 to $4.10: from 5 earlier sessions …`."""
    parts = [
        _text(found.calls, "calls", lambda value: f"{round(value):,}"),
        _text(found.tokens, "tokens", lambda value: f"{_rounded(value):,}"),
        _text(found.cost_usd, "", show_cost),
    ]
    told = ", ".join(filter(None, parts))
    unknown = "" if found.cost_usd or not told else ", cost unknown"
    return f"{told}{unknown}: {found.ground}" if told else found.ground


def _text(found: Range | None, unit: str, show: Callable[[float], str]) -> str:
    return f"{show(found.low)} to {show(found.high)} {unit}".rstrip() if found else ""


def _rounded(value: float) -> int:
    """Two digits are more than such a range knows."""
    step = int("1".ljust(len(str(round(value))) - 1, "0"))
    return round(value / step) * step


def estimate_document(found: Estimate) -> dict[str, Any]:
    return asdict(found)


def estimate_schema() -> Schema:
    """The JSON Schema of the field `estimate` of `check --json` and `run --dry-run --json`."""
    span = or_null(record({"low": NUMBER, "high": NUMBER}))
    return record({"ground": ANY_TEXT, "sessions": integer(), "calls": span, "tokens": span, "cost_usd": span})
