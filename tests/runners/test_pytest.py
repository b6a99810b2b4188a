"""pytest as it is: real runs in real folders, and reports that lie."""

import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.control import Activity
from dualgate.core.values.suite import COVERAGE_TOO_LOW, CaseOutcome, FailureKind, SuiteReport
from dualgate.testing import a_control
from tests.runners.projects import WORKERS, a_runner, by_name, run_pytest

PLAIN = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
EVERY_OUTCOME = """
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2
def test_misses(): pytest.undefined_name
def test_other(): raise ValueError("x")
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail(strict=False)
def test_xfailed(): assert False
@pytest.mark.xfail(strict=False)
def test_xpassed(): pass
@pytest.fixture
def broken(): raise RuntimeError("no")
def test_error(broken): pass
@pytest.mark.parametrize("value", [1, 2])
def test_parameter(value): pass
class TestClass:
    def test_method(self):
        "Shows AC-7."
"""


def test_every_outcome_and_kind_of_failure_is_told(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_all=EVERY_OUTCOME)

    results = by_name(report)
    assert report.trusted
    assert {name: str(result.outcome) for name, result in results.items()} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_misses": "failed",
        "test_other": "failed",
        "test_skipped": "skipped",
        "test_xfailed": "xfailed",
        "test_xpassed": "xpassed",
        "test_error": "error",
        "test_parameter[1]": "passed",
        "test_parameter[2]": "passed",
        "test_method": "passed",
    }
    assert [results[name].kind for name in ("test_fails", "test_misses", "test_other")] == [
        FailureKind.ASSERTION,
        FailureKind.MISSING,
        FailureKind.OTHER,
    ]
    assert results["test_fails"].message == "assert 1 == 2"
    assert results["test_method"].doc == "Shows AC-7."


BROKEN = """
import pytest
try:
    from fee import fee
except ImportError:
    pass
def test_fixture(cart): pass
def test_name(): assert undefined(1) == 2
def test_package():
    import requestz_
def test_behaviour(): assert fee(1) == 2
def test_module():
    import tariff
def test_keyword(): print(now=1)
def test_file(): open("rates.csv")
def test_raises():
    with pytest.raises(ValueError): pass
"""


def test_mistakes_of_a_test_itself_are_told_apart_from_missing_behaviour(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("requestz-_>=2\n")

    results = by_name(run_pytest(tmp_path, test_all=BROKEN))

    broken = {name: result.message for name, result in results.items() if result.kind is FailureKind.BROKEN_TEST}
    assert broken == {
        "test_fixture": "fixture 'cart' not found",
        "test_name": "name 'undefined' is not defined in the test file",
        "test_package": "ModuleNotFoundError: No module named 'requestz_'",
    }
    assert all(result.failed for result in results.values())


def test_a_changed_test_has_another_digest_and_its_neighbour_has_not(tmp_path: Path) -> None:
    one = by_name(run_pytest(tmp_path, test_a="def test_a(): assert 1\ndef test_b(): pass\n"))
    two = by_name(run_pytest(tmp_path, test_a="\n\ndef test_a(): assert 2\ndef test_b(): pass\n"))

    assert one["test_a"].digest != two["test_a"].digest
    assert one["test_b"].digest == two["test_b"].digest


def test_a_file_that_cannot_be_imported_is_a_broken_file(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_bad="import nowhere_to_be_found", test_good="def test_a(): pass")

    broken = [result for result in report.results if result.is_broken_file]
    assert report.trusted
    assert [result.file for result in broken] == ["test_bad.py"]
    assert "nowhere_to_be_found" in broken[0].message


def test_the_other_files_are_run_beside_a_broken_one(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_bad="import nowhere_to_be_found", test_good="def test_a(): pass")

    assert by_name(report)["test_a"].outcome == "passed"


def test_files_are_named_from_the_project_wherever_pytest_is_started(tmp_path: Path) -> None:
    (tmp_path / "backend").mkdir()
    (tmp_path / "backend" / "test_a.py").write_text("def test_a(): pass")
    (tmp_path / "backend" / "pytest.ini").write_text("[pytest]")
    command = ("/bin/sh", "-c", f"cd backend && {sys.executable} -m pytest -q")

    (result,) = a_runner(command, tmp_path).run(a_control()).results

    assert (result.id, result.file) == ("test_a.py::test_a", "backend/test_a.py")


def test_a_suite_is_run_in_its_folder_and_its_files_are_named_from_the_root(tmp_path: Path) -> None:
    (tmp_path / "backend").mkdir()
    (tmp_path / "backend" / "test_a.py").write_text("def test_a(): pass")
    command = (sys.executable, "-m", "pytest", "-q", "--rootdir", ".", "-p", "no:cacheprovider")

    (result,) = a_runner(command, tmp_path, folder="backend").run(a_control()).results

    assert (result.id, result.file) == ("test_a.py::test_a", "backend/test_a.py")


def test_a_caller_of_pytest_may_fail_with_a_code_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): assert 0")
    (tmp_path / "Makefile").write_text(f"test:\n\t@{sys.executable} -m pytest -q\n")

    report = a_runner(("make", "test"), tmp_path).run(a_control())

    assert (report.trusted, report.exit_code, report.counts.failed) == (True, 2, 1)


