"""FixRequests -> their order, and problems with their ids. A cycle or an unknown id is reported, never followed."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from dualgate.core.said.packets.report import Code, Report
from dualgate.core.values.fix_request import CATEGORY_ROUTES, FixRequest, FixSeverity
from dualgate.core.values.problems import Problem

URGENCY = {severity: rank for rank, severity in enumerate(FixSeverity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """Every request once, in the order of work; requests that depend on a cycle come last."""

    requests: tuple[FixRequest, ...]
    problems: tuple[Problem, ...] = ()


def order_fix_requests(requests: Sequence[FixRequest]) -> Ordered:
    """Sort by dependencies, then severity, then id: FR-2 before FR-10."""
    order, stuck = _sorted(requests, _waits(requests))
    return Ordered(requests=tuple(requests[index] for index in (*order, *stuck)), problems=check_fix_requests(requests))


def check_fix_requests(requests: Sequence[FixRequest], elsewhere: Collection[str] = ()) -> tuple[Problem, ...]:
    """Problems with ids, dependencies and routes; `elsewhere` holds the ids of other packets."""
    report = Report()
    counts = Counter(request.id for request in requests)
    for name, count in counts.items():
        if count > 1:
            report.error(Code.DUPLICATE_ID, f"{name} is the id of {count} FixRequests", f"{name}.id")
    for request in requests:
        for name in request.depends_on:
            if name not in counts and name not in elsewhere:
                message = f"{request.id} depends on {name}, which is not a FixRequest here"
                report.error(Code.UNKNOWN_ID, message, f"{request.id}.dependsOn")
        right = CATEGORY_ROUTES[request.category]
        if request.route_to is not right:
            message = f"{request.id} goes to the {request.route_to}, but {request.category} is work of the {right}"
            report.warn(Code.ROUTE_MISMATCH, message, f"{request.id}.routeTo")
    for cycle in _cycles(requests):
        names = [requests[index].id for index in cycle]
        message = f"these FixRequests wait for each other: {' -> '.join((*names, names[0]))}"
        report.error(Code.CYCLE, message, f"{names[0]}.dependsOn")
    return report.problems


def _rank(request: FixRequest) -> tuple[int, tuple[tuple[bool, int, str], ...]]:
    return URGENCY[request.severity], _natural(request.id)


def _natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", name)
    return tuple((True, int(part), part) if part[0] in "0123456789" else (False, 0, part) for part in parts)


def _waits(requests: Sequence[FixRequest]) -> list[set[int]]:
    """For each request, the indexes of the requests it depends on; a duplicate id means the first one."""
    places: dict[str, int] = {}
    for index, request in enumerate(requests):
        places.setdefault(request.id, index)
    return [{places[name] for name in request.depends_on if name in places} for request in requests]


def _sorted(requests: Sequence[FixRequest], waits: Sequence[set[int]]) -> tuple[list[int], list[int]]:
    """The indexes in the order of work, and the indexes that can never be ready."""
    followers: dict[int, list[int]] = {}
    for index, needed in enumerate(waits):
        for other in needed:
            followers.setdefault(other, []).append(index)
    ranks = [(_rank(request), index) for index, request in enumerate(requests)]
    missing = [len(needed) for needed in waits]
    ready = sorted(rank for rank in ranks if not missing[rank[1]])
    order: list[int] = []
    while ready:
        order.append(heappop(ready)[1])
        for follower in followers.get(order[-1], ()):
            missing[follower] -= 1
            if not missing[follower]:
                heappush(ready, ranks[follower])
    return order, [index for _, index in sorted(ranks) if missing[index]]


def _cycles(requests: Sequence[FixRequest]) -> Iterator[list[int]]:
    """Cycles without a common member, found by following the first dependency of each stuck request."""
    waits = _waits(requests)
    stuck = set(_sorted(requests, waits)[1])
    walked: dict[int, int] = {}
    for start in sorted(stuck):
        path: list[int] = []
        index = start
        while index not in walked:
            walked[index] = start
            path.append(index)
            index = min(waits[index] & stuck)
        if walked[index] == start:
            yield path[path.index(index) :]
