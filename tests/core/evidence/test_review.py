"""Which findings and answers of a review count."""

from typing import Any

import pytest

from dualgate.core.evidence.review import RESTORE, weigh_review
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import CriterionAnswer, Review, WorkReport
from dualgate.core.values.fix_request import FixRequest, FixSeverity
from dualgate.core.values.reviews import Again, Reviews, Weighed
from dualgate.core.values.state import Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_fix, a_spec, a_state, done, passed

CHANGES = Changes(tree="t", cited=(("src/a.py", 20),), added=("new.py",), removed=("tests/test_old.py",))
GONE = Proof(baseline=(passed("test_old"),), red=(passed("test_new", digest="n"),), suites=("pytest",))


def weighed(*requests: FixRequest, verdict: Review = Review.REJECT, asked: tuple[Again, ...] = ()) -> Weighed:
    claim = done(Phase.QA, review=verdict, report=WorkReport(findings=requests))
    return weigh_review(a_state(phase=Phase.QA, reviews=Reviews(asked=asked)), a_spec(), claim, CHANGES)


def answered(**answer: Any) -> Weighed:
    answers = (CriterionAnswer(**{"id": "t1", **answer}),) if answer else ()
    claim = done(Phase.QA, review=Review.APPROVE, justifications=answers)
    return weigh_review(a_state(phase=Phase.QA, proof=GONE), a_spec(), claim, CHANGES)


FOUNDED: list[dict[str, Any]] = [
    {"file": "src/a.py"},
    {"file": "./src/a.py:10"},
    {"file": "new.py"},
    {"file": "tests/test_old.py"},
    {"file": "none"},
    {"file": "src/"},
    {"file": "src/a.py, src/b.py"},
    {"file": "CHANGELOG.md", "description": "the file is missing"},
    {"file": "docs/use.md", "description": "nobody can find out how", "proposed_fix": "create docs/use.md"},
    {"file": "docs/use.md", "description": "it does not exist"},
]
UNFOUNDED: list[dict[str, Any]] = [
    {"file": "src/ghost.py"},
    {"file": "src/ghost.py:14", "description": "a null check is missing"},
    {"file": "src/a.ts", "proposed_fix": "add a guard"},
]


@pytest.mark.parametrize("values", FOUNDED)
def test_a_finding_in_a_file_that_exists_or_should_exist_counts(values: dict[str, Any]) -> None:
    assert weighed(a_fix(**values)).counting == (a_fix(**values),)


@pytest.mark.parametrize("values", UNFOUNDED)
def test_a_finding_in_a_file_that_does_not_exist_is_asked_about_and_then_advice(values: dict[str, Any]) -> None:
    ghost = a_fix(**values)

    first, second = weighed(ghost), weighed(ghost, asked=(Again.FILES,))

    assert (first.counting, first.unfounded, first.advice) == ((), (ghost,), ())
    assert (second.counting, second.unfounded, second.advice) == ((), (), (ghost,))


def test_a_minor_finding_in_a_missing_file_leaves_an_approval_standing() -> None:
    ghost = a_fix(file="src/ghost.py", severity=FixSeverity.MINOR)

    found = weighed(ghost, verdict=Review.APPROVE)

    assert (found.unfounded, found.advice) == ((), (ghost,))


def test_a_removed_test_must_be_answered_for() -> None:
    assert answered().unanswered == (
        "T-1: the review does not answer whether removing tests/test_x.py::test_old is justified",
    )


ANSWERS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"met": True, "file": "src/a.py", "line": 3}, ()),
    ({"met": True, "file": "tests/test_old.py", "line": 300}, ()),
    ({"met": True, "file": "src/a.py"}, ("T-1: the review cites src/a.py without a line",)),
    ({"met": True}, ("T-1: the review cites no file for it",)),
    ({"met": True, "file": "b.py"}, ("T-1: the review cites b.py, which is not a file of the project",)),
]


@pytest.mark.parametrize(("answer", "missing"), ANSWERS)
def test_a_justification_cites_a_file_and_a_line(answer: dict[str, Any], missing: tuple[str, ...]) -> None:
    assert answered(**answer).unanswered == missing


def test_what_is_not_justified_is_a_fix() -> None:
    (fix,) = answered(met=False, file="SPEC.md", line=4, reason="AC-1 needs it").unjustified
    (bare,) = answered(met=False).unjustified

    assert (fix.id, fix.location, fix.proposed_fix) == ("T-1", "SPEC.md:4", RESTORE)
    assert fix.description == "removing tests/test_x.py::test_old is not justified: AC-1 needs it"
    assert (bare.location, bare.description) == (
        "tests/test_x.py",
        "removing tests/test_x.py::test_old is not justified",
    )


def test_outside_of_a_review_nothing_must_be_answered() -> None:
    failing = done(Phase.QA, failure=Failure(kind=Trouble.CRASH))

    assert weigh_review(a_state(phase=Phase.GREEN, proof=GONE), a_spec(), done(Phase.GREEN), CHANGES) == Weighed()
    assert weigh_review(a_state(phase=Phase.QA, proof=GONE), a_spec(), failing, CHANGES) == Weighed()
