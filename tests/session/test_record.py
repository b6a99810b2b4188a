from dualgate.core.machine.resuming import cut_off
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.events import CallEnded, CallStarted, QuestionAsked
from dualgate.core.values.vocabulary import Phase
from dualgate.session.record import Tape
from dualgate.testing import NOW, a_start

CALL = CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1, agent="claude")
ANSWER = CallEnded(
    at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(), phase=Phase.RED, agent="claude"
)


def test_what_a_tape_holds_is_of_the_turn_that_was_cut_off_alone() -> None:
    tape = Tape(cut_off((a_start(), CALL, ANSWER, QuestionAsked(at=NOW, number=1, questions=("Which?",)))))

    assert (tape.answered_by(), tape.asked()) == ("claude", True)
    assert (tape.answered_by(), tape.asked()) == ("", False)


def test_a_tape_of_nothing_tells_nothing() -> None:
    assert (Tape().answered_by(), Tape().asked()) == ("", False)
