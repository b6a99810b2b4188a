"""Functions that a criterion calls in its text: they must exist and be run."""

import pytest

from dualgate.core.evidence.asked_names import asked_names, why_not_asked_for
from dualgate.core.values.probes import ProbedFunction, ProbeReport
from dualgate.core.values.specification import Criterion

LIBRARY = frozenset({"json"})
TEXTS = [
    ("`fee(100)` returns 2", ("fee",)),
    ("fee(100) is 2 and `rate()` is 0.02", ("fee", "rate")),
    ('`Account.withdraw(amount)` raises ValueError("too much")', ("withdraw",)),
    ("`json.dumps(report)` works for every report", ()),
    ("print(len(x)) shows the sorted(list)", ()),
    ("all file(s) and class(es) are listed", ()),
    ("`old_fee(x)` is removed", ()),
    ("`new_fee(x)` is used instead of `old_fee(x)`", ()),
    ("feat(monitor): `fee(1)` is 2", ("fee",)),
    ("refactor(tags)!: yield tags", ()),
    ("fee(monitor): is 2", ("fee",)),
    ("the export (as CSV) has a header", ()),
    ("`src/fee(1).py` is read, and x.y(z).w(1) too", ("y",)),
]


@pytest.mark.parametrize(("text", "names"), TEXTS)
def test_names_are_read_from_calls(text: str, names: tuple[str, ...]) -> None:
    assert asked_names(Criterion(id="AC-1", text=text, line=1), LIBRARY) == names


ASKED = {"AC-1": asked_names(Criterion(id="AC-1", text="`fee(1)` is 2 and `rate(1)` is 3", line=1), LIBRARY)}


def a_function(name: str, tests: int) -> ProbedFunction:
    return ProbedFunction(file="fee.py", line=1, name=name, tests=tests)


def test_a_name_that_no_source_has_is_missing() -> None:
    reasons = why_not_asked_for(ASKED, {"fee", "rate"}, None)

    assert reasons == {"AC-1": "it asks for `fee()`, and no source of the project has that name"}


def test_a_function_that_no_test_runs_is_not_tested() -> None:
    report = ProbeReport(functions=(a_function("Bank.fee", 0), a_function("rate", 2), a_function("", 0)))

    assert why_not_asked_for(ASKED, (), report) == {"AC-1": "it asks for `fee()`, and no test runs it"}


def test_a_function_of_the_same_name_elsewhere_may_be_the_one() -> None:
    report = ProbeReport(functions=(a_function("Bank.fee", 0), a_function("fee", 1)))

    assert why_not_asked_for(ASKED, (), report) == {}
