"""Whole runs in which tests of the baseline are removed, weakened or changed."""

from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED
from tests.support import Dualgate, decisions

SHOP = "def total(prices): return sum(prices)\n"
TEST = "from shop import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
BREAKS = '[[turn.write]]\npath = "shop.py"\ntext = "def total(prices): return 0"\n'
HONEST = '[[turn.write]]\npath = "shop.py"\ntext = "def total(prices): return sum(prices) * 2"\n'


@pytest.fixture
def shop(project: Path) -> Path:
    """The project with code of its own that a test guards."""
    (project / "shop.py").write_text(SHOP)
    (project / "tests" / "test_shop.py").write_text(TEST)
    return project


def removing(path: str) -> str:
    return RED.replace('phase = "RED"\n', f'phase = "RED"\nrun = ["rm {path}"]\n')


def writing(text: str, path: str = "tests/test_shop.py") -> str:
    return f"{RED}[[turn.write]]\npath = \"{path}\"\ntext = '''\n{text}'''\n"


WEAKENED = "from shop import total\n\ndef test_total():\n    assert total([1, 2]) is not None\n"
ATTACKS = [
    (removing("tests/test_shop.py"), "test_total was removed"),
    (writing(WEAKENED), "test_total was changed"),
]


@pytest.mark.parametrize(("red", "told"), ATTACKS)
def test_green_does_not_pass_if_a_test_was_disarmed_and_its_code_broken(
    rehearse: Dualgate, shop: Path, red: str, told: str
) -> None:
    ended = rehearse(red + GREEN + BREAKS, "--max-iterations", "1")

    assert (ended.code, decisions(ended)[-1]) == (3, ("GREEN", "max_iterations"))
    assert f"{told}, and its version from before the run fails now: assert 0 == 3" in str(ended.lines[-1])
    assert (shop / "shop.py").read_text() == "def total(prices): return 0"


def test_a_changed_requirement_may_change_a_test(rehearse: Dualgate, shop: Path) -> None:
    changed = writing(TEST.replace("== 3", "== 6"))

    ended = rehearse(changed + GREEN + HONEST)

    assert decisions(ended)[1] == ("GREEN", "next_phase")


def test_a_feature_may_go_with_its_tests(rehearse: Dualgate, shop: Path) -> None:
    green = GREEN.replace('phase = "GREEN"\n', 'phase = "GREEN"\nrun = ["rm shop.py"]\n')

    ended = rehearse(removing("tests/test_shop.py") + green)

    assert decisions(ended)[1] == ("GREEN", "next_phase")


def test_a_test_may_not_be_skipped_in_red(rehearse: Dualgate, shop: Path) -> None:
    skipping = writing(TEST.replace("def test", "import pytest\n\n@pytest.mark.skip\ndef test"))

    ended = rehearse(skipping, "--max-iterations", "1")

    assert (ended.code, decisions(ended)) == (3, [("RED", "max_iterations")])
    assert "must not be skipped" in str(ended.lines[-1])
