"""FixRequests of a review, earlier Reviews -> which requests count, and which are still open.

A first review may find anything. A later review may repeat open requests, and raise new ones in lines that changed
since. New findings in unchanged lines are kept as advice and reject nothing, because the reviewer has seen those
lines before. Without this rule, reviewing might never end.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.said.review import NO_FILE, fresh_names, renamed, route
from dualgate.core.values.changes import Changes, Rewritten
from dualgate.core.values.fix_request import REQUEST_ID, FixCategory, FixConfidence, FixRequest, FixSeverity, RouteTo
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import Finding, FindingState, Reviews, Route, Weighed

# a single file with an ending; anything else in this field is words, a folder or several files
_FILE = re.compile(r"[\w.@+~/-]*[\w@+~-]\.[A-Za-z]\w{0,9}")
_THING = r"(?:file|document|module|record|page|script)"
_IS_MISSING = re.compile(
    r"\b(?:does|do|did)(?: not|n't) exist\b|\b(?:not|never) (?:there|found|present|created|added|written)\b"
    rf"|\b(?:{_THING}|it) (?:is|was) (?:missing|absent)\b|\b(?:missing|no such) {_THING}\b"
    rf"|\b(?:add|create|write) (?:it|them|(?:the|a|an|this|that|such a) (?:\w+ )?{_THING})\b",
    re.IGNORECASE,
)
_ISSUE = re.compile(
    r"[`\\[]*(?P<file>[\w.@+~/-]+\.\w{1,10}|[\w.@+~-]+/[\w.@+~/-]*)(?::(?P<line>\d{1,7}))?[\]`:,]*\s+(?P<said>.*)",
    re.DOTALL,
)
_PLACE_LENGTH = 60
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


def names_missing_file(request: FixRequest, changes: Changes, spec: str) -> bool:
    """Whether a finding names a file that neither the tree nor the run's changes hold.

    A finding may ask for a file that is missing: one that the specification names, or that it says does not exist.
    """
    path = path_of(request)
    if not _FILE.fullmatch(path) or path in spec:
        return False
    known = (*(name for name, _ in changes.cited), *changes.added, *changes.rewritten, *changes.removed)
    said = " ".join((request.location, request.description, request.proposed_fix))
    wanted = re.compile(rf"\b(?:add|create|write)\b[^.;\n]*{re.escape(path.rpartition('/')[2])}", re.IGNORECASE)
    return path not in known and not _IS_MISSING.search(said) and not wanted.search(said)


def path_of(request: FixRequest) -> str:
    return _LINE_OF_FILE.sub("", request.file.strip().strip("`")).removeprefix("./")


def reviewed(
    reviews: Reviews, weighed: Weighed, tree: str, *, rejected: bool, by: str = "", at: datetime | None = None
) -> Reviews:
    """After a review that counts: requests it does not repeat are closed. If it rejected, its requests are open.

    Minor requests are advice, unless the review rejects for them alone.
    """
    raising = _Raising(review=reviews.count + 1, by=by, at=at)
    asked = (weighed.blocking or weighed.counting) if rejected else ()
    advice = (*(request for request in weighed.counting if request not in asked), *weighed.advice)
    closed = tuple(_closed(finding, raising) for finding in reviews.findings)
    raised = _noted(closed, asked, FindingState.OPEN, raising)
    noted = _noted(raised, advice, FindingState.ADVICE, raising)
    return Reviews(count=raising.review, tree=tree, findings=noted)


def advised(reviews: Reviews, weighed: Weighed, by: str = "", at: datetime | None = None) -> Reviews:
    """After a review that does not count: only its advice is kept."""
    raising = _Raising(review=reviews.count + 1, by=by, at=at)
    return replace(reviews, findings=_noted(reviews.findings, weighed.advice, FindingState.ADVICE, raising))


def minor_fixes(
    issues: Iterable[str], requests: Sequence[FixRequest], findings: Sequence[Finding] = ()
) -> tuple[FixRequest, ...]:
    """The minor issues that a review lists, as FixRequests; without those that it requests too.

    Their numbers are those of no other finding, since they say nothing.
    """
    same = [request for request in requests if not request.is_blocking]
    known = {(path_of(request), line) for request in same for line, _ in _lines(request)}
    fixes = map(_minor_fix, issues)
    own = [fix for fix in fixes if not any((path_of(fix), line) in known for line, _ in _lines(fix))]
    return _numbered(own, [*requests, *(finding.request for finding in findings)])


def _minor_fix(issue: str) -> FixRequest:
    place = _ISSUE.match(issue)
    path, line, said = (place["file"], place["line"] or "", place["said"]) if place else (NO_FILE, "", issue)
    return replace(
        implied_fix(said),
        file=path,
        location=f"line {line}" if line else said[:_PLACE_LENGTH],
        severity=FixSeverity.MINOR,
        category=FixCategory.CLEAN_CODE,
        proposed_fix="",
        route_to=RouteTo.REFACTORER,
        rationale="",
    )


def implied_fixes(reasons: Iterable[str], taken: Sequence[FixRequest]) -> tuple[FixRequest, ...]:
    """A FixRequest for each reason, with ids that the others do not have."""
    return _numbered([replace(implied_fix(reason), location=reason[:_PLACE_LENGTH]) for reason in reasons], taken)


def _numbered(fixes: Sequence[FixRequest], taken: Sequence[FixRequest]) -> tuple[FixRequest, ...]:
    """The fixes with the numbers that follow those taken."""
    numbers = (int(request.id[3:]) for request in taken if REQUEST_ID.fullmatch(request.id))
    first = max(numbers, default=0) + 1
    return tuple(replace(fix, id=f"FR-{number}") for number, fix in enumerate(fixes, first))


def implied_fix(reason: str) -> FixRequest:
    """The FixRequest for a rejection that gives only a reason."""
    return FixRequest(
        id="FR-1",
        file=NO_FILE,
        location="the whole work",
        severity=FixSeverity.MAJOR,
        category=FixCategory.ERROR_HANDLING,
        description=reason or "the review rejects and gives no reason",
        proposed_fix="see the text of the review",
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
    """Same file, and the same id (reviewers are asked to keep it) or the same category and location.

    Requests without a file are numbered by the loop, so that their numbers say nothing.
    """
    place = (earlier.category, earlier.location.casefold()) == (now.category, now.location.casefold())
    is_numbered = path_of(now) == NO_FILE and now.id.startswith("FR-")
    return path_of(earlier) == path_of(now) and (place or (earlier.id == now.id and not is_numbered))


def _is_repeated(finding: Finding, now: FixRequest, raising: "_Raising") -> bool:
    """Whether a review raises a finding again. One that an earlier review closed has lost its number."""
    was_open = finding.state is not FindingState.CLOSED or finding.closed_at == raising.at
    return _is_same(finding.request, now) and (was_open or finding.request.location == now.location)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raising:
    """The review that raises and closes findings."""

    review: int
    by: str
    at: datetime | None


def _closed(finding: Finding, raising: _Raising) -> Finding:
    if finding.state is not FindingState.OPEN:
        return finding
    return replace(finding, state=FindingState.CLOSED, closed_by=raising.by, closed_at=raising.at)


def _noted(
    findings: Sequence[Finding], requests: Sequence[FixRequest], state: FindingState, raising: _Raising
) -> tuple[Finding, ...]:
    """The findings with these requests in the new state. A repeated request keeps its id; a new one gets a free id."""
    same = {r.id: next((f for f in findings if _is_repeated(f, r, raising)), None) for r in requests}
    fresh = [request for request in requests if same[request.id] is None]
    names = {own: earlier.request.id for own, earlier in same.items() if earlier}
    names |= dict(fresh_names(fresh, [finding.request.id for finding in findings]))
    raised = [
        Finding(
            request=renamed(request, names),
            state=state,
            review=raising.review,
            by=raising.by,
            raised_at=(earlier.raised_at if (earlier := same[request.id]) else None) or raising.at,
        )
        for request in requests
    ]
    ids = {finding.request.id for finding in raised}
    return (*(finding for finding in findings if finding.request.id not in ids), *raised)


def _lines(request: FixRequest) -> list[tuple[int, int]]:
    found = [(int(start), int(end or start)) for start, end in _LINES.findall(request.location)]
    in_file = _LINE_OF_FILE.search(request.file.strip().strip("`"))
    return [*found, *([(int(in_file[1]), int(in_file[1]))] if in_file else [])]
