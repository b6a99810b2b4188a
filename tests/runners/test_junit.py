"""JUnit XML of all dialects, recorded and hostile; and real commands that leave it, or do not."""

import io
import os
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.suite import CaseOutcome, FailureKind, Suite, SuiteReport
from dualgate.errors import SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cases import CaseFiles, make_unique
from dualgate.runners.junit import JunitRunner, read_case
from dualgate.runners.junit_report import Document, read_document, read_seconds
from dualgate.testing import a_control
from tests.runners.samples import play, sample_names, told


@pytest.mark.parametrize("name", sample_names("junit", "xml"))
def test_recorded_reports_are_read_as_they_are_meant(name: str, tmp_path: Path) -> None:
    sample = play("junit", name, "xml", tmp_path)

    document = read_document(io.BytesIO(sample.report))

    results = make_unique(read_case(case, CaseFiles(project=tmp_path)) for case in document.cases)
    assert {
        "complete": document.complete,
        "problems": list(document.problems),
        "results": told(results),
    } == sample.expected


def read(text: str | bytes) -> Document:
    return read_document(io.BytesIO(text.encode() if isinstance(text, str) else text))


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>'
HOSTILE = [
    (LAUGHS, "declares an entity of its own, a"),
    (EXTERNAL, "declares an entity of its own, a"),
    ("<assemblies/>", "its root is <assemblies>"),
    ("<testsuite>" * 200, "nested deeper"),
    ('<testsuite><testcase name="' + "x" * (5 << 20), "a single tag is larger"),
    ("", "breaks off or is no XML"),
    ("Tests run: 3", "breaks off or is no XML"),
    ('<testsuite tests="2"><testcase name="a"/><testcase name="b"', "breaks off or is no XML"),
    ('<testsuite><testcase name="a"/></testsuite><testsuite/>', "breaks off or is no XML"),
]


@pytest.mark.parametrize(("text", "why"), HOSTILE, ids=[f"{why} {number}" for number, (_, why) in enumerate(HOSTILE)])
def test_what_is_no_whole_report_is_refused(text: str, why: str) -> None:
    document = read(text)

    assert not document.complete
    assert why in document.problems[0]


def test_what_came_before_the_break_is_kept() -> None:
    document = read('<testsuite tests="2"><testcase name="a" time="1"/><testcase name="b"')

    assert [case.name for case in document.cases] == ["a"]


CONTRADICTIONS = [
    '<testsuite tests="3"><testcase name="a" time="1"/></testsuite>',
    '<testsuite tests="0"><testcase name="a" time="1"/></testsuite>',
    '<testsuite tests="1" failures="1" errors="0"><testcase name="a" time="1"/></testsuite>',
    '<testsuite tests="1" failures="0"><testcase name="a"><failure/></testcase></testsuite>',
    '<testsuite tests="1" skipped="1"><testcase name="a" time="1"/></testsuite>',
    '<testsuites tests="2"><testsuite tests="1"><testcase name="a" time="1"/></testsuite></testsuites>',
]


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_counts_that_disagree_with_the_cases_are_a_problem(text: str) -> None:
    (problem,) = read(text).problems

    assert "declares" in problem


def test_a_suite_may_count_only_its_own_cases() -> None:
    inner = '<testsuite tests="1"><testcase name="b" time="1"/></testsuite>'

    assert read(f'<testsuite tests="1"><testcase name="a" time="1"/>{inner}</testsuite>').problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "cp1252"])
def test_any_encoding_is_read(encoding: str) -> None:
    named = encoding.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    text = f'<?xml version="1.0" encoding="{named}"?><testsuite><testcase name="käse"/></testsuite>'

    assert [case.name for case in read(text.encode(encoding)).cases] == ["käse"]


@pytest.mark.parametrize("encoding", ["zlib", "hex", "undefined", "utf-16", "nowhere"])
def test_an_encoding_that_cannot_be_is_taken_for_utf_8(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><testsuite><testcase name="käse"/></testsuite>'

    assert [case.name for case in read(text).cases] == ["käse"]


def test_characters_that_xml_forbids_do_not_cost_the_report() -> None:
    text = (
        '<testsuite><testcase name="a\x1b"><failure>&#27;[31m&#x0;&#xD800;\x00\uffff&#99999999999;</failure></testcase>'
    )

    (case,) = read(text + "</testsuite>").cases

    assert (case.name, case.outcome) == ("a\ufffd", CaseOutcome.FAILED)
    assert "[31m" in case.text


def test_a_reference_cut_by_the_end_of_a_piece_is_read_whole() -> None:
    head = "<testsuite><testcase name='a'><failure>"
    filling = "x" * ((1 << 16) - len(head) - 3)

    document = read(f"{head}{filling}&#27;</failure></testcase></testsuite>")

    assert (document.problems, len(document.cases)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1234567.0),
        ("12", 12.0),
        ("0.", 0.0),
        ("1.5s", 1.5),
        ("", 0.0),
        ("nan", 0.0),
        ("-1", 0.0),
        ("soon", 0.0),
    ],
)
def test_times_of_all_countries(text: str, seconds: float) -> None:
    assert read_seconds(text) == seconds


