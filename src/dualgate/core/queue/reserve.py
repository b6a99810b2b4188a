"""The used shares that agents reported, the reserve of the person, the time -> agents that the queue leaves alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.answer import LimitUse
from dualgate.core.values.limit_report import LimitReport
from dualgate.core.values.queue import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A limit of which the rest is kept for the person."""

    use: LimitUse
    until: datetime

    @property
    def text(self) -> str:
        return (
            f"{self.use.used:.0%} of the agent's limit {self.use.window} is used; "
            f"the rest is your reserve until {self.until.isoformat(timespec='minutes')}"
        )


def kept_for_person(jobs: Sequence[Job], percent: int, default_agent: str, now: datetime) -> dict[str, Kept]:
    """By agent: the limit that ends last of those whose reserve is reached. The newest report of each agent counts.

    A limit without a time at which it ends is left out: nobody could say when to go on.
    """
    newest: dict[str, LimitReport] = {}
    for job in jobs:
        named = job.agent or default_agent
        for label, report in job.reports.items():
            agent = named if not named or _name(label) == _name(named) else _name(label)
            if agent not in newest or newest[agent].at < report.at:
                newest[agent] = report
    found: dict[str, Kept] = {}
    for agent, report in newest.items():
        for use in report.use:
            if percent and use.used * 100 > 100 - percent and use.resets_at and use.resets_at > now:
                kept = Kept(use=use, until=use.resets_at)
                found[agent] = max(kept, found.get(agent, kept), key=lambda each: each.until)
    return found


def _name(agent: str) -> str:
    """The name of an agent without its model."""
    return agent.partition(":")[0]
