"""Requests to amend a test: their form, and what can be said of them at once."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.machine.approving import halt_for_person
from dualgate.core.said.amendment_requests import (
    Refusal,
    Target,
    amendments_left,
    read_amendment,
    waiting,
    weigh_request,
)
from dualgate.core.said.whole_function import WholeFunction
from dualgate.core.values.amendments import Amendment, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.state import LoopState, Memory, Proof
from dualgate.core.values.vocabulary import Amend, Decision, Phase
from dualgate.testing import NOW, a_state, failed

DIFF = "--- a/tests/test_x.py\n+++ b/tests/test_x.py\n@@ -1 +1 @@\n-a\n+b"
TEXT = f"""I looked at it.
---TEST_AMENDMENT---
TEST_ID: tests/test_x.py::test_a
REASON: AC-1 says otherwise

PATCH:
{DIFF}
---END_TEST_AMENDMENT---
More words."""
REQUEST = AmendmentRequest(test_id="tests/test_x.py::test_a", reason="AC-1 says otherwise", diff=DIFF)


def in_green(**values: Any) -> LoopState:
    proof = Proof(proven=(failed("test_a"), failed("test_b[1]")), red_tree="r", suites=("pytest",))
    return a_state(**{"phase": Phase.GREEN, "proof": proof, **values})


def test_a_request_in_its_form_is_read() -> None:
    assert read_amendment(TEXT) == REQUEST
    assert read_amendment(TEXT.replace(DIFF, f"\n```diff\n{DIFF}\n```\n").replace("\n", "\r\n")) == REQUEST


def test_the_last_complete_request_counts_and_an_indented_one_is_none() -> None:
    earlier = TEXT.replace("test_a", "test_z")

    assert read_amendment(f"{earlier}\n{TEXT}\n---TEST_AMENDMENT---\nTEST_ID: torn") == REQUEST
    assert read_amendment("\n".join(f"    {line}" for line in TEXT.split("\n"))) is None
    assert read_amendment("---END_TEST_AMENDMENT---") is None


MALFORMED = [
    (TEXT.replace("TEST_ID: tests/test_x.py::test_a\n", ""), "TEST_ID is missing or empty"),
    (TEXT.replace("AC-1 says otherwise", "<why>"), "REASON is missing or empty"),
    (TEXT.replace("REASON: ", "REASON: x\nREASON: "), "REASON is given twice"),
    (TEXT.replace("REASON: ", "WHY: x\nREASON: "), "'WHY: x' is not one of TEST_ID, REASON, PATCH, FUNCTION"),
    (TEXT.replace("PATCH:\n", "").replace(DIFF, ""), "the patch must begin with"),
]


@pytest.mark.parametrize(("text", "why"), MALFORMED)
def test_what_is_not_in_its_form_is_refused_with_the_reason(text: str, why: str) -> None:
    found = read_amendment(text)

    assert isinstance(found, Refusal)
    assert any(reason.startswith(why) for reason in found.reasons)


@given(st.text(alphabet="-TESTAMNDIREOPCH_:\n ", max_size=200))
def test_any_text_is_read(text: str) -> None:
    found = read_amendment(f"---TEST_AMENDMENT---\n{text}\n---END_TEST_AMENDMENT---")

    assert isinstance(found, Refusal)


@pytest.mark.parametrize("name", ["tests/test_x.py::test_b", "tests/test_x.py::test_b[1]"])
def test_a_test_with_parameters_is_amended_as_a_whole(name: str) -> None:
    target = weigh_request(replace(REQUEST, test_id=name), in_green())

    assert isinstance(target, Target)
    assert (target.function, target.holds(failed("test_b[2]"))) == ("tests/test_x.py::test_b", True)


def test_the_name_of_the_only_suite_may_be_left_out() -> None:
    named = failed("test_a", id="pytest::tests/test_x.py::test_a")
    proof = Proof(proven=(named,), red_tree="r", suites=("pytest",))

    assert isinstance(weigh_request(REQUEST, in_green(proof=proof)), Target)


ACCEPTED = Amendment(outcome=AmendmentOutcome.ACCEPTED)
OTHER_FILE = replace(REQUEST, diff=DIFF.replace("test_x", "test_y"))
REFUSED: list[tuple[AmendmentRequest, dict[str, Any], str]] = [
    (REQUEST, {"phase": Phase.DOCUMENT}, "tests are amended in GREEN and REFACTOR, not in DOCUMENT"),
    (REQUEST, {"amend": Amend.NEVER}, "no test may be amended in this run (amend = never)"),
    (REQUEST, {"amendments": 1, "limit": 1}, "the limit of amended tests is reached (amendments = 1)"),
    (REQUEST, {"proof": Proof(proven=(failed("test_a"),))}, "the tree that RED was proven on is unknown"),
    (replace(REQUEST, test_id="test_z"), {}, "there is no proven test 'test_z'"),
    (replace(REQUEST, test_id="test_z"), {"proof": Proof(red_tree="r")}, "there is no proven test 'test_z'"),
    (
        replace(REQUEST, test_id="prices.py::prices.fee"),
        {"proof": Proof(proven=(failed("", id="prices.py::prices.fee", file=""),), red_tree="r")},
        "'prices.py::prices.fee' is an example in a source or a document; only a person can change it, while the run "
        "is paused",
    ),
    (
        OTHER_FILE,
        {},
        "the patch changes tests/test_y.py, and the test is in tests/test_x.py: nothing else may change",
    ),
]


@pytest.mark.parametrize(("request_", "values", "why"), REFUSED)
def test_some_requests_are_refused_before_anybody_is_asked(
    request_: AmendmentRequest, values: dict[str, Any], why: str
) -> None:
    state = in_green(**{key: value for key, value in values.items() if key not in ("amendments", "limit")})
    if "limit" in values:
        state = replace(state, amendments=(ACCEPTED,), limits=replace(state.limits, amendments=1))

    found = weigh_request(request_, state)

    assert isinstance(found, Refusal)
    assert found.reasons == (why,)


def test_only_accepted_amendments_are_counted() -> None:
    refused = Amendment(outcome=AmendmentOutcome.REFUSED)

    assert amendments_left(replace(in_green(), amendments=(ACCEPTED, refused))) == 2
    assert amendments_left(in_green(amend=Amend.NEVER)) == 0


def test_a_run_halts_while_a_person_is_waited_for() -> None:
    asked = Amendment(outcome=AmendmentOutcome.WAITING, request=REQUEST)

    halt = halt_for_person(replace(in_green(amend=Amend.HUMAN), amendments=(ACCEPTED, asked)), NOW)

    assert halt is not None
    assert (halt.decision, "tests/test_x.py::test_a is wrong (AC-1" in halt.reason) == (Decision.BLOCKED, True)
    assert waiting(replace(in_green(), amendments=(asked, ACCEPTED))) == (asked,)
    assert halt_for_person(in_green(), NOW) is None


ASKED = Amendment(outcome=AmendmentOutcome.WAITING, request=REQUEST)
FAILING = [
    (("test_a",), True),
    (("test_a", "test_b[1]"), False),
    ((), False),
]


@pytest.mark.parametrize(("failing", "halts"), FAILING)
def test_a_run_without_a_second_agent_goes_on_while_other_tests_fail(failing: tuple[str, ...], halts: bool) -> None:
    memory = Memory(failing=tuple(map(failed, failing)))

    halt = halt_for_person(in_green(amendments=(ASKED,), memory=memory), NOW)

    assert (halt is not None) == halts


def test_a_request_that_waits_is_not_filed_again() -> None:
    found = weigh_request(REQUEST, in_green(amendments=(ASKED,)))

    assert isinstance(found, Refusal)
    assert found.reasons[0].startswith("the request to amend tests/test_x.py::test_a is already waiting for a person")


CODE = "def test_a():\n    assert f() == 4"
AS_FUNCTION = AmendmentRequest(test_id="tests/test_x.py::test_a", reason="AC-1 says otherwise", code=CODE)


@pytest.mark.parametrize("key", ["PATCH", "FUNCTION"])
def test_a_whole_function_may_be_given_instead_of_a_diff(key: str) -> None:
    text = TEXT.replace("PATCH:", f"{key}:")

    assert read_amendment(text.replace(DIFF, f"```python\n{CODE}\n```")) == AS_FUNCTION
    assert read_amendment(text) == REQUEST


def test_a_comment_above_a_function_makes_it_no_diff_and_nothing_is_no_function() -> None:
    commented = read_amendment(TEXT.replace("PATCH:", "FUNCTION:").replace(DIFF, f"# AC-1\n{CODE}"))
    empty = read_amendment(TEXT.replace("PATCH:", "FUNCTION:").replace(DIFF, ""))

    assert commented == replace(AS_FUNCTION, code=f"# AC-1\n{CODE}")
    assert isinstance(empty, Refusal)


NAMES = [
    ("tests/test_x.py::test_a", "tests/test_x.py", ("test_a",)),
    ("pytest::tests/test_x.py::TestX::test_a[1]", "tests/test_x.py", ("TestX", "test_a")),
    ("unittest::tests.test_x.TestX.test_a", "tests/test_x.py", ("TestX", "test_a")),
]


@pytest.mark.parametrize(("name", "file", "scope"), NAMES)
def test_the_function_is_looked_for_by_the_name_of_its_test(name: str, file: str, scope: tuple[str, ...]) -> None:
    state = in_green(proof=Proof(proven=(failed("test_a", id=name, file=file),), red_tree="r", suites=("pytest",)))

    target = weigh_request(replace(AS_FUNCTION, test_id=name), state)

    assert isinstance(target, Target)
    assert isinstance(target.patch, WholeFunction)
    assert target.patch.scope == scope


def test_a_request_with_a_function_shows_the_diff_that_it_makes() -> None:
    target = weigh_request(AS_FUNCTION, in_green())
    assert isinstance(target, Target)
    before = "def test_a():\r\n    assert f() == 5\r\n"

    after = target.changed(before)

    assert after == "def test_a():\r\n    assert f() == 4\r\n"
    request = target.with_diff(before, after).request
    assert request.change.split("\n")[:5] == [
        "--- a/tests/test_x.py",
        "+++ b/tests/test_x.py",
        "@@ -1,3 +1,3 @@",
        " def test_a():",
        "-    assert f() == 5",
    ]
    assert (request.code, AS_FUNCTION.change) == ("", CODE)


def test_a_function_that_is_another_is_refused_before_anybody_is_asked() -> None:
    found = weigh_request(replace(AS_FUNCTION, code="def other(): pass"), in_green())

    assert isinstance(found, Refusal)
    assert found.reasons == ("the block must contain test_a alone, and it contains other",)


def test_a_diff_is_its_own_diff() -> None:
    target = weigh_request(REQUEST, in_green())

    assert isinstance(target, Target)
    assert (target.with_diff("a", "b"), target.changed("a")) == (target, "b")
