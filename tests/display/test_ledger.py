"""The ledger of a session: what was run, on what, and with which result."""

from dataclasses import replace

from dualgate.core.values.checks import CheckEnded, CheckRun, CheckStarted
from dualgate.core.values.events import SuiteEnded
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbesEnded, ProbeState
from dualgate.core.values.suite import Suite, merged
from dualgate.display.ledger import entry_lines, entry_record, evidence_entries
from dualgate.testing import NOW, a_report, failed, passed

REPORT = replace(
    a_report(passed("test_a"), failed("test_b"), exit_code=1),
    command=("pytest", "-k", "a b"),
    tree="t" * 40,
    commit="c" * 40,
    output_hash="h" * 64,
    tools=("cpython 3.11.7", "pytest 8.4.1"),
)


def test_a_test_run_is_told_with_all_that_it_takes_to_compare_it() -> None:
    (entry,) = evidence_entries(SuiteEnded(at=NOW, report=REPORT))

    first, command, marks = (line.text for line in entry_lines(entry))
    assert first.endswith(" tests: exit code 1, 1 passed, 1 failed")
    assert command == "    pytest -k 'a b'"
    assert marks == "    tree tttttttttttt, commit cccccccccccc, output hhhhhhhhhhhh, cpython 3.11.7, pytest 8.4.1"
    record = entry_record(5, entry)
    assert (record["seq"], record["output_hash"], record["commit"]) == (5, "h" * 64, "c" * 40)
    assert record["tools"] == ["cpython 3.11.7", "pytest 8.4.1"]


def test_a_reused_result_and_a_run_of_some_tests_say_so() -> None:
    some = replace(REPORT, only=("tests/test_x.py::test_a",), problems=("no report", "killed"))

    (reused,) = evidence_entries(SuiteEnded(at=NOW, report=REPORT, known=True))
    (selected,) = evidence_entries(SuiteEnded(at=NOW, report=some))

    assert entry_lines(reused)[0].text.endswith("1 failed (tree unchanged, result reused)")
    assert entry_lines(selected)[0].text.endswith("1 failed of 1 selected; not trusted: no report")


def test_each_suite_of_a_run_has_an_entry_of_its_own() -> None:
    api, web = (Suite(name=name, command=("run", name)) for name in ("api", "web"))
    other = replace(a_report(passed("test_c")), command=("run", "web"), output_hash="w", tools=("node 20.1.0",))
    report = replace(merged([(api, REPORT), (web, other)]), commit="c", tree="t")

    entries = evidence_entries(SuiteEnded(at=NOW, report=report))

    assert [(entry.suite, entry.exit_code, entry.output_hash[:1], entry.commit) for entry in entries] == [
        ("api", 1, "h", "c"),
        ("web", 0, "w", "c"),
    ]
    assert [entry.counts and entry.counts.total for entry in entries] == [2, 1]
    assert (report.output_hash, report.tools) == ("", ("cpython 3.11.7", "pytest 8.4.1", "node 20.1.0"))


def test_a_check_is_an_entry_and_other_events_are_none() -> None:
    run = CheckRun(command="ruff check .", exit_code=None, problem="timed out", tools=("ruff 0.4",))

    (entry,) = evidence_entries(CheckEnded(at=NOW, check=run))

    assert entry_lines(entry)[0].text.endswith("check: exit code None; not trusted: timed out")
    assert entry_lines(entry)[2].text == "    ruff 0.4"
    assert evidence_entries(CheckStarted(at=NOW, command="x")) == ()


def test_a_run_with_probes_is_an_entry_with_its_command_and_tree_and_how_many_were_killed() -> None:
    killed = Probe(file="fee.py", line=8, kind=ProbeKind.MUTANT, text="`<=` → `<`", state=ProbeState.KILLED)
    survives = replace(killed, line=9, state=ProbeState.SURVIVING)
    report = ProbeReport(probes=(killed, survives), tree="t" * 40, commands=(("pytest", "-q"), ("run", "a b")))

    (entry,) = evidence_entries(ProbesEnded(at=NOW, report=report, known=True))

    first, command, marks = (line.text for line in entry_lines(entry))
    told = "probes: 1 of 2 probes killed; surviving: `fee.py:9` `<=` → `<` (tree unchanged, result reused)"
    assert first.endswith(f" {told}")
    assert (command, marks) == ("    pytest -q; run 'a b'", "    tree tttttttttttt")


def test_a_run_without_any_probe_says_why() -> None:
    report = ProbeReport(problems=("suite 'web' is not measured: probes exist for Python only",))

    (entry,) = evidence_entries(ProbesEnded(at=NOW, report=report))

    told = entry_lines(entry)[0].text
    assert told.endswith("probes: no probes; suite 'web' is not measured: probes exist for Python only")