@given(st.text() | st.binary())
def test_no_bytes_are_too_strange(content: str | bytes) -> None:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content

    assert read_document(io.BytesIO(data)).complete is False


class HugeReport(io.RawIOBase):
    """A hundred megabytes of output of one test, made as they are read."""

    def __init__(self) -> None:
        self._pieces = self._write()

    def _write(self) -> Iterator[bytes]:
        yield b'<testsuite tests="2" failures="1"><testcase name="a" time="1"><failure>'
        for _ in range(50):
            yield b"x" * (1 << 20)
        yield b"</failure><system-out>"
        for _ in range(50):
            yield b"y" * (1 << 20)
        yield b'</system-out></testcase><testcase name="b" time="1"/></testsuite>'

    def read(self, size: int = -1) -> bytes:
        return next(self._pieces, b"")


def test_a_hundred_megabytes_are_read_in_little_memory() -> None:
    tracemalloc.start()
    try:
        document = read_document(HugeReport())  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert ([case.outcome for case in document.cases], document.problems) == (["failed", "passed"], ())
    assert peak < 20 << 20


GREEN = '<testsuite tests="1" failures="0"><testcase classname="sums" name="adds" time="0.1"/></testsuite>'
RED = '<testsuite tests="1" failures="1"><testcase classname="sums" name="adds"><failure/></testcase></testsuite>'
WRITES = "import sys, pathlib; path = pathlib.Path(sys.argv[1]); path.parent.mkdir(parents=True, exist_ok=True);"


def a_command(report: str, code: int = 0, place: str = "{report}") -> tuple[str, ...]:
    script = f"{WRITES} path.write_text({report!r}); sys.exit({code})"
    return (sys.executable, "-c", script, place)


def run_junit(project: Path, command: tuple[str, ...], *only: str, **values: object) -> SuiteReport:
    suite = Suite(name="tests", runner="junit", command=command, **{"timeout": 60.0, **values})  # type: ignore[arg-type]
    return JunitRunner(suite, project, Supervisor(os.environ)).run(a_control(), only)


def test_a_report_outside_the_project_is_read_and_nothing_is_left_in_it(tmp_path: Path) -> None:
    report = run_junit(tmp_path, a_command(GREEN))

    assert (report.trusted, report.complete, told(report.results)) == (True, True, {"sums::adds": "passed"})
    assert list(tmp_path.iterdir()) == []


def test_the_place_of_the_report_may_become_a_folder(tmp_path: Path) -> None:
    report = run_junit(tmp_path, a_command(GREEN, place="{report}/deep/TEST-a.xml"))

    assert (report.trusted, len(report.results)) == (True, 1)


def test_all_files_of_a_pattern_are_read_from_the_folder_of_the_suite(tmp_path: Path) -> None:
    (tmp_path / "back").mkdir()
    script = f"{WRITES} [path.with_name(f'TEST-{{n}}.xml').write_text({GREEN!r}) for n in 'ab']"
    command = (sys.executable, "-c", script, "target/x")

    report = run_junit(tmp_path, command, folder="back", report="target/**/TEST-*.xml")

    assert (report.trusted, [r.id for r in report.results]) == (True, ["sums::adds", "sums::adds#2"])


def test_a_report_of_an_earlier_run_counts_for_nothing_and_stays(tmp_path: Path) -> None:
    (tmp_path / "old.xml").write_text(RED)

    report = run_junit(tmp_path, a_command(GREEN, place="new.xml"), report="*.xml")

    assert (report.trusted, told(report.results)) == (True, {"sums::adds": "passed"})
    assert (tmp_path / "old.xml").read_text() == RED


def test_a_run_that_wrote_no_report_cannot_use_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "old.xml").write_text(GREEN)

    report = run_junit(tmp_path, (sys.executable, "-c", "print('up to date')"), report="*.xml")

    assert (report.complete, report.results) == (False, ())
    assert "wrote no report; old.xml is of an earlier one" in report.problems[0]


def test_a_report_with_a_time_before_the_run_is_a_problem(tmp_path: Path) -> None:
    script = f"{WRITES} import os; path.write_text({GREEN!r}); os.utime(path, (1, 1))"

    report = run_junit(tmp_path, (sys.executable, "-c", script, "a.xml"), report="a.xml")

    assert report.problems == ("a.xml is older than the run that should have written it",)


