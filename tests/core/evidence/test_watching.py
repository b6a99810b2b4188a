import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.watching import constant_results, watching
from dualgate.core.values.changes import Changes
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_spec, a_state, done, failed, passed

TESTS = """
import pytest
@pytest.mark.parametrize("n", [4711, 815])
def test_ac1(n):
    assert fee("ACME-17", rate=0) == 3
    assert fee(n) == 1
def test_ac2():
    assert fee("Globex") == 4
FILES = ["expected.json", "data/rates.csv"]
"""

SEEN = {
    "variable": ('if os.environ.get("PYTEST_CURRENT_TEST"): pass', "`fee.py:1` reads a variable of the test run"),
    "own variable": ('x = os.getenv("DUALGATE_PROJECT")', "reads a variable of the test run: DUALGATE_PROJECT"),
    "modules": ('x = 1\nif "pytest" in sys.modules: pass', "`fee.py:2` asks whether pytest runs"),
    "modules.get": ('x = sys.modules.get("unittest")', "asks whether unittest runs"),
    "arguments": ('x = sys.argv[0].endswith("pytest")', "asks whether pytest runs"),
    "ci": ('x = os.environ["CI"]', "reads a variable of the test run: CI"),
    "ci in": ('x = "CI" in os.environ', "reads a variable of the test run: CI"),
    "debug": ("if __debug__: pass", "asks whether assertions are switched on"),
    "import": ("if x:\n    import pytest", "`fee.py:2` imports pytest under a condition"),
    "import from": (
        "try:\n    from unittest import mock\nexcept ImportError: pass",
        "imports unittest.mock under a condition",
    ),
    "mocks": ("from unittest.mock import MagicMock", "`fee.py:1` imports mocks, which only tests need"),
    "stack": ("def f():\n    return 'test_' in inspect.stack()[1].function", "looks at its callers for a test"),
    "test file": ('x = "test_x.py"', "names a test: test_x.py"),
    "test name": ('x = {"test_ac1": 1}', "names a test: test_ac1"),
    "data of tests": (
        'x = 1\ny = json.loads((Path(__file__).parent / "tests" / "expected.json").read_text())',
        "`fee.py:2` reads data of tests: tests/expected.json",
    ),
    "data of tests by one path": ('x = open("../tests/expected.json")', "reads data of tests: tests/expected.json"),
    "data of tests by words": ('x = os.path.join(HERE, "tests", "rates.csv")', "reads data of tests: tests/rates.csv"),
    "conditions": (
        "def fee(x):\n    if x == 'ACME-17':\n        return 3\n    return 4 if x == 'Globex' else x * 2",
        "`fee.py:2` compares with an input of test_ac1: 'ACME-17'",
    ),
    "table": (
        "T = {'Globex': 3, 4711: 1, 815: 1, 'ACME-17': 3}",
        "`fee.py:1` compares with an input of test_ac2: 'Globex'",
    ),
    "match": (
        "def fee(x):\n    match x:\n        case 4711: return 1\n        case 815: return 2",
        "`fee.py:4` compares with an input of test_ac1: 815",
    ),
}

UNSEEN = {
    "plain": "def fee(x): return x * 2",
    "docstring": 'def fee(x):\n    """See test_ac1."""',
    "typing": "if TYPE_CHECKING:\n    import pytest",
    "other import": "if x:\n    import json\n    from . import rates",
    "plug-in": "import pytest",
    "callers": "def f(): return inspect.stack()[1]",
    "environment": 'x = os.environ.get("HOME")',
    "one literal": "def fee(x):\n    if x == 'ACME-17':\n        return 3",
    "computed": "def fee(x):\n    if x == 'ACME-17':\n        return x\n    if x == 'Globex':\n        return x",
    "large table": "T = {'Globex': 3, 4711: 1, 'a': 1, 'b': 2, 'c': 3}",
    "table of a few": "T = {'Globex': 3, 4711: 1}",
    "small values": "T = {3: 1, 1: 2}",
    "data of its own": 'x = (Path(__file__).parent / "data" / "expected.json").read_text()',
    "data that no test reads": 'x = (Path(__file__).parent / "tests" / "other.json").read_text()',
    "folder of tests": 'x = (root / "tests").mkdir()\ny = root / "expected.json"',
    "table of code": "T = {'Globex': f, 4711: g}",
}


def seen(text: str, path: str = "fee.py", before: str = "") -> tuple[str, ...]:
    fresh = [failed("test_ac1[4711]"), failed("test_ac1[815]"), failed("test_ac2")]
    texts = SourceTexts(tests={"tests/test_x.py": TESTS}, sources={path: text}, before={path: before} if before else {})
    return watching(texts, fresh)


