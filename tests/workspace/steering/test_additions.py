import pytest

from dualgate.workspace.steering.additions import only_adds

BEFORE = """\
import pytest
from shop import price

RATE = 2

@pytest.fixture
def basket():
    return [1, RATE]

def check(a, b):
    assert a == b

class TestPrice:
    def setup_method(self):
        self.rate = RATE

    def test_ac1(self, basket):
        check(price(basket), 3)

def test_ac2():
    assert price([]) == 0
"""
ADDED = {
    "nothing": ("", ""),
    "a comment": ("RATE = 2", "RATE = 2  # of old"),
    "a docstring": ("import pytest\n", '"""Prices."""\nimport pytest\n'),
    "a function": ("RATE = 2", "RATE = 2\ndef near(a, b): assert abs(a - b) < 1"),
    "a constant": ("RATE = 2", "RATE = 2\nNAMES: list[str] = []\nFEW, MANY = 1, 9"),
    "a name to an import": ("import price", "import name, price"),
    "a test": ("def test_ac2", "def test_ac3(): pass\ndef test_ac2"),
    "another body of a test": ("== 0", "== 1"),
    "a method of a test class": ("    def test_ac1", "    def near(self): pass\n    def test_ac1"),
}
DISTURBED = {
    "a weaker helper": ("assert a == b", "pass"),
    "another constant": ("RATE = 2", "RATE = 0"),
    "another fixture": ("[1, RATE]", "[]"),
    "another import": ("from shop import", "from stub import"),
    "a helper that is gone": ("def check(a, b):\n    assert a == b\n", ""),
    "a second helper of the name": ("class TestPrice", "def check(a, b): pass\nclass TestPrice"),
    "an import over a helper": ("RATE = 2", "RATE = 2\nfrom lax import check"),
    "an import of everything": ("RATE = 2", "RATE = 2\nfrom lax import *"),
    "a helper of another module": ("RATE = 2", "RATE = 2\nprice.check = None"),
    "a statement": ("RATE = 2", "RATE = 2\nif True: check = print"),
    "a fixture for all": ("RATE = 2", "RATE = 2\n@pytest.fixture(autouse=True)\ndef lax(): pass"),
    "a hook": ("RATE = 2", "RATE = 2\ndef pytest_runtest_call(item): pass"),
    "a mark for all": ("RATE = 2", "RATE = 2\npytestmark = pytest.mark.skip"),
    "a setup for all": ("RATE = 2", "RATE = 2\ndef setup_module(): pass"),
    "another setup of a class": ("self.rate = RATE", "self.rate = 0"),
    "another base of a class": ("class TestPrice", "class TestPrice(Lax)"),
    "no Python": ("def check", "def def"),
}


def changed(change: tuple[str, str]) -> bytes:
    assert change[0] in BEFORE
    return BEFORE.replace(*change, 1).encode()


@pytest.mark.parametrize("change", ADDED.values(), ids=list(ADDED))
def test_what_comes_beside_it_leaves_all_as_it_was(change: tuple[str, str]) -> None:
    assert only_adds(BEFORE.encode(), changed(change))


@pytest.mark.parametrize("change", DISTURBED.values(), ids=list(DISTURBED))
def test_what_tests_stand_on_must_stay_and_nothing_be_imposed_on_them(change: tuple[str, str]) -> None:
    assert not only_adds(BEFORE.encode(), changed(change))
