"""Whether a passing test reaches an assertion, seen in the interpreter."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.runners.reporters.probes.assertions import Watch

TESTS = """
from contextlib import contextmanager
import functools

FLAG = False

def check_even(number):
    assert number % 2 == 0

@contextmanager
def raises(kind):
    yield

def doubled(function):
    @functools.wraps(function)
    def wrapper():
        function()
    return wrapper

def test_plain():
    assert 1

def test_behind_a_flag():
    if FLAG:
        assert 1

def test_over_nothing():
    for number in []:
        assert number == 2

def test_inner_function_that_is_called():
    def inner():
        assert 1
    inner()

def test_inner_function_that_is_not_called():
    def inner():
        assert 1

def test_by_a_helper():
    check_even(2)

def test_by_a_context():
    with raises(ValueError):
        pass

def test_returns_before():
    return
    assert 1

def test_has_none():
    sorted([2, 1])

@doubled
def test_decorated():
    if FLAG:
        assert 1

def test_raises_by_itself():
    if not FLAG:
        return
    raise AssertionError("wrong")
"""
EXPECTED = {
    "test_plain": True,
    "test_behind_a_flag": False,
    "test_over_nothing": False,
    "test_inner_function_that_is_called": True,
    "test_inner_function_that_is_not_called": False,
    "test_by_a_helper": True,
    "test_by_a_context": True,
    "test_returns_before": False,
    "test_has_none": None,
    "test_decorated": False,
    "test_raises_by_itself": False,
}


@pytest.fixture
def functions(tmp_path: Path) -> Callable[[str], Callable[[], None]]:
    (tmp_path / "watched.py").write_text(TESTS)
    spec = importlib.util.spec_from_file_location("watched", tmp_path / "watched.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda name: getattr(module, name)


@pytest.mark.parametrize(("name", "reached"), EXPECTED.items())
def test_an_assertion_is_reached_or_not(
    functions: Callable[[str], Callable[[], None]], name: str, reached: bool | None
) -> None:
    function = functions(name)

    with Watch(function) as watch:
        function()

    assert watch.reached is reached


def test_nothing_is_known_of_what_is_no_function() -> None:
    with Watch(None) as watch:
        pass

    assert watch.reached is None
