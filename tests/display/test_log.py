from dataclasses import replace
from datetime import timedelta

from dualgate.core.gates.judge import judge
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import BaselineTaken, CallEnded, ProvenAgain, SuiteEnded, TreeSettled, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.display.log import Log
from dualgate.testing import NOW, a_report, a_state, done, facts, passed

STATE = a_state(phase=Phase.GREEN)
LOCAL = NOW.astimezone()
BASELINE = BaselineTaken(at=NOW, tree="t", results=(passed("a"),))


def a_turn(*notes: str) -> TurnEnded:
    seen = facts(Phase.GREEN, done(Phase.GREEN, warnings=("a code fence around the block",)), notes=notes)
    move = Move(decision=Decision.NEXT_PHASE, phase=Phase.REFACTOR)
    return TurnEnded(at=NOW, facts=seen, verdict=judge(seen, Limits()), breaker=Breaker(), move=move)


def told(*events: object) -> list[str]:
    log = Log()
    return [line.text for event in events for line in log.lines(event, STATE)]  # type: ignore[arg-type]


def test_each_line_has_its_time_and_each_day_a_line() -> None:
    tomorrow = replace(BASELINE, at=NOW + timedelta(days=1))

    texts = told(BASELINE, BASELINE, tomorrow)

    line = f"{LOCAL:%H:%M:%S} baseline: 1 test before any work"
    assert texts == [f"{LOCAL:%Y-%m-%d}", line, line, f"{LOCAL + timedelta(days=1):%Y-%m-%d}", line]


def test_an_event_without_a_line_begins_no_day() -> None:
    assert told(TreeSettled(at=NOW, changes=Changes(tree="t"))) == []


def test_every_warning_of_the_journal_is_told() -> None:
    ended = CallEnded(
        at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(problems=("cut",))
    )
    ran = SuiteEnded(at=NOW, report=a_report(passed("a"), notes=("web is not required and failed",)))
    turn = a_turn("a test was removed")

    texts = told(turn, ProvenAgain(at=NOW, reason="r", turn=turn), ended, ran)

    warnings = [text.split("warning: ")[1] for text in texts if "warning: " in text]
    of_turn = ["a test was removed", "a code fence around the block"]
    assert warnings == [*of_turn, *of_turn, "cut", "web is not required and failed"]
    assert f"{LOCAL:%H:%M:%S} GREEN     1  warning: a test was removed" in texts
