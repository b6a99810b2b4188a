from datetime import timedelta

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.values.claim import Review, WorkReport
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.state import Warned
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.display.findings import finding_lines, finding_text, place_of, review_lines
from dualgate.display.lines import fitted
from dualgate.display.live import lines
from dualgate.display.summary import summary
from dualgate.testing import NOW, a_fix, a_state, done, facts

OPEN = Finding(request=a_fix(1), state=FindingState.OPEN, review=1)
AT = f"{NOW.astimezone():%Y-%m-%d %H:%M}"

PLACES = [
    (a_fix(), "src/a.py:10"),
    (a_fix(file="src/a.py:12", location="line 10"), "src/a.py:12"),
    (a_fix(location="lines 4-9"), "src/a.py:4"),
    (a_fix(location="7"), "src/a.py:7"),
    (a_fix(location="function double2"), "src/a.py"),
    (a_fix(file="none", location="the whole work"), ""),
]


@pytest.mark.parametrize(("request_", "place"), PLACES)
def test_a_finding_has_a_file_and_a_line_where_it_names_them(request_: FixRequest, place: str) -> None:
    assert place_of(request_) == place


def test_a_finding_is_told_with_who_raised_and_closed_it_and_when_where_that_is_known() -> None:
    closed = Finding(
        request=a_fix(2, description="an error\n  is lost"),
        state=FindingState.CLOSED,
        review=1,
        by="codex",
        raised_at=NOW,
        closed_at=NOW + timedelta(minutes=5),
        closed_by="codex",
    )
    later = f"{(NOW + timedelta(minutes=5)).astimezone():%Y-%m-%d %H:%M}"

    assert finding_text(OPEN) == "open   FR-1 major src/a.py:10: an error is lost"
    assert finding_text(closed) == (
        f"closed FR-2 major src/a.py:10: an error is lost (codex {AT}; closed by codex {later})"
    )


def test_open_findings_come_first_and_many_are_counted() -> None:
    advice = Finding(request=a_fix(2), state=FindingState.ADVICE, review=1)

    told = [line.text for line in finding_lines((advice, OPEN, OPEN), most=2)]

    assert [text[:11] for text in told] == ["open   FR-1", "open   FR-1", "and 1 more:"]


def test_a_finding_is_wrapped_on_a_narrow_terminal() -> None:
    (line,) = finding_lines([OPEN])

    assert [part.text for part in fitted(line, 40)] == [
        "open   FR-1 major src/a.py:10: an error",
        "       is lost",
    ]


def a_review(decision: Decision, review: Review, **report: object) -> TurnEnded:
    claim = done(Phase.QA, review=review, report=WorkReport(**report))  # type: ignore[arg-type]
    seen = facts(Phase.QA, claim)
    move = Move(decision=decision, phase=Phase.GREEN)
    return TurnEnded(at=NOW, facts=seen, verdict=judge(seen, Limits()), breaker=Breaker(), move=move)


def test_a_rejection_is_told_with_each_finding_on_a_line_of_its_own() -> None:
    turn = a_review(Decision.REJECTED, Review.REJECT, findings=(a_fix(1),))
    reviews = Reviews(count=1, tree="t", findings=(OPEN,))

    told = [line.text for line in lines(turn, a_state(phase=Phase.GREEN, reviews=reviews))]

    assert told[1:] == ["QA        1  open   FR-1 major src/a.py:10: an error is lost"]


def test_an_approval_is_told_with_what_it_closes_and_other_phases_tell_no_findings() -> None:
    approval = a_review(Decision.PROJECT_COMPLETE, Review.APPROVE)
    closed = Finding(request=a_fix(1), state=FindingState.CLOSED, review=1, closed_at=NOW)
    old = Finding(request=a_fix(2), state=FindingState.CLOSED, review=1)

    told = review_lines(approval, Reviews(count=2, findings=(old, closed)), "QA")

    assert [line.text[:14] for line in told] == ["QA closed FR-1"]
    green = facts(Phase.GREEN)
    turn = TurnEnded(at=NOW, facts=green, verdict=judge(green, Limits()), breaker=Breaker(), move=approval.move)
    assert review_lines(turn, Reviews(count=1, findings=(OPEN,)), "GREEN") == []


def test_a_review_that_is_asked_for_again_tells_its_own_findings_only() -> None:
    again = a_review(Decision.CONTINUE, Review.REJECT, errors=("a cycle",), findings=())
    advice = Finding(request=a_fix(2), state=FindingState.ADVICE, review=2)

    told = review_lines(again, Reviews(count=1, findings=(OPEN, advice)), "QA")

    assert [line.text[:14] for line in told] == ["QA advice FR-2"]


def test_the_summary_has_the_findings_the_warnings_and_the_guidance_each_once() -> None:
    warned = tuple(Warned(phase=Phase.RED, iteration=number, text=f"note {number}") for number in range(12))
    state = a_state(reviews=Reviews(count=1, findings=(OPEN,)), warnings=warned, guidance=("use a list",))

    text = summary(state)

    assert "Findings 1 open\n         open   FR-1 major src/a.py:10: an error is lost\n" in text
    assert "Warnings RED 2: note 2\n" in text
    assert "         RED 11: note 11\n         and 2 more: dualgate log\nGuidance 1  use a list" in text


def test_a_warning_of_the_start_has_no_iteration() -> None:
    state = a_state(warnings=(Warned(phase=Phase.RED, iteration=0, text="not run: jest in web/"),))

    assert "Warnings not run: jest in web/" in summary(state)
