"""Events of `go test -json`: recorded ones of two versions, and imitated ones that do not fit together."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.go import GoRunner, GoSources, add_build_errors, read_events, read_results, unfinished, with_json
from dualgate.testing import a_control
from tests.runners.samples import play, sample_names, told

FLAGS = ("-json", "-count=1")
COMMANDS = [
    (("go", "test", "./..."), ("go", "test", *FLAGS, "./...")),
    (("go", "test", "-json", "-count=2", "."), ("go", "test", "-json", "-count=2", ".")),
    (("sh", "-c", "cd x && go test ./..."), ("sh", "-c", "cd x && go test -json -count=1 ./...")),
]


KEYS = st.sampled_from(["Action", "Package", "Test", "Output", "Elapsed", "FailedBuild", "ImportPath"])
WORDS = st.sampled_from(["pass", "fail", "skip", "run", "m", "TestA"])
JSON = st.dictionaries(KEYS, WORDS | st.text() | st.none() | st.floats() | st.lists(st.integers()))


@pytest.mark.parametrize("name", sample_names("go", "jsonl"))
def test_recorded_events_are_read_as_they_are_meant(name: str, tmp_path: Path) -> None:
    sample = play("go", name, "jsonl", tmp_path)

    packages = read_events(sample.report.decode().splitlines())

    results = tuple(read_results(packages, GoSources(folder=tmp_path, root=tmp_path)))
    assert {"problems": unfinished(packages), "results": told(results)} == sample.expected


@pytest.mark.parametrize(("command", "run"), COMMANDS)
def test_the_command_is_given_the_flags_that_make_it_report(command: tuple[str, ...], run: tuple[str, ...]) -> None:
    assert with_json(command) == run


def event(action: str, test: str = "", package: str = "m", **values: object) -> str:
    return json.dumps({"Action": action, "Package": package, **({"Test": test} if test else {}), **values})


def test_a_test_without_an_end_in_a_package_that_passed_is_a_problem() -> None:
    packages = read_events([event("run", "TestA"), event("pass"), event("run", "TestB", package="n"), "no event", "[]"])

    assert unfinished(packages) == ["n did not end", "m::TestA did not end"]


def test_errors_of_an_older_build_are_told_with_their_package() -> None:
    packages = read_events([event("output", Output="FAIL\tm [build failed]\n"), event("fail")])

    add_build_errors(packages, ["# m [m.test]\n", "a_test.go:5:1: undefined: Missing\n", "# other\n", "not ours\n"])

    (result,) = read_results(packages, GoSources(folder=Path("/nowhere"), root=Path("/nowhere")))
    assert (result.id, result.is_broken_file) == ("m", True)
    assert result.message == "FAIL\tm [build failed]\na_test.go:5:1: undefined: Missing"


def test_the_file_of_a_test_is_found_in_the_folder_of_its_package(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.com/m\n")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "a_test.go").write_text("package part\n\nfunc TestA(t *testing.T) {}\n")
    sources = GoSources(folder=tmp_path, root=tmp_path)

    assert sources.file_of("example.com/m/part", "TestA/one") == "part/a_test.go"
    assert sources.file_of("example.com/m/part", "TestB") == ""
    assert sources.file_of("example.com/more/part", "TestA") == ""


@given(st.lists(st.text() | st.builds(json.dumps, JSON)), st.lists(st.text()))
@example(['{"Package":"","Action":"fail"}'], [])
def test_no_text_breaks_the_reading(lines: list[str], errors: list[str]) -> None:
    packages = read_events([*lines, event("fail")])
    add_build_errors(packages, [*errors, "# "])

    assert all(
        result.id for result in read_results(packages, GoSources(folder=Path("/nowhere"), root=Path("/nowhere")))
    )


def test_a_command_that_writes_no_events_is_no_evidence(tmp_path: Path) -> None:
    suite = Suite(name="tests", runner="go", command=(sys.executable, "-c", "print('ok')"))

    report = GoRunner(suite=suite, project=tmp_path, supervisor=Supervisor(os.environ)).run(a_control())

    assert report.problems == ("go test wrote no events (exit code 0): ok",)


@pytest.mark.skipif(not shutil.which("go"), reason="needs go")
def test_a_real_run_is_read(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.com/m\n")
    (tmp_path / "a_test.go").write_text('package m\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n')

    report = GoRunner(
        suite=Suite(name="go", runner="go", command=("go", "test")), project=tmp_path, supervisor=Supervisor(os.environ)
    ).run(a_control())

    assert (report.problems, told(report.results)) == ((), {"example.com/m::TestA": "passed in a_test.go"})
