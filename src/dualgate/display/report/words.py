"""Times, durations, amounts and places of a report, in words that every format shares."""

from collections.abc import Iterator
from datetime import datetime

from dualgate.core.money.allowances import show_cost, tell_cost, tell_tokens
from dualgate.core.report.values import Catch, Report, ReportedCriterion, RunPoint, SessionEnd
from dualgate.core.values.notation import counted
from dualgate.core.values.reviews import FindingState
from dualgate.core.values.spending import Used
from dualgate.core.values.vocabulary import Workflow
from dualgate.display.lines import shown, shown_count

_SECOND = 10.0


def moment(at: datetime) -> str:
    """A time with its day, in the local zone."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def clock(at: datetime) -> str:
    return f"{at.astimezone():%H:%M:%S}"


def day(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d}"


def took(seconds: float) -> str:
    """0.4 s, 24 s, 3 min 05 s, 2 h 10 min."""
    if seconds < _SECOND:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {left:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def place(point: RunPoint) -> str:
    return f"{point.phase} {point.iteration}"


def passed_later(caught: Catch) -> str:
    """When the phase passed after a catch; empty if it did not."""
    point = caught.passed
    if point is None:
        return ""
    later = took(max(0.0, (point.at - caught.point.at).total_seconds()))
    return f"{point.phase} passed {later} later, in iteration {point.iteration}."


def cost_of(used: Used) -> str:
    return tell_cost(used).removeprefix("cost ")


def tokens_of(used: Used) -> str:
    return tell_tokens(used).removeprefix("tokens ").removesuffix(" tokens")


def short_tokens(used: Used) -> str:
    return shown_count(used.tokens) if used.tells_tokens else "–"


def short_cost(used: Used) -> str:
    return show_cost(used.cost_usd) if used.tells_cost else "–"


def sensitivity_words(criterion: ReportedCriterion) -> str:
    """6 killed, 2 surviving; or why that is not known."""
    seen = criterion.sensitivity
    if seen is None:
        return "–"
    if seen.reason:
        return f"{seen.standing}: {seen.reason}" if seen.killed or seen.surviving else seen.reason
    return f"{seen.killed} killed, {len(seen.surviving)} surviving"


def not_made(report: Report) -> Iterator[str]:
    """The commit or pull request of proven work that was not made."""
    if report.conclusion.end is SessionEnd.PROVEN and report.not_committed:
        yield f"The proven work is not committed: {report.not_committed}"
    if report.no_request:
        yield f"No pull request is opened: {report.no_request}"


def review_sentence(report: Report) -> str:
    """The reviewer of the work, and why the review is not independent, if it is not."""
    if report.workflow is Workflow.RALPH:
        return "The ralph workflow has no review."
    by = f"Reviewed by {shown(report.reviewer)}." if report.reviewer else ""
    note = f"{report.review_note[:1].upper()}{report.review_note[1:]}." if report.review_note else ""
    return " ".join(filter(None, (by, note))) or "The run reached no review."


def findings_words(report: Report) -> str:
    """2 open, 1 advice, 3 closed."""
    counts = {state: sum(each.state is state for each in report.findings) for state in FindingState}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "none"


def caught_words(report: Report) -> str:
    times = sum(caught.times for caught in report.catches)
    return f"dualgate caught {counted(times, 'problem', 'problems')} on the way" if times else ""
