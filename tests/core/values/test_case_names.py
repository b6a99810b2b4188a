import pytest

from dualgate.core.values.case_names import function_of, functions, id_parts, names, own_name, stable
from dualgate.core.values.specification import Criterion
from dualgate.testing import passed

VARYING = [
    ("t.py::test_a[2026-01-16T10:00:01.5+01:00]", "t.py::test_a[2026-01-17T11:00:02.7+01:00]"),
    ("t.py::test_a[2026-01-16 10:00]", "t.py::test_a[2027-11-16 12:30]"),
    ("t.py::test_a[10:01]", "t.py::test_a[9:02:33]"),
    ("t.py::test_a[<object at 0x7f001>]", "t.py::test_a[<object at 0x7FFFF>]"),
    (
        "t.py::test_a[b2f5ff47-4366-4a3c-9f4e-0f6b7a7d2d11-x]",
        "t.py::test_a[C2F5FF47-4366-4A3C-9F4E-0F6B7A7D2D12-x]",
    ),
    ("t.py::test_a[/tmp/pytest-of-me/pytest-1/a0]", "t.py::test_a[/tmp/pytest-of-me/pytest-22/a0]"),
    ("t.py::test_a[/private/var/folders/x/T/b]", "t.py::test_a[/var/folders/y/T/c]"),
    ("t.py::test_a[0.7312345]", "t.py::test_a[0.11223344]"),
    ("t.py::test_a[1768557600]", "t.py::test_a[1768557601.25]"),
    ("t.py::test_a[deadbeefdeadbeef]", "t.py::test_a[0123456789abcdef01]"),
    ("js::renders at 10:00:01", "js::renders at 23:59:59"),
]


@pytest.mark.parametrize(("first", "second"), VARYING)
def test_what_differs_from_run_to_run_is_marked(first: str, second: str) -> None:
    assert stable(first) == stable(second) != first


@pytest.mark.parametrize(
    "name", ["t.py::test_a[1-2.5-x]", "t.py::test_a[added]", "s::1 AC-1: adds", "t.py::test_1000_times[0xyz]"]
)
def test_what_means_something_is_kept(name: str) -> None:
    assert stable(name) == name


FUNCTIONS = [
    ("pytest::tests/test_a.py::test_x[1-a]", "pytest::tests/test_a.py::test_x"),
    ("tests/test_a.py::TestB::test_x[a::b[c]]", "tests/test_a.py::TestB::test_x"),
    ("tests/test_a.py::test_x[two\nlines [and] more]", "tests/test_a.py::test_x"),
    ("js::pages/[id].test.ts::shows[1]", "js::pages/[id].test.ts::shows"),
    ("js::pages/[id].test.ts::shows", "js::pages/[id].test.ts::shows"),
    ("junit::pkg.Class::adds(int)[2]", "junit::pkg.Class::adds(int)"),
    ("test_x[1]", "test_x"),
    ("tests/test_a.py::test_x", "tests/test_a.py::test_x"),
]


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_the_function_is_the_id_without_its_parameters(name: str, function: str) -> None:
    assert function_of(name) == function


def test_the_functions_of_tests_are_those_with_parameters() -> None:
    assert functions(["t.py::test_a[1]", "t.py::test_a[2]", "t.py::test_b"]) == {"t.py::test_a"}


OWN = [
    ("tests/test_ac1.py::test_x", "tests/test_ac1.py", "test_x"),
    ("ac1::tests/test_ac1.py::TestFoo::test_x[a::b]", "tests/test_ac1.py", "TestFoo::test_x[a::b]"),
    ("ac1::tests/test_ac1.py::test_x", "backend/tests/test_ac1.py", "test_x"),
    ("ac1::tests/test_ac1.py::test_x[a::b]", "", "test_x[a::b]"),
    ("ac1::tests/test_ac1.py::TestFoo::test_x", "", "TestFoo::test_x"),
    ("ac1::pages/[ac1].test.ts::shows", "web/pages/[ac1].test.ts", "shows"),
    ("pkg.Class::test ac-1 works", "", "test ac-1 works"),
    ("junit::ac1.pkg.Class::works", "", "Class::works"),
    ("junit::tests.test_ac1::works", "", "works"),
    ("junit::Adding, and/or more::works", "", "Adding, and/or more::works"),
    ("suite::1 AC-1: adds and/or more", "", "1 AC-1: adds and/or more"),
    ("unittest::shop.tests.test_x.TestShop.test_a", "src/shop/tests/test_x.py", "TestShop::test_a"),
    ("unittest::tests.tests.TestShop.test_a[x=1.5]", "tests/tests.py", "TestShop::test_a[x=1.5]"),
    ("unittest::tests.TestShop.test_a", "tests/__init__.py", "TestShop::test_a"),
    ("unittest::tests.test_x.TestShop.test_a", "tests/base.py", "TestShop::test_a"),
    ("unittest::tests.test_x.shop_tests.test_a", "tests/base.py", "test_a"),
    ("js::sums.add", "tests/sums.spec.ts", "sums.add"),
    ("test_x", "", "test_x"),
    ("s::::test_x", "", "test_x"),
]


