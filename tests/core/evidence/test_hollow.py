import pytest

from dualgate.core.evidence.hollow import hollow_tests

HEAD = (
    "import contextlib, importlib, pytest\nimport fee\nfrom fee import Fee, RATE, fee as f\nfrom unittest import mock\n"
)

HOLLOW = {
    "no call": ("pass", "has no assertion"),
    "no assertion": ("f(1)", "has no assertion"),
    "a returned comparison": ("return f(1) == 2", "has no assertion"),
    "after return": ("return\nassert f(1) == 2", "after the test has ended"),
    "after a certain return": ("if True:\n    return\nassert f(1) == 2", "after the test has ended"),
    "if False": ("if False:\n    assert f(1) == 2", "never entered"),
    "if not True": ("if not True:\n    assert f(1) == 2", "never entered"),
    "else of if True": ("if 1:\n    pass\nelse:\n    assert f(1) == 2", "never entered"),
    "type checking": ("if TYPE_CHECKING:\n    assert f(1) == 2", "never entered"),
    "empty loop": ("for x in []:\n    assert f(x) == 2", "never entered"),
    "empty range": ("for x in range(0):\n    assert f(x) == 2", "never entered"),
    "empty call": ("for x in list():\n    assert f(x) == 2", "never entered"),
    "empty name": ("cases = ()\nfor x in cases:\n    assert f(x) == 2", "never entered"),
    "while False": ("while False:\n    assert f(1) == 2", "never entered"),
    "inner function": ("def inner():\n    assert f(1) == 2", "never called"),
    "caught": ("try:\n    assert f(1) == 2\nexcept AssertionError:\n    pass", "catches the failures"),
    "caught among others": ("try:\n    assert f(1) == 2\nexcept (KeyError, Exception):\n    pass", "catches the fail"),
    "caught and printed": ("try:\n    assert f(1) == 2\nexcept Exception as e:\n    print(e)", "catches the failures"),
    "caught by all": ("try:\n    pytest.fail()\nexcept:\n    pass", "catches the failures"),
    "caught twice": ("try:\n    if 0:\n        assert f(1) == 2\nexcept:\n    pass", "catches the failures"),
    "return in finally": ("try:\n    assert f(1) == 2\nfinally:\n    return", "catches the failures"),
    "suppressed": ("with contextlib.suppress(Exception):\n    assert f(1) == 2", "catches the failures"),
    "expected": ("with pytest.raises(AssertionError):\n    assert f(1) == 2", "catches the failures"),
    "constant": ("f(1)\nassert True", "only constants"),
    "constants": ("assert 1 == 1 and len('a') == 1", "only constants"),
    "text": ("assert f'{1} text'", "only constants"),
    "named constant": ("x = 3\nassert x == 3", "only constants"),
    "or true": ("assert f(1) == 2 or True", "only constants"),
    "and exists": ("assert f and Fee", "a name exists"),
    "tuple": ("assert (f(1) == 2, 'wrong')", "a tuple"),
    "callable": ("assert callable(f)", "a name exists"),
    "bool of callable": ("assert bool(callable(fee.f))", "a name exists"),
    "hasattr": ("assert hasattr(fee, 'f')", "a name exists"),
    "is not None": ("assert f is not None", "a name exists"),
    "attribute is not None": ("assert fee.f != None", "a name exists"),
    "imported later": ("m = importlib.import_module('fee')\nassert m", "a name exists"),
    "getattr": ("assert callable(getattr(fee, 'f', None))", "a name exists"),
    "walrus": ("assert (g := f)", "a name exists"),
    "in dir": ("assert 'f' in dir(fee)", "a name exists"),
    "is a type": ("assert isinstance(Fee, type)", "a name exists"),
    "is an object": ("assert isinstance(f(1), object)", "always true"),
    "length": ("assert len(f(1)) >= 0", "always true"),
    "itself": ("assert f(1) == f(1)", "with itself"),
    "the same name": ("x = f(1)\nassert x is x", "with itself"),
    "assertTrue": ("self.assertTrue(callable(f))", "a name exists"),
    "assertEqual": ("self.assertEqual(f(1), f(1))", "with itself"),
    "assertEqual of constants": ("self.assertEqual(1, 1)", "only constants"),
    "assertIsNotNone": ("self.assertIsNotNone(f)", "a name exists"),
    "assertIsInstance": ("self.assertIsInstance(f, object)", "always true"),
    "patched": ("monkeypatch.setattr(fee, 'f', lambda x: 3)\nassert fee.f(1) == 3", "replaced itself: fee.f"),
    "patched by path": ("monkeypatch.setattr('fee.f', lambda x: 3)\nassert fee.f(1) == 3", "replaced itself: fee.f"),
    "assigned": ("fee.f = lambda x: 3\nassert fee.f(1) == 3", "replaced itself: fee.f"),
    "mocked": ("with mock.patch('fee.f') as m:\n    from fee import f\n    f(1)\n    m.assert_called()", "itself"),
    "own mock": ("m = mock.Mock(return_value=3)\nassert m(1) == 3", "replaced itself: m"),
    "own mock of unittest": ("m = mock.Mock()\nself.assertEqual(m(1), 3)", "replaced itself: m"),
}  # fmt: skip

