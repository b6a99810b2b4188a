"""The used shares of usage limits, as calls reported them."""

from datetime import UTC, datetime

from dualgate.core.team.limit_reports import with_report
from dualgate.core.values.answer import Answer, Ending, LimitUse
from dualgate.core.values.events import CallEnded
from dualgate.core.values.limit_report import LimitReport

AT = datetime(2026, 1, 1, tzinfo=UTC)
USE = (LimitUse(window="five_hour", used=0.9),)


def ended(*use: LimitUse) -> CallEnded:
    answer = Answer(limit_use=use)
    return CallEnded(at=AT, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=answer, agent="claude")


def test_the_last_report_of_each_agent_is_kept_and_a_call_without_one_changes_nothing() -> None:
    others = {"codex": LimitReport(at=AT, use=USE)}

    assert with_report(others, ended()) is others
    assert with_report(others, ended(*USE)) == {**others, "claude": LimitReport(at=AT, use=USE)}
