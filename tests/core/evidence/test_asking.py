from dataclasses import replace

import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.gates.judge import judge
from dualgate.core.values.changes import Changes
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.state import Proof, Warned
from dualgate.core.values.suite import FailureKind
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_spec, a_state, done, failed, passed

TEXT = "from fee import fee\n\ndef test_ac1(n):\n    return fee(n)\n\ndef test_ac2():\n    assert fee(1) == 2\n"
TEXT = TEXT.replace("def test_ac1(n)", "@pytest.mark.parametrize('n', [1, 2])\ndef test_ac1(n)")
SENTENCE = "`tests/test_x.py:4` test_ac1 has no assertion; assert what the criterion says"
TEXTS = SourceTexts(tests={"tests/test_x.py": TEXT}, sources={"fee.py": "x = __debug__"})
NOTED = "`fee.py:1` asks whether assertions are switched on: __debug__"


def gathered(phase: Phase, *asked: str, warned: tuple[Warned, ...] = ()) -> Facts:
    proof = Proof(start_tree="s", asked=asked, baseline=(passed("test_old"),))
    make = failed if phase is Phase.RED else passed
    run = a_report(*(make(name) for name in ("test_ac1[1]", "test_ac1[2]", "test_ac2")), passed("test_old"))
    state = a_state(phase=phase, proof=proof, warnings=warned)
    return gather(state, a_spec(), done(phase), [run], Changes(tree="t", modified=("a.py",)), texts=TEXTS)


def test_red_is_asked_once_to_fix_a_hollow_test() -> None:
    facts = gathered(Phase.RED)

    (asked,) = facts.observed.asks
    assert (asked.about, facts.observed.hollow) == (("tests/test_x.py::test_ac1",), (SENTENCE,))
    assert judge(facts, Limits()).reasons == (f"{SENTENCE}; this is reported once",)
    assert SENTENCE not in judge(facts, Limits()).warnings


@pytest.mark.parametrize(
    ("before", "is_asked"),
    [
        ("def test_ac1():\n    return 1\n", False),
        ("def test_ac1():\n    assert fee() == 1\n", True),
        ("def test_ac1():\n    assert True\n", True),
        ("def test_ac9():\n    return 1\n", True),
    ],
)
def test_a_test_that_the_project_had_without_an_assertion_is_a_warning(before: str, is_asked: bool) -> None:
    name = before[4:].partition("(")[0]
    proof = Proof(start_tree="s", baseline=(passed(name, id=f"tests/old.py::{name}", file="tests/old.py"),))
    texts = replace(TEXTS, tests_before={"tests/old.py": before})
    state, run = a_state(phase=Phase.RED, proof=proof), a_report(failed("test_ac1[1]"), failed("test_ac2"))

    facts = gather(state, a_spec(), done(Phase.RED), [run], Changes(tree="t", modified=("a.py",)), texts=texts)

    assert (bool(facts.observed.asks), SENTENCE in facts.observed.notes) == (is_asked, not is_asked)


def test_a_hollow_test_that_stays_is_a_warning() -> None:
    facts = gathered(Phase.RED, "tests/test_x.py::test_ac1")

    assert judge(facts, Limits()).outcome is Outcome.PASS
    assert SENTENCE in judge(facts, Limits()).warnings


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.BUILD])
def test_after_red_and_in_build_a_hollow_test_is_a_warning(phase: Phase) -> None:
    facts = gathered(phase)

    assert (facts.observed.asks, SENTENCE in judge(facts, Limits()).warnings) == ((), True)
    assert SENTENCE not in gathered(Phase.GREEN, "tests/test_x.py::test_ac1").observed.notes


def test_a_source_that_looks_at_tests_is_noted_once() -> None:
    warned = Warned(phase=Phase.GREEN, iteration=1, text=NOTED)

    assert (gathered(Phase.GREEN).observed.watching, NOTED in gathered(Phase.GREEN).observed.notes) == ((NOTED,), True)
    assert NOTED not in gathered(Phase.GREEN, warned=(warned,)).observed.notes


def test_a_fix_of_a_crash_needs_no_assertion() -> None:
    crash = failed("test_ac1[1]", kind=FailureKind.OTHER)
    state = a_state(phase=Phase.GREEN, proof=Proof(start_tree="s", red=(crash,), baseline=(passed("test_old"),)))
    run = a_report(passed("test_ac1[1]"), passed("test_ac2"), passed("test_old"))

    seen = gather(state, a_spec(), done(Phase.GREEN), [run], Changes(tree="t", modified=("a.py",)), texts=TEXTS)

    assert seen.observed.hollow == ()


@pytest.mark.parametrize(("name", "hollow"), [("test_ac1_same_seed_same_teams", 0), ("test_ac1_teams", 1)])
def test_a_test_of_results_that_repeat_may_compare_a_call_with_itself(name: str, hollow: int) -> None:
    text = f"from teams import teams\n\ndef {name}():\n    assert teams(7) == teams(7)\n"
    state = a_state(phase=Phase.RED, proof=Proof(start_tree="s", baseline=(passed("test_old"),)))
    texts = SourceTexts(tests={"tests/test_x.py": text})

    seen = gather(state, a_spec(), done(Phase.RED), [a_report(failed(name))], Changes(tree="t"), texts=texts)

    assert len(seen.observed.hollow) == hollow
