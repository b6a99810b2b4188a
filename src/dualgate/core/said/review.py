"""Review packets -> FixRequests in the order of work, each with its route. Nothing here runs a command."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dualgate.core.said.packets.dependencies import Ordered, order_fix_requests
from dualgate.core.said.packets.packet import Packet
from dualgate.core.said.packets.report import Code, Report
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixRequest, FixSeverity, RouteTo
from dualgate.core.values.reviews import Route

NO_FILE = "none"
TEST_PATH = re.compile(
    r"(^|/)(tests?|__tests__|specs?)/"
    r"|(^|/)(test_[^/]*|conftest)\.py$"
    r"|[^/](_test|_spec|\.test|\.spec)\.[a-z]+$"
    r"|[^/]Tests?\.[a-z]+$"
)


def looks_like_test(path: str) -> bool:
    """Whether a path looks like a test by its name alone, for callers without a better check."""
    return TEST_PATH.search(path.removeprefix("./")) is not None


def route(request: FixRequest, is_test: Callable[[str], bool] = looks_like_test) -> Route:
    """The route that the reviewer chose; a test is frozen, so a fix in a test always needs an amendment."""
    return Route.AMENDMENT if is_test(request.file) else Route(request.route_to)


def blocking_findings(requests: Iterable[FixRequest]) -> tuple[FixRequest, ...]:
    return tuple(request for request in requests if request.is_blocking)


def gather_fix_requests(packets: Sequence[Packet]) -> Ordered:
    """All FixRequests of one review in the order of work; an integration subtask counts as one.

    Each packet may count from FR-1: if an id is taken, the later packet's request gets the next free number.
    """
    report = Report()
    taken: dict[str, None] = {}
    gathered: list[FixRequest] = []
    for packet in packets:
        own = (*packet.fix_requests, *_subtask_fix(packet))
        names = dict(fresh_names(own, taken))
        for old, new in names.items():
            if old and old != new:
                message = f"{old} of {packet.phase} is called {new}, since an earlier packet has an {old}"
                report.warn(Code.RENUMBERED, message, f"{new}.id")
        taken |= dict.fromkeys(names.values())
        gathered += [renamed(request, names) for request in own]
    ordered = order_fix_requests(gathered)
    return replace(ordered, problems=(*report.problems, *ordered.problems))


def _subtask_fix(packet: Packet) -> Iterator[FixRequest]:
    """The FixRequest for an integration subtask; it blocks, because an unconnected component cannot be used."""
    subtask = packet.fields.get("Integration Subtask")
    if not subtask or not packet.is_valid:
        return
    yield FixRequest(
        id="",
        file=NO_FILE,
        location=f"subtask {subtask['ID']}",
        severity=FixSeverity.MAJOR,
        category=FixCategory.INTEGRATION,
        description=subtask["Title"],
        proposed_fix=f"do integration subtask {subtask['ID']}: {subtask['Title']}",
        verification_command=packet.fields["Test command"],
        route_to=RouteTo.IMPLEMENTER,
        confidence=FixConfidence.HIGH,
        rationale="Connecting components changes what the program does.",
    )


def fresh_names(own: Sequence[FixRequest], taken: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of each request's id and its new id; they differ if the id is empty or taken."""
    taken = {*taken}
    used = {*taken, *(request.id for request in own)}
    numbers = (int(name.removeprefix("FR-")) for name in used if name.startswith("FR-"))
    following = max(numbers, default=0)
    for name in dict.fromkeys(request.id for request in own):
        fresh = name
        if not name or name in taken:
            following += 1
            fresh = f"FR-{following}"
        yield name, fresh


def renamed(request: FixRequest, names: Mapping[str, str]) -> FixRequest:
    depends_on = tuple(names.get(name, name) for name in request.depends_on)
    return replace(request, id=names[request.id], depends_on=depends_on)
