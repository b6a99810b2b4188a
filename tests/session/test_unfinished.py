"""A turn that was cut off goes on inside the wrappers: what the journal holds is neither done nor recorded again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from dualgate.core.machine.history import begin
from dualgate.core.machine.resuming import CutOff, cut_off
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.answer import AgentCall, AgentReply, Answer, Ending, Recalled
from dualgate.core.values.changes import Changes, Violation
from dualgate.core.values.control import Control
from dualgate.core.values.events import (
    CallEnded,
    CallStarted,
    Event,
    QuestionAsked,
    SuiteEnded,
    SuiteStarted,
    TreeSettled,
)
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import EntryKind, Phase
from dualgate.session.record import RecordedAgent, RecordedWorkspace, Recording
from dualgate.session.rooms import one_call_more
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.unfinished import UnfinishedTurn, call_file
from dualgate.store.call_files import CALLS, CallFiles
from dualgate.testing import NOW, a_call, a_control, a_report, a_start, a_state, done, failed, passed
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree

CALL = CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1, agent="claude")
ANSWER = CallEnded(
    at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(), phase=Phase.RED, agent="claude"
)
QUESTION = QuestionAsked(at=NOW, number=1, questions=("Which?",))
TOUCHED = Violation(path="conftest.py", rule="frozen")
SETTLED = TreeSettled(at=NOW, changes=Changes(tree="t1", modified=("a.py",), violations=(TOUCHED,)))
RUN = (SuiteStarted(at=NOW, command=("pytest",)), SuiteEnded(at=NOW, report=a_report(passed("test_a"), tree="t1")))


def found(*events: Event) -> CutOff:
    return cut_off((a_start(), CALL, *events))


def recording_to(events: list[Event], unfinished: UnfinishedTurn) -> Recording:
    return Recording(record=events.append, now=lambda: NOW, unfinished=unfinished)


@dataclass(kw_only=True)
class Asked:
    """An agent, or a runner, that counts how often it is asked."""

    name: str = "claude"
    command: tuple[str, ...] = ("pytest",)
    times: int = 0
    report: SuiteReport = field(default_factory=lambda: a_report(failed("test_a")))

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        self.times += 1
        return AgentReply(answer=Answer(text="new"))

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        self.times += 1
        return self.report


@pytest.fixture
def worktree(tmp_path: Path) -> WorkTree:
    (tmp_path / "project").mkdir()
    saved = SavedSnapshots(tmp_path / "project", tmp_path / "snapshots.db", tmp_path / "session")
    return WorkTree(saved, saved.look_anew(), lambda: NOW)


def test_an_answer_that_was_given_is_read_and_not_asked_for_again(tmp_path: Path, worktree: WorkTree) -> None:
    (tmp_path / CALLS).mkdir()
    (tmp_path / CALLS / call_file(a_call(), "answer.txt")).write_text("as it was")
    agent, events = Asked(), list[Event]()
    recorded = RecordedAgent(
        agent=agent,
        to=recording_to(events, UnfinishedTurn(found(ANSWER), tmp_path)),
        calls=CallFiles(tmp_path, 10),
        worktree=worktree,
        label="codex",
    )

    first, second = recorded.ask(a_call(), a_control()), recorded.ask(a_call(number=2), a_control())

    assert (first.answer.text, first.agent) == ("as it was", "claude")
    assert (second.answer.text, second.agent, agent.times) == ("new", "codex", 1)
    assert [type(event).__name__ for event in events] == ["CallStarted", "CallEnded"]


def test_a_tree_that_was_settled_is_not_settled_again(worktree: WorkTree) -> None:
    events = list[Event]()
    settled = TreeSettled(at=NOW, changes=Changes(tree=worktree.present, modified=("a.py",)))
    unfinished = UnfinishedTurn(found(ANSWER, settled))
    recorded = RecordedWorkspace(worktree=worktree, to=recording_to(events, unfinished))

    assert recorded.settle(a_state()) == settled.changes
    assert events == []
    recorded.settle(a_state())
    assert [type(event).__name__ for event in events] == ["TreeSettled"]


def test_what_a_person_changed_is_settled_again_and_violations_stay_reported(worktree: WorkTree) -> None:
    unfinished = UnfinishedTurn(found(ANSWER, SETTLED, *RUN))
    unfinished.forget_tree()
    recorded = RecordedWorkspace(worktree=worktree, to=recording_to([], unfinished))

    assert recorded.settle(a_state()).violations == (TOUCHED,)
    assert unfinished.suite() is None


def test_a_test_run_that_was_finished_is_not_made_again(worktree: WorkTree) -> None:
    runner, events = Asked(), list[Event]()
    to = recording_to(events, UnfinishedTurn(found(ANSWER, SETTLED, *RUN)))
    runs = SuiteRuns(runner=runner, worktree=worktree, to=to)

    taken = runs.decide(a_state(phase=Phase.RED), done(Phase.RED), SETTLED.changes, a_control())

    assert (taken[0], runner.times) == (RUN[1].report, len(taken) - 1)
    assert len(events) == runner.times


def test_a_run_of_a_tree_that_was_not_settled_counts_for_nothing() -> None:
    assert UnfinishedTurn(found(ANSWER, *RUN)).suite() is None


def test_a_decision_and_a_question_are_given_once() -> None:
    decided = AmendmentDecided(at=NOW, amendment=Amendment(outcome=AmendmentOutcome.REFUSED), tree="t1")
    unfinished = UnfinishedTurn(found(ANSWER, QUESTION, SETTLED, decided))

    assert (unfinished.asked(), unfinished.asked()) == (True, False)
    assert (unfinished.decision(), unfinished.decision()) == (decided, None)


def test_where_no_turn_was_cut_off_nothing_is_held() -> None:
    unfinished = UnfinishedTurn()

    assert (unfinished.reply(a_call()), unfinished.settled(), unfinished.suite()) == (None, None, None)
    assert (unfinished.asked(), unfinished.decision(), unfinished.violations(), unfinished.calls) == (
        False,
        None,
        (),
        0,
    )


def test_calls_are_counted_up_to_the_review_that_is_held() -> None:
    review = CallStarted(at=NOW, number=2, phase=Phase.QA, iteration=1, agent="codex")
    reviewed = CallEnded(
        at=NOW, number=2, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(), phase=Phase.QA, agent="codex"
    )

    assert UnfinishedTurn(found(ANSWER, SETTLED, review)).calls == 2
    assert UnfinishedTurn(found(ANSWER, SETTLED, review, reviewed)).calls == 1
    assert one_call_more(begin(a_start())).total_agent_calls == 1


def test_what_a_prompt_recalled_is_taken_from_the_journal_once_if_its_call_was_answered() -> None:
    recalled = (Recalled(id=1, kind=EntryKind.NOTE, text="a note", source="a person's note"),)
    call = replace(CALL, recalled=recalled)
    answered = UnfinishedTurn(cut_off((a_start(), call, ANSWER)))

    assert (answered.recalled(), answered.recalled()) == (recalled, None)
    assert UnfinishedTurn(cut_off((a_start(), call))).recalled() is None
    assert UnfinishedTurn().recalled() is None


FOLLOW_UP = replace(CALL, number=2, tree="t1", follows=1)
FOLLOWED = replace(ANSWER, number=2)


def test_the_answer_to_a_follow_up_and_what_it_changed_are_held_after_those_of_the_first_call(tmp_path: Path) -> None:
    changed = TreeSettled(at=NOW, changes=Changes(tree="t2", modified=("b.py",)))
    unfinished = UnfinishedTurn(found(ANSWER, SETTLED, *RUN, FOLLOW_UP, FOLLOWED, changed), tmp_path)

    assert (unfinished.is_answered(1), unfinished.is_answered(2), unfinished.is_answered(3)) == (True, True, False)
    first, second = unfinished.reply(a_call()), unfinished.reply(a_call(number=2))
    assert first is not None
    assert second is not None
    assert (first.follows, second.follows) == (0, 1)
    assert unfinished.settled() == (SETTLED.changes, "t1")
    assert unfinished.settled() == (changed.changes, "t2")
    assert unfinished.settled() is None


def test_calls_are_counted_up_to_the_follow_up_that_is_held() -> None:
    assert UnfinishedTurn(found(ANSWER, SETTLED, *RUN, FOLLOW_UP)).calls == 2
    assert UnfinishedTurn(found(ANSWER, SETTLED, *RUN, FOLLOW_UP, FOLLOWED)).calls == 1


def test_violations_of_a_tree_that_was_settled_are_not_those_of_the_next_call(worktree: WorkTree) -> None:
    unfinished = UnfinishedTurn(found(ANSWER, SETTLED))
    recorded = RecordedWorkspace(worktree=worktree, to=recording_to([], unfinished))

    assert recorded.settle(a_state()).violations == (TOUCHED,)
    recorded.adopt(worktree.present)
    assert unfinished.violations() == ()
