from dataclasses import replace

from dualgate.core.evidence.run_outputs import (
    outputs_of,
    reminders,
    why_leftovers_count,
    with_kept_outputs,
    with_outputs,
    without_outputs,
)
from dualgate.core.machine.history import apply
from dualgate.core.values.changes import Attribution, Changes, Uncounted
from dualgate.core.values.checks import CheckEnded, CheckRun
from dualgate.core.values.events import SuiteEnded
from dualgate.core.values.state import Proof
from dualgate.testing import NOW, a_report, a_state, failed, passed

RUN = a_report(passed("test_a"), outputs=("app.db",))


def test_outputs_that_a_run_showed_are_outputs_from_then_on_and_not_the_agents() -> None:
    state = a_state(proof=Proof(outputs=("old.log",)), touched=Attribution(agent=("app.db", "code.py")))

    after = apply(state, SuiteEnded(at=NOW, report=RUN))
    checked = apply(after, CheckEnded(at=NOW, check=CheckRun(command="make", exit_code=0, outputs=("out/a.txt",))))

    assert (after.proof.outputs, after.proof.cleared) == (("old.log", "app.db"), ("app.db",))
    assert after.touched == Attribution(agent=("code.py",), tests=("app.db",))
    assert checked.proof.cleared == ("app.db", "out/a.txt")
    assert apply(after, SuiteEnded(at=NOW, report=RUN)).proof == after.proof


def test_outputs_of_the_agents_own_test_run_are_no_work_of_it() -> None:
    changes = Changes(
        tree="t",
        created=("app.db", "code.py"),
        added=("app.db", "code.py"),
        code=("app.db",),
        sources=("app.db", "code.py"),
        documents=("app.db", "README.md"),
        decision_records=("app.db",),
        uncounted=(Uncounted(path="app.db", reason="x"),),
        tests=("app.db",),
    )

    work = without_outputs(changes, ("app.db",))

    assert (work.created, work.added, work.sources, work.documents) == (
        ("code.py",),
        ("code.py",),
        ("code.py",),
        ("README.md",),
    )
    assert (work.code, work.decision_records, work.uncounted, work.tests) == ((), (), (), ())
    assert work.outputs == ("app.db",)
    assert "test runs write app.db" in work.notes[0]
    bare = without_outputs(replace(changes, decision_records=None, tests=None), ("app.db",))
    assert (bare.decision_records, bare.tests) == (None, None)
    assert without_outputs(changes, ()) is changes


def test_runs_that_show_the_same_outputs_count_them_once() -> None:
    assert outputs_of([RUN, a_report(outputs=("app.db", "a.log"))]) == ("app.db", "a.log")
    assert with_outputs(Proof(outputs=("app.db",)), ("app.db",)) == Proof(outputs=("app.db",))


def test_an_agent_is_told_that_a_run_begins_without_outputs_if_a_test_fails() -> None:
    proof = Proof(outputs=("app.db",), cleared=("app.db",))

    assert "runs the tests without app.db" in reminders([failed("test_a")], proof)[0]
    assert (reminders([], proof), reminders([failed("test_a")], Proof())) == ((), ())


def test_a_test_that_needs_what_an_earlier_run_left_is_named() -> None:
    first, second = a_report(passed("test_a"), failed("test_b")), a_report(failed("test_a"), failed("test_b"))

    assert "test_a passed only while app.db existed" in why_leftovers_count(first, second, ["app.db"])
    assert why_leftovers_count(first, second, []) == ""
    assert why_leftovers_count(first, first, ["app.db"]) == ""


def test_an_output_that_a_person_names_stays_between_runs() -> None:
    proof = Proof(outputs=("app.db", "run-<n>.log"), cleared=("app.db", "run-<n>.log"))

    found = with_kept_outputs(proof, ("*.db", "app.db"))

    assert found == Proof(outputs=("app.db", "run-<n>.log", "*.db"), cleared=("run-<n>.log",))
    assert with_kept_outputs(proof, ()) == proof
