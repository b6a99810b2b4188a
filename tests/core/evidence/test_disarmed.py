"""Which tests of the baseline were disarmed, by their old versions on the present code."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.definitions import SourceChange
from dualgate.core.evidence.disarmed import (
    Surroundings,
    Texts,
    disarmed,
    red_before,
    seen_red,
    still_failing,
    suspects,
    upheld,
)
from dualgate.core.evidence.doubted import Doubt
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.testing import a_report

FILE = "tests/test_shop.py"
OLD = """
import pytest
from shop import total, Cart

@pytest.fixture
def cart():
    return Cart([1, 2])

def test_total():
    assert total([1, 2]) == 3

def test_cart(cart):
    assert cart.amount() == 3
"""
SOURCE = """
def total(prices):
    return sum(prices)

class Cart:
    def amount(self):
        return total(self.prices)
"""
BROKEN = SOURCE.replace("sum(prices)", "0")
TOTAL, CART = f"{FILE}::test_total", f"{FILE}::test_cart"


def case(outcome: CaseOutcome, name: str, digest: str, values: dict[str, Any]) -> CaseResult:
    return CaseResult(**{"id": name, "outcome": outcome, "file": FILE, "digest": digest} | values)


def ok(name: str, digest: str = "old", **values: Any) -> CaseResult:
    return case(CaseOutcome.PASSED, name, digest, values)


def failed(name: str, digest: str = "old", **values: Any) -> CaseResult:
    return case(CaseOutcome.FAILED, name, digest, values)


def skipped(name: str, digest: str = "old", **values: Any) -> CaseResult:
    return case(CaseOutcome.SKIPPED, name, digest, values)


BASELINE = (ok(TOTAL, line=9), ok(CART, line=12))
PROOF = Proof(baseline=BASELINE)
AROUND = Surroundings(is_of_tests=lambda path: path.startswith("tests/"))


def how(*results: CaseResult, around: Surroundings = AROUND, proof: Proof = PROOF, **values: bool) -> dict[str, object]:
    return {each.function: each.how for each in suspects(proof, results, around, **values)}


WEAKENINGS = [
    ((ok(CART),), {TOTAL: Doubt.REMOVED}),
    ((ok(TOTAL, "new"), ok(CART)), {TOTAL: Doubt.CHANGED}),
    ((skipped(TOTAL), ok(CART)), {TOTAL: Doubt.SKIPPED}),
    ((replace(ok(TOTAL), outcome=CaseOutcome.XFAILED), ok(CART)), {TOTAL: Doubt.SKIPPED}),
    ((ok(f"{FILE}::test_sum"), ok(CART)), {}),  # renamed
    ((ok("tests/unit/test_shop.py::test_total"), ok(CART)), {}),  # moved
    ((ok(TOTAL), ok(CART)), {}),
]


def test_a_changed_test_whose_old_version_passes_is_upheld() -> None:
    asked = suspects(PROOF, (ok(TOTAL, "new"), ok(CART, "new")), AROUND)
    removed = suspects(PROOF, (ok(CART),), AROUND)

    assert upheld(asked, [each for each in asked if each.function == CART]) == (TOTAL,)
    assert upheld(removed, ()) == ()


@pytest.mark.parametrize(("results", "found"), WEAKENINGS)
def test_removed_skipped_and_changed_tests_are_suspect(results: tuple[CaseResult, ...], found: object) -> None:
    assert how(*results) == found


def test_a_parametrised_test_with_fewer_cases_is_suspect() -> None:
    cases = tuple(ok(f"{TOTAL}[{number}]") for number in range(3))

    assert how(cases[0], proof=Proof(baseline=cases)) == {TOTAL: Doubt.FEWER}


def test_tests_below_a_changed_helper_and_in_a_changed_file_are_suspect_if_they_pass() -> None:
    other = replace(ok("other/test_x.py::test_x"), file="other/test_x.py")
    proof = Proof(baseline=(*BASELINE, other))
    helper = replace(AROUND, helpers=("tests/helper.py",))

    assert how(*BASELINE, other, around=helper, proof=proof) == {TOTAL: None, CART: None}
    assert how(*BASELINE, other, around=replace(AROUND, files=(FILE,)), proof=proof) == {TOTAL: None, CART: None}
    assert how(failed(TOTAL), ok(CART), around=helper) == {CART: None}
    assert how(*BASELINE, around=replace(helper, helpers=("conftest.py",))) == {TOTAL: None, CART: None}


def test_what_failed_wavered_or_belongs_to_a_person_is_not_suspect() -> None:
    failing = Proof(baseline=(failed(TOTAL), ok(CART)))

    assert how(ok(CART), proof=failing) == {}
    assert how(ok(CART), proof=failing, with_failing=True) == {TOTAL: Doubt.REMOVED}
    patched = replace(AROUND, helpers=("tests/conftest.py",))
    assert how(ok(TOTAL), ok(CART), proof=failing, around=patched, with_failing=True) == {TOTAL: None, CART: None}
    assert how(ok(CART), proof=replace(PROOF, flaky=(TOTAL,))) == {}
    assert how(ok(CART), around=replace(AROUND, by_person=(FILE,))) == {}
    assert how(ok(CART), around=replace(AROUND, is_of_tests=lambda _: False)) == {}


def texts(after: str, now: str = "", before: str = SOURCE) -> Texts:
    return Texts(
        before={FILE: OLD},
        now={"tests/test_new.py": now},
        sources=(SourceChange(path="shop.py", before=before, after=after),),
    )


def judged(*results: CaseResult, red: tuple[CaseResult, ...] = (), trial: CaseResult, code: Texts) -> tuple[str, ...]:
    report = a_report(trial, *(result for result in BASELINE if result.id != trial.id))
    asked = still_failing(suspects(PROOF, results, AROUND), report)
    return disarmed(asked, report, seen_red(PROOF, red), PROOF, code)


FAILS = failed(TOTAL, message="assert 0 == 3")
TOLD = f"{TOTAL} was removed, and its version from before the run fails now: assert 0 == 3"


def test_a_test_whose_old_version_fails_is_disarmed_whatever_was_done_to_it() -> None:
    assert judged(ok(CART), trial=FAILS, code=texts(BROKEN)) == (TOLD,)
    changed = judged(ok(TOTAL, "new"), ok(CART), trial=FAILS, code=texts(BROKEN))
    assert changed == (TOLD.replace("removed", "changed"),)
    idle = judged(
        skipped(TOTAL, digest="new"),
        ok(CART),
        red=(failed(TOTAL, digest="new"),),
        trial=FAILS,
        code=texts(BROKEN),
    )
    assert idle == (TOLD.replace("was removed", "is skipped"),)


def test_a_test_whose_old_version_passes_is_not() -> None:
    assert judged(ok(CART), trial=ok(TOTAL), code=texts(BROKEN)) == ()


def test_a_changed_test_that_was_red_changes_the_requirement() -> None:
    red = (failed(TOTAL, digest="new"),)

    assert judged(ok(TOTAL, "new"), ok(CART), red=red, trial=FAILS, code=texts(BROKEN)) == ()


def test_a_test_that_was_red_before_the_specification_changed_stays_excused() -> None:
    proof = replace(PROOF, red=(failed(CART, "new"),), was_red=(TOTAL,))

    assert red_before(proof, (ok(TOTAL, "new"), ok(CART))).keys() == {TOTAL, CART}


def test_tests_of_a_file_that_could_not_be_collected_in_red_were_red() -> None:
    red = (failed(FILE, kind=FailureKind.BROKEN_FILE),)

    assert judged(ok(TOTAL, "new"), ok(CART), red=red, trial=FAILS, code=texts(BROKEN)) == ()


NEW = "from shop import total, vat\n\ndef test_vat():\n    assert {} == 4\n"


@pytest.mark.parametrize(("call", "is_excused"), [("total([1, 2], vat=1)", True), ("vat(3)", False)])
def test_a_removed_test_is_replaced_by_a_red_one_of_the_same_changed_function(call: str, is_excused: bool) -> None:
    red = (failed("tests/test_new.py::test_vat", file="tests/test_new.py", line=4),)

    found = judged(ok(CART), red=red, trial=FAILS, code=texts(BROKEN, now=NEW.format(call)))

    assert (found == ()) is is_excused


CASES = tuple(ok(f"{TOTAL}[{number}]") for number in range(3))
CUT = f"{TOTAL} has fewer cases, and its version from before the run fails now: assert 0 == 3"
CUTS = [
    ("total([1, 2], vat=1)", 1, ()),
    ("total([1, 2], vat=1)", 2, (CUT,)),  # a case is left, and one of those that fail is weakened
    ("vat(3)", 1, (CUT,)),
]


@pytest.mark.parametrize(("call", "failing", "found"), CUTS)
def test_a_lost_case_is_replaced_by_a_red_test_of_the_same_changed_function(
    call: str, failing: int, found: tuple[str, ...]
) -> None:
    proof, left = Proof(baseline=CASES), CASES[:2]
    red = (failed("tests/test_new.py::test_vat", file="tests/test_new.py", line=4),)
    trial = a_report(*(replace(FAILS, id=case.id) for case in CASES[-failing:]), *CASES[:-failing])

    asked = still_failing(suspects(proof, left, AROUND), trial)

    code = texts(BROKEN, now=NEW.format(call))
    assert disarmed(asked, trial, seen_red(proof, red), proof, code) == found


GONE = [
    (SOURCE.replace("def total", "def summed"), TOTAL, True),
    (SOURCE.replace("class Cart", "class Basket"), TOTAL, False),
    (SOURCE.replace("class Cart", "class Basket"), CART, True),  # used through a fixture
    ("", TOTAL, True),
]


@pytest.mark.parametrize(("after", "name", "is_excused"), GONE)
def test_a_test_may_go_with_the_code_that_it_tested(after: str, name: str, is_excused: bool) -> None:
    left = [result for result in BASELINE if result.id != name]

    found = judged(*left, trial=failed(name), code=texts(after))

    assert (found == ()) is is_excused


CHECKED = """
def total(prices):
    if prices is not None:
        return sum(prices)
    return 0
