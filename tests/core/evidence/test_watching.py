import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.watching import constant_results, watching
from dualgate.core.values.changes import Changes
from dualgate.core.values.source_texts import SourceTexts
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
        "imports unittest under a condition",
    ),
    "stack": ("def f():\n    return 'test_' in inspect.stack()[1].function", "looks at its callers for a test"),
    "test file": ('x = "test_x.py"', "names a test: test_x.py"),
    "test name": ('x = {"test_ac1": 1}', "names a test: test_ac1"),
    "conditions": (
        "def fee(x):\n    if x == 'ACME-17':\n        return 3\n    return 4 if x == 'Globex' else x * 2",
        "`fee.py:2` compares with an input of test_ac1: 'ACME-17'",
    ),
    "table": ("T = {'Globex': 3, 4711: 1}", "`fee.py:1` compares with an input of test_ac2: 'Globex'"),
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
    "small values": "T = {3: 1, 1: 2}",
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
