from dataclasses import replace
from pathlib import Path

from dualgate.core.gates.judge import judge
from dualgate.core.machine.moves import decide
from dualgate.core.machine.resuming import cut_off
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import ProvenAgain, SessionResumed, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.vocabulary import Phase
from dualgate.session.spec_file import SpecWatch, spec_of
from dualgate.testing import NOW, a_host, a_start, a_state, facts

STATE = a_state()
FACTS = facts(Phase.RED)
VERDICT = judge(FACTS, STATE.limits)
TURN = TurnEnded(
    at=NOW, facts=FACTS, verdict=VERDICT, breaker=STATE.breaker, move=decide(STATE, FACTS, VERDICT, STATE.breaker)
)
ADOPTED = SessionResumed(at=NOW, by="ada", limits=Limits(), prp_text="new")


def test_an_edited_specification_is_said_once_while_it_runs_and_at_the_end(tmp_path: Path) -> None:
    told: list[str] = []
    started = a_start(project=str(tmp_path), prp_text="old")
    (tmp_path / "PRP.md").write_text("old")
    watch = SpecWatch(lambda *_: None, a_host(tmp_path, tell=told.append))

    watch(started, STATE)
    watch(TURN, STATE)
    before = list(told)
    (tmp_path / "PRP.md").write_text("new")
    watch(TURN, STATE)
    watch(ProvenAgain(at=NOW, reason="", turn=TURN), STATE)

    assert (before, told) == ([], [watch.note])
    assert watch.note.startswith("PRP.md was changed; the session goes on without that")


def test_one_that_was_adopted_or_is_gone_is_nothing_to_speak_of(tmp_path: Path) -> None:
    found = replace(cut_off([a_start(project=str(tmp_path), prp_text="old")]), spec="old")
    (tmp_path / "PRP.md").write_text("new")
    watch = SpecWatch(lambda *_: None, a_host(tmp_path), found)
    changed = watch.note

    watch(ADOPTED, STATE)

    assert (bool(changed), watch.note, SpecWatch(lambda *_: None, a_host(tmp_path)).note) == (True, "", "")
    (tmp_path / "PRP.md").unlink()
    assert spec_of(found, Redactor()).note == ""
