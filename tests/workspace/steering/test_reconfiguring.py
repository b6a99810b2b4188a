# ruff: noqa: E501
"""Edits of configuration after RED: which no run reads, which runs can weigh, and which stay a person's."""

import pytest

from dualgate.core.values.configuring import Reach
from dualgate.workspace.steering.commands import Called
from dualgate.workspace.steering.reconfiguring import reach_of

PYTEST = Called(words=frozenset({"python", "-m", "pytest"}))
TOX = Called(words=frozenset({"tox", "-e", "py"}))
NPM = Called(words=frozenset({"npm", "test"}))
PROJECT = "[project]\nname = 'x'\n"
TOX_INI = "[tox]\nenvlist = py311\n[testenv]\ncommands = pytest\ndeps = pytest\n"

HONEST: list[tuple[str, str, str | None, str | None, Called, Reach]] = [
    ("first import path", "pyproject.toml", PROJECT, "[tool.pytest.ini_options]\npythonpath = ['src']\n", PYTEST, Reach.REPORTED),
    ("a first pytest.ini", "pytest.ini", None, "[pytest]\ntestpaths = tests\nmarkers =\n    slow: takes long\n", PYTEST, Reach.REPORTED),
    ("a marker", "pytest.ini", "[pytest]\nmarkers =\n  a\n", "[pytest]\nmarkers =\n  a\n  b: new\n", PYTEST, Reach.REPORTED),
    ("a pytest.toml", "pytest.toml", None, "[pytest]\nminversion = '8'\n", PYTEST, Reach.REPORTED),
    ("pytest in setup.cfg", "setup.cfg", "[metadata]\nname = x\n", "[metadata]\nname = x\n[tool:pytest]\nminversion = 7\n", PYTEST, Reach.REPORTED),
    ("pytest in tox.ini", "tox.ini", TOX_INI, f"{TOX_INI}[pytest]\nmarkers = slow\n", PYTEST, Reach.REPORTED),
    ("the option of a plug-in", "pyproject.toml", PROJECT, "[tool.pytest.ini_options]\nasyncio_mode = 'auto'\n", PYTEST, Reach.REPORTED),
    ("a first conftest for the import path", "conftest.py", None, "import sys\nsys.path.insert(0, 'src')\n", PYTEST, Reach.REPORTED),
    ("a first conftest without anything", "conftest.py", None, "", PYTEST, Reach.REPORTED),
    ("a first conftest with a fixture", "tests/conftest.py", None, "import pytest\n@pytest.fixture\ndef full(): return [9]\n", PYTEST, Reach.COMPARED),
    ("a tox environment beside pytest", "tox.ini", TOX_INI, TOX_INI.replace("py311", "py311,py312"), PYTEST, Reach.UNREAD),
    ("the commands of tox beside pytest", "tox.ini", TOX_INI, f"{TOX_INI}[testenv:docs]\ncommands = mkdocs build\n", PYTEST, Reach.UNREAD),
    ("a tox environment under tox", "tox.ini", TOX_INI, TOX_INI.replace("py311", "py311,py312"), TOX, Reach.COMPARED),
    ("a new environment under tox", "tox.ini", TOX_INI, f"{TOX_INI}[testenv:docs]\ncommands = mkdocs build\n", TOX, Reach.COMPARED),
    ("tool.tox", "pyproject.toml", PROJECT, f"{PROJECT}[tool.tox]\nenv_list = ['3.12']\n", PYTEST, Reach.UNREAD),
    ("tox.toml", "tox.toml", None, "env_list = ['3.12']\n[env.lint]\ncommands = [['ruff']]\n", PYTEST, Reach.UNREAD),
    ("hatch environments", "pyproject.toml", PROJECT, f"{PROJECT}[tool.hatch.envs.docs]\nscripts.build = 'mkdocs'\n", PYTEST, Reach.UNREAD),
    ("tasks of poe beside pytest", "pyproject.toml", PROJECT, f"{PROJECT}[tool.poe.tasks]\ntest = 'pytest'\n", PYTEST, Reach.UNREAD),
    ("a session of nox", "noxfile.py", None, "import nox\n", PYTEST, Reach.UNREAD),
    ("a workflow", ".github/workflows/ci.yml", "on: push\n", "on: [push, pull_request]\n", PYTEST, Reach.UNREAD),
    ("a pipeline", ".gitlab-ci.yml", None, "test:\n  script: pytest\n", PYTEST, Reach.UNREAD),
    ("a first limit of coverage", "pyproject.toml", PROJECT, f"{PROJECT}[tool.coverage.report]\nfail_under = 80\n", PYTEST, Reach.COMPARED),
    ("a higher limit of coverage", ".coveragerc", "[report]\nfail_under = 80\n", "[report]\nfail_under = 90\n", PYTEST, Reach.COMPARED),
    ("coverage of processes", "pyproject.toml", PROJECT, f"{PROJECT}[tool.coverage.run]\npatch = ['subprocess']\n", PYTEST, Reach.COMPARED),
    ("a script to watch tests", "package.json", '{"scripts": {"test": "vitest"}}', '{"scripts": {"test": "vitest", "test:watch": "vitest -w"}}', NPM, Reach.UNREAD),
    ("a first test script beside node", "package.json", None, '{"scripts": {"test": "node --test"}}', PYTEST, Reach.UNREAD),
    ("an environment of jest", "package.json", "{}", '{"jest": {"testEnvironment": "jsdom"}}', NPM, Reach.COMPARED),
    ("a first vitest.config", "vitest.config.ts", None, "import { defineConfig } from 'vitest/config'\nexport default defineConfig({ test: { globals: true } })\n", NPM, Reach.COMPARED),
    ("a plug-in of vite", "vite.config.ts", None, "import { defineConfig } from 'vite'\nimport react from '@vitejs/plugin-react'\nexport default defineConfig({ plugins: [react()], test: { environment: 'jsdom' } })\n", NPM, Reach.COMPARED),
    ("variables of tests", ".env.test", None, "DATABASE_URL=sqlite://\n", NPM, Reach.COMPARED),
    ("pytest.ini that the command names", "pytest.ini", "[pytest]\n", "[pytest]\nmarkers = slow\n", Called(files=frozenset({"pytest.ini"})), Reach.REPORTED),
    ("a deleted pipeline", ".travis.yml", "script: pytest\n", None, PYTEST, Reach.UNREAD),
    ("a deleted tox.ini beside pytest", "tox.ini", TOX_INI, None, PYTEST, Reach.UNREAD),
    ("a deleted tox.ini with settings of pytest", "tox.ini", f"{TOX_INI}[pytest]\nmarkers = slow\n", None, PYTEST, Reach.REPORTED),
    ("a deleted pytest.ini", "pytest.ini", "[pytest]\nmarkers = slow\n", None, PYTEST, Reach.REPORTED),
    ("a deleted noxfile beside pytest", "noxfile.py", "import nox\n", None, PYTEST, Reach.UNREAD),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "before", "after", "called", "reach"), [pytest.param(*row[1:], id=row[0]) for row in HONEST]
)
def test_an_honest_edit_of_configuration_can_be_weighed(
    path: str, before: str | None, after: str | None, called: Called, reach: Reach
) -> None:
    was, now = (None if text is None else text.encode() for text in (before, after))

    found = reach_of(path, was, now, called)

    assert found is not None
    assert found.reach is reach