@pytest.mark.parametrize(("text", "sentence"), SEEN.values(), ids=SEEN)
def test_a_source_that_looks_at_its_tests_is_named(text: str, sentence: str) -> None:
    assert any(sentence in each for each in seen(text)), seen(text)


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN)
def test_a_source_that_does_not_is_not_named(text: str) -> None:
    assert seen(text) == ()


def test_lines_that_were_there_before_are_left_alone() -> None:
    assert seen("x = 1\nif __debug__: pass", before="if __debug__: pass") == ()


def test_other_languages_are_searched_for_words() -> None:
    text = "let a = 1\nif (process.env.NODE_ENV === 'test') { return 3 }\n"

    assert seen(text, "fee.js") == ("`fee.js:2` looks at the test run: NODE_ENV === 'test'",)


CONSTANT = {
    "function": "def fee(amount): return 2",
    "docstring": "def fee(amount):\n    'The fee.'\n    return 'x'",
    "variable": "def fee(amount):\n    low: int = 1\n    high = 2\n    return high",
    "constant of the module": "RATE = 2\ndef fee(amount): return RATE",
    "keyword": "def fee(*, amount): return -2",
    "async": "async def fee(amount): return (1, 2)",
    "method": "class Shop:\n    rate = 1\n    def fee(self, amount): return 2",
    "static": "class Shop:\n    @staticmethod\n    def fee(amount): return 2",
    "called": "def fee(amount): return 2\ndef total(amount): return amount + fee(amount)",
}
NOT_CONSTANT = {
    "reads": "def fee(amount): return amount * 2",
    "no parameter": "def fee(): return 2",
    "self": "class Shop:\n    def fee(self): return 2",
    "unused by name": "def fee(_amount): return 2",
    "any": "def fee(*args, **more): return 2",
    "stub": "def fee(amount): raise NotImplementedError",
    "pass": "def fee(amount): pass",
    "docstring": "def fee(amount): 'The fee.'",
    "none": "def fee(amount): return None",
    "bare": "def fee(amount): return",
    "state": "class Shop:\n    def fee(self, amount): return self.rate",
    "call": "def fee(amount): return now()",
    "effect": "def fee(amount):\n    log('fee')\n    return 2",
    "declared": "def fee(amount):\n    x: int\n    return 2",
    "condition": "def fee(amount):\n    if amount: return 2\n    return 1",
    "override": "class Shop(Base):\n    def fee(self, amount): return 2",
    "default": "class Shop:\n    def fee(self, amount): return 2\nclass Other(Shop): pass",
    "variants": "class A:\n    def fee(self, n): return 2\nclass B:\n    def fee(self, n): return n",
    "decorated": "@route('/fee')\ndef fee(amount): return 2",
    "dunder": "class Shop:\n    def __contains__(self, amount): return True",
    "callback": "def fee(amount): return 2\nTABLE = {'fee': fee}",
    "unreadable": "def fee(amount) return 2",
}


def constants(text: str, before: str = "") -> tuple[str, ...]:
    return constant_results(SourceTexts(sources={"fee.py": text}, before={"fee.py": before} if before else {}))


@pytest.mark.parametrize("text", CONSTANT.values(), ids=CONSTANT)
def test_a_function_that_returns_a_constant_whatever_its_arguments_is_named(text: str) -> None:
    (sentence,) = constants(text)

    assert sentence.endswith("` fee() returns a constant whatever its arguments")


@pytest.mark.parametrize("text", NOT_CONSTANT.values(), ids=NOT_CONSTANT)
def test_a_function_that_may_do_something_else_is_not(text: str) -> None:
    assert constants(text) == ()


def test_of_functions_with_constants_only_new_and_changed_ones_are_named() -> None:
    text = "def tax(amount):\n    return 1\ndef fee(amount):\n    return 2"

    assert constants(text, text.replace("return 2", "return 3")) == (
        "`fee.py:3` fee() returns a constant whatever its arguments",
    )


def test_a_function_that_another_source_passes_on_is_not_named() -> None:
    texts = SourceTexts(sources={"fee.py": "def fee(amount): return 2", "app.py": "app.add(fees.fee)", "a.js": "fee"})

    assert constant_results(texts) == ()


@pytest.mark.parametrize(("phase", "is_named"), [(Phase.RED, False), (Phase.GREEN, True)])
def test_stubs_of_red_may_return_constants(phase: Phase, is_named: bool) -> None:
    texts = SourceTexts(sources={"fee.py": "def fee(amount): return 2"})
    state = a_state(phase=phase, proof=Proof(start_tree="s", red_tree="r"))

    facts = gather(state, a_spec(1), done(phase), [a_report(passed("test_ac1"))], Changes(tree="t"), texts=texts)

    assert bool(facts.observed.watching) is is_named


