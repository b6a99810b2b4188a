"""Finding -> the line that shows it: state, id, severity, file and line, description, who and when."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from dualgate.core.said.findings import path_of
from dualgate.core.said.review import NO_FILE
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.display.lines import Line, Tone, shown

_MOST_FINDINGS = 20
_ORDER = (FindingState.OPEN, FindingState.ADVICE, FindingState.CLOSED)
_TONES = {FindingState.OPEN: Tone.BAD, FindingState.ADVICE: Tone.PLAIN, FindingState.CLOSED: Tone.QUIET}
_LINE = re.compile(r"(?:^|\blines?[ \t]+|\bL|:)(\d{1,9})\b", re.IGNORECASE)


def finding_text(finding: Finding) -> str:
    """One finding: its state, id, severity and place, what is wrong, who raised and closed it, and when."""
    request = finding.request
    place = f" {where}" if (where := place_of(request)) else ""
    said = " ".join(request.description.split())
    return f"{finding.state:<6} {request.id} {request.severity}{place}: {said}{_who_and_when(finding)}"


def place_of(request: FixRequest) -> str:
    """The file and the line of a finding, or the file and the place that it names; empty if it names no file."""
    if request.file == NO_FILE:
        return ""
    path = path_of(request)
    line = _LINE.search(request.file.removeprefix(path)) or _LINE.search(request.location)
    return f"{path}:{line[1]}" if line else path


def counted_findings(findings: Sequence[Finding]) -> str:
    """2 open, 1 advice, 3 closed."""
    counts = ((state, sum(finding.state is state for finding in findings)) for state in _ORDER)
    return ", ".join(f"{count} {state}" for state, count in counts if count)


def finding_lines(findings: Iterable[Finding], indent: str = "", most: int = _MOST_FINDINGS) -> list[Line]:
    """The findings, open ones first."""
    ordered = sorted(findings, key=lambda finding: _ORDER.index(finding.state))
    told = [Line(text=f"{indent}{finding_text(f)}", tone=_TONES[f.state], hang=len(indent) + 7) for f in ordered[:most]]
    more = len(ordered) - most
    return [*told, *([Line(text=f"{indent}and {more} more: dualgate status --json")] if more > 0 else [])]


def review_lines(turn: TurnEnded, reviews: Reviews, place: str) -> list[Line]:
    """The findings that a review raised or closed."""
    if turn.facts.phase is not Phase.QA:
        return []
    counts = turn.verdict.outcome in (Outcome.PASS, Outcome.REJECT)
    number = reviews.count if counts else reviews.count + 1
    told = [each for each in reviews.findings if each.review == number or each.closed_at == turn.at]
    return finding_lines(told, f"{place} ")


def _who_and_when(finding: Finding) -> str:
    raised = " ".join(filter(None, (shown(finding.by), _moment(finding.raised_at))))
    closed = " ".join(filter(None, (shown(finding.closed_by), _moment(finding.closed_at))))
    told = "; ".join(filter(None, (raised, closed and f"closed by {closed}")))
    return f" ({told})" if told else ""


def _moment(at: datetime | None) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""
