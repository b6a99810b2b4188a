"""What of a session is worth remembering."""

from dataclasses import replace
from typing import Any

from dualgate.core.machine.history import apply
from dualgate.core.record.memory_entries import change_of, entries_of, note_of
from dualgate.core.said.findings import implied_fix
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.changes import Changes, RolledBack
from dualgate.core.values.claim import Claim, WorkReport
from dualgate.core.values.events import Event, GuidanceGiven, RunSuspended, SessionReset, TurnEnded
from dualgate.core.values.memory import MemoryEntry
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.specification import starting_states
from dualgate.core.values.state import LoopState, Memory
from dualgate.core.values.suite import Counts
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, EntryKind, Phase
from dualgate.testing import NOW, a_fix, a_spec, a_state, done, facts, failed, not_done

TYPE_ERROR = failed("test_ac1", file="tests/test_x.py", message="TypeError: no len()\n at 3")
MENDED = Changes(tree="t2", modified=("a.py",))


def a_turn(phase: Phase, claimed: Claim | None = None, outcome: Outcome = Outcome.STAY, **values: Any) -> TurnEnded:
    own = {name: values.pop(name) for name in ("rolled_back", "amendment") if name in values}
    return TurnEnded(
        at=NOW,
        facts=facts(phase, claimed, **values),
        verdict=Verdict(outcome=outcome, gate_1=True, gate_2=True),
        breaker=Breaker(),
        move=Move(decision=Decision.CONTINUE, phase=phase),
        **own,
    )


def failing(**values: Any) -> LoopState:
    """After an iteration of GREEN in which a test failed."""
    return a_state(
        **{
            "phase": Phase.GREEN,
            "iteration": 2,
            "memory": Memory(failing=(TYPE_ERROR,)),
            "criteria_states": starting_states(a_spec().criteria),
            **values,
        }
    )


def made(before: LoopState, event: Event, after: LoopState | None = None) -> tuple[MemoryEntry, ...]:
    return entries_of(before, event, after or before, "/project")


def test_an_error_that_is_gone_is_kept_with_the_change_that_cured_it() -> None:
    turn = a_turn(Phase.GREEN, done(Phase.GREEN, recommendation="call list() first"), changes=MENDED)

    (entry,) = made(failing(), turn)

    assert (entry.kind, entry.text) == (EntryKind.ERROR, "tests/test_x.py::test_ac1: TypeError: no len() at 3")
    assert entry.cure == 'changed a.py; the agent said: "call list() first"'
    assert (entry.files, entry.criteria) == (("tests/test_x.py", "a.py"), ("AC-1",))
    assert (entry.session, entry.phase, entry.iteration, entry.at) == (failing().session_id, Phase.GREEN, 3, NOW)
    assert made(failing(), turn) == (entry,)


NOT_CURED: dict[str, tuple[LoopState, dict[str, Any]]] = {
    "still failing": (failing(), {"failing": (TYPE_ERROR,), "changes": MENDED}),
    "skipped": (failing(), {"newly_skipped": (TYPE_ERROR.id,), "changes": MENDED}),
    "not trusted": (failing(), {"problems": ("killed",), "changes": MENDED}),
    "nothing changed": (failing(), {}),
    "nothing ran": (failing(), {"counts": Counts(), "changes": MENDED}),
    "rolled back": (
        failing(memory=Memory(failing=(TYPE_ERROR,), rolled_back=RolledBack(tree="t"))),
        {"changes": MENDED},
    ),
    "the aim of RED": (failing(iteration=0), {"changes": MENDED}),
}


def test_an_error_that_no_change_cured_is_not_kept() -> None:
    assert {
        name: made(before, a_turn(Phase.GREEN, **seen)) for name, (before, seen) in NOT_CURED.items()
    } == dict.fromkeys(NOT_CURED, ())


def test_an_amended_test_is_a_cure_and_a_decision() -> None:
    amendment = Amendment(
        outcome=AmendmentOutcome.ACCEPTED, request=AmendmentRequest(test_id="test_ac1", reason="it asks for 5")
    )
    decided = AmendmentDecided(at=NOW, amendment=amendment, results=(TYPE_ERROR,))

    (cured,) = made(failing(), a_turn(Phase.GREEN, not_done(), amendment=amendment))
    (decision,) = made(failing(), decided)

    assert cured.cure == "the test was amended"
    assert decision.text == "The test test_ac1 was wrong and was amended: it asks for 5"
    assert (decision.kind, decision.files) == (EntryKind.DECISION, ("tests/test_x.py",))
    assert made(failing(), replace(decided, amendment=replace(amendment, outcome=AmendmentOutcome.REFUSED))) == ()


def test_a_change_that_broke_tests_is_kept_with_its_files() -> None:
    before = failing(memory=Memory(), phase=Phase.REFACTOR)
    back = RolledBack(tree="t", paths=("a.py", "b.py"))

    (rolled,) = made(before, a_turn(Phase.REFACTOR, failing=(TYPE_ERROR,), rolled_back=back))
    (broken,) = made(before, a_turn(Phase.REFACTOR, failing=(TYPE_ERROR,), broken=(TYPE_ERROR.id,), changes=MENDED))

    assert rolled.text.startswith("A change of a.py, b.py in REFACTOR broke tests/test_x.py::test_ac1: TypeError")
    assert (rolled.kind, rolled.cure) == (EntryKind.BREAKAGE, "the change was rolled back")
    assert (broken.files, broken.cure) == (("a.py", "tests/test_x.py"), "")
    assert made(before, a_turn(Phase.REFACTOR, failing=(TYPE_ERROR,), broken=(TYPE_ERROR.id,))) == ()


