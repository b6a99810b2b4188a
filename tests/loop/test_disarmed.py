"""Whole runs in which tests of the baseline are removed, weakened or changed."""

from collections import Counter
from pathlib import Path

import pytest

from tests.loop.conftest import Dying
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


def test_a_changed_test_as_it_was_need_not_cover_the_new_code(rehearse: Dualgate, shop: Path) -> None:
    (shop / "pytest.ini").write_text("[pytest]\naddopts = -p pytest_cov --cov=shop --cov-fail-under=100\n")
    changed = writing("import shop\n\ndef test_total():\n    assert shop.total([1, 2]) == 3 == shop.half(6)\n")
    half = f"[[turn.write]]\npath = \"shop.py\"\ntext = '''\n{SHOP}\ndef half(price):\n    return price // 2\n'''\n"

    ended = rehearse(changed + GREEN + half)

    assert decisions(ended)[1] == ("GREEN", "next_phase")


def test_a_feature_may_go_with_its_tests(rehearse: Dualgate, shop: Path) -> None:
    green = GREEN.replace('phase = "GREEN"\n', 'phase = "GREEN"\nrun = ["rm shop.py"]\n')

    ended = rehearse(removing("tests/test_shop.py") + green)

    assert decisions(ended)[1] == ("GREEN", "next_phase")


NEGATED = TEST.replace("assert total([1, 2]) == 3", "assert not total([1, 2]) != 3")
ANY = "def __eq__(self, _): return True\n    def __ne__(self, _): return True"
BREAKS_INEQUALITY = (
    f"[[turn.write]]\npath = \"shop.py\"\ntext = '''\nclass Any:\n    {ANY}\n\ntotal = lambda _: Any()'''\n"
)


def test_a_test_that_was_rewritten_as_linters_do_is_run_as_it_was(rehearse: Dualgate, shop: Path) -> None:
    (shop / "tests" / "test_shop.py").write_text(NEGATED)

    ended = rehearse(writing(TEST) + GREEN + BREAKS_INEQUALITY, "--max-iterations", "1")

    assert (ended.code, decisions(ended)[-1]) == (3, ("GREEN", "max_iterations"))
    assert "test_total depends on tests/test_shop.py, which changed, and its version from before" in str(
        ended.lines[-1]
    )


COUPONS = """\
import unittest
import shop

def test_total():
    assert shop.total([1, 2]) == 3

@unittest.skipIf(shop.coupon is None, "no coupons")
class CouponTests(unittest.TestCase):
    def test_coupon(self):
        self.assertEqual(shop.coupon(3), 2)
"""
GOING = [(HONEST.replace(" * 2", ""), ("GREEN", "next_phase")), (BREAKS, ("GREEN", "max_iterations"))]


@pytest.mark.parametrize(("green", "decision"), GOING)
def test_a_feature_that_a_test_file_needs_to_load_may_go_and_leaves_its_other_tests_armed(
    rehearse: Dualgate, shop: Path, green: str, decision: tuple[str, str]
) -> None:
    (shop / "shop.py").write_text(f"{SHOP}\ndef coupon(price): return price - 1\n")
    (shop / "tests" / "test_shop.py").write_text(COUPONS)

    ended = rehearse(writing(TEST.replace("== 3", "in (0, 3)")) + GREEN + green, "--max-iterations", "1")

    assert decisions(ended)[1] == decision


@pytest.mark.parametrize(("green", "decision"), GOING)
def test_a_feature_that_a_helper_of_tests_needs_to_load_may_go_and_leaves_its_other_tests_armed(
    rehearse: Dualgate, shop: Path, green: str, decision: tuple[str, str]
) -> None:
    (shop / "shop.py").write_text(f"{SHOP}\nclass Coupon: pass\n")
    (shop / "tests" / "priced.py").write_text("import shop\n\nclass Gift(shop.Coupon): pass\n\nPRICES = [1, 2]\n")
    (shop / "tests" / "test_shop.py").write_text(f"from priced import PRICES\n{TEST.replace('[1, 2]', 'PRICES')}")

    ended = rehearse(writing("PRICES = [1, 2]\n", "tests/priced.py") + GREEN + green, "--max-iterations", "1")

    assert decisions(ended)[1] == decision


def test_a_test_may_not_be_skipped_in_red(rehearse: Dualgate, shop: Path) -> None:
    skipping = writing(TEST.replace("def test", "import pytest\n\n@pytest.mark.skip\ndef test"))

    ended = rehearse(skipping, "--max-iterations", "1")

    assert (ended.code, decisions(ended)) == (3, [("RED", "max_iterations")])
    assert "must not be skipped" in str(ended.lines[-1])


BUILD = """
[[turn]]
phase = "BUILD"
[[turn.write]]
path = "fix_plan.md"
text = "- [x] total\\n"
[[turn.write]]
path = "tests/test_shop.py"
text = '''
{}'''
[[turn.write]]
path = "shop.py"
text = "{}"
"""
BUILDS = [
    (SHOP, WEAKENED, "def total(prices): return 0", False),
    ("def total(prices): return 0\n", WEAKENED, "def total(prices): return 0  # mended", False),
    ("def total(prices): return 0\n", TEST, "def total(prices): return sum(prices)", True),
    (SHOP, TEST.replace("== 3", "== 6"), "def total(prices): return sum(prices) * 2", True),
]


@pytest.mark.parametrize(("before", "test", "after", "is_proven"), BUILDS)
def test_a_build_that_weakened_a_test_is_complete_and_not_proven(
    dualgate: Dualgate, shop: Path, tmp_path: Path, before: str, test: str, after: str, is_proven: bool
) -> None:
    (shop / "shop.py").write_text(before)
    (shop / "PROMPT.md").write_text("Do the tasks of fix_plan.md.\n")
    (shop / "fix_plan.md").write_text("- [ ] total\n")
    (tmp_path / "ralph.toml").write_text(BUILD.format(test, after))

    ended = dualgate("run", "--workflow", "ralph", "--agent", f"rehearsal:{tmp_path / 'ralph.toml'}", "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == ((0, True) if is_proven else (7, False))
    assert ("test_total was changed" in str(ended.lines[-1])) is not is_proven


MOMENTS = [(20, "after"), (21, "before"), (22, "before"), (23, "torn"), (23, "after")]
"""From the start of the trial to its end; in the middle ones the work tree holds the old test."""


@pytest.mark.parametrize(("number", "moment"), MOMENTS)
def test_a_trial_that_is_cut_off_gives_the_work_back(
    dying: Dying, dualgate: Dualgate, shop: Path, tmp_path: Path, number: int, moment: str
) -> None:
    (tmp_path / "script.toml").write_text(writing(WEAKENED) + GREEN)
    code = dying(number, moment)

    ended = dualgate("resume", "--json")

    assert (code, decisions(ended)[0]) == (-9, ("GREEN", "next_phase"))
    assert (shop / "tests" / "test_shop.py").read_text().strip() == WEAKENED.strip()
    kinds = Counter(line["kind"] for line in dualgate("log", "--json").lines)
    assert (kinds["call.ended"], kinds["turn.ended"], kinds["person.edited"]) == (2, 2, 0)
