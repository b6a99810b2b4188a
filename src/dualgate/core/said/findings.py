"""FixRequests of a review, earlier Reviews -> which requests count, and which are still open.

A first review may find anything. A later review may repeat open requests, and raise new ones in lines that changed
since. New findings in unchanged lines are kept as advice and reject nothing, because the reviewer has seen those
lines before. Without this rule, reviewing might never end.
"""

import re
from collections.abc import Iterable, Sequence

from dualgate.core.said.review import NO_FILE, fresh_names, renamed, route
from dualgate.core.values.changes import Rewritten
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixRequest, FixSeverity, RouteTo
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import Finding, FindingState, Reviews, Route, Weighed

NEARBY = 3
"""Lines around a changed line that count as changed: a review cites missing code where it should be."""
_LINE_OF_FILE = re.compile(r":(\d{1,9})(?::\d+)?$")
_LINES = re.compile(r"(?:^|\blines?[ \t]+|\bL|:)(\d{1,9})(?:[ \t]*(?:-|–|to)[ \t]*L?(\d{1,9}))?", re.IGNORECASE)


def weigh(findings: Sequence[FixRequest], reviews: Reviews, since: Sequence[Rewritten]) -> Weighed:
    """Split the findings into counting and advice; `since` holds the changes after the last review."""
    if not reviews.tree:
        return Weighed(counting=tuple(findings))
    counts = [_is_open(request, reviews) or cites_change(request, since) for request in findings]
    return Weighed(
        is_first=False,
        counting=tuple(request for request, holds in zip(findings, counts, strict=True) if holds),
        advice=tuple(request for request, holds in zip(findings, counts, strict=True) if not holds),
    )


def open_fixes(reviews: Reviews, *routes: Route, tests: Iterable[str] = ()) -> tuple[FixRequest, ...]:
    """The open requests with one of these routes; `tests` are test files, whatever their names."""
    frozen = frozenset(tests)
    return tuple(r for r in reviews.open if (Route.AMENDMENT if path_of(r) in frozen else route(r)) in routes)


def cites_change(request: FixRequest, since: Iterable[Rewritten]) -> bool:
    """Whether a finding cites changed lines; without a line number, whether it cites a changed file."""
    path, lines = path_of(request), _lines(request)
    changed = next((each for each in since if each.path == path), None)
    if changed is None or not changed.lines or not lines:
        return changed is not None
    return any(
        first - NEARBY <= end and start <= last + NEARBY for start, end in lines for first, last in changed.lines
    )


def path_of(request: FixRequest) -> str:
    return _LINE_OF_FILE.sub("", request.file.strip().strip("`")).removeprefix("./")


def reviewed(reviews: Reviews, weighed: Weighed, tree: str, *, rejected: bool) -> Reviews:
    """After a review that counts: its requests are open if it rejected; requests it does not repeat are closed."""
    number = reviews.count + 1
    state = FindingState.OPEN if rejected else FindingState.CLOSED
    closed = tuple(_closed(finding) for finding in reviews.findings)
    raised = _noted(replace(reviews, findings=closed), weighed.counting, state, number)
    noted = _noted(replace(reviews, findings=raised), weighed.advice, FindingState.ADVICE, number)
    return Reviews(count=number, tree=tree, findings=noted)


def advised(reviews: Reviews, weighed: Weighed) -> Reviews:
    """After a review that does not count: only its advice is kept."""
    return replace(reviews, findings=_noted(reviews, weighed.advice, FindingState.ADVICE, reviews.count + 1))


def implied_fix(reason: str) -> FixRequest:
    """The FixRequest for a rejection that gives only a reason."""
    return FixRequest(
        id="FR-1",
        file=NO_FILE,
        location="the whole work",
        severity=FixSeverity.MAJOR,
        category=FixCategory.ERROR_HANDLING,
        description=reason or "the review rejects and gives no reason",
        proposed_fix="see the review's words",
        verification_command="none given",
        route_to=RouteTo.IMPLEMENTER,
        confidence=FixConfidence.LOW,
        rationale="A rejection is work for those who implement, unless it says otherwise.",
    )


def _is_open(request: FixRequest, reviews: Reviews) -> bool:
    return any(
        finding.state is FindingState.OPEN and _is_same(finding.request, request) for finding in reviews.findings
    )


def _is_same(earlier: FixRequest, now: FixRequest) -> bool:
    """Same file, and the same id (reviewers are asked to keep it) or the same category and location."""
    place = (earlier.category, earlier.location.casefold()) == (now.category, now.location.casefold())
    return path_of(earlier) == path_of(now) and (earlier.id == now.id or place)


def _closed(finding: Finding) -> Finding:
    return replace(finding, state=FindingState.CLOSED) if finding.state is FindingState.OPEN else finding


def _noted(reviews: Reviews, requests: Sequence[FixRequest], state: FindingState, number: int) -> tuple[Finding, ...]:
    """The findings with these requests in the new state. A repeated request keeps its id; a new one gets a free id."""
    known = {request.id: _known(request, reviews) for request in requests}
    fresh = [request for request in requests if not known[request.id]]
    names = {old: earlier for old, earlier in known.items() if earlier}
    taken = [finding.request.id for finding in reviews.findings]
    names |= dict(fresh_names(fresh, taken))
    raised = [Finding(request=renamed(request, names), state=state, review=number) for request in requests]
    ids = {finding.request.id for finding in raised}
    return (*(finding for finding in reviews.findings if finding.request.id not in ids), *raised)


def _known(request: FixRequest, reviews: Reviews) -> str:
    same = (finding.request.id for finding in reviews.findings if _is_same(finding.request, request))
    return next(same, "")


def _lines(request: FixRequest) -> list[tuple[int, int]]:
    found = [(int(start), int(end or start)) for start, end in _LINES.findall(request.location)]
    in_file = _LINE_OF_FILE.search(request.file.strip().strip("`"))
    return [*found, *([(int(in_file[1]), int(in_file[1]))] if in_file else [])]
