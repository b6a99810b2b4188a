"""Detection on the projects that there are: laid out in folders, found by looking."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from dualgate.core.values.suite import Suite
from dualgate.errors import SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import Find, assumed_suite, detect, detect_by_files, given_suite, require_suites
from dualgate.runners.suites import Suites
from dualgate.testing import a_control

BARE = "def test_x():\n    assert True\n"
UNITTEST = "import unittest\n\nclass T(unittest.TestCase):\n    def test_x(self): pass\n"


def lay_out(root: Path, *names: str) -> Path:
    """Files by their paths; those without a text are empty, or hold a test where they are test modules."""
    for name in names:
        path, _, text = name.partition("=")
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text or (BARE if "test_" in Path(path).name else ""))
    return root


def a_path(folder: Path, *programs: str, has_pytest: bool = True) -> dict[str, str]:
    """An environment in which there is nothing but a Python, and these programs."""
    (folder / "bin").mkdir()
    for name in ("python3", *programs):
        (folder / "bin" / name).write_text(f"#!/bin/sh\nexit {int(not has_pytest)}\n")
        (folder / "bin" / name).chmod(0o755)
    return {"PATH": str(folder / "bin")}


def found(root: Path, environment: dict[str, str]) -> dict[str, Suite]:
    return {suite.name: suite for suite in detect(root, environment).suites}


SIGNS = [
    (("pytest.ini",), "pytest is configured in pytest.ini"),
    (("pyproject.toml=[tool.pytest.ini_options]",), "pytest is configured in pyproject.toml"),
    (("setup.cfg=[tool:pytest]", "tests/test_a.py"), "pytest is configured in setup.cfg"),
    (("tox.ini=[pytest]",), "pytest is configured in tox.ini"),
    (("tests/conftest.py",), "there is a conftest.py"),
    (("requirements-dev.txt=pytest>=8",), "pytest is named in requirements-dev.txt"),
    (("pyproject.toml=dev = ['pytest']",), "pytest is named in pyproject.toml"),
    (("src/a.py", "tests/test_a.py"), "tests/test_a.py and other tests are pytest's"),
    (("a.py", "a_test.py=import pytest"), "a_test.py and other tests are pytest's"),
]


@pytest.mark.parametrize(("files", "reason"), SIGNS, ids=[files[0].partition("=")[0] for files, _ in SIGNS])
def test_pytest_is_found_by_what_speaks_for_it(tmp_path: Path, files: tuple[str, ...], reason: str) -> None:
    environment = a_path(tmp_path)

    suites = found(lay_out(tmp_path / "p", *files), environment)

    assert suites["pytest"].command == (str(tmp_path / "bin" / "python3"), "-m", "pytest")
    assert (suites["pytest"].reason, suites["pytest"].folder) == (f"{reason}; python3 is on the PATH", ".")
    assert len(suites) == 1


def test_tests_of_unittest_are_run_by_it_where_pytest_is_not_installed(tmp_path: Path) -> None:
    environment = a_path(tmp_path, has_pytest=False)

    (suite,) = found(lay_out(tmp_path / "p", f"tests/test_a.py={UNITTEST}"), environment).values()

    assert (suite.name, suite.runner) == ("unittest", "unittest")
    assert suite.command[1:] == ("-m", "unittest", "discover", "-s", "tests")


def test_tests_of_unittest_in_a_package_are_discovered_from_above(tmp_path: Path) -> None:
    project = lay_out(tmp_path / "p", f"tests/test_a.py={UNITTEST}", "tests/__init__.py")

    (suite,) = found(project, a_path(tmp_path, has_pytest=False)).values()

    assert suite.command[1:] == ("-m", "unittest", "discover")


def test_tests_of_unittest_are_run_by_pytest_where_it_is_installed(tmp_path: Path) -> None:
    suites = found(lay_out(tmp_path / "p", f"tests/test_a.py={UNITTEST}"), a_path(tmp_path))

    assert suites["pytest"].reason.startswith("the tests are unittest's, and pytest is installed")


@pytest.mark.parametrize("installed", [True, False])
def test_where_nothing_may_be_run_the_files_of_the_environment_tell_of_pytest(tmp_path: Path, installed: bool) -> None:
    project = lay_out(tmp_path / "p", f"tests/test_a.py={UNITTEST}", ".venv/bin/python=#!/bin/sh\ntouch RAN\n")
    (project / ".venv" / "bin" / "python").chmod(0o755)
    if installed:
        lay_out(project, ".venv/lib/python3.12/site-packages/pytest/__init__.py")

    (suite,) = detect_by_files(project, {}).suites

    assert (suite.name, list(project.rglob("RAN"))) == ("pytest" if installed else "unittest", [])


@pytest.mark.parametrize("find", [detect, detect_by_files])
def test_a_python_in_the_project_is_not_run_to_ask_for_pytest(tmp_path: Path, find: Find) -> None:
    made = ".venv/bin/python=#!/bin/sh\ntouch RAN\n"
    project = lay_out(tmp_path / "p", f"api/tests/test_a.py={UNITTEST}", "api/setup.py", f"api/{made}", made)
    for python in project.rglob("python"):
        python.chmod(0o755)

    (suite,) = find(project, {"VIRTUAL_ENV": str(project / ".venv")}).suites

    assert (suite.runner, list(project.rglob("RAN"))) == ("unittest", [])


MONOREPO = (
    "packages/api/pyproject.toml",
    "packages/api/tests/test_a.py",
    "packages/web/setup.cfg",
    "packages/web/test_w.py",
)


def test_each_part_with_a_project_file_and_tests_is_a_suite_named_by_its_folder(tmp_path: Path) -> None:
    suites = found(lay_out(tmp_path / "p", *MONOREPO, "docs/setup.py"), a_path(tmp_path))

    assert {name: suite.folder for name, suite in suites.items()} == {"api": "packages/api", "web": "packages/web"}


def test_parts_whose_folders_share_a_name_are_named_by_their_paths(tmp_path: Path) -> None:
    files = ("a/core/setup.py", "a/core/test_a.py", "b/core/setup.py", "b/core/test_b.py")

    assert set(found(lay_out(tmp_path / "p", *files), a_path(tmp_path))) == {"a/core", "b/core"}


COVERING = ["pytest.ini", "pytest.ini=[pytest]\ntestpaths = packages", "pytest.ini=[pytest]\ntestpaths = packages/*"]


@pytest.mark.parametrize("configuration", COVERING)
def test_a_configuration_of_the_root_that_covers_the_parts_wins(tmp_path: Path, configuration: str) -> None:
    suites = found(lay_out(tmp_path / "p", *MONOREPO, configuration), a_path(tmp_path))

    assert list(suites) == ["pytest"]


def test_parts_that_the_configuration_of_the_root_does_not_cover_are_suites_of_their_own(tmp_path: Path) -> None:
    configuration = "pyproject.toml=[tool.pytest.ini_options]\ntestpaths = ['tests', 'packages/api/tests']"

    suites = found(lay_out(tmp_path / "p", *MONOREPO, configuration, "tests/test_root.py"), a_path(tmp_path))

    assert set(suites) == {"pytest", "web"}
    assert suites["pytest"].command[1:] == ("-m", "pytest")


def test_the_roots_own_tests_are_run_without_those_of_the_parts(tmp_path: Path) -> None:
    suites = found(lay_out(tmp_path / "p", *MONOREPO, "tests/test_root.py", "conftest.py"), a_path(tmp_path))

    assert set(suites) == {"pytest", "api", "web"}
    assert suites["pytest"].command[1:] == ("-m", "pytest", "tests")


def test_a_root_that_only_names_pytest_for_its_parts_is_no_suite(tmp_path: Path) -> None:
    suites = found(lay_out(tmp_path / "p", *MONOREPO, "pyproject.toml=dev = ['pytest']"), a_path(tmp_path))

    assert set(suites) == {"api", "web"}


PASSED_OVER = [
    "tests/fixtures/sample/pyproject.toml",
    "node_modules/x/setup.py",
    ".venv/lib/setup.py",
    ".hidden/setup.py",
    "a/b/c/d/e/setup.py",
]


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_is_no_part_of_the_project_is_passed_over(tmp_path: Path, name: str) -> None:
    test = str(Path(name).parent / "test_sample.py")

    suites = found(lay_out(tmp_path / "p", name, test, "pytest.ini=[pytest]\ntestpaths = tests/unit"), a_path(tmp_path))

    assert list(suites) == ["pytest"]


def test_folders_that_lead_in_a_circle_or_cannot_be_read_do_no_harm(tmp_path: Path) -> None:
    project = lay_out(tmp_path / "p", "tests/test_a.py", "locked/x")
    (project / "tests" / "again").symlink_to(project)
    (project / "pyproject.toml").symlink_to(project / "nowhere")

    assert list(found(project, a_path(tmp_path))) == ["pytest"]


def test_tests_of_django_are_named_with_what_runs_them(tmp_path: Path) -> None:
    plan = detect(
        lay_out(tmp_path / "p", "manage.py", "app/tests.py=from django.test import TestCase"), a_path(tmp_path)
    )

    assert plan.suites == ()
    assert "--test-command 'python manage.py test' --runner unittest" in plan.notes[0]


def package(script: str) -> str:
    return "package.json=" + json.dumps({"scripts": {"test": script}})


HERE = 'export PATH="$PWD/node_modules/.bin:$PATH"; '
SCRIPTS = [
    ("node --test", "tap", "node --test --test-reporter=tap"),
    ("tsc && node --import tsx --test src", "tap", "tsc && node --import tsx --test --test-reporter=tap src"),
    (
        "jest --coverage",
        "junit",
        "export JEST_JUNIT_OUTPUT_FILE={report}; "
        "jest --ci --passWithNoTests --reporters=default --reporters=jest-junit --coverage",
    ),
    ("vitest run", "junit", "vitest --run --passWithNoTests --reporter=junit --outputFile={report}"),
    ("vitest", "junit", "vitest --run --passWithNoTests --reporter=junit --outputFile={report}"),
    ("mocha spec", "junit", "mocha --reporter xunit --reporter-option output={report} spec"),
    ("ava", "tap", "ava --tap"),
    ("tape tests/*.js", "tap", "tape tests/*.js"),
]
MODULES = [f"node_modules/{name}/package.json" for name in ("jest", "jest-junit", "vitest", "mocha", "ava", "tape")]


@pytest.mark.parametrize(("script", "runner", "command"), SCRIPTS, ids=[script for script, _, _ in SCRIPTS])
def test_test_scripts_are_given_the_flags_that_make_them_report(
    tmp_path: Path, script: str, runner: str, command: str
) -> None:
    (suite,) = found(lay_out(tmp_path / "p", package(script), *MODULES), a_path(tmp_path)).values()

    assert (suite.name, suite.runner) == (runner, runner)
    assert suite.command == ("/bin/sh", "-c", HERE + command)


NOT_SPOKEN = [
    ((package("jest"), "node_modules/jest/x"), "jest-junit is not installed, and jest needs it to report"),
    ((package("vitest"), "node_modules/x/y"), "vitest needs it to report; npm install --save-dev vitest"),
    ((package("vitest"),), "install them with: npm install, then: npm install --save-dev vitest"),
    ((package("vitest"), "package-lock.json"), "(node_modules is missing); install them with: npm ci"),
    ((package("vitest"), "pnpm-lock.yaml"), "install them with: pnpm install"),
    ((package("vitest"), "yarn.lock"), "install them with: yarn install"),
    ((package("react-scripts test"),), "how 'react-scripts test' reports is not known"),
    ((package("mocha --reporter dot"),), "how 'mocha --reporter dot' reports is not known"),
    (("Cargo.toml", "part/Cargo.toml"), "install Rust"),
    (("go.mod",), "install Go"),
    (("phpunit.xml",), "run composer install"),
    (("Gemfile=gem 'rspec'",), "add the gem rspec_junit_formatter"),
    (("Makefile=test: all\n",), "give --test-command 'make test' --runner NAME"),
]


@pytest.mark.parametrize(("files", "told"), NOT_SPOKEN, ids=[told for _, told in NOT_SPOKEN])
def test_what_cannot_be_read_is_said_with_what_would_make_it(tmp_path: Path, files: tuple[str, ...], told: str) -> None:
    environment = a_path(tmp_path)
    project = lay_out(tmp_path / "p", *files)

    (note,) = detect(project, environment).notes
    assert told in note
    with pytest.raises(SuiteUnusable, match="What was found: "):
        require_suites(detect(project, environment))


SPOKEN = [
    (
        (".config/nextest.toml=[profile.ci.junit]\npath = 'junit.xml'", "Cargo.toml"),
        ("cargo", "nextest", "run", "--no-fail-fast", "--profile", "ci"),
        "target/nextest/ci/*.xml",
    ),
    (("go.mod",), ("gotestsum", "--junitfile", "{report}", "--", "-count=1", "./..."), ""),
    (("phpunit.xml.dist", "vendor/bin/phpunit"), ("vendor/bin/phpunit", "--log-junit", "{report}"), ""),
    (
        ("Gemfile=gem 'rspec_junit_formatter'",),
        ("bundle", "exec", "rspec", "--format", "RspecJunitFormatter", "--out", "{report}"),
        "",
    ),
    (
        ("pom.xml", "part/pom.xml", "mvnw"),
        ("./mvnw", "--batch-mode", "--fail-at-end", "test"),
        "**/target/surefire-reports/TEST-*.xml",
    ),
    (
        ("build.gradle.kts",),
        ("gradle", "--continue", "cleanTest", "test"),
        "**/build/test-results/test/*.xml",
    ),
]


@pytest.mark.parametrize(("files", "command", "report"), SPOKEN, ids=[command[0] for _, command, _ in SPOKEN])
def test_other_languages_are_run_where_they_can_write_a_report(
    tmp_path: Path, files: tuple[str, ...], command: tuple[str, ...], report: str
) -> None:
    (suite,) = found(lay_out(tmp_path / "p", *files), a_path(tmp_path, "gotestsum")).values()

    assert (suite.command, suite.runner, suite.report) == (command, "junit", report)


@pytest.mark.parametrize(
    ("sign", "command"), [("go.mod", "go test -json -count=1 ./..."), ("Cargo.toml", "cargo test --no-fail-fast")]
)
def test_go_and_rust_are_run_by_their_own_tools_where_nothing_else_is_there(
    tmp_path: Path, sign: str, command: str
) -> None:
    program = command.split()[0]

    (suite,) = found(lay_out(tmp_path / "p", sign), a_path(tmp_path, program)).values()

    assert (" ".join(suite.command), suite.runner) == (command, program)


def test_a_script_that_is_no_test_and_a_file_that_is_no_json_are_nothing(tmp_path: Path) -> None:
    broken = lay_out(tmp_path / "p", "package.json={", 'a/package.json={"scripts": []}')
    lay_out(broken, "b/" + package('echo "Error: no test specified" && exit 1'))

    plan = detect(broken, a_path(tmp_path))

    assert (plan.suites, plan.notes) == ((), ())
    with pytest.raises(SuiteUnusable, match=r"No tests were found that can be run\.\nGive --test-command"):
        require_suites(detect(broken, {}))


def test_suites_of_one_runner_in_one_folder_are_numbered(tmp_path: Path) -> None:
    project = lay_out(tmp_path / "p", package("mocha"), "node_modules/mocha/x", "pom.xml", "tests/test_a.py")

    assert list(found(project, a_path(tmp_path))) == ["pytest", "junit", "junit-2"]


COMMANDS = [
    ("uv run pytest -q", "pytest", "", "given; pytest, from the words of the command"),
    ("pytest --junitxml=out.xml", "pytest", "", "given; pytest, from the words of the command"),
    ("python -m unittest", "unittest", "", "given; unittest, from the words of the command"),
    (
        "vendor/bin/phpunit --log-junit build/out.xml",
        "junit",
        "build/out.xml",
        "given; junit, from the words of the command",
    ),
    ("gotestsum --junitfile {report}", "junit", "", "given; junit, from the words of the command"),
    ("node --test --test-reporter=tap", "tap", "", "given; tap, from the words of the command"),
    ("ava --tap", "tap", "", "given; tap, from the words of the command"),
    ("go test ./...", "go", "", "given; go, from the words of the command"),
    ("cargo +nightly test", "cargo", "", "given; cargo, from the words of the command"),
    ("cargo test -q", "pytest", "", "given; unknown command, with the pytest reporter loaded"),
    ("make test", "pytest", "", "given; unknown command, with the pytest reporter loaded"),
]


@pytest.mark.parametrize(("command", "runner", "report", "reason"), COMMANDS, ids=[case[0] for case in COMMANDS])
def test_a_given_command_is_one_suite_whose_runner_is_guessed(
    command: str, runner: str, report: str, reason: str
) -> None:
    suite = given_suite(command)

    assert (suite.name, suite.runner, suite.report, suite.reason) == (runner, runner, report, reason)
    assert " ".join(suite.command) == command


def test_a_given_runner_wins() -> None:
    suite = given_suite("make test", "tap")

    assert (suite.name, suite.runner, suite.command, suite.reason) == ("tap", "tap", ("make", "test"), "given")


def test_for_a_project_without_tests_pytest_is_assumed(tmp_path: Path) -> None:
    assert assumed_suite(tmp_path, a_path(tmp_path)).command[1:] == ("-m", "pytest")


def test_a_project_of_two_parts_runs_as_it_was_found(tmp_path: Path) -> None:
    project = lay_out(tmp_path / "p", *MONOREPO)
    for place in (project / "packages").iterdir():
        (place / "conftest.py").touch()
    (project / ".venv" / "bin").mkdir(parents=True)
    script = project / ".venv" / "bin" / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)

    report = Suites(
        suites=detect(project, {}).suites, project=project, supervisor=Supervisor(os.environ), state=tmp_path / "state"
    ).run(a_control())

    assert (report.problems, report.counts.passed) == ((), 2)
    assert {result.file for result in report.results} == {"packages/api/tests/test_a.py", "packages/web/test_w.py"}


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_tests_of_node_run_as_they_were_found(tmp_path: Path) -> None:
    module = "import test from 'node:test';\ntest('adds', () => {});\n"
    project = lay_out(tmp_path / "p", package("node --test"), f"a.test.mjs={module}")
    suites = detect(project, {"PATH": ""}).suites

    report = Suites(suites=suites, project=project, supervisor=Supervisor(os.environ), state=tmp_path / "state").run(
        a_control()
    )

    assert (report.problems, report.counts.passed) == ((), 1)


def test_tests_of_unittest_run_as_they_were_found(tmp_path: Path) -> None:
    project = lay_out(tmp_path / "p", f"tests/test_a.py={UNITTEST}")
    (suite,) = found(project, a_path(tmp_path, has_pytest=False)).values()
    real = Suite(name=suite.name, runner=suite.runner, command=(sys.executable, *suite.command[1:]))

    report = Suites(suites=(real,), project=project, supervisor=Supervisor(os.environ), state=tmp_path / "state").run(
        a_control()
    )

    assert (report.problems, report.counts.passed) == ((), 1)