"""
UNCHECKED = """
def total(prices):
    return sum(prices)
"""


def test_a_test_may_go_with_a_part_of_a_function_where_sources_only_lose_lines() -> None:
    dropped = texts(UNCHECKED, before=CHECKED)

    assert judged(ok(CART), trial=FAILS, code=dropped) == ()
    assert judged(ok(TOTAL, "new"), ok(CART), trial=FAILS, code=dropped) == (TOLD.replace("removed", "changed"),)
    assert judged(ok(CART), trial=FAILS, code=texts(CHECKED, before=UNCHECKED)) == (TOLD,)
    assert judged(ok(CART), trial=FAILS, code=replace(dropped, is_reviewed=False)) == (TOLD,)


WARNS = f"""
import warnings
{SOURCE}
def sum_up(prices):
    warnings.warn("use total", DeprecationWarning)
"""


def test_a_changed_test_of_what_is_deprecated_is_excused_if_a_review_is_asked_about_it() -> None:
    warned = failed(TOTAL, message="DeprecationWarning: use total")
    code = texts(WARNS)

    assert judged(ok(TOTAL, "new"), ok(CART), trial=warned, code=code) == ()
    assert judged(ok(TOTAL, "new"), ok(CART), trial=FAILS, code=code) == (TOLD.replace("removed", "changed"),)
    assert judged(ok(TOTAL, "new"), ok(CART), trial=warned, code=replace(code, is_reviewed=False)) != ()
    assert judged(ok(TOTAL, "new"), ok(CART), trial=warned, code=texts(BROKEN)) != ()


LISTED = OLD.replace("total([1, 2]) == 3", "list(total([1, 2])) == 3")
HELPERS = ({"tests/helper.py": "LIMIT = 1"}, {"tests/helper.py": "LIMIT = 2"})
CONVERTED = [
    (texts(BROKEN), {}, {}, True),
    (texts(BROKEN), HELPERS[0], HELPERS[0], True),
    (texts(BROKEN), HELPERS[0], HELPERS[1], False),  # what it compares with changed
    (texts(BROKEN), {"tests/helper.py": ""}, HELPERS[1], True),  # new, and of new tests
    (texts(BROKEN), {"tests/shop.py": ""}, {"tests/shop.py": "class total(list): pass"}, False),  # in place of the code
    (texts(BROKEN), {"tests/a.py": "import b", "tests/b.py": ""}, {"tests/a.py": "import b", "tests/b.py": "x"}, False),
    (texts(BROKEN), {"tests/conftest.py": ""}, {"tests/conftest.py": "def expected(): return 4"}, False),
    (texts(SOURCE + "\ndef vat(): return 1\n"), {}, {}, False),  # what it calls did not
    (replace(texts(BROKEN), is_reviewed=False), {}, {}, False),
]


@pytest.mark.parametrize(("code", "before", "present", "is_excused"), CONVERTED)
def test_a_test_that_converts_the_result_of_a_changed_function_asks_for_the_same(
    code: Texts, before: dict[str, str], present: dict[str, str], is_excused: bool
) -> None:
    code = replace(code, before={FILE: OLD, **before}, present={FILE: LISTED, **present})

    found = judged(ok(TOTAL, "new"), ok(CART), trial=FAILS, code=code)

    assert (found == ()) is is_excused


TRIALS = [
    (skipped(TOTAL), "it is skipped"),
    (
        failed(FILE, kind=FailureKind.BROKEN_FILE, message="\nNameError: x"),
        "its file cannot be collected (NameError: x)",
    ),
    (ok("other"), "it is not collected"),
    (failed(TOTAL), "failed"),
]


@pytest.mark.parametrize(("trial", "why"), TRIALS)
def test_an_old_version_that_does_not_run_does_not_pass(trial: CaseResult, why: str) -> None:
    asked = suspects(PROOF, (ok(CART),), AROUND)
    report = a_report(trial)

    (sentence,) = disarmed(still_failing(asked, report), report, {}, PROOF, texts(BROKEN))

    assert sentence.endswith(f"fails now: {why}")


def test_only_the_cases_that_passed_before_must_pass() -> None:
    cases = (ok(f"{TOTAL}[1]"), failed(f"{TOTAL}[2]"))
    asked = suspects(Proof(baseline=cases), (), AROUND)

    assert still_failing(asked, a_report(*cases)) == ()
    assert still_failing(asked, a_report(replace(cases[1], id=cases[0].id), cases[1])) == asked


def test_a_trial_that_cannot_be_trusted_shows_nothing_and_says_so() -> None:
    report = a_report(problems=("it broke off",))
    asked = still_failing(suspects(PROOF, (ok(CART),), AROUND), report)

    assert disarmed(asked, report, {}, PROOF, texts(SOURCE)) == (
        f"the versions of {TOTAL} from before the run cannot be run: it broke off",
    )
    assert disarmed((), report, {}, PROOF, texts(SOURCE)) == ()


def test_an_unchanged_test_of_a_module_that_was_moved_is_excused() -> None:
    moved = SourceChange(path="shop.py", before=SOURCE), SourceChange(path="store.py", after=SOURCE)
    around = Surroundings(is_of_tests=lambda _: True, files=(FILE,))
    asked = suspects(Proof(baseline=(ok(TOTAL),)), (ok(TOTAL),), around)
    texts = Texts(before={FILE: OLD}, now={}, sources=moved)
    gone = a_report(failed(TOTAL, message="NameError: name 'total' is not defined"))

    assert disarmed(asked, gone, {}, Proof(baseline=(ok(TOTAL),)), texts) == ()


def test_data_below_the_folder_of_a_test_may_be_read_by_it() -> None:
    proof, now = Proof(baseline=(ok(TOTAL),)), (ok(TOTAL),)

    def asked(path: str) -> list[str]:
        around = Surroundings(is_of_tests=lambda _: True, helpers=(path,))
        return [each.function for each in suspects(proof, now, around)]

    assert asked("tests/snapshots/total.txt") == [TOTAL]
    assert asked("tests/helpers/making.py") == []
    assert asked("other/snapshots/total.txt") == []


PREPARED = """
from unittest import TestCase
from shop import Cart, total

def setup_module():
    total([])

class CartTest(TestCase):
    def setUp(self):
        self.cart = Cart([1, 2])

    def test_amount(self):
        assert self.cart

class OtherTest(TestCase):
    def test_amount(self):
        assert [1]
"""


@pytest.mark.parametrize(
    ("name", "gone", "is_excused"),
    [
        ("CartTest::test_amount", "Cart", True),
        ("OtherTest::test_amount", "Cart", False),
        ("OtherTest::test_amount", "total", True),
        ("OtherTest::test_amount[a]", "amount", False),
    ],
)
def test_a_test_may_go_with_the_code_that_its_set_up_uses(name: str, gone: str, is_excused: bool) -> None:
    proof = Proof(baseline=(ok(f"{FILE}::{name}"),))
    source = SourceChange(path="shop.py", before=SOURCE, after=SOURCE.replace(f" {gone}", " other"))
    asked = suspects(proof, (), AROUND)

    found = disarmed(
        asked, a_report(failed(f"{FILE}::{name}")), {}, proof, Texts({FILE: PREPARED}, {}, sources=(source,))
    )

    assert (found == ()) is is_excused
