from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.machine.history import apply, begin
from dualgate.core.secrets.redaction import mapped_texts
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import (
    BaselineTaken,
    CallEnded,
    ProvenAgain,
    SessionHalted,
    SessionStarted,
    SuiteEnded,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import Attempt, LoopState
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Status
from dualgate.display.log import Log
from dualgate.store.reading import read_journal
from dualgate.testing import NOW, a_report, a_state, done, facts, passed
from tests.display.report.samples import HOSTILE

RECORDED = Path(__file__).parents[1] / "data" / "journals" / "format2"
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

    text = "baseline: 1 test before any work"
    line, later = f"{LOCAL:%H:%M:%S}        {text}", f"{LOCAL:%H:%M:%S} +24h00m {text}"
    assert texts == [f"{LOCAL:%A, %Y-%m-%d}", line, line, f"{LOCAL + timedelta(days=1):%A, %Y-%m-%d}", later]


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
    assert f"{LOCAL:%H:%M:%S}        GREEN     1  warning: a test was removed" in texts


def test_an_iteration_is_told_with_its_duration_and_the_command_that_shows_it() -> None:
    log = Log()
    log.pass_over(BASELINE)
    turn = replace(a_turn(), at=NOW + timedelta(seconds=75))

    texts = [line.text for line in log.lines(turn, STATE, STATE, 4)]

    assert texts[-1].endswith("GREEN     1  iteration 4 took 1m15s; in full: dualgate log show 4")


def test_a_halt_is_explained_where_it_happened() -> None:
    attempt = Attempt(iteration=3, said="All done", result="2 failing")
    halted = replace(
        STATE, status=Status.HALTED, halted_by=HaltCause.TIME, halt_reason="GREEN: late", attempts=(attempt,)
    )
    event = SessionHalted(at=NOW, decision=Decision.BUDGET_EXHAUSTED, reason="GREEN: late", cause=HaltCause.TIME)

    texts = [line.text.strip() for line in Log().lines(event, halted, STATE, 3)]

    assert texts[1].endswith("halted: GREEN: late")
    assert texts[2] == 'Tried    GREEN 3: no file changed; the agent said "All done"; result: 2 failing'


@pytest.mark.parametrize("name", sorted(path.name for path in RECORDED.iterdir()))
def test_hostile_text_steers_no_terminal_and_adds_no_row_to_the_story(name: str) -> None:
    log, texts = Log(), list[str]()
    state: LoopState | None = None
    for record in read_journal(RECORDED / name):
        before = state
        if isinstance(record.event, SessionStarted):
            state = begin(record.event)
        elif state is not None:
            state = apply(state, record.event)
        event, after, earlier = (mapped_texts(value, lambda _: HOSTILE) for value in (record.event, state, before))
        texts += [line.text for line in log.lines(event, after, earlier, number=1)]

    assert any("<script>" in text for text in texts)
    assert all(text.isprintable() for text in texts)
