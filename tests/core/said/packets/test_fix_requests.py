"""Ids, dependencies and the order of FixRequests."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.packets import parse_packet, read_packets
from dualgate.core.said.packets.dependencies import check_fix_requests, order_fix_requests
from dualgate.core.values.fix_request import (
    CATEGORY_ROUTES,
    FixCategory,
    FixConfidence,
    FixRequest,
    FixSeverity,
    RouteTo,
)

DATA = Path(__file__).parents[3] / "data" / "packets"
FIXES = (DATA / "code_review_fix_requests.txt").read_text(encoding="utf-8")
ARCHITECTURE = (DATA / "architecture.txt").read_text(encoding="utf-8")
A_FIX = FixRequest(
    id="FR-1",
    file="src/shop/basket.py",
    location="line 1",
    severity=FixSeverity.MAJOR,
    category=FixCategory.SECURITY,
    description="wrong",
    proposed_fix="right",
    verification_command="pytest",
    route_to=RouteTo.IMPLEMENTER,
    confidence=FixConfidence.HIGH,
    rationale="it is",
)


def fix(number: int, severity: str = "major", depends_on: tuple[int, ...] = ()) -> FixRequest:
    names = tuple(f"FR-{other}" for other in depends_on)
    return replace(A_FIX, id=f"FR-{number}", severity=FixSeverity(severity), depends_on=names)


ORDERS = [
    ("dependencies first", [fix(1, "critical", (2,)), fix(2, "minor")], "FR-2 FR-1"),
    ("by severity", [fix(1, "minor"), fix(2, "major"), fix(3, "critical")], "FR-3 FR-2 FR-1"),
    ("by id, 2 before 10", [fix(10), fix(2)], "FR-2 FR-10"),
    ("several dependencies", [fix(1, "critical", (2, 3)), fix(2, "minor"), fix(3)], "FR-3 FR-2 FR-1"),
    ("what gets ready goes by severity", [fix(1), fix(2, "critical", (1,)), fix(3)], "FR-1 FR-2 FR-3"),
    ("unknown id is no obstacle", [fix(2, "major", (9,)), fix(1, "minor")], "FR-2 FR-1"),
    ("a cycle comes last", [fix(1, "critical", (2,)), fix(2, "critical", (1,)), fix(3, "minor")], "FR-3 FR-1 FR-2"),
    ("nothing", [], ""),
]


@pytest.mark.parametrize(("requests", "order"), [case[1:] for case in ORDERS], ids=[case[0] for case in ORDERS])
def test_requests_run_dependencies_first_then_by_severity_then_by_id(requests: list[FixRequest], order: str) -> None:
    assert " ".join(request.id for request in order_fix_requests(requests).requests) == order


WRONG = [
    ("duplicate_id", [fix(1), fix(1)], "FR-1 is the id of 2 FixRequests"),
    ("unknown_id", [fix(1, "major", (7,))], "FR-1 depends on FR-7, which is not a FixRequest here"),
    ("cycle", [fix(1, "major", (1,))], "these FixRequests wait for each other: FR-1 -> FR-1"),
    (
        "cycle",
        [fix(5, "major", (1,)), fix(1, "major", (2,)), fix(2, "major", (3,)), fix(3, "major", (1,))],
        "these FixRequests wait for each other: FR-1 -> FR-2 -> FR-3 -> FR-1",
    ),
    (
        "route_mismatch",
        [replace(A_FIX, route_to=RouteTo.REFACTORER)],
        "FR-1 goes to the refactorer, but security is work of the implementer",
    ),
]


@pytest.mark.parametrize(("code", "requests", "message"), WRONG)
def test_what_is_wrong_with_requests_is_named(code: str, requests: list[FixRequest], message: str) -> None:
    assert [(p.code, p.message) for p in check_fix_requests(requests)] == [(code, message)]
    assert order_fix_requests(requests).problems == check_fix_requests(requests)


def test_two_cycles_are_named_apart() -> None:
    requests = [fix(1, "major", (2,)), fix(2, "major", (1,)), fix(3, "major", (4,)), fix(4, "major", (3, 1))]
    assert [str(problem).rpartition(": ")[2] for problem in check_fix_requests(requests)] == ["FR-1 -> FR-2 -> FR-1"]
    parted = [*requests[:3], fix(4, "major", (3,))]
    assert len(check_fix_requests(parted)) == 2


def test_cycle_in_a_packet_makes_it_invalid_and_names_its_members() -> None:
    result = parse_packet(FIXES.replace("- dependsOn: none", "- dependsOn: FR-3"))
    assert not result.valid
    assert [str(problem) for problem in result.problems] == [
        "these FixRequests wait for each other: FR-1 -> FR-2 -> FR-3 -> FR-1"
    ]


def test_unknown_id_in_a_packet_makes_it_invalid() -> None:
    result = parse_packet(FIXES.replace("- dependsOn: none", "- dependsOn: FR-8"))
    assert [(p.code, p.field) for p in result.problems] == [("unknown_id", "FR-2.dependsOn")]
    assert not result.valid


def test_request_may_depend_on_one_of_the_other_packet() -> None:
    text = ARCHITECTURE.replace("- dependsOn: none", "- dependsOn: FR-3")
    assert not parse_packet(text).valid
    assert all(packet.is_valid for packet in read_packets(f"{FIXES}\n{text}"))


ROUTES = [
    ("type-safety error-handling security integration", RouteTo.IMPLEMENTER),
    ("clean-code style structure circular-dep convention", RouteTo.REFACTORER),
]


@pytest.mark.parametrize(("categories", "route_to"), ROUTES)
def test_category_says_who_mends_it(categories: str, route_to: RouteTo) -> None:
    expected = {category for category, its_route in CATEGORY_ROUTES.items() if its_route is route_to}
    assert set(categories.split()) == expected


@st.composite
def tangles(draw: st.DrawFn) -> list[FixRequest]:
    numbers = draw(st.lists(st.integers(0, 15), max_size=12))
    needed = st.lists(st.integers(0, 15), max_size=3).map(tuple)
    return [fix(number, draw(st.sampled_from(FixSeverity)), draw(needed)) for number in numbers]


@given(tangles())
def test_order_is_a_permutation(requests: list[FixRequest]) -> None:
    ordered = order_fix_requests(requests).requests
    assert sorted(map(repr, ordered)) == sorted(map(repr, requests))


@given(st.lists(st.integers(0, 15), unique=True, max_size=12), st.data())
def test_order_respects_dependencies(numbers: list[int], data: st.DataObject) -> None:
    """Each depends on some that were drawn before it, so there is no cycle."""
    requests = []
    for place, number in enumerate(numbers):
        needed = data.draw(st.lists(st.sampled_from(numbers[:place]), max_size=3)) if place else []
        requests.append(fix(number, data.draw(st.sampled_from(FixSeverity)), tuple(needed)))
    ordered = order_fix_requests(data.draw(st.permutations(requests)))
    places = {request.id: place for place, request in enumerate(ordered.requests)}
    assert ordered.problems == ()
    assert all(places[name] < places[r.id] for r in ordered.requests for name in r.depends_on)


def test_long_chain_is_ordered() -> None:
    chain = [fix(number, "major", (number + 1,)) for number in range(3_000)]
    ordered = order_fix_requests([*chain, fix(3_000)])
    assert ordered.requests[0].id == "FR-3000"
    assert ordered.problems == ()
