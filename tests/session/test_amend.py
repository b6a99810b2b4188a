"""An amendment on its way, with a real work tree and reviewers that answer as they are told."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from dualgate.core.machine.history import apply
from dualgate.core.prompt.writing import prepare
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.answer import AgentCall, AgentReply, Answer, Failure, Trouble
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbeState
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import SuiteReport, TrialEnded, TrialStarted
from dualgate.core.values.vocabulary import Amend, Phase
from dualgate.errors import Interrupted
from dualgate.prompts import load_templates
from dualgate.session.amend import AmendmentRooms, consider, not_probed
from dualgate.testing import NOW, a_control, a_report, a_spec, a_state, failed, passed
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree

TEST = "def test_a():\n    assert f() == 5\n"
AMENDED = "def test_a():\n    assert f() == 4\n"
REQUEST = """
---TEST_AMENDMENT---
TEST_ID: tests/test_x.py::test_a
REASON: AC-1 says 4
PATCH:
--- a/tests/test_x.py
+++ b/tests/test_x.py
@@ -1,2 +1,2 @@
 def test_a():
-    assert f() == 5
+    assert f() == 4
---END_TEST_AMENDMENT---
"""
RED = (failed("test_a"),)


@dataclass
class Reviewer:
    """Says what it is told to, after it did what it is told to."""

    answer: Answer
    does: Callable[[], object] = lambda: None
    name: str = "judge"
    asked: str = ""

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        del control
        self.asked = call.prompt
        self.does()
        return AgentReply(answer=self.answer)


APPROVES = Answer(text="It contradicts AC-1.\nVerdict: APPROVE")


@dataclass
class Office:
    """A project after RED, with work in it, and everything that was recorded."""

    root: Path
    worktree: WorkTree
    state: LoopState
    events: list[Event]

    def record(self, event: Event) -> LoopState:
        self.events.append(event)
        self.state = apply(self.state, event)
        return self.state

    def consider(
        self,
        text: str,
        reviewer: Reviewer | None,
        run: Callable[[], SuiteReport],
        no_call: str = "",
    ) -> Amendment:
        rooms = self.rooms(reviewer, run, no_call)
        return consider(self.state, text, rooms, a_control()).amendments[-1]

    def rooms(
        self,
        reviewer: Reviewer | None,
        run: Callable[[], SuiteReport],
        no_call: str = "",
        decided: AmendmentDecided | None = None,
        probe: Callable[[tuple[str, ...]], ProbeReport | None] = not_probed,
    ) -> AmendmentRooms:
        return AmendmentRooms(
            prp=a_spec(),
            templates=prepare(load_templates()),
            reviewer=reviewer,
            worktree=self.worktree,
            run=run,
            decided=lambda: decided,
            hold=lambda: no_call,
            record=self.record,
            now=lambda: NOW,
            model="m1",
            probe=probe,
        )

    def read(self, name: str) -> str:
        return (self.root / name).read_text()


@pytest.fixture
def office(tmp_path: Path) -> Office:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "test_x.py").write_text(TEST)
    (root / "code.py").write_text("def f(): raise NotImplementedError\n")
    saved = SavedSnapshots(root, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW)
    red = worktree.present
    proof = Proof(proven=RED, red=RED, red_tree=red, proven_tree=red, start_tree=red)
    state = a_state(phase=Phase.GREEN, proof=proof)
    (root / "code.py").write_text("def f(): return 4\n")
    worktree.settle(state)
    return Office(root=root, worktree=worktree, state=state, events=[])


def test_the_tests_are_run_on_the_tree_of_red_with_the_patch_and_the_work_comes_back(office: Office) -> None:
    seen: list[tuple[str, str]] = []

    def run() -> SuiteReport:
        seen.append((office.read("code.py"), office.read("tests/test_x.py")))
        return a_report(failed("test_a", digest="d2"))

    reviewer = Reviewer(APPROVES)
    found = office.consider(REQUEST, reviewer, run)

    assert (found.outcome, found.approved_by, found.notes) == ("accepted", "judge", ("not probed",))
    assert seen == [("def f(): raise NotImplementedError\n", AMENDED)]
    assert (office.read("code.py"), office.read("tests/test_x.py")) == ("def f(): return 4\n", AMENDED)
    assert "    +    assert f() == 4" in reviewer.asked
    assert [type(event) for event in office.events] == [TrialStarted, AmendmentDecided]
    assert office.worktree.settle(office.state).violations == ()


def never_run() -> SuiteReport:
    raise AssertionError("nothing is run for what is refused before")


REFUSING = [
    (Answer(text="It is right.\nVerdict: REJECT"), "the reviewer does not approve: It is right.\nVerdict: REJECT"),
    (Answer(text=""), "the reviewer does not approve: no reason given"),
    (Answer(failure=Failure(kind=Trouble.CRASH)), "the review could not be made (crash); file the request again"),
]


@pytest.mark.parametrize(("answer", "why"), REFUSING)
def test_without_approval_nothing_is_tried(office: Office, answer: Answer, why: str) -> None:
    found = office.consider(REQUEST, Reviewer(answer), never_run)

    assert (found.outcome, found.reasons) == ("refused", (why,))
    assert office.read("tests/test_x.py") == TEST


def test_a_reviewer_that_changes_files_has_not_approved(office: Office) -> None:
    reviewer = Reviewer(APPROVES, does=lambda: (office.root / "code.py").write_text("x"))

    found = office.consider(REQUEST, reviewer, never_run)

    assert found.reasons == ("the reviewer changed files, which a review may not: code.py",)
    assert office.read("code.py") == "def f(): return 4\n"


UNFIT = [
    (REQUEST.replace("assert f() == 5", "assert f() == 6"), "hunk 1 of the patch does not apply"),
    (REQUEST.replace("REASON: AC-1 says 4", ""), "REASON is missing or empty"),
    (REQUEST.replace("::test_a", "::test_b"), "there is no proven test"),
]


@pytest.mark.parametrize(("text", "why"), UNFIT)
def test_what_cannot_be_applied_is_refused_before_anybody_is_asked(office: Office, text: str, why: str) -> None:
    reviewer = Reviewer(APPROVES)

    found = office.consider(text, reviewer, never_run)

    assert (found.outcome, found.reasons[0].startswith(why), reviewer.asked) == ("refused", True, "")


def test_a_file_that_is_no_text_is_not_patched(office: Office) -> None:
    (office.root / "tests" / "test_x.py").write_bytes(b"\xff" + TEST.encode())
    office.worktree.edited(office.state)

    found = office.consider(REQUEST, Reviewer(APPROVES), never_run)

    assert found.reasons == ("tests/test_x.py is not a text file in every state that the test was proven in",)


def probe_of(
    state: ProbeState, office: Office, seen: list[tuple[str, ...]]
) -> Callable[[tuple[str, ...]], ProbeReport]:
    """One constant in place of f, which the amended test notices or not."""

    def probe(tests: tuple[str, ...]) -> ProbeReport:
        seen.append((*tests, office.read("code.py"), office.read("tests/test_x.py")))
        noticed = {"killed_by" if state is ProbeState.KILLED else "survived": tests}
        stub = Probe(
            file="code.py", line=1, function="f", kind=ProbeKind.VALUE_STUB, text="returns 1", state=state, **noticed
        )
        return ProbeReport(probes=(stub,), ran=tests)

    return probe


def test_an_amended_test_that_passes_with_a_constant_in_place_of_the_code_is_refused(office: Office) -> None:
    seen: list[tuple[str, ...]] = []
    probe = probe_of(ProbeState.SURVIVING, office, seen)
    rooms = office.rooms(Reviewer(APPROVES), lambda: a_report(failed("test_a", digest="d2")), probe=probe)

    found = consider(office.state, REQUEST, rooms, a_control()).amendments[-1]

    why = "tests/test_x.py::test_a also passes when `f()` returns 1 (code.py:1)"
    assert (found.outcome, found.reasons) == ("refused", (why,))
    assert seen == [("tests/test_x.py::test_a", "def f(): return 4\n", AMENDED)]
    assert (office.read("code.py"), office.read("tests/test_x.py")) == ("def f(): return 4\n", TEST)


def test_an_amended_test_that_notices_the_constant_is_accepted(office: Office) -> None:
    probe = probe_of(ProbeState.KILLED, office, [])
    rooms = office.rooms(Reviewer(APPROVES), lambda: a_report(failed("test_a", digest="d2")), probe=probe)

    found = consider(office.state, REQUEST, rooms, a_control()).amendments[-1]

    assert (found.outcome, found.notes, office.read("tests/test_x.py")) == ("accepted", (), AMENDED)


def test_what_is_not_proven_leaves_everything_as_it_was(office: Office) -> None:
    found = office.consider(REQUEST, Reviewer(APPROVES), lambda: a_report(passed("test_a", digest="d2")))

    assert (found.outcome, office.read("tests/test_x.py")) == ("refused", TEST)
    assert office.read("code.py") == "def f(): return 4\n"


def test_the_work_comes_back_when_the_run_is_stopped(office: Office) -> None:
    def stopped() -> SuiteReport:
        raise Interrupted("The run was asked to stop.")

    with pytest.raises(Interrupted):
        office.consider(REQUEST, Reviewer(APPROVES), stopped)

    assert (office.read("code.py"), office.read("tests/test_x.py")) == ("def f(): return 4\n", TEST)
    assert [type(event) for event in office.events] == [TrialStarted, TrialEnded]


def test_without_another_agent_the_request_waits_for_a_person_and_the_test_stays(office: Office) -> None:
    found = office.consider(REQUEST, None, never_run)

    assert (found.outcome, found.reasons) == ("waiting", ("no other agent can be asked, so a person must approve it",))
    assert office.read("tests/test_x.py") == TEST


def test_the_approval_of_the_same_model_under_another_name_goes_to_a_person(office: Office) -> None:
    found = office.consider(REQUEST, Reviewer(replace(APPROVES, model="m1")), never_run)

    assert (found.outcome, "judge approves it, and is the same model (m1)" in found.reasons[0]) == ("waiting", True)


AS_FUNCTION = """
---TEST_AMENDMENT---
TEST_ID: tests/test_x.py::test_a
REASON: AC-1 says 4
FUNCTION:
```python
def test_a():
    assert f() == 4
```
---END_TEST_AMENDMENT---
"""


def test_a_whole_function_is_applied_as_its_diff_is_and_the_reviewer_sees_the_diff(office: Office) -> None:
    reviewer = Reviewer(APPROVES)

    found = office.consider(AS_FUNCTION, reviewer, lambda: a_report(failed("test_a", digest="d2")))

    assert (found.outcome, office.read("tests/test_x.py")) == ("accepted", AMENDED)
    assert "    +    assert f() == 4" in reviewer.asked
    assert found.request.diff.startswith("--- a/tests/test_x.py")


def test_a_person_is_asked_and_nothing_is_tried(office: Office) -> None:
    office.state = a_state(phase=Phase.GREEN, proof=office.state.proof, amend=Amend.HUMAN)
    reviewer = Reviewer(APPROVES)

    assert (office.consider(REQUEST, reviewer, never_run).outcome, reviewer.asked) == ("waiting", "")


def test_a_person_is_not_asked_about_what_cannot_be_applied(office: Office) -> None:
    office.state = a_state(phase=Phase.GREEN, proof=office.state.proof, amend=Amend.HUMAN)

    assert office.consider(UNFIT[0][0], None, never_run).outcome == "refused"


def test_an_answer_without_a_request_changes_nothing(office: Office) -> None:
    rooms = office.rooms(Reviewer(APPROVES), never_run)

    assert consider(office.state, "Done.", rooms, a_control()) is office.state


def test_what_was_decided_before_a_turn_was_cut_off_is_not_decided_again(office: Office) -> None:
    decided = AmendmentDecided(at=NOW, amendment=Amendment(outcome=AmendmentOutcome.REFUSED, reasons=("no",)))
    reviewer = Reviewer(APPROVES)

    after = consider(office.state, REQUEST, office.rooms(reviewer, never_run, decided=decided), a_control())

    assert (after.amendments, reviewer.asked, office.events) == ((decided.amendment,), "", [])


def test_where_no_call_may_be_made_nobody_is_asked_and_the_request_may_come_again(office: Office) -> None:
    reviewer = Reviewer(APPROVES)

    found = office.consider(REQUEST, reviewer, never_run, no_call="the budget is spent")

    assert (found.outcome, reviewer.asked) == ("refused", "")
    assert found.reasons == ("the review could not be made (the budget is spent); file the request again",)
