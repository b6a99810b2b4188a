"""Sessions -> totals: how many are proven or halted and why, what they cost, and the same for each day."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from dualgate.core.values.vocabulary import HaltCause, Status
from dualgate.display.sessions import totals_record

if TYPE_CHECKING:
    from dualgate.web.rows import SeenSession

OTHER = "other"


def totals_of(sessions: "Sequence[SeenSession]") -> dict[str, Any]:
    """The totals of the overview."""
    totals = totals_record([each.summary for each in sessions])
    proven = sum(map(_proven_criteria, sessions))
    standing = Counter(each.standing.value for each in sessions)
    return totals | {
        "standing": dict(standing),
        "proven_criteria": proven,
        "cost_per_proven_criterion": _share(totals["cost_usd"], proven),
    }


def days_of(sessions: "Sequence[SeenSession]", zone: tzinfo, last: date, count: int) -> list[dict[str, Any]]:
    """One object for each of the last days, the oldest first; a session counts on the day on which it ended."""
    days = {last - timedelta(days=back): _Day() for back in range(count - 1, -1, -1)}
    for each in sessions:
        started, ended = each.summary.started, each.summary.last_activity
        if started and (day := days.get(_date(started, zone))):
            day.started += 1
        if ended and each.summary.finished and (day := days.get(_date(ended, zone))):
            day.add(each)
    return [{"date": when.isoformat(), **day.record()} for when, day in days.items()]


def causes_of(sessions: "Iterable[SeenSession]") -> dict[str, int]:
    halted = (each for each in sessions if each.summary.status is Status.HALTED)
    return dict(Counter(map(_cause, halted)))


@dataclass(slots=True)
class _Day:
    started: int = 0
    proven: int = 0
    not_proven: int = 0
    halted: Counter[str] = field(default_factory=Counter)
    cost: float | None = None
    criteria: int = 0

    def add(self, seen: "SeenSession") -> None:
        summary = seen.summary
        cost = summary.figures.cost_usd if summary.figures else None
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost
        if summary.status is Status.HALTED:
            self.halted[_cause(seen)] += 1
        elif summary.proven:
            self.proven += 1
            self.criteria += _proven_criteria(seen)
        else:
            self.not_proven += 1

    def record(self) -> dict[str, Any]:
        return {
            "started": self.started,
            "proven": self.proven,
            "not_proven": self.not_proven,
            "halted": dict(self.halted),
            "cost_usd": None if self.cost is None else round(self.cost, 6),
            "proven_criteria": self.criteria,
            "cost_per_proven_criterion": _share(self.cost, self.criteria),
        }


def _proven_criteria(seen: "SeenSession") -> int:
    """Criteria count as proven when their session is."""
    return len(seen.glimpse.criteria) if seen.glimpse and seen.summary.proven else 0


def _cause(seen: "SeenSession") -> str:
    cause: HaltCause | None = seen.summary.figures.halted_by if seen.summary.figures else None
    return cause.value if cause else OTHER


def _share(cost: float | None, count: int) -> float | None:
    return round(cost / count, 6) if cost is not None and count else None


def _date(moment: datetime, zone: tzinfo) -> date:
    return moment.astimezone(zone).date()
