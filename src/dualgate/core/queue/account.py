"""Rows of a queue -> its account in words: counts by state, usage, and what needs a person."""

from collections.abc import Iterator, Sequence

from dualgate.core.money.allowances import show_calls, show_cost
from dualgate.core.queue.document import RUN, Row
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.queue import JobState, Overlap, Use

NEEDS_PERSON = frozenset(
    {
        JobState.FAILED,
        JobState.BLOCKED,
        JobState.HALTED,
        JobState.NOT_PROVEN,
        JobState.NOT_COMMITTED,
        JobState.APPROVAL,
    }
)
NOTHING = Use()
MOST_NAMED = 20
"""Jobs that an account in a notification names."""
ALL_ENDED = "all jobs ended"
"""The reason of a run of the queue that ended because nothing could start any more."""


def summary(rows: Sequence[Row]) -> str:
    counts = {state: sum(row.state is state for row in rows) for state in JobState}
    parts = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    used = sum((row.job.use for row in rows), Use())
    escalated = sum((row.job.escalated for row in rows), Use())
    usage = f"; {shown_use(used, escalated)}" if used.calls else ""
    return f"{counted(len(rows), 'job', 'jobs')}: {parts}{usage}"


def shown_use(use: Use, escalated: Use = NOTHING) -> str:
    """Calls and dollars, with those of agents that took over apart."""
    if not use.calls:
        return "-"
    return f"{_amount(use)} ({_amount(escalated)} after a takeover)" if escalated.calls else _amount(use)


def _amount(use: Use) -> str:
    """The dollars are a lower bound if calls did not report their cost."""
    if use.calls_without_cost >= use.calls:
        return f"{show_calls(use.calls)}, cost unknown"
    least = "at least " if use.calls_without_cost else ""
    return f"{show_calls(use.calls)}, {least}{show_cost(use.cost_usd)}"


def overlap_text(found: Overlap) -> str:
    one, other = found.jobs
    return f"{one} and {other} conflict in {listed(found.paths)}: merge one of them, then resolve the other"


def account_lines(rows: Sequence[Row], reason: str, overlaps: Sequence[Overlap] = ()) -> Iterator[str]:
    """The account as a notification has it: what needs a person comes with its command."""
    yield f"{summary(rows)}; {reason}"
    named = [row for row in rows if row.state in NEEDS_PERSON]
    for row in named[:MOST_NAMED]:
        why = f": {row.why}" if row.why else ""
        yield f"{row.job.id}: {row.state}{why}. Next: {row.next_step}"
    if len(named) > MOST_NAMED:
        yield f"and {len(named) - MOST_NAMED} more: dualgate queue list"
    yield from (overlap_text(each) for each in overlaps)
    if count := _open_jobs(rows):
        yield f"Go on with {counted(count, 'job', 'jobs')}: {RUN}"


def idle_text(rows: Sequence[Row], ended: str) -> str:
    """How a queue stands that no process runs: why its last run ended, and the command if jobs can go on.

    Jobs that were added or became ready since then have not ended, whatever that run said.
    """
    if not (count := _open_jobs(rows)):
        return ended
    reason = ended.removeprefix(ALL_ENDED).removeprefix("; ")
    return "; ".join(filter(None, (reason, f"go on with {counted(count, 'job', 'jobs')}: {RUN}")))


def _open_jobs(rows: Sequence[Row]) -> int:
    """How many jobs the next run of the queue starts or resumes."""
    return sum(row.state not in NEEDS_PERSON and row.state is not JobState.PROVEN for row in rows)