HONEST = {
    "assert": "assert f(1) == 2",
    "helper by name": "check_fee(1)",
    "pytest.raises": "with pytest.raises(ValueError):\n    f(1)",
    "raises of code": "with pytest.raises(AssertionError):\n    f(1)",
    "raises of several": "with pytest.raises((KeyError, ValueError)), open('x'):\n    f(1)",
    "pytest.fail": "if f(1) != 2:\n    pytest.fail()",
    "raise": "if f(1) != 2:\n    raise AssertionError",
    "pytest.fail in try": "try:\n    f(1)\n    pytest.fail()\nexcept Exception:\n    pass",
    "fail in handler": "try:\n    f(1)\nexcept Exception:\n    pytest.fail()",
    "reraised": "try:\n    assert f(1) == 2\nexcept AssertionError:\n    raise",
    "passed on": "try:\n    assert f(1) == 2\nexcept Exception as e:\n    found.append(e)",
    "other error": "try:\n    assert f(1) == 2\nexcept ValueError as e:\n    pass",
    "other suppressed": "with contextlib.suppress(KeyError):\n    assert f(1) == 2",
    "inner function called": "def inner():\n    assert f(1) == 2\ninner()",
    "inner function registered": "@on\ndef inner():\n    assert f(1) == 2",
    "filled list": "cases = []\ncases.append(1)\nfor x in cases:\n    assert f(x) == 2",
    "condition": "if f(1):\n    assert f(2)",
    "match": "match f(1):\n    case 2:\n        assert f(2)",
    "unknown name": "for x in cases:\n    assert f(x)",
    "mock given": "m = mock.Mock()\nf(m)\nm.assert_called_once_with(1)",
    "patched dependency": "monkeypatch.setattr(fee, 'rate', 3)\nassert fee.f(1) == 3",
    "patched and read": "with mock.patch('fee.f'):\n    fee.f(1)\n    assert RATE == 2",
    "patched after import": "with mock.patch('fee.f'):\n    assert f(1) == 3",
    "patch of a mapping": "with mock.patch.dict(fee.rates):\n    assert fee.f(1) == 3",
    "class equality": "assert Fee(1) == Fee(1)",
    "the same object": "assert f(1) is f(1)",
    "value of a constant": "assert RATE",
    "value of an attribute": "assert f.state is not None",
    "chained": "assert 0 < f(1) < 2",
    "negated": "assert not f(1)",
    "membership": "assert 'a' in f(1)",
    "instance": "assert isinstance(f(1), int)",
    "callable result": "assert callable(f())",
    "unknown call": "assert any_call()",
    "or": "assert f(1) == 2 or f(1) == 3",
    "collected": "seen = []\nf(seen)\nassert seen == [1]",
    "rebound": "x = 1\nx = f(x)\nassert x == 1",
    "subprocess": "run(['x'], check=True)",
    "chained call": "f(1)[0]().should_be(2)",
    "assertEqual": "self.assertEqual(f(1), 2)",
    "assertRaises": "self.assertRaises(ValueError, f, 1)",
    "assertIsInstance": "self.assertIsInstance(f(1), int)",
    "assertGreater": "self.assertGreater(f(1), 2)",
    "assertIsNotNone": "self.assertIsNotNone(f(1))",
    "assertTrue": "self.assertTrue(f(1))",
    "fail": "self.fail()",
    "self method": "m = mock.Mock()\nself.load(m)\nassert m(1) == 3",
    "generator": "yield f(1)",
    "nested mock": "(m, n) = mock.Mock(), 2\nassert m(1) == 3",
}