def test_a_reformatted_test_has_the_same_digest(tmp_path: Path) -> None:
    one = by_name(run_pytest(tmp_path, test_a="def test_a():\n    assert (1)\n"))
    two = by_name(run_pytest(tmp_path, test_a="def test_a(): assert 1  # same\n"))

    assert one["test_a"].digest == two["test_a"].digest


NESTED = """
pytest_plugins = "pytester"
def test_inner(pytester):
    pytester.makepyfile("def test_a(): pass\\ndef test_b(): assert 0")
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
    pytester.runpytest_subprocess().assert_outcomes(passed=1, failed=1)
"""


def test_a_pytest_that_the_tests_start_themselves_does_not_report(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_nested=NESTED)

    assert (report.problems, [result.outcome for result in report.results]) == ((), ["passed"])


def test_a_run_is_whole_even_where_the_project_stops_at_the_first_failure(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, "-x", test_a="def test_a(): assert 0\ndef test_b(): pass")

    assert (report.trusted, report.counts.failed, report.counts.passed) == (True, 1, 1)


def test_a_doctest_makes_no_test_file_of_its_source(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path, "--doctest-modules", counting='def f():\n    """\n    >>> f()\n    1\n    """\n    return 1'
    )

    assert [(result.id, result.file, result.outcome) for result in report.results] == [
        ("counting.py::counting.f", "", "passed")
    ]


EXAMPLES_OF_SYBIL = """
import pytest
from types import SimpleNamespace


def pytest_collect_file(file_path, parent):
    return Texts.from_parent(parent, path=file_path) if file_path.name == "counting.py" else None


class Texts(pytest.File):
    def collect(self):
        text = self.path.read_text()
        start = text.index("1 + 1")
        line = text[:start].count("\\n") + 1
        item = Example.from_parent(self, name=f"line:{line},column:1")
        item.example = SimpleNamespace(document=SimpleNamespace(text=text), start=start, end=start + 10)
        yield item


class Example(pytest.Item):
    def runtest(self):
        example = self.example
        assert eval(example.document.text[example.start : example.end])
"""


def test_an_example_of_sybil_makes_no_test_file_of_its_source_and_has_a_digest_of_its_own(tmp_path: Path) -> None:
    one, two, other = (
        run_pytest(tmp_path, conftest=EXAMPLES_OF_SYBIL, counting=text).results[0]
        for text in ("# 1 + 1 == 2", "COUNT = 1\n\n\n# 1 + 1 == 2", "# 1 + 1 != 3")
    )

    assert [(each.id, each.file) for each in (one, two)] == [
        ("counting.py::line:1,column:1", ""),
        ("counting.py::line:4,column:1", ""),
    ]
    assert one.digest == two.digest != other.digest


CASES_OF_DATA = """
import pytest


def pytest_collect_file(file_path, parent):
    return Cases.from_parent(parent, path=file_path) if file_path.suffix == ".dat" else None


class Cases(pytest.File):
    def collect(self):
        yield Case.from_parent(self, name="0")


class Case(pytest.Item):
    def __init__(self, **given):
        super().__init__(**given)
        self.obj = lambda: 1  # for skipif, which wants a function

    def runtest(self):
        assert eval(self.path.read_text())
"""


def test_a_case_of_data_is_its_file_though_its_item_has_a_function_that_it_never_calls(tmp_path: Path) -> None:
    passed, failed = (_of_data(tmp_path, text) for text in ("1", "0"))

    assert (passed.problems, failed.problems) == ((), ())
    assert [(case.id, case.file, case.outcome) for case in (*passed.results, *failed.results)] == [
        ("sums.dat::0", "sums.dat", CaseOutcome.PASSED),
        ("sums.dat::0", "sums.dat", CaseOutcome.FAILED),
    ]
    assert passed.results[0].digest != failed.results[0].digest


