import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.unfrozen import changed_beside
from dualgate.core.gates.judge import judge
from dualgate.core.values.changes import Changes
from dualgate.core.values.limits import Limits
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.state import Proof
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_spec, a_state, done, failed, passed

TEST = "from tools.checking import check\nimport shop\n\ndef test_ac1():\n    check(open('data/cases.json'))\n"
HELPER = "def check(a):\n    assert a == 1\n"
LOST = "`tools/checking.py` is used by tests and not frozen, and an assertion of it is gone since RED: `assert a == 1`"
READ = "`data/cases.json` is read by tests and not frozen, and changed since RED"


def texts(path: str, before: str, after: str, test: str = TEST) -> SourceTexts:
    return SourceTexts(tests={"tests/test_x.py": test}, unfrozen={path: (before, after)})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (texts("tools/checking.py", HELPER, HELPER.replace("a == 1", "a")), (LOST,)),
        (texts("tools/checking.py", HELPER, "def check(a): pass\n"), (LOST,)),
        (texts("tools/checking.py", HELPER, f"# more\n\n{HELPER}"), ()),
        (texts("tools/checking.py", "def check(a): raise NotImplementedError\n", HELPER), ()),
        (texts("tools/checking.py", HELPER, "def check(a:\n"), ()),
        (texts("tools/other.py", HELPER, ""), ()),
        (texts("shop/__init__.py", HELPER, ""), (LOST.replace("tools/checking.py", "shop/__init__.py"),)),
        (texts("data/cases.json", "[[1, 1]]", "[[1, 2]]"), (READ,)),
        (texts("data/other.json", "[[1, 1]]", "[[1, 2]]"), ()),
        (texts("data/cases.json", "[[1, 1]]", "[[1, 2]]", test="def test_ac1(:"), ()),
    ],
)
def test_what_tests_use_and_nobody_freezes_is_named_when_it_changes_after_red(
    given: SourceTexts, told: tuple[str, ...]
) -> None:
    assert changed_beside(given) == told


def test_it_is_a_note_to_the_reviewer_and_keeps_nothing_shut() -> None:
    proof = Proof(start_tree="s", proven=(failed("test_ac1"),), red=(failed("test_ac1"),))
    state, run = a_state(phase=Phase.GREEN, proof=proof), a_report(passed("test_ac1"))
    given = texts("data/cases.json", "[[1, 1]]", "[[1, 2]]")

    facts = gather(state, a_spec(1), done(Phase.GREEN), [run, run], Changes(tree="t"), texts=given)

    assert facts.observed.notes == (READ,)
    assert judge(facts, Limits()).outcome is Outcome.PASS
