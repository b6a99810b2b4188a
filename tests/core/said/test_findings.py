"""Which findings of a later review count, and what became of those of an earlier one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dualgate.core.said.findings import (
    advised,
    cites_change,
    implied_fix,
    implied_fixes,
    minor_fixes,
    open_fixes,
    path_of,
    reviewed,
    weigh,
)
from dualgate.core.values.changes import Rewritten
from dualgate.core.values.fix_request import FixCategory, FixRequest, FixSeverity, RouteTo
from dualgate.core.values.reviews import Finding, FindingState, Reviews, Route, Weighed
from dualgate.testing import NOW, a_fix

CHANGED = (Rewritten(path="src/a.py", lines=((20, 24),)), Rewritten(path="new.py"))


def after_first(*requests: FixRequest) -> Reviews:
    return reviewed(Reviews(), weigh(requests, Reviews(), ()), "t1", rejected=True)


def states(reviews: Reviews) -> dict[str, FindingState]:
    return {finding.request.id: finding.state for finding in reviews.findings}


def test_in_a_first_review_everything_counts() -> None:
    assert weigh([a_fix()], Reviews(), ()) == Weighed(counting=(a_fix(),))


def test_what_is_open_counts_again_wherever_it_stands() -> None:
    weighed = weigh([a_fix()], after_first(a_fix()), ())

    assert (weighed.is_first, weighed.counting, weighed.blocking) == (False, (a_fix(),), (a_fix(),))


def test_a_new_finding_counts_where_it_cites_a_changed_line_and_is_advice_elsewhere() -> None:
    inside, outside = a_fix(2, location="line 22"), a_fix(3, location="line 99")

    weighed = weigh([inside, outside], after_first(a_fix()), CHANGED)

    assert (weighed.counting, weighed.advice) == ((inside,), (outside,))


def test_what_was_closed_is_not_opened_again_on_lines_that_did_not_change() -> None:
    closed = Reviews(count=2, tree="t", findings=(Finding(request=a_fix(), state=FindingState.CLOSED, review=1),))

    assert weigh([a_fix()], closed, ()).advice == (a_fix(),)
    assert weigh([a_fix(location="line 21")], closed, CHANGED).advice == ()


CITED: list[tuple[dict[str, Any], bool]] = [
    ({"location": "line 20"}, True),
    ({"location": "lines 1-17, above"}, True),
    ({"location": "lines 1 to 16"}, False),
    ({"location": "L27"}, True),
    ({"location": "28"}, False),
    ({"location": "divide()"}, True),
    ({"location": "divide()", "file": "./src/a.py:23"}, True),
    ({"location": "divide()", "file": "`src/a.py:90:4`"}, False),
    ({"file": "new.py", "location": "line 700"}, True),
    ({"file": "src/b.py", "location": "line 20"}, False),
    ({"file": "none", "location": "subtask 3"}, False),
]


@pytest.mark.parametrize(("values", "cites"), CITED)
def test_a_finding_cites_a_change_by_file_and_line(values: dict[str, Any], cites: bool) -> None:
    assert cites_change(a_fix(**values), CHANGED) is cites


def test_a_rejection_opens_what_it_asks_for_and_closes_what_it_no_longer_asks_for() -> None:
    first = after_first(a_fix(1), a_fix(2, location="line 50"))

    second = reviewed(first, weigh([a_fix(2, location="line 51")], first, ()), "t2", rejected=True)

    assert (first.count, first.tree, states(first)) == (1, "t1", {"FR-1": "open", "FR-2": "open"})
    assert (second.count, second.tree, states(second)) == (2, "t2", {"FR-1": "closed", "FR-2": "open"})
    assert [request.location for request in second.open] == ["line 51"]


def test_an_approval_closes_all_and_keeps_what_it_found_besides() -> None:
    minor = a_fix(2, severity=FixSeverity.MINOR, location="line 21")
    first = after_first(a_fix())

    done = reviewed(first, weigh([minor, a_fix(3, location="line 70")], first, CHANGED), "t2", rejected=False)

    assert states(done) == {"FR-1": "closed", "FR-2": "advice", "FR-3": "advice"}


def test_a_new_finding_that_takes_an_old_id_gets_one_of_its_own() -> None:
    first = after_first(a_fix(1))
    other = a_fix(1, file="new.py", location="line 1")
    waiting = a_fix(2, file="new.py", location="line 2", depends_on=("FR-1",))

    second = reviewed(first, weigh([other, waiting], first, CHANGED), "t2", rejected=True)

    assert states(second) == {"FR-1": "closed", "FR-3": "open", "FR-2": "open"}
    assert second.open[1].depends_on == ("FR-3",)


def test_the_same_finding_under_another_id_keeps_the_one_it_had() -> None:
    first = after_first(a_fix(1))

    again = reviewed(first, weigh([a_fix(7)], first, ()), "t2", rejected=True)

    assert states(again) == {"FR-1": "open"}
    assert weigh([a_fix(7, category=FixCategory.STYLE)], first, ()).counting == ()


def test_advice_of_a_review_that_did_not_count_is_kept_and_changes_nothing_else() -> None:
    first = after_first(a_fix())

    after = advised(first, weigh([a_fix(2, location="line 99")], first, CHANGED))

    assert (after.count, after.tree, states(after)) == (1, "t1", {"FR-1": "open", "FR-2": "advice"})


def test_open_fixes_go_their_ways() -> None:
    reviews = after_first(
        a_fix(1),
        a_fix(2, route_to=RouteTo.REFACTORER, location="line 30"),
        a_fix(3, file="tests/test_a.py"),
        a_fix(4, file="checks/a.py"),
    )

    ways = {way: [r.id for r in open_fixes(reviews, way, tests=("checks/a.py",))] for way in Route}

    assert ways == {Route.IMPLEMENTER: ["FR-1"], Route.REFACTORER: ["FR-2"], Route.AMENDMENT: ["FR-3", "FR-4"]}


def test_a_rejection_that_gives_only_its_reason_asks_for_that() -> None:
    assert implied_fix("no bounds").description == "no bounds"
    assert implied_fix("").description == "the review rejects and gives no reason"
    assert path_of(implied_fix("")) == "none"
    assert replace(implied_fix(""), id="FR-1").is_blocking


LATER = datetime(2026, 1, 16, 12, 0, tzinfo=UTC)


def test_a_finding_is_followed_with_who_and_when() -> None:
    first = reviewed(Reviews(), Weighed(counting=(a_fix(),)), "t1", rejected=True, by="codex", at=NOW)
    again = reviewed(first, Weighed(counting=(a_fix(),)), "t2", rejected=True, by="gemini", at=LATER)
    closed = reviewed(first, Weighed(), "t2", rejected=True, by="gemini", at=LATER)
    reopened = reviewed(closed, Weighed(counting=(a_fix(),)), "t3", rejected=True, by="codex", at=LATER)

    def followed(reviews: Reviews) -> tuple[object, ...]:
        (f,) = reviews.findings
        return f.state, f.review, f.by, f.raised_at, f.closed_by, f.closed_at

    assert followed(first) == ("open", 1, "codex", NOW, "", None)
    assert followed(again) == ("open", 2, "gemini", NOW, "", None)
    assert followed(closed) == ("closed", 1, "codex", NOW, "gemini", LATER)
    assert followed(reopened) == ("open", 3, "codex", NOW, "", None)


def test_minor_requests_are_advice_unless_a_review_rejects_for_them_alone() -> None:
    minor = a_fix(2, severity=FixSeverity.MINOR, location="line 40")

    both = reviewed(Reviews(), Weighed(counting=(a_fix(), minor)), "t", rejected=True)
    alone = reviewed(Reviews(), Weighed(counting=(minor,)), "t", rejected=True)

    assert (states(both), states(alone)) == ({"FR-1": "open", "FR-2": "advice"}, {"FR-2": "open"})


def test_minor_issues_become_requests_with_their_place() -> None:
    issues = ("src/a.py:12 a long name", "src/b.py: no docstring", "src/a.py:10 once more", "too many words")

    fixes = minor_fixes(issues, (a_fix(severity=FixSeverity.MINOR),))

    assert [(fix.id, fix.file, fix.location, fix.description) for fix in fixes] == [
        ("FR-2", "src/a.py", "line 12", "a long name"),
        ("FR-3", "src/b.py", "no docstring", "no docstring"),
        ("FR-4", "none", "too many words", "too many words"),
    ]
    assert {(fix.severity, fix.route_to) for fix in fixes} == {(FixSeverity.MINOR, RouteTo.REFACTORER)}


def test_requests_without_a_file_are_told_apart_by_their_words() -> None:
    first = reviewed(Reviews(), Weighed(counting=implied_fixes(("no bounds", "no lock"), ())), "t", rejected=True)
    second = reviewed(first, Weighed(counting=implied_fixes(("no lock", "no tests"), ())), "t", rejected=True)

    assert [(f.request.id, f.request.description, f.state) for f in second.findings] == [
        ("FR-1", "no bounds", "closed"),
        ("FR-2", "no lock", "open"),
        ("FR-3", "no tests", "open"),
    ]


def test_a_number_that_a_later_review_gives_anew_does_not_take_the_place_of_a_closed_finding() -> None:
    later = NOW + timedelta(hours=1)
    first = reviewed(Reviews(), Weighed(counting=(a_fix(1, location="line 10"),)), "t1", rejected=True, at=NOW)
    closed = reviewed(first, Weighed(), "t2", rejected=False, at=later)

    again = reviewed(
        closed, Weighed(counting=(a_fix(1, location="line 90"),)), "t3", rejected=True, at=later + timedelta(hours=1)
    )

    assert states(again) == {"FR-1": "closed", "FR-2": "open"}


def test_a_minor_issue_does_not_take_the_place_of_the_finding_that_its_review_closes() -> None:
    first = reviewed(Reviews(), Weighed(counting=(a_fix(1, location="line 10"),)), "t1", rejected=True, at=NOW)
    minor = minor_fixes(("src/a.py:3 a long name",), (), first.findings)

    done = reviewed(first, Weighed(advice=minor), "t2", rejected=False, at=NOW + timedelta(hours=1))

    assert states(done) == {"FR-1": "closed", "FR-2": "advice"}
