from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.build_proof import why_not_covered
from dualgate.core.values.changes import Changes
from dualgate.core.values.facts import Observed
from dualgate.core.values.probes import (
    ApartResult,
    Probe,
    ProbedFunction,
    ProbeKind,
    ProbeReport,
    ProbeState,
)
from dualgate.core.values.specification import Plan

KILLED, SURVIVING, UNKNOWN = ProbeState.KILLED, ProbeState.SURVIVING, ProbeState.UNKNOWN
STUB, NONE, RAISE = ProbeKind.VALUE_STUB, ProbeKind.NONE_STUB, ProbeKind.RAISE_STUB
MUTANT, DELETION = ProbeKind.MUTANT, ProbeKind.DELETION
FEE = ProbedFunction(file="fee.py", line=8, name="fee", tests=1)
MODULE = ProbedFunction(file="fee.py", line=1, tests=2)
LINE = ProbedFunction(file="cli.py", line=10, name="main")
TEXTS = {STUB: "returns 1", NONE: "returns None", RAISE: "raises", MUTANT: "`<=` → `<`", DELETION: "`log()` left out"}
BARE = "no test is new or went from failing to passing in this run"
QUIET = "only comments, types, settings, moved or removed code changed in this run"


def a_probe(kind: ProbeKind, state: ProbeState, function: str = "fee", file: str = "fee.py") -> Probe:
    killed_by = ("test_fee",) if state is ProbeState.KILLED else ()
    return Probe(file=file, line=8, function=function, kind=kind, text=TEXTS[kind], state=state, killed_by=killed_by)


def a_crash(kind: ProbeKind) -> Probe:
    """A probe by which the code crashes, whatever the test asks."""
    return replace(a_probe(kind, KILLED), crashed=("test_fee",))


def report(*functions: ProbedFunction, probes: tuple[Probe, ...] = (), **values: Any) -> ProbeReport:
    return ProbeReport(functions=functions, probes=probes, **values)


def why(*code: str, tests: tuple[str, ...] | None = (), is_green: bool = True, **observed: Any) -> tuple[str, ...]:
    changes = Changes(tree="t", code=code, tests=tests)
    return why_not_covered(Observed(changes=changes, **observed), is_green)


def test_nothing_but_documents_and_the_list_is_no_work() -> None:
    assert why() == why(is_green=False) == ("no code changed in this run",)


def test_a_session_from_before_is_judged_by_its_test_run_alone() -> None:
    assert why(tests=None) == ()


def test_without_a_green_run_nothing_is_said_about_single_tests() -> None:
    assert why("fee.py", is_green=False) == ()


MEASURED = [
    ((a_probe(STUB, KILLED),), ()),
    ((a_probe(STUB, SURVIVING), a_probe(MUTANT, KILLED)), ()),
    ((a_probe(STUB, SURVIVING),), ("every test also passes when `fee()` (fee.py:8) returns 1",)),
    (
        (a_probe(MUTANT, SURVIVING), a_probe(STUB, SURVIVING), a_probe(RAISE, KILLED), a_probe(NONE, KILLED)),
        ("every test also passes when `fee()` (fee.py:8) returns 1",),
    ),
    ((a_crash(STUB), a_probe(MUTANT, SURVIVING)), ()),
    ((a_crash(MUTANT), a_probe(STUB, SURVIVING)), ("every test also passes when `fee()` (fee.py:8) returns 1",)),
    ((a_probe(MUTANT, SURVIVING),), ("every test also passes with `<=` → `<` in `fee()` (fee.py:8)",)),
    ((a_probe(NONE, KILLED),), ()),
    ((a_probe(DELETION, SURVIVING),), ("every test also passes with `log()` left out in `fee()` (fee.py:8)",)),
    (
        (a_probe(NONE, SURVIVING), a_probe(RAISE, KILLED)),
        ("every test also passes when `fee()` (fee.py:8) returns None",),
    ),
    ((a_probe(RAISE, SURVIVING),), ()),
    ((a_probe(STUB, UNKNOWN), a_probe(MUTANT, ProbeState.LEFT_OUT)), ()),
    ((a_probe(STUB, KILLED, function="other"), a_probe(STUB, KILLED, file="b.py")), ()),
]


@pytest.mark.parametrize(("probes", "reasons"), MEASURED)
def test_a_changed_function_needs_a_test_that_notices_another_value(
    probes: tuple[Probe, ...], reasons: tuple[str, ...]
) -> None:
    assert why("fee.py", probes=report(FEE, probes=probes)) == reasons


def test_a_changed_function_that_no_test_runs_is_named() -> None:
    def apart(state: ProbeState) -> tuple[str, ...]:
        return why("cli.py", probes=report(LINE, apart=(ApartResult(test="t", state=state),)))

    reason = ("no test runs `cli.py:10` main",)
    assert why("cli.py", probes=report(LINE)) == apart(SURVIVING) == apart(UNKNOWN) == reason
    assert apart(KILLED) == ()


