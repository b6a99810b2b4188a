from pathlib import Path

import pytest

from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import Suite
from dualgate.workspace.steering.commands import read_called, read_checked, read_suites

PACKAGE = '{"scripts": {"test": "make unit && node scripts/run.js", "lint": "sh lint.sh"}}'
MAKEFILE = "unit:\n\tsh tools/unit.sh\n\ndeploy:\n\tsh deploy.sh\n"
FILES = {
    "package.json": PACKAGE,
    "Makefile": MAKEFILE,
    "tools/unit.sh": "pytest src/app.py\n",
    "scripts/run.js": "x",
    "deploy.sh": "x",
    "lint.sh": "x",
    "src/app.py": "x",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_command_is_followed_through_scripts_and_targets(project: Path) -> None:
    called = read_called(project, ("npm", "test"))

    assert called.files == {"Makefile", "makefile", "GNUmakefile", "tools/unit.sh", "scripts/run.js"}
    assert {"npm", "test", "make", "unit"} <= called.words
    assert "deploy" not in called.words


def test_a_command_that_calls_nothing_of_the_project_calls_nothing(project: Path) -> None:
    assert read_called(project, ("pytest",)).files == frozenset()


TOOLED = {
    "tools/check.py": "import sys\n",
    "tools/check.sh": "python src/app.py\n",
    "tools/check": "#!/bin/sh\npytest\n",
    "src/app.py": "x = 1\n",
    "app.py": "x = 1\n",
    "proj/plugin.py": "x = 1\n",
    "conf/jest.js": "x",
    "ci.ini": "[pytest]\n",
    "suite.lua": "x",
    "tests/test_app.py": "x = 1\n",
    "README.md": ">>> 1\n",
    "noxfile.py": "x = 1\n",
    "Makefile": "check:\n\tpython -m tools.check\n\tpython -m app --version\n\tpython -m runtests\n",
    "runtests.py": "",
    "justfile": "check:\n  @./tools/check src/app.py\n",
    "package.json": '{"scripts": {"check": "CI=1 node tools/check.js src/app.js"}}',
    "tools/check.js": "x",
    "src/app.js": "x",
    "app/__init__.py": "",
    "app/__main__.py": "",
    "tox.ini": "[testenv]\ncommands = python tools/check.py {posargs}\n",
}
MAKEFILES = {"Makefile", "makefile", "GNUmakefile"}


@pytest.fixture
def tooled(tmp_path: Path) -> Path:
    for name, text in TOOLED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


WRAPPED = [
    ("python tools/check.py", {"tools/check.py"}),
    ("python -m tools.check", {"tools/check.py"}),
    ("python3.12 -W error -m tools.check src", {"tools/check.py"}),
    ("bash -c 'python tools/check.py'", {"tools/check.py"}),
    ('sh -c "true && python -m tools.check"', {"tools/check.py"}),
    ("env X=1 python tools/check.py", {"tools/check.py"}),
    ("X=1 ./tools/check src/app.py", {"tools/check"}),
    ("tools/check", {"tools/check"}),
    ("timeout 60 tools/check", {"tools/check"}),
    ("xvfb-run -a ./tools/check", {"tools/check"}),
    ("docker compose run app python tools/check.py", {"tools/check.py"}),
    ("uv run --with x python tools/check.py", {"tools/check.py"}),
    ("uv run tools/check.py", {"tools/check.py"}),
    ("uv run -m tools.check", {"tools/check.py"}),
    ("poetry run python -m tools.check", {"tools/check.py"}),
    ("coverage run --source src tools/check.py", {"tools/check.py"}),
    ("python tools/check.py | tee log", {"tools/check.py"}),
    ("true && python tools/check.py", {"tools/check.py"}),
    ("(cd tools; python check.py)", {"tools/check.py"}),
    ("just check", {"tools/check", "justfile", "Justfile", ".justfile"}),
    ("npm run check", {"tools/check.js"}),
    ("tox -e py", {"tools/check.py"}),
    ("nox -s tests", {"noxfile.py"}),
]


@pytest.mark.parametrize(("command", "files"), WRAPPED)
def test_the_scripts_of_test_commands_and_of_checks_are_the_same(tooled: Path, command: str, files: set[str]) -> None:
    assert read_called(tooled, split_command(command)).files == files
    assert read_checked(tooled, [command]).files == files


ARGUMENTS = [
    ("pytest --cov=app tests", set()),
    ("pytest --cov app tests/test_app.py", set()),
    ("pytest -k app --doctest-modules app.py src/app.py README.md", set()),
    ("python -m pytest src", set()),
    ("python -m unittest app tests.test_app", set()),
    ("npx jest src/app.js", set()),
    ("make check FILE=src/app.py", {"tools/check.py", "runtests.py", *MAKEFILES}),
    ("tools/check.sh", {"tools/check.sh", "src/app.py"}),  # what a script executes is no argument
    ("python -m app", {"app.py", "app/__main__.py"}),
    ("pytest -p proj.plugin", {"proj/plugin.py"}),
    ("pytest -c ci.ini", {"ci.ini"}),
    ("jest --config=conf/jest.js", {"conf/jest.js"}),
    ("PYTEST_PLUGINS=proj.plugin pytest", {"proj/plugin.py"}),
    ("lua suite.lua", {"suite.lua"}),
]


@pytest.mark.parametrize(("command", "files"), ARGUMENTS)
def test_sources_and_tests_that_a_test_command_only_names_are_the_work(
    tooled: Path, command: str, files: set[str]
) -> None:
    assert read_called(tooled, split_command(command)).files == files


def test_the_commands_of_a_suite_are_followed_from_its_folder(tooled: Path) -> None:
    suite = Suite(name="x", runner="pytest", command=("./check",), folder="tools", setup=("python", "check.py"))

    assert read_suites(tooled, [suite]).files == {"tools/check", "tools/check.py"}