@pytest.mark.parametrize(("name", "file", "expected"), OWN)
def test_neither_suite_nor_file_is_the_name_of_a_test(name: str, file: str, expected: str) -> None:
    assert own_name(passed("", id=name, file=file)) == expected


NAMED = [
    ("AC-1", "test_ac1_free", "", True),
    ("AC-1", "test_ac_1", "", True),
    ("AC-1", "test_AC01_free", "", True),
    ("AC-1", "test_ac10_free", "", False),
    ("AC-1", "test_mac1", "", False),
    ("AC-1", "test_free", "Shows AC-1.", True),
    ("S03-AC1", "test_s03_ac1", "", True),
    ("S03-AC1", "test_ac1", "", False),
    ("AC-1", "test_x[ac1-free]", "", True),
    ("AC-1", "TestAC1::test_free", "", True),
    ("AC-1", "test_ac1[a::b]", "", True),
]


@pytest.mark.parametrize("before", ["tests/test_ac1.py", "ac1::tests/test_ac1.py"])
@pytest.mark.parametrize(("criterion", "name", "doc", "expected"), NAMED)
def test_a_test_names_a_criterion_in_its_name_or_docstring(
    criterion: str, name: str, doc: str, expected: bool, before: str
) -> None:
    result = passed(name, id=f"{before}::{name}", file="tests/test_ac1.py", doc=doc)

    assert names(result, Criterion(id=criterion, text="", line=1)) is expected


@pytest.mark.parametrize("name", ["pkg.Class::test ac-1 works", "suite::1 AC-1: adds", "junit::pkg.AC1::adds"])
def test_tests_of_other_runners_name_criteria_too(name: str) -> None:
    assert names(passed("", id=name, file=""), Criterion(id="AC-1", text="", line=1))


LINKED = [
    ("`test_old_prices` still passes", "t.py::test_old_prices", True),
    ("test_old_prices[free] still passes", "t.py::TestShop::test_old_prices[free]", True),
    ("`test_old` still passes", "t.py::test_old_prices", False),
    ("test_old_prices_too passes", "t.py::test_old_prices", False),
    ("TestAdds and testAdds pass", "go::TestAdds", True),
    ("the shop works", "js::works", False),
    ("a test passes", "t.py::test", False),
    ('"adds two numbers" passes', "js::adds two numbers", True),
    ("it adds two numbers", "js::adds two numbers", False),
    ("`adds two numbers` passes", "src/sums.spec.ts::sums > with zero > adds two numbers", True),
    ("adds two numbers", "src/sums.spec.ts::sums > adds two numbers", False),
    ("`two numbers` passes", "src/sums.spec.ts::sums > adds two numbers", False),
    ("`adds` two numbers", "src/sums.spec.ts::sums > adds", False),
    ("`adds two numbers` passes", "js::sums with zero adds two numbers", True),
    ("adds two numbers", "js::sums with zero adds two numbers", False),
    ("`numbers` are added", "js::sums with zero adds two numbers", False),
    ("`adds two numbers` passes", "js::sums readds two numbers", False),
    ("`adds two` numbers", "js::sums with zero adds two numbers", False),
    ("`test_tab-marked_001` passes", "t.py::test_tab-marked_001", True),
    ("test_tab-marked_001 passes", "t.py::test_tab-marked_001", False),
    ("the `free-of-charge` label", "js::free-of-charge", False),
]


@pytest.mark.parametrize(("text", "name", "expected"), LINKED)
def test_a_criterion_may_name_its_test(text: str, name: str, expected: bool) -> None:
    assert names(passed("", id=name, file="t.py"), Criterion(id="AC-9", text=text, line=1)) is expected


def test_a_criterion_may_name_a_method_of_unittest() -> None:
    case = passed("", id="unittest::tests.test_shop.TestShop.test___or__", file="tests/test_shop.py")

    assert names(case, Criterion(id="AC-9", text="prices can be combined (`test___or__`)", line=1))


DOCTEST = "pytest::prices.py::prices.fee"
EXAMPLES = [
    ("the examples of `prices.fee` pass", True),
    ("the examples of `prices` pass", False),
    ("see prices.fee_of_day", False),
    ("`prices.fee(100)` is 3", False),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_a_criterion_may_name_a_doctest_by_its_dotted_name(text: str, expected: bool) -> None:
    assert names(passed("", id=DOCTEST, file=""), Criterion(id="AC-9", text=text, line=1)) is expected


SAME_IDS = [
    ("AC-1", "ac1", True),
    ("AC-1", "AC_01", True),
    ("US1-AC2", "us-1.ac-2", True),
    ("AC-1.1", "AC-11", False),
    ("AC-1.1", "ac-1-1", True),
    ("AC-1", "AC-10", False),
    ("ÄK-1", "ÖK-1", False),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME_IDS)
def test_ids_are_the_same_if_their_letters_and_numbers_are(one: str, other: str, same: bool) -> None:
    assert (id_parts(one) == id_parts(other)) is same