PERSONS: list[tuple[str, str, str | None, str | None, Called]] = [
    ("conftest", "conftest.py", None, "[pytest]\n", PYTEST),
    ("conftest as an ini file", "tests/conftest.py", "", "[pytest]\nmarkers = 1\n", PYTEST),
    ("a first conftest with a hook", "conftest.py", None, "def pytest_runtest_call(item): pass\n", PYTEST),
    ("a first conftest with a fixture for all", "conftest.py", None, "import pytest\n@pytest.fixture(autouse=True)\ndef lax(): pass\n", PYTEST),
    ("a first conftest that runs something", "conftest.py", None, "import shop\nshop.price = None\n", PYTEST),
    ("another import path of a conftest", "conftest.py", "import sys\n", "import sys\nsys.path.insert(0, 'src')\n", PYTEST),
    ("sitecustomize", "sitecustomize.py", None, "import sys\n", PYTEST),
    ("a .pth file", "x.pth", None, "import evil\n", PYTEST),
    ("a deleted tox.ini under tox", "tox.ini", TOX_INI, None, TOX),
    ("a deleted noxfile under nox", "noxfile.py", "import nox\n", None, Called(words=frozenset({"nox"}))),
    ("a deleted limit of coverage", ".coveragerc", "[report]\nfail_under = 90\n", None, PYTEST),
    ("a deleted conftest", "conftest.py", "import pytest\n", None, PYTEST),
    ("a deleted package.json", "package.json", '{"scripts": {"test": "vitest"}}', None, NPM),
    ("a deleted vitest.config", "vitest.config.ts", "export default { test: { globals: true } }", None, NPM),
    ("a deleted script that the command runs", ".github/workflows/test.sh", "pytest\n", None, Called(files=frozenset({".github/workflows/test.sh"}))),
    ("a plug-in by entry point", "pyproject.toml", PROJECT, f"{PROJECT}[project.entry-points.pytest11]\nx = 'x'\n", PYTEST),
    ("a plug-in beside a marker", "pyproject.toml", PROJECT, f"{PROJECT}[project.entry-points.pytest11]\nx = 'x'\n[tool.pytest.ini_options]\nmarkers = ['a']\n", PYTEST),
    ("a plug-in of setup.cfg", "setup.cfg", None, "[options.entry_points]\npytest11 =\n  x = x\n", PYTEST),
    ("settings of dualgate", "pyproject.toml", PROJECT, f"{PROJECT}[tool.dualgate]\ntest_command = ['true']\n", PYTEST),
    ("commands of tox", "tox.ini", TOX_INI, TOX_INI.replace("= pytest\n", "= pytest -k no\n", 1), TOX),
    ("the environment that is entered", "tox.ini", TOX_INI, f"{TOX_INI}[testenv:py]\ncommands = true\n", TOX),
    ("variables of tox", "tox.ini", TOX_INI, f"{TOX_INI}setenv =\n  PYTEST_ADDOPTS = -k no\n", TOX),
    ("the base of tox.toml", "tox.toml", "env_list = ['py']\n", "env_list = ['py']\n[env_run_base]\ncommands = [['true']]\n", TOX),
    ("the default of hatch", "pyproject.toml", PROJECT, f"{PROJECT}[tool.hatch.envs.default.scripts]\ntest = 'true'\n", Called(words=frozenset({"hatch", "run", "test"}))),
    ("tasks of poe", "pyproject.toml", PROJECT, f"{PROJECT}[tool.poe.tasks]\ntest = 'true'\n", Called(words=frozenset({"poe", "test"}))),
    ("a session of nox under nox", "noxfile.py", "import nox\n", "", Called(words=frozenset({"nox"}))),
    ("a lower limit of coverage", ".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 50\n", PYTEST),
    ("no limit of coverage", "pyproject.toml", f"{PROJECT}[tool.coverage.report]\nfail_under = 80\n", PROJECT, PYTEST),
    ("a plug-in of coverage", ".coveragerc", None, "[run]\nplugins = evil\n", PYTEST),
    ("the test script", "package.json", '{"scripts": {"test": "vitest"}}', '{"scripts": {"test": "true"}}', NPM),
    ("what runs before the test script", "package.json", '{"scripts": {"test": "vitest"}}', '{"scripts": {"test": "vitest", "pretest": "node rig.js"}}', NPM),
    ("a set-up of jest", "package.json", "{}", '{"jest": {"setupFiles": ["./rig.js"]}}', NPM),
    ("a local environment of jest", "package.json", "{}", '{"jest": {"testEnvironment": "./rig.js"}}', NPM),
    ("left out by jest", "package.json", "{}", '{"jest": {"testPathIgnorePatterns": ["new"]}}', NPM),
    ("modules replaced in jest", "package.json", "{}", '{"jest": {"moduleNameMapper": {"app": "x"}}}', NPM),
    ("a removed key of jest", "package.json", '{"jest": {"errorOnDeprecated": true}}', '{"jest": {}}', NPM),
    ("a vitest.config that decides", "vitest.config.ts", None, "export default { test: { globals: process.env.X } }", NPM),
    ("a vitest.config with own code", "vitest.config.ts", None, "import rig from './rig'\nexport default rig", NPM),
    ("a vitest.config without tests", "vitest.config.ts", None, "export default { test: { passWithNoTests: true } }", NPM),
    ("retries in vitest", "vitest.config.ts", None, "export default { test: { retry: 9 } }", NPM),
    ("a workflow that the command runs", ".github/workflows/test.sh", "pytest\n", "true\n", Called(files=frozenset({".github/workflows/test.sh"}))),
    ("broken TOML", "pyproject.toml", PROJECT, "[tool.pytest\n", PYTEST),
    ("broken JSON", "package.json", "{}", "{", NPM),
    ("broken bytes", "pytest.toml", None, "\udcff", PYTEST),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after", "called"), [pytest.param(*row[1:], id=row[0]) for row in PERSONS])
def test_what_loads_code_or_is_the_command_itself_stays_a_persons(
    path: str, before: str | None, after: str | None, called: Called
) -> None:
    was, now = (None if text is None else text.encode("utf-8", "surrogateescape") for text in (before, after))

    assert reach_of(path, was, now, called) is None