def test_what_is_no_file_is_no_report(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.xml")

    report = run_junit(tmp_path, (sys.executable, "-c", ""), report="*.xml")

    assert "left no JUnit report (exit code 0)" in report.problems[0]


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [(RED, 0, "exit code 0 contradicts the report"), (GREEN, 3, "exit code 3 contradicts the report")],
)
def test_an_exit_code_that_contradicts_the_report_is_a_problem(tmp_path: Path, text: str, code: int, why: str) -> None:
    report = run_junit(tmp_path, a_command(text, code))

    assert (report.trusted, len(report.results)) == (False, 1)
    assert why in report.problems[0]


def test_a_test_outside_the_project_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere.py").touch()
    text = GREEN.replace("classname", 'file="../elsewhere.py" classname')

    (problem,) = run_junit(tmp_path / "project", a_command(text)).problems

    assert problem == "tests outside the project cannot be guarded: ../elsewhere.py"


def test_a_suite_that_names_no_report_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(SuiteUnusable, match="does not say where"):
        run_junit(tmp_path, ("true",))


def test_single_tests_are_asked_for_where_the_command_has_a_place_for_them(tmp_path: Path) -> None:
    script = f"{WRITES} path.write_text({GREEN!r}.replace('adds', '+'.join(sys.argv[2:])))"
    command = (sys.executable, "-c", script, "{report}", "-t", "{only}")

    some = run_junit(tmp_path, command, "sums::adds", "sums::takes#2")
    whole = run_junit(tmp_path, command)

    assert (some.only, some.results[0].id) == (("sums::adds", "sums::takes#2"), "sums::-t+adds+takes")
    assert (whole.only, whole.results[0].id) == ((), "sums::unnamed")


def test_tests_that_were_not_asked_for_are_not_told_as_skipped(tmp_path: Path) -> None:
    cases = "".join(f'<testcase classname="sums" name="{name}"><skipped/></testcase>' for name in "ab")
    command = (*a_command(f"<testsuite>{cases}</testsuite>"), "{only}")

    assert told(run_junit(tmp_path, command, "sums::a").results) == {"sums::a": "skipped"}
    assert len(run_junit(tmp_path, command).results) == 2


def test_the_whole_suite_runs_where_single_tests_cannot_be_asked_for(tmp_path: Path) -> None:
    assert run_junit(tmp_path, a_command(GREEN), "sums::adds").only == ()


def test_what_ran_the_tests_is_fingerprinted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "node_modules" / "tool"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "tool", "version": "1.2.3"}')
    (package / "tool").write_text(f"#!/bin/sh\necho '{GREEN}' > $1\n")
    (package / "tool").chmod(0o755)
    command = ("node_modules/tool/tool", "{report}")

    one = run_junit(tmp_path, command)
    monkeypatch.setenv("NODE_OPTIONS", "--require ./forged.js")
    two = run_junit(tmp_path, command)

    assert dict(one.configuration)["version"] == "tool 1.2.3"
    assert dict(one.configuration)["report"] == "outside the project"
    assert one.environment != two.environment


def test_a_hung_command_is_cut_off_and_what_it_wrote_is_no_evidence(tmp_path: Path) -> None:
    script = f"{WRITES} path.write_text({GREEN!r}); import time; time.sleep(600)"

    report = run_junit(tmp_path, (sys.executable, "-c", script, "{report}"), timeout=2.0)

    assert (report.complete, len(report.results)) == (False, 1)
    assert report.problems == ("the test run did not end by itself: timed_out",)


def test_a_command_that_is_killed_is_incomplete(tmp_path: Path) -> None:
    script = f"{WRITES} path.write_text({RED!r}); import os; os.kill(os.getpid(), 9)"

    report = run_junit(tmp_path, (sys.executable, "-c", script, "{report}"))

    assert (report.complete, report.problems) == (False, ("the test run was ended by signal 9",))


def test_a_script_that_told_of_no_test_has_not_passed(tmp_path: Path) -> None:
    (tmp_path / "a.test.js").touch()
    text = f'<testsuites><testcase classname="test" name="{tmp_path}/a.test.js" time="0.1"/></testsuites>'

    (problem,) = run_junit(tmp_path, a_command(text)).problems

    assert problem == "a.test.js reported no test: its process ended early, or it has no tests"


def test_a_file_that_jest_could_not_load_is_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "a.test.js").touch()
    text = (
        '<testsuite errors="1" tests="0"><testcase classname="Test suite failed to run" name="a.test.js">'
        "<error>Cannot find module</error></testcase></testsuite>"
    )

    (result,) = run_junit(tmp_path, a_command(text, 1)).results

    assert (result.id, result.kind, result.file) == ("a.test.js", FailureKind.BROKEN_FILE, "a.test.js")
