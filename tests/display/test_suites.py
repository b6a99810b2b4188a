from dataclasses import replace
from typing import Any

from dualgate.core.values.suite import CaseResult, FailureKind, Suite, SuiteReport, merged
from dualgate.display.suites import Differences, differences, list_lines, suites_lines, suites_record
from dualgate.testing import a_report, failed, passed, skipped

API = Suite(name="api", command=("pytest", "a b"), reason="given")
WEB = Suite(name="website", command=("npm", "test"), runner="tap", folder="web", reason="its script")


def told(*runs: tuple[Suite, SuiteReport], changed: Differences | None = None) -> list[str]:
    return [line.text for line in suites_lines(merged(runs), runs, changed)]


def test_the_suites_stand_in_a_table_before_what_failed_and_where() -> None:
    broken = failed("test_b", message="assert 1 == 2\n\n  where 1 = f()\nthird\nfourth", line=7, file="web/b.py")

    assert told((API, a_report(passed("test_a"), seconds=1.04)), (WEB, a_report(broken, seconds=20.0))) == [
        "api      1 passed (1.0 s)",
        "website  1 failed (20.0 s)",
        "failed website::tests/test_x.py::test_b (web/b.py:7)",
        "    assert 1 == 2",
        "      where 1 = f()",
        "    third",
    ]


def test_of_a_file_that_cannot_be_loaded_the_error_is_shown_and_not_the_way_to_it() -> None:
    message = (
        "python.py:493: in importtestmodule\n    mod = import_path(\nE     def (:\nE   SyntaxError: invalid syntax"
    )
    broken = failed("test_b", message=message, kind=FailureKind.BROKEN_FILE)

    assert told((API, a_report(broken)))[2:] == ["    SyntaxError: invalid syntax", "    def (:"]


def test_where_there_is_one_suite_its_tests_are_named_without_it() -> None:
    assert told((API, a_report(failed("test_b", message="", file=""))))[1] == "failed tests/test_x.py::test_b"


def test_what_cannot_be_believed_is_said_beside_the_suite_and_in_full() -> None:
    optional = replace(WEB, required=False)

    assert told((API, a_report(problems=("torn",))), (optional, a_report(problems=("no node",)))) == [
        "api      no tests (0.0 s), not to be believed",
        "website  no tests (0.0 s), not to be believed",
        "not to be believed: api: torn",
        "note: website: no node",
    ]


def test_suites_are_listed_with_their_reasons_and_what_is_not_run() -> None:
    assert [line.text for line in list_lines([API, WEB], ["go.mod: install gotestsum"])] == [
        "api (pytest): pytest 'a b'",
        "    because given",
        "website (tap) in web: npm test",
        "    because its script",
        "not run: go.mod: install gotestsum",
    ]


def test_the_record_has_its_documented_keys() -> None:
    runs = [(API, a_report(failed("test_b"), environment="e"))]

    record = suites_record(merged(runs), runs, None)

    assert list(record) == [
        *("runner", "command", "exit_code", "complete", "trusted", "counts", "tests", "problems"),
        *("suites", "seconds", "environment", "output_hash", "tools", "commit"),
    ]
    assert record["counts"] == {
        "passed": 0,
        "failed": 1,
        "error": 0,
        "skipped": 0,
        "xfailed": 0,
        "xpassed": 0,
        "total": 1,
    }
    assert record["tests"] == [
        {
            "id": "api::tests/test_x.py::test_b",
            "outcome": "failed",
            "failure_kind": "assertion",
            "message": "assert 1 == 2",
            "seconds": 0.0,
            "body": "",
        }
    ]
    assert record["suites"][0]["reason"] == "given"


def id_of(name: str) -> str:
    return f"tests/test_x.py::{name}"


BEFORE: tuple[CaseResult, ...] = (passed("kept"), failed("mended"), passed("broken"), passed("gone"), passed("idle"))


def test_two_runs_are_compared_test_by_test() -> None:
    after = a_report(passed("kept"), passed("mended"), failed("broken"), skipped("idle"), passed("fresh", digest="d2"))

    assert differences(BEFORE, after) == Differences(
        new=(id_of("fresh"),),
        fixed=(id_of("mended"),),
        regressed=(id_of("broken"),),
        vanished=(id_of("gone"),),
        newly_skipped=(id_of("idle"),),
    )


def test_old_failures_are_told_and_are_not_worse_and_a_new_test_that_fails_is() -> None:
    old = differences([failed("x"), passed("y")], a_report(failed("x"), passed("y")))
    new = differences([passed("y")], a_report(failed("x"), passed("y")))

    assert (old.still_failing, old.is_worse) == ((id_of("x"),), False)
    assert (new.failing, new.is_worse) == ((id_of("x"),), True)
    assert told((API, a_report(passed("y"))), changed=new)[1:] == [f"{id_of('x')} is new, and fails"]


def test_a_renamed_test_has_not_vanished_and_may_not_be_worse_under_its_new_name() -> None:
    before = [passed("old", body="b1", digest="")]

    kept = differences(before, a_report(passed("new", body="b1")))
    broken = differences(before, a_report(failed("new", body="b1")))
    other = differences(before, a_report(passed("new", body="b2")))

    assert kept == Differences(renamed=((id_of("old"), id_of("new")),))
    assert broken.regressed == (id_of("new"),)
    assert (other.vanished, other.new) == ((id_of("old"),), (id_of("new"),))
    assert told((API, a_report(passed("y"))), changed=kept)[1:] == [f"{id_of('old')} is {id_of('new')} now"]


def test_a_failure_that_is_skipped_is_not_fixed() -> None:
    changed = differences([failed("x")], a_report(skipped("x")))

    assert (changed.fixed, changed.newly_skipped) == ((), (id_of("x"),))


def test_of_a_run_of_some_tests_the_others_have_not_vanished() -> None:
    after = a_report(passed("kept"), only=(id_of("kept"), id_of("gone")))

    assert differences(BEFORE, after).vanished == (id_of("gone"),)


def test_what_changed_is_told_worst_first_and_not_without_end() -> None:
    changed: Any = Differences(fixed=("a::x",), regressed=tuple(f"b::{number}" for number in range(22)))

    lines = told((API, a_report(passed("x"))), changed=changed)[1:]

    assert lines[0] == "b::0 fails, and did not before"
    assert lines[20:] == ["and 2 more: each fails, and did not before", "a::x passes, and failed before"]
    assert told((API, a_report(passed("x"))), changed=Differences())[1] == "nothing changed since the earlier run"


def test_a_case_whose_id_holds_an_address_is_the_same_in_both_runs() -> None:
    before = [passed("test_x[<object at 0x7f3a10b2c4d0>]")]

    assert differences(before, a_report(passed("test_x[<object at 0x7f3a10b2ffff>]"))) == Differences()