def a_test(body: str, head: str = "def test_a(monkeypatch):", above: str = HEAD) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{above}{head}\n{lines}"


@pytest.mark.parametrize(("body", "why"), HOLLOW.values(), ids=HOLLOW)
def test_a_test_that_cannot_fail_is_hollow(body: str, why: str) -> None:
    (found,) = hollow_tests(a_test(body), ["test_a"])

    assert (found.name, why in found.why) == ("test_a", True), found.why


@pytest.mark.parametrize("body", HONEST.values(), ids=HONEST)
def test_a_test_that_can_fail_or_may_is_not_hollow(body: str) -> None:
    assert hollow_tests(a_test(body), ["test_a"]) == ()


AROUND = {
    "fixture of others": ("def test_a(benchmark):", ""),
    "fixture that asserts": ("def test_a(checked):", "@pytest.fixture\ndef checked():\n    yield\n    assert 1\n"),
    "hypothesis": ("@given(integers())\ndef test_a():", ""),
    "expected failure": ("@pytest.mark.xfail(strict=True)\ndef test_a():", ""),
    "autouse": ("def test_a():", "@pytest.fixture(autouse=True)\ndef checked():\n    yield\n    assert 1\n"),
    "tear-down": ("def test_a():", "def teardown_module():\n    assert 1\n"),
    "helper of tests": ("def test_a(f=f):", "from .helpers import f\n"),
    "helper in a folder": ("def test_a():", "from tests.support import f\n"),
}


@pytest.mark.parametrize(("head", "above"), AROUND.values(), ids=AROUND)
def test_something_around_a_test_may_check_it(head: str, above: str) -> None:
    assert hollow_tests(a_test("f(1)", head, HEAD + above), ["test_a"]) == ()


PLAIN = {
    "parameters": "@mark.parametrize('x, y', [(1, 2)])\n@pytest.mark.parametrize(['z'], [(1,)])\ndef test_a(x, y, z):",
    "mark without names": "@pytest.mark.parametrize()\n@pytest.mark.slow\ndef test_a():",
    "patch": "@mock.patch('fee.f')\ndef test_a():",
    "own fixture": "@pytest.fixture(autouse=False)\ndef cart():\n    return 1\ndef test_a(cart):",
}


@pytest.mark.parametrize("head", PLAIN.values(), ids=PLAIN)
def test_a_plain_surrounding_does_not_check_a_test(head: str) -> None:
    (found,) = hollow_tests(a_test("f(1)", head), ["test_a"])

    assert found.why == "has no assertion"


def test_functions_of_the_file_and_of_helpers_count_by_what_they_do() -> None:
    above = HEAD + "from tests.helpers import verify, outer\ndef check(x): pass\n"
    helpers = ["def verify(x): pass\ndef outer(x): inner(x)\ndef inner(x):\n    assert x\n", "not python"]

    empty = [
        hollow_tests(a_test(f"{name}(f(1))", "def test_a():", above), ["test_a"], helpers)
        for name in ("check", "verify")
    ]
    asserting = hollow_tests(a_test("outer(f(1))", "def test_a():", above), ["test_a"], helpers)

    assert ([len(found) for found in empty], asserting) == ([1, 1], ())


def test_tests_of_classes_are_found_by_their_class() -> None:
    text = (
        "import unittest\nfrom fee import f\n"
        "class TestA(unittest.TestCase):\n    def test_a(self): f(1)\n"
        "class TestB(Other):\n    def test_a(self): f(1)\n"
    )

    found = hollow_tests(
        text, ["TestA::test_a", "tests.test_x.TestA.test_a", "TestB::test_a", "TestA::test_b", "test_c"]
    )

    assert [(each.name, each.line) for each in found] == [("TestA::test_a", 4), ("tests.test_x.TestA.test_a", 4)]


def test_a_name_that_others_bind_is_not_constant() -> None:
    text = "n = 0\ndef hook():\n    global n\n    n = 1\ndef test_a():\n    assert n == 1\n"

    assert hollow_tests(text, ["test_a"]) == ()


def test_a_file_of_a_newer_python_is_left_alone() -> None:
    assert hollow_tests("def test_a(:", ["test_a"]) == ()
