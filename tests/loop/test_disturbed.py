"""Whole runs in which a test leaves state behind for the tests after it."""

from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED
from tests.support import Dualgate, decisions

SHOP = "open_orders = []\n\ndef total(prices): return sum(prices)\n"
TEST = "import shop\n\ndef test_total():\n    assert not shop.open_orders\n    assert shop.total([1, 2]) == 3\n"
LEAVES = "    import shop\n    shop.open_orders.append(1)\n    {}\n    shop.open_orders.clear()\n"
NUMBERS = "    check(double(2), 4)\n"
BREAKS = '[[turn.write]]\npath = "shop.py"\ntext = "open_orders = []\\ndef total(prices): return 0"\n'


@pytest.fixture
def shop(project: Path) -> Path:
    """The project with a test that needs a clean state."""
    (project / "shop.py").write_text(SHOP)
    (project / "tests" / "test_shop.py").write_text(TEST)
    return project


def leaving(behind: str) -> str:
    return RED.replace(NUMBERS, behind)


CLEARS_UP = leaving(LEAVES.format(NUMBERS.strip()))
"""A red test that clears its state up as soon as the work is there."""


def test_an_unchanged_test_that_only_a_red_test_disturbs_is_not_broken(rehearse: Dualgate, shop: Path) -> None:
    ended = rehearse(CLEARS_UP + GREEN)

    assert decisions(ended)[:2] == [("RED", "next_phase"), ("GREEN", "next_phase")]
    assert "failing only beside red tests, and passing without them" in str(ended.lines)


def test_green_does_not_end_while_a_test_is_disturbed(rehearse: Dualgate, shop: Path) -> None:
    never_clears_up = leaving(LEAVES.format(NUMBERS.strip()).replace("    shop.open_orders.clear()\n", ""))

    ended = rehearse(never_clears_up + GREEN, "--max-iterations", "1")

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "max_iterations")]


def test_a_test_that_changed_code_breaks_is_broken_beside_red_tests_too(rehearse: Dualgate, shop: Path) -> None:
    ended = rehearse(CLEARS_UP + BREAKS, "--max-iterations", "1")

    assert decisions(ended) == [("RED", "max_iterations")]
    assert "fail now and were not changed" in str(ended.lines[-1])


WEAKENED = TEST.replace("== 3", "is not None")


def test_a_weakened_test_that_only_another_test_made_red_is_no_changed_requirement(
    rehearse: Dualgate, shop: Path
) -> None:
    weakened = f"{CLEARS_UP}[[turn.write]]\npath = \"tests/test_shop.py\"\ntext = '''\n{WEAKENED}'''\n"

    ended = rehearse(weakened + GREEN + BREAKS, "--max-iterations", "1")

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "max_iterations")]
    assert "test_total was changed, and its version from before the run fails now: assert 0 == 3" in str(
        ended.lines[-1]
    )