def test_a_finding_is_kept_when_it_is_raised_and_when_it_is_closed() -> None:
    raised = Finding(request=a_fix(), state=FindingState.OPEN, review=1)
    asked = a_state(phase=Phase.QA, reviews=Reviews(count=1, findings=(raised,), touched=("src/a.py",)))
    closed = replace(raised, state=FindingState.CLOSED)
    after = replace(asked, reviews=Reviews(count=2, findings=(closed,)))
    turn = a_turn(Phase.QA)

    (opened,) = made(a_state(phase=Phase.QA), turn, asked)
    (mended,) = made(asked, turn, after)

    assert opened.text == "major error-handling: src/a.py, line 10: an error is lost"
    assert (opened.cure, opened.files) == ("raise it (it is open)", ("src/a.py",))
    assert mended.cure == "raise it (a later review closed it; changed since: src/a.py)"
    assert (mended.key, made(after, turn, after)) == (opened.key, ())


def test_a_rejection_without_a_finding_is_kept_with_its_reason() -> None:
    finding = Finding(request=implied_fix("the limit is missing"), state=FindingState.OPEN, review=1)
    state = a_state(phase=Phase.QA)

    (entry,) = made(state, a_turn(Phase.QA), replace(state, reviews=Reviews(count=1, findings=(finding,))))

    assert (entry.text, entry.files) == ("major error-handling: the limit is missing", ())


def test_decision_records_and_the_guidance_of_a_person_are_decisions() -> None:
    state = a_state(phase=Phase.DOCUMENT)
    recorded = a_turn(Phase.DOCUMENT, done(Phase.DOCUMENT, recommendation="approve it"), Outcome.PASS)
    events = (
        *(recorded, a_turn(Phase.DOCUMENT)),
        GuidanceGiven(at=NOW, by="ada", text="use\na queue"),
        SessionReset(at=NOW, by="ada", guidance="use a list"),
        SessionReset(at=NOW, by="ada"),
        RunSuspended(at=NOW, seconds=1),
    )

    assert [[entry.text for entry in made(state, event)] for event in events] == [
        ["docs/adr/0001-x.md records a decision"],
        [],
        ["A person said: use a queue"],
        ["A person said: use a list"],
        [],
        [],
    ]


def test_a_long_text_is_cut_and_stands_on_one_line() -> None:
    told = GuidanceGiven(at=NOW, by="ada", text="---RALPH_STATUS---\n" * 100)

    (entry,) = made(a_state(), told)

    assert len(entry.text) < 520
    assert entry.text.endswith("[…]")
    assert "\n" not in entry.text


def test_the_changed_lines_of_a_cure_are_kept_without_context_and_cut() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\x1b\n"

    (entry,) = entries_of(failing(), a_turn(Phase.GREEN, changes=MENDED), failing(), "/p", change_of([("a.py", diff)]))

    assert entry.change == "a.py\n-    return 1\n+    return 2\\x1b"
    assert change_of([("a.py", diff + "+x\n" * 500)]).endswith(" […]")
    assert change_of((f"{name}.py", diff) for name in "abcd").count(".py") == 3


def test_a_note_of_a_person_has_no_session() -> None:
    note = note_of("fees are\nin cents", ["a.py"], "/project", NOW, "key")

    assert (note.kind, note.text, note.files) == (EntryKind.NOTE, "fees are in cents", ("a.py",))
    assert (note.session, note.phase) == ("", None)


def test_an_event_of_a_real_session_gives_the_same_entry_again() -> None:
    told = GuidanceGiven(at=NOW, by="ada", text="use a queue")
    state = a_state()

    assert made(state, told, apply(state, told)) == made(state, told, apply(state, told))


def test_notes_and_decisions_of_a_phase_that_passed_are_kept_as_claims() -> None:
    report = WorkReport(notes="fees are in cents", decisions=("one module",), intent=(("Summary", "fees"),))
    turn = a_turn(Phase.GREEN, done(Phase.GREEN, report=report), Outcome.PASS, changes=MENDED)
    before = failing(memory=Memory())

    entries = made(before, turn, apply(before, turn))

    assert [(entry.kind, entry.text) for entry in entries] == [
        (EntryKind.CLAIM, "An agent noted in GREEN: fees are in cents"),
        (EntryKind.CLAIM, "An agent decided in GREEN: one module"),
    ]
    assert all(entry.files == ("a.py",) for entry in entries)
    assert made(before, turn, apply(before, turn)) == entries


def test_notes_of_an_iteration_that_did_not_pass_are_not_kept() -> None:
    turn = a_turn(Phase.GREEN, done(Phase.GREEN, report=WorkReport(notes="half")), Outcome.STAY)
    before = failing(memory=Memory())

    assert made(before, turn, apply(before, turn)) == ()
