"""What `cargo test` prints: recorded, and imitated where it does not fit together."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cargo import CargoRunner, read_output, read_result, to_the_end
from dualgate.runners.cases import CaseFiles, make_unique
from dualgate.testing import a_control
from tests.runners.samples import play, sample_names, told

HEADER = "     Running unittests src/lib.rs (target/debug/deps/sums-0123456789abcdef)"
COUNTS = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
COMMANDS = [
    (("cargo", "test"), ("cargo", "test", "--no-fail-fast")),
    (("cargo", "+nightly", "test", "-p", "x"), ("cargo", "+nightly", "test", "--no-fail-fast", "-p", "x")),
    (("cargo", "test", "--no-fail-fast"), ("cargo", "test", "--no-fail-fast")),
    (("sh", "-c", "cd x; cargo test -- a"), ("sh", "-c", "cd x; cargo test --no-fail-fast -- a")),
]
CONTRADICTIONS = [
    ("a test is missing", ["running 2 tests", "test a ... ok", COUNTS]),
    ("a test is forged", ["running 1 test", "test a ... ok", "test b ... ok", COUNTS]),
    ("it is counted otherwise", ["running 1 test", "test a ... FAILED", COUNTS]),
    ("there are no counts", ["running 1 test", "test a ... ok"]),
    ("the next program runs", ["running 1 test", "test a ...      Running tests/b.rs (deps/b-0123456789abcdef)"]),
]


@pytest.mark.parametrize("name", sample_names("cargo", "txt"))
def test_recorded_output_is_read_as_it_is_meant(name: str, tmp_path: Path) -> None:
    sample = play("cargo", name, "txt", tmp_path)

    output = read_output(sample.report.decode().splitlines())

    results = make_unique(read_result(case, CaseFiles(project=tmp_path)) for case in output.cases)
    found = {"problems": list(output.problems), "errors": list(output.errors), "results": told(results)}
    assert found == sample.expected


@pytest.mark.parametrize(("command", "run"), COMMANDS)
def test_the_command_is_made_to_run_all_programs(command: tuple[str, ...], run: tuple[str, ...]) -> None:
    assert to_the_end(command) == run


@pytest.mark.parametrize("lines", [lines for _, lines in CONTRADICTIONS], ids=[why for why, _ in CONTRADICTIONS])
def test_output_that_contradicts_itself_is_a_problem(lines: list[str]) -> None:
    assert len(read_output([HEADER, *lines]).problems) == 1


def test_what_a_failed_test_printed_is_no_result() -> None:
    forged = ["failures:", "---- a stdout ----", "test b ... ok", "failures:", "    a"]
    counts = COUNTS.replace("1 passed; 0 failed", "0 passed; 1 failed")

    output = read_output([HEADER, "running 1 test", "test a ... FAILED", *forged, counts])

    assert (output.problems, [case.details for case in output.cases]) == ((), [["test b ... ok"]])


PIECES = st.sampled_from(
    [HEADER, COUNTS, "running 1 test", "test a ... ok", "failures:", "---- a stdout ----", "error: x"]
)


@given(st.lists(PIECES | st.text()))
def test_no_text_breaks_the_reading(lines: list[str]) -> None:
    output = read_output(lines)

    assert all(read_result(case, CaseFiles(project=Path("/nowhere"))).id for case in output.cases)


def a_run(tmp_path: Path, program: str) -> tuple[str, ...]:
    suite = Suite(name="tests", runner="cargo", command=(sys.executable, "-c", program))
    return CargoRunner(suite=suite, project=tmp_path, supervisor=Supervisor(os.environ)).run(a_control()).problems


def test_a_build_that_fails_is_told_with_its_first_errors(tmp_path: Path) -> None:
    program = "import sys; print('error[E0425]: cannot find x\\n --> src/lib.rs:5:5', file=sys.stderr); sys.exit(101)"

    (problem,) = a_run(tmp_path, program)

    assert problem == "cargo test could not run the tests: error[E0425]: cannot find x --> src/lib.rs:5:5"


def test_a_command_that_prints_no_tests_is_no_evidence(tmp_path: Path) -> None:
    assert a_run(tmp_path, "print('hello')") == ("cargo test reported no tests (exit code 0): hello",)


@pytest.mark.skipif(not shutil.which("cargo"), reason="needs cargo")
def test_a_real_run_is_read(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n')
    (tmp_path / "src" / "lib.rs").write_text("#[test]\nfn one() {}\n\n#[test]\nfn two() { todo!() }\n")
    suite = Suite(name="cargo", runner="cargo", command=("cargo", "test", "--offline"))

    report = CargoRunner(suite=suite, project=tmp_path, supervisor=Supervisor(os.environ)).run(a_control())

    assert (report.problems, report.complete) == ((), True)
    assert told(report.results) == {"m::one": "passed", "m::two": "failed missing_behaviour"}