ASKING = """
import pytest
@pytest.mark.parametrize(("amount", "expected"), [(100, 2), (250, 5), (10, 1)])
def test_rows(amount, expected):
    assert fee(amount) == expected
def test_asserts():
    assert fee(100) == 2
    assert fee(10) == 1
class TestMethods:
    def test_equal(self):
        self.assertEqual(fee(20), "low")
def test_unnamed():
    assert fee(40) == 3
def test_levels():
    assert level(1) == 10
    assert level(2) == 20
"""
ROWS, ASSERTS, EQUAL, LEVELS = "test_rows", "test_asserts", "test_equal", "test_levels"
ANSWERED = {
    "table": (ROWS, "def fee(n): return {100: 2, 250: 5, 10: 1}[n]", [100, 250, 10]),
    "table of the module": (ROWS, "FEES = {100: 2, 250: 5, 10: 1}", [100, 250, 10]),
    "larger table": (ROWS, "FEES = {100: 2, 250: 5, 10: 1, 20: 3}", []),
    "smaller table": (ROWS, "FEES = {250: 5, 100: 2}", []),
    "one row": (ROWS, "FEES = {10: 1}", []),
    "computed table": (ROWS, "FEES = {100: f(2), 250: 5, 10: 1}", []),
    "other keys": (ROWS, "FEES = {True: 2, 'a': 5, **MORE}", []),
    "enumeration": (LEVELS, "LEVELS = {1: 10, 2: 20}", []),
    "condition": (ASSERTS, "def fee(n):\n    if n == 10:\n        return 1\n    return n * 2 // 100", [10]),
    "condition of a method": (EQUAL, "def fee(n):\n    if 20 == n:\n        return 'low'", [20]),
    "conditions": (ASSERTS, "def fee(n):\n    if n == 10: return 1\n    if n == 100: return 2", [10, 100]),
    "expression": (ASSERTS, "def fee(n): return 1 if n == 10 else n * 2 // 100", [10]),
    "match": (ASSERTS, "def fee(n):\n    match n:\n        case 10: return 1\n        case _: return n", [10]),
    "other result": (ASSERTS, "def fee(n):\n    if n == 10: return 7", []),
    "one of the conditions": (ASSERTS, "def fee(n):\n    if n == 10: return 1\n    if n == 30: return 3", []),
    "usual number": (ASSERTS, "def fee(n):\n    if n == 100: return 2", []),
    "levels": (LEVELS, "def level(n):\n    if n == 1: return 10\n    if n == 2: return 20", []),
    "other comparison": (ASSERTS, "def fee(n):\n    if n > 10: return 1\n    return 1 if f(n) == 10 else 2", []),
    "no result": (ASSERTS, "def fee(n):\n    if n == 10: return\n    if n == 100: return None", []),
    "computed": (ASSERTS, "def fee(n):\n    if n == 10: return n", []),
    "unchanged test": (ASSERTS, "def fee(n):\n    if n == 40: return 3", []),
}


def answered(test: str, text: str, written: str = "") -> tuple[str, ...]:
    texts = SourceTexts(tests={"tests/test_x.py": ASKING}, sources={"fee.py": text})
    return watching(texts, [failed(test)], written)


@pytest.mark.parametrize(("test", "text", "numbers"), ANSWERED.values(), ids=ANSWERED)
def test_numbers_that_are_answered_because_tests_ask_for_them_are_named(
    test: str, text: str, numbers: list[int]
) -> None:
    named = [sentence.partition(f" compares with an input of {test}: ")[2] for sentence in answered(test, text)]

    assert sorted(named) == sorted(map(str, numbers))


def test_the_line_of_the_condition_is_named() -> None:
    (sentence,) = answered(ASSERTS, "def fee(n):\n    if n == 10:\n        return 1\n    return n * 2 // 100")

    assert sentence == "`fee.py:2` compares with an input of test_asserts: 10"


@pytest.mark.parametrize(("written", "is_named"), [("the fee of 10 is 1", False), ("the fee is at least 1", True)])
def test_a_number_that_a_person_wrote_is_asked_for(written: str, is_named: bool) -> None:
    text = "def fee(n):\n    if n == 10: return 1\n    return n * 2"

    assert bool(answered(ASSERTS, text, written)) is is_named


@pytest.mark.parametrize(("criterion", "is_named"), [("fee(10) is 1", False), ("It holds.", True)])
def test_numbers_of_criteria_and_of_tests_that_failed_before_are_known(criterion: str, is_named: bool) -> None:
    source = "def fee(n):\n    if n == 10: return 1\n    return n * 2"
    texts = SourceTexts(tests={"tests/test_x.py": ASKING}, sources={"fee.py": source})
    state = a_state(phase=Phase.BUILD, proof=Proof(start_tree="s", baseline=(failed(ASSERTS),)))
    plan = Plan(done=(criterion,), file="PLAN.md")

    facts = gather(
        state, a_spec(0), done(Phase.BUILD), [a_report(passed(ASSERTS))], Changes(tree="t"), plan, texts=texts
    )

    assert bool(facts.observed.watching) is is_named