MODULES = [
    ((), ()),
    ((a_probe(MUTANT, KILLED, ""),), ()),
    ((a_probe(MUTANT, SURVIVING, ""), a_probe(STUB, KILLED)), ()),
    ((a_probe(DELETION, SURVIVING, ""),), ()),
    ((a_probe(MUTANT, SURVIVING, ""),), ("every test also passes with `<=` → `<` in fee.py:8",)),
]


@pytest.mark.parametrize(("probes", "reasons"), MODULES)
def test_code_of_a_module_is_doubted_only_if_nothing_in_its_file_is_noticed(
    probes: tuple[Probe, ...], reasons: tuple[str, ...]
) -> None:
    assert why("fee.py", probes=report(MODULE, probes=probes)) == reasons


def test_what_cannot_be_probed_needs_only_to_be_run() -> None:
    plain = ProbedFunction(file="fee.py", line=8, name="fee", tests=1, can_be_probed=False)

    assert why("fee.py", probes=report(plain, probes=(a_probe(NONE, SURVIVING),))) == ()


def finished(*tasks: str) -> Plan:
    return Plan(done=tasks, finished=tasks)


QUIET_WORK = [
    (finished("Add type hints", "Rename `fee`"), ()),
    (finished("Remove the old tables"), ()),
    (finished("Add a fee", "Clean up"), (f'{QUIET}, and "Add a fee" asks for more',)),
    (finished("Add a fee", "Round it"), (f'{QUIET}, and "Add a fee", "Round it" ask for more',)),
    (None, (QUIET,)),
]


@pytest.mark.parametrize(("plan", "reasons"), QUIET_WORK)
def test_changes_without_behaviour_are_proven_if_no_task_asks_for_more(
    plan: Plan | None, reasons: tuple[str, ...]
) -> None:
    assert why("fee.py", probes=report(), plan=plan) == reasons
    assert why("fee.py", probes=report(), plan=plan, fresh=("t::test_a",)) == ()


def test_tests_alone_are_proven_if_the_tasks_ask_for_tests() -> None:
    asked: dict[str, Any] = {"tests": ("tests/test_fee.py",), "plan": finished("Write tests for `fee`")}

    assert why(**asked, fresh=("t::test_fee",)) == ()
    assert why(**asked) == (BARE,)
    assert why(tests=("tests/test_fee.py",), fresh=("t::test_fee",), plan=finished("Add a fee")) == (
        'only tests changed in this run, and "Add a fee" asks for more',
    )
    assert why(tests=("tests/conftest.py",), fresh=("t::test_fee",), plan=finished("Fix `fee`: the test fails")) == (
        'only tests changed in this run, and "Fix `fee`: the test fails" asks for more',
    )


def test_where_nothing_is_measured_a_new_or_newly_passing_test_is_needed() -> None:
    problems = ProbeReport(problems=("fee.c is C code",))

    assert why("fee.c", probes=problems) == (f"{BARE} and the changed code cannot be measured: fee.c is C code",)
    assert why("fee.py") == (f"{BARE} and it was not measured which tests notice broken code",)
    assert why("fee.c", probes=problems, fresh=("t::test_fee",)) == why("fee.py", fresh=("t::test_fee",)) == ()


def test_a_new_test_that_cannot_fail_does_not_count() -> None:
    hollow = ("t.py:3 test_fee asserts nothing",)

    assert why("fee.py", fresh=("t.py::test_fee[1]",), hollow=hollow) == hollow
    assert why("fee.py", fresh=("t.py::test_fee", "t.py::test_fee_of_two"), hollow=hollow) == ()


def test_code_in_another_language_beside_measured_code_needs_a_new_test() -> None:
    measured = report(FEE, probes=(a_probe(STUB, KILLED),))

    assert why("fee.py", "web/fee.js", "pyproject.toml", probes=measured) == (
        f"{BARE} and web/fee.js cannot be measured",
    )
    assert why("fee.py", "web/fee.js", probes=measured, fresh=("t::test_js",)) == ()
    assert why("fee.py", "pyproject.toml", probes=measured) == ()


def test_disarmed_tests_and_lost_tasks_are_reasons() -> None:
    one, two = Plan(lost=("Round it",)), Plan(lost=("Round it", "Add a fee"))
    covered: dict[str, Any] = {"probes": report(FEE, probes=(a_probe(STUB, KILLED),))}

    assert why("fee.py", disarmed=("test_a was weakened",), **covered) == ("test_a was weakened",)
    assert why("fee.py", plan=one, **covered) == ("1 task left the list without being ticked: Round it",)
    assert why("fee.py", plan=two, is_green=False) == (
        "2 tasks left the list without being ticked: Round it, Add a fee",
    )