def _of_data(folder: Path, text: str) -> SuiteReport:
    (folder / "sums.dat").write_text(text)
    return run_pytest(folder, conftest=CASES_OF_DATA)


LINTER = """
import pytest


def pytest_collect_file(file_path, parent):
    return Linted.from_parent(parent, path=file_path) if file_path.suffix in (".py", ".yml") else None


class Linted(pytest.File):
    def collect(self):
        yield Lint.from_parent(self, name="lint")


class Lint(pytest.Item):
    def runtest(self):
        assert self.path.read_text()
"""


def test_a_linter_makes_no_test_file_of_the_code_that_it_checks(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text("a: 1")

    report = run_pytest(tmp_path, conftest=LINTER, counting="COUNT = 1", test_a="def test_a(): pass")

    assert {result.id: (result.file, result.checks_file) for result in report.results} == {
        "case.yml::lint": ("case.yml", False),
        "conftest.py::lint": ("", True),
        "counting.py::lint": ("", True),
        "test_a.py::lint": ("test_a.py", False),
        "test_a.py::test_a": ("test_a.py", False),
    }


def test_prose_around_a_doctest_is_no_part_of_it(tmp_path: Path) -> None:
    source = 'def f():\n    """{}\n\n    >>> f()\n    1\n    """\n    return 1'
    one = run_pytest(tmp_path, "--doctest-modules", counting=source.format("Old."))
    two = run_pytest(tmp_path, "--doctest-modules", counting=source.format("New words."))

    assert one.results[0].digest == two.results[0].digest


def test_a_module_of_the_project_cannot_stand_in_for_the_reporter(tmp_path: Path) -> None:
    forged = "def pytest_runtest_makereport(item, call): call.excinfo = None"

    report = run_pytest(tmp_path, dualgate_pytest_reporter=forged, test_a="def test_a(): assert 0")

    assert by_name(report)["test_a"].outcome == "failed"


@pytest.mark.parametrize("changed", ["test_a.py", "code_under_test.py"])
def test_a_compiled_file_in_the_tree_is_not_read(tmp_path: Path, changed: str) -> None:
    (tmp_path / "code_under_test.py").write_text("value = 0\n")
    (tmp_path / "test_a.py").write_text("import code_under_test\ndef test_a(): assert 0 or code_under_test.value\n")
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, env=PLAIN, capture_output=True)
    stamp = (tmp_path / changed).stat()
    (tmp_path / changed).write_text((tmp_path / changed).read_text().replace("0", "1"))
    os.utime(tmp_path / changed, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    assert len(list(tmp_path.glob("__pycache__/*.pyc"))) == 2
    assert by_name(run_pytest(tmp_path))["test_a"].outcome == "passed"


def test_no_tests_at_all_is_an_honest_answer(tmp_path: Path) -> None:
    report = run_pytest(tmp_path)

    assert (report.trusted, report.results, report.exit_code) == (True, (), 5)


def test_tests_spread_over_processes_are_all_told(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, *WORKERS, test_all=EVERY_OUTCOME)

    assert report.trusted
    assert report.counts.total == 11
    assert by_name(report)["test_fails"].digest


def test_nothing_is_written_into_the_project(tmp_path: Path) -> None:
    run_pytest(tmp_path, test_a="def test_a(): pass")

    assert [path.name for path in tmp_path.iterdir()] == ["test_a.py"]


def test_a_hung_suite_ends_at_its_limit_with_what_was_told(tmp_path: Path) -> None:
    code = "import time\ndef test_a(): pass\ndef test_b(): time.sleep(600)"

    report = run_pytest(tmp_path, timeout=6, test_a=code)

    assert (report.complete, by_name(report)["test_a"].outcome) == (False, "passed")
    assert report.problems == ("the test run did not end by itself: timed_out while test_a.py::test_b was running",)


CRASHES = {"exit": "import os; os._exit(0)", "segfault": "import ctypes; ctypes.string_at(0)"}


@pytest.mark.parametrize("crash", CRASHES)
def test_a_crash_leaves_what_was_told(tmp_path: Path, crash: str) -> None:
    report = run_pytest(tmp_path, test_a=f"def test_a(): pass\ndef test_b(): {CRASHES[crash]}")

    assert (report.complete, [result.id for result in report.results]) == (False, ["test_a.py::test_a"])
    assert "while test_a.py::test_b was running" in report.problems[0]


def test_a_crashed_worker_fails_its_test_and_the_others_are_told(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, *WORKERS, test_a="import os\ndef test_a(): pass\ndef test_b(): os._exit(0)")

    assert (report.counts.passed, by_name(report)["test_b"].failed) == (1, True)


def test_a_flood_of_output_and_words_of_plug_ins_change_nothing(tmp_path: Path) -> None:
    conftest = "import sys\ndef pytest_runtest_logstart(): sys.__stdout__.write('1 failed')"
    code = "import os\ndef test_a():\n    for _ in range(100): os.write(1, b'x' * (1 << 20))\n"

    report = run_pytest(tmp_path, "-s", conftest=conftest, test_a=code)

    assert (report.problems, report.counts.passed) == ((), 1)


def test_names_in_any_script_are_told(tmp_path: Path) -> None:
    code = "import pytest\n@pytest.mark.parametrize('ž', ['日本', '\\ud800'])\ndef test_größe(ž): pass\n"

    report = run_pytest(tmp_path, test_ü=code)

    assert (report.problems, report.counts.passed) == ((), 2)
    assert all(result.id.startswith("test_ü.py::test_größe[") for result in report.results)


def test_a_failure_is_told_with_its_place_and_a_pass_with_that_of_its_definition(tmp_path: Path) -> None:
    code = "import pytest\n\n@pytest.mark.usefixtures()\ndef test_a(): pass\n\ndef test_b():\n\n    assert 0\n"

    results = by_name(run_pytest(tmp_path, test_a=code))

    assert (results["test_a"].line, results["test_b"].line) == (4, 8)


def test_the_subtests_of_a_test_decide_with_it(tmp_path: Path) -> None:
    code = "def test_a(subtests):\n    for i in range(3):\n        with subtests.test(i=i): assert i != 1\n"

    (result,) = run_pytest(tmp_path, test_a=code).results

    assert (result.outcome, result.message) == ("failed", "[i=1] assert 1 != 1")


def test_a_test_case_of_unittest_is_told_as_any_other(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path,
        test_a="import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self): self.fail('no')\n"
        "    @unittest.expectedFailure\n    def test_b(self): self.fail()\n    def test_c(self): pass\n"
        "    @unittest.skip('later')\n    def test_d(self): pass\n",
    )

    assert report.problems == ()
    assert [str(result.outcome) for result in report.results] == ["failed", "xfailed", "passed", "skipped"]


def test_what_runs_the_tests_has_a_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = run_pytest(tmp_path, test_a="def test_a(): pass")
    one = report.environment
    assert report.tools == (f"cpython {platform.python_version()}", f"pytest {pytest.__version__}")
    assert len(report.output_hash) == 64
    two = run_pytest(tmp_path, test_a="def test_a(): assert 1", conftest="x = 1").environment
    monkeypatch.setenv("PYTEST_ADDOPTS", "--strict-markers")
    three = run_pytest(tmp_path).environment

    assert one == two
    assert one != three
    assert one.startswith("cpython 3")


def installed(site: Path, project: Path, loads: str) -> None:
    """What an editable install leaves in the folder of packages."""
    metadata = site / "shop-0.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "direct_url.json").write_text(f'{{"dir_info": {{"editable": true}}, "url": "file://{project}"}}')
    (metadata / "RECORD").write_text("_shop.pth,,\nshop-0.1.dist-info/RECORD,,\n")
    (site / "_shop.pth").write_text(loads)


def test_the_project_itself_may_be_installed_and_built_in_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, site = tmp_path / "project", tmp_path / "site"
    (project / "src").mkdir(parents=True)
    site.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(site))
    before = run_pytest(project, test_a="def test_a(): pass").environment
    (project / "shop.egg-info").mkdir()
    installed(site, project, f"{project / 'src'}\n")

    assert run_pytest(project).environment == before


