"""From the packets of a review to the work that follows it."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.said.packets import Packet, read_packets
from dualgate.core.said.review import blocking_findings, gather_fix_requests, looks_like_test, route
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.reviews import Route

DATA = Path(__file__).parents[2] / "data" / "packets"


def packets(*names: str) -> list[Packet]:
    text = "\n".join((DATA / f"{name}.txt").read_text(encoding="utf-8") for name in names)
    return [packet for packet in read_packets(text) if packet.is_valid]


def requests() -> dict[str, FixRequest]:
    return {request.id: request for request in packets("code_review_fix_requests")[0].fix_requests}


def test_reviewers_choice_is_the_route() -> None:
    assert [route(request) for request in requests().values()] == [
        Route.IMPLEMENTER,
        Route.IMPLEMENTER,
        Route.REFACTORER,
    ]


def test_fix_to_a_test_goes_the_way_of_an_amendment() -> None:
    assert route(replace(requests()["FR-1"], file="tests/test_basket.py")) is Route.AMENDMENT
    assert route(requests()["FR-1"], is_test=lambda path: path == "src/shop/basket.py") is Route.AMENDMENT


TEST_PATHS = [
    "tests/test_basket.py",
    "./tests/data/basket.json",
    "src/shop/test_basket.py",
    "conftest.py",
    "pkg/basket_test.go",
    "src/basket.test.ts",
    "src/basket.spec.js",
    "src/__tests__/basket.js",
    "spec/basket_spec.rb",
    "src/test/java/BasketTest.java",
    "Shop/BasketTests.swift",
]
OTHER_PATHS = ["src/shop/basket.py", "src/contest.py", "src/latest/api.py", "testing.py", "docs/tests.md", "none", ""]


@pytest.mark.parametrize("path", TEST_PATHS)
def test_path_of_a_test_is_known_by_its_name(path: str) -> None:
    assert looks_like_test(path)


@pytest.mark.parametrize("path", OTHER_PATHS)
def test_other_path_is_no_test(path: str) -> None:
    assert not looks_like_test(path)


def test_critical_and_major_findings_block() -> None:
    assert [request.id for request in blocking_findings(requests().values())] == ["FR-1", "FR-2"]


def test_both_packets_of_a_review_may_count_from_one() -> None:
    gathered = gather_fix_requests(packets("code_review_fix_requests", "architecture"))
    assert [request.id for request in gathered.requests] == ["FR-2", "FR-1", "FR-4", "FR-5", "FR-3"]
    assert [str(problem) for problem in gathered.problems] == [
        "FR-1 of ARCHITECTURE is called FR-4, since an earlier packet has an FR-1"
    ]


def test_dependency_follows_its_request_to_the_new_id() -> None:
    review = packets("code_review_fix_requests")[0]
    gathered = gather_fix_requests([review, review])
    waiting = {request.id: request.depends_on for request in gathered.requests}
    assert waiting["FR-6"] == ("FR-4", "FR-5")
    assert waiting["FR-3"] == ("FR-1", "FR-2")


def test_integration_subtask_becomes_a_fix_of_the_implementer() -> None:
    (_, subtask) = gather_fix_requests(packets("architecture")).requests
    assert (subtask.id, subtask.category, subtask.route_to) == ("FR-2", "integration", "implementer")
    assert subtask.description == "Let the checkout use the basket's own sum"
    assert subtask.is_blocking


def test_integration_subtask_of_an_invalid_packet_is_no_fix() -> None:
    text = (DATA / "architecture.txt").read_text(encoding="utf-8").replace("Changed files:", "Files changed:")
    assert [request.id for request in gather_fix_requests(read_packets(text)).requests] == ["FR-1"]


def test_review_without_requests_leaves_nothing_to_do() -> None:
    gathered = gather_fix_requests(packets("code_review", "green"))
    assert (gathered.requests, gathered.problems) == ((), ())