@pytest.mark.parametrize("loads", ["import helpful_things\n", "/somewhere/else\n"])
def test_an_install_of_the_project_that_loads_something_else_changes_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: str
) -> None:
    project, site = tmp_path / "project", tmp_path / "site"
    project.mkdir()
    site.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(site))
    before = run_pytest(project, test_a="def test_a(): pass").environment
    installed(site, project, loads)

    assert run_pytest(project).environment != before


def test_workers_have_the_same_fingerprint_each_time(tmp_path: Path) -> None:
    reports = [run_pytest(tmp_path, *WORKERS, test_a="def test_a(): pass") for _ in range(2)]

    assert reports[0].environment == reports[1].environment
    assert reports[0].configuration == reports[1].configuration


def test_the_effective_configuration_is_told(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\naddopts = --import-mode=append\ntestpaths = .\n")

    told = run_pytest(tmp_path, "-p", "mine", mine="", conftest="", test_a="def test_a(): pass").configuration

    assert {
        ("rootdir", "."),
        ("inifile", "setup.cfg"),
        ("ini testpaths", "."),
        ("option importmode", "append"),
        ("conftest", "conftest.py"),
        ("plug-in", "mine mine.py"),
        ("path", "."),
    } <= set(told)


SHUFFLING = """
def pytest_addoption(parser):
    parser.addoption("--randomly-seed", dest="randomly_seed", default="default")

def pytest_configure(config):
    config.option.randomly_seed = 17
"""


def test_a_seed_that_a_plug_in_draws_for_each_run_is_no_configuration(tmp_path: Path) -> None:
    told = run_pytest(tmp_path, conftest=SHUFFLING, test_a="def test_a(): pass").configuration

    assert [key for key, _ in told if "seed" in key] == []


def test_a_file_without_settings_of_pytest_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')

    assert ("inifile", "") in run_pytest(tmp_path, test_a="def test_a(): pass").configuration


def test_the_reporter_makes_no_warning_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")

    assert run_pytest(tmp_path, test_a="def test_a(): pass\n").trusted


def test_progress_is_told_while_the_tests_run(tmp_path: Path) -> None:
    seen: list[Activity] = []
    code = "import time\ndef test_a(): pass\ndef test_b(): time.sleep(1)\ndef test_c(): pass\n"
    (tmp_path / "test_a.py").write_text(code)

    a_runner((sys.executable, "-m", "pytest"), tmp_path).run(replace(a_control(), on_activity=seen.append))

    told = [(activity.text, activity.done, activity.total) for activity in seen if activity.source == "tests"]
    assert ("test_a.py::test_b", 1, 3) in told
    assert told[-1][1:] == (3, 3)


def test_an_interpreter_without_pytest_says_so(tmp_path: Path) -> None:
    runner = a_runner((sys.executable, "-S", "-m", "pytest"), tmp_path)

    (problem,) = runner.run(a_control()).problems

    assert "gave no pytest report (exit code 1)" in problem
    assert f"pytest is not installed in {sys.executable}" in problem


FAILS_AT_THE_END = (
    "def pytest_sessionfinish(session): session.exitstatus = 1\n\ndef pytest_unconfigure(): print('too slow')"
)


def test_a_run_that_fails_without_a_failed_test_is_explained_with_its_last_words(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, conftest=FAILS_AT_THE_END, test_a="def test_a(): pass\n")

    assert len(report.problems) == 1
    assert report.problems[0].startswith("exit code 1 contradicts the report, in which no tests failed: ")
    assert "too slow" in report.problems[0]


COVERING = ("-p", "pytest_cov", "--cov=a", "--cov-fail-under=100")
COVERED, TESTS_OF_IT = "def f():\n    return 1\n", "import a\n\ndef test_a(): a.f()\ndef test_b(): pass\n"


@pytest.mark.parametrize("words", [(), WORKERS], ids=["alone", "workers"])
def test_some_tests_need_not_cover_what_all_must(tmp_path: Path, words: tuple[str, ...]) -> None:
    some = run_pytest(tmp_path, *COVERING, *words, only=("test_a.py::test_b",), a=COVERED, test_a=TESTS_OF_IT)
    bare = run_pytest(tmp_path, *COVERING, *words, a=COVERED, test_a=TESTS_OF_IT.replace("a.f()", "pass"))

    assert (some.problems, [case.outcome for case in some.results]) == ((), [CaseOutcome.PASSED])
    assert bare.problems == (f"{COVERAGE_TOO_LOW}: 50.00 % of 100 % (--no-cov turns the threshold off)",)


def test_code_of_the_project_cannot_excuse_a_failed_run_with_its_coverage(tmp_path: Path) -> None:
    (tmp_path / "pytest_cov").mkdir()
    (tmp_path / "pytest_cov" / "__init__.py").touch()
    (tmp_path / "pytest_cov" / "plugin.py").write_text(
        "from types import SimpleNamespace\n\nclass Plugin:\n    cov_total = 1\n"
        "    options = SimpleNamespace(cov_fail_under=2)\n"
    )
    forged = "import pytest_cov.plugin\n\ndef pytest_configure(config):\n    manager = config.pluginmanager\n"
    forged += "    manager.unregister(name='_cov')\n    manager.register(pytest_cov.plugin.Plugin(), '_cov')\n\n"

    report = run_pytest(
        tmp_path, only=("test_a.py::test_a",), conftest=forged + FAILS_AT_THE_END, test_a="def test_a(): pass\n"
    )

    assert report.problems[0].startswith("exit code 1 contradicts the report")
