"""Python: tests are run by pytest if anything suggests it or it is installed, else by unittest."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from dualgate.core.values.suite import FailureKind, Stack, Suite
from dualgate.languages.base import Found, Language, words
from dualgate.languages.interpreter import ENVIRONMENT_FOLDERS, choose_python
from dualgate.languages.parts import Part, read_text

SIGNS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini")
# file -> the section that configures pytest; empty if the whole file does
CONFIGURATIONS = {
    "pytest.toml": "",
    ".pytest.toml": "",
    "pytest.ini": "",
    ".pytest.ini": "",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
NAMES_PACKAGES = re.compile(r"pyproject\.toml|setup\.(py|cfg)|Pipfile|(.*-)?requirements.*\.txt")
NAMES_PYTEST = re.compile(r"(?<![\w./-])pytest(?![\w/])")
FOR_PYTEST = re.compile(r"^\s*(import|from)\s+pytest\b|^(async )?def test_", re.MULTILINE)
FOR_UNITTEST = re.compile(r"^\s*(import|from)\s+unittest\b", re.MULTILINE)
LIBRARY = sys.stdlib_module_names
"""The modules of the standard library."""
MODULES_READ = 50
ASK_SECONDS = 60
TEST_MODULE = re.compile(r"(?:test_.*|.*_test|tests?)\.py")
IS_INSTALLED = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"
# a project's module with such a name may be imported in place of the runner or a part of it
RUNNER_MODULES = frozenset({"_pytest", "pluggy", "iniconfig", "unittest", "doctest", "hypothesis", "nose2", "ward"})
MODULE_ENDINGS = frozenset({".py", ".so", ".pyc", ".pyd"})
SOURCE_FOLDERS = frozenset({"src", "lib", "python"})


def find(parts: Sequence[Part]) -> Found:
    """The suites, and notes on tests that cannot be run. Parts that the root's configuration covers are merged."""
    root, *members = parts
    covered = _coverage(root)
    own = [part for part in members if not _is_covered(part, covered)]
    found = [found for part in own if _modules(part) for found in _suite(part)]
    whole = replace(root, folders=tuple(folder for part in parts if part not in own for folder in part.folders))
    for suite in _suite(whole):
        yield from _apart(suite, whole) if isinstance(suite, Suite) and found and not covered else [suite]
    yield from found


def _modules(part: Part) -> list[PurePosixPath]:
    return part.matching(TEST_MODULE)


def _coverage(root: Part) -> list[str]:
    """Patterns of the folders that pytest searches by the root's configuration; empty without a configuration."""
    name = configured_in(root)
    return (_testpaths(root, name) or ["."]) if name else []


def _is_covered(part: Part, patterns: Sequence[str]) -> bool:
    return bool(patterns) and all(_is_under(module, patterns) for module in _modules(part))


def _is_under(module: PurePosixPath, patterns: Sequence[str]) -> bool:
    places = [module.as_posix(), *(parent.as_posix() for parent in module.parents)]
    return any(fnmatch(place, pattern) for place in places for pattern in patterns)


def _suite(part: Part) -> Found:
    modules = _modules(part)
    if why := _why_pytest(part):
        yield _pytest_suite(part, why)
    elif "manage.py" in part.home.files and modules:
        advice = "give --test-command 'python manage.py test' --runner unittest, or use pytest-django"
        yield f"{part.where('manage.py')}: tests of Django; {advice}"
    elif modules:
        yield from _by_modules(part, modules)


def _why_pytest(part: Part) -> str:
    if name := configured_in(part):
        return f"pytest is configured in {part.where(name)}"
    if part.has_file("conftest.py"):
        return "there is a conftest.py"
    naming = (name for name in sorted(part.home.files) if NAMES_PACKAGES.fullmatch(name))
    name = next((name for name in naming if NAMES_PYTEST.search(part.text(name))), "")
    return f"pytest is named in {part.where(name)}" if name else ""


def configured_in(part: Part) -> str:
    return next((name for name, section in CONFIGURATIONS.items() if _configures(part, name, section)), "")


def _configures(part: Part, name: str, section: str) -> bool:
    return name in part.home.files and section in part.text(name)


def _by_modules(part: Part, modules: Sequence[PurePosixPath]) -> Iterator[Suite]:
    texts = [read_text(part.root / module) for module in modules[:MODULES_READ]]
    if any(FOR_PYTEST.search(text) for text in texts):
        yield _pytest_suite(part, f"{modules[0]} and other tests are pytest's")
    elif any(FOR_UNITTEST.search(text) for text in texts):
        python = choose_python(part.folder, part.root, part.environment)
        if _has_pytest(part, python.command):
            yield _pytest_suite(part, "the tests are unittest's, and pytest is installed")
        else:
            command = (*python.command, "-m", "unittest", "discover", *_start(part, modules))
            reason = f"the tests are unittest's, and pytest is not installed; {python.reason}"
            yield _named(part, Suite(name="unittest", runner="unittest", command=command, reason=reason))


def _has_pytest(part: Part, python: Sequence[str]) -> bool:
    # this is outside every sandbox, and an agent of an earlier call or run may have written what is in the project
    is_foreign = len(python) == 1 and not Path(python[0]).absolute().is_relative_to(part.root.absolute())
    if not (part.may_run and is_foreign):
        return any(Path(python[0]).parent.parent.glob("lib/python*/*-packages/pytest/__init__.py"))
    try:
        asked = subprocess.run(
            [*python, "-I", "-c", IS_INSTALLED],
            cwd=part.folder,
            env=dict(part.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _start(part: Part, modules: Iterable[PurePosixPath]) -> list[str]:
    """Options for the start folder, since unittest discovery does not enter folders that are not packages."""
    packages = {folder.path for folder in part.folders if "__init__.py" in folder.files}
    homes = {module.parent.as_posix() for module in modules} - packages - {part.home.path}
    if not homes:
        return []
    common = os.path.commonpath([*homes])
    return ["-s", os.path.relpath(common, part.home.path)]


def _pytest_suite(part: Part, why: str) -> Suite:
    python = choose_python(part.folder, part.root, part.environment)
    command = (*python.command, "-m", "pytest")
    return _named(part, Suite(name="pytest", command=command, reason=f"{why}; {python.reason}"))


def _named(part: Part, suite: Suite) -> Suite:
    """Name a suite after the path of its part; the root's keeps the name of its runner."""
    return suite if part.home.path == "." else replace(suite, name=part.home.path, folder=part.home.path)


def _apart(suite: Suite, root: Part) -> list[Suite]:
    """The root's suite without parts that are suites themselves; empty if the root has no other tests."""
    tops = sorted({module.parts[0] for module in _modules(root)})
    reason = f"{suite.reason}; parts with tests of their own apart"
    return [replace(suite, command=(*suite.command, *tops), reason=reason)] if tops else []


def _testpaths(root: Part, name: str) -> list[str]:
    import configparser

    try:
        found = _from_toml(root, name) if name.endswith(".toml") else _from_ini(root, name)
    except (ValueError, AttributeError, TypeError, configparser.Error):
        return []
    return [os.path.normpath(path) for path in found]


def _from_toml(root: Part, name: str) -> list[str]:
    import tomllib

    document = tomllib.loads(root.text(name))
    table = document.get("tool", {}).get("pytest", {}) if name == "pyproject.toml" else document.get("pytest", {})
    paths = table.get("ini_options", table).get("testpaths", [])
    return paths.split() if isinstance(paths, str) else [str(path) for path in paths]


def _from_ini(root: Part, name: str) -> list[str]:
    import configparser

    reader = configparser.ConfigParser(interpolation=None, strict=False)
    reader.read_string(root.text(name))
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    return reader.get(section, "testpaths", fallback="").split()


def _shadows(path: str, test_folders: frozenset[str]) -> bool:
    """Whether a module is imported in place of a module of the runner, of a plug-in or of the standard library.

    That can happen in the root, in a source folder, and beside tests, whose folder is searched first when they are
    imported. A folder counts only with an `__init__.py`.
    """
    parts = path.split("/")
    is_in_sources = len(parts) > 1 and parts[0] in SOURCE_FOLDERS
    is_beside_tests = not test_folders.isdisjoint(parts[:-1])
    own = parts[-2:] if parts[-1] == "__init__.py" else parts[-1:]
    seen = own if is_beside_tests else parts[is_in_sources:]
    module = "/".join(seen).removesuffix("/__init__.py")
    name, _, rest = module.partition(".")
    is_module = "/" not in module and (f".{rest.rpartition('.')[2]}" in MODULE_ENDINGS or path.endswith("/__init__.py"))
    if not is_module or name in test_folders:
        return False
    is_runner = name in RUNNER_MODULES or name.startswith("pytest")
    is_first = parts[0] in test_folders if is_beside_tests else not is_in_sources
    return is_runner or (name in LIBRARY and is_first)


LANGUAGE = Language(
    name="python",
    signs=SIGNS,
    find=find,
    programs=words("python pytest py.test tox nox uv poetry pdm hatch pipenv"),
    scripts={
        **dict.fromkeys(("poe", "pdm", "hatch", "task"), ("pyproject.toml", "hatch.toml")),
        "tox": ("tox.ini", "tox.toml", "pyproject.toml"),
        "nox": (),
    },
    interpreters=r"python[\d.]*",
    stack=Stack(
        name="python",
        sign="pyproject.toml",
        install="python -m pip install -e .",
        test="python -m pytest",
        check="ruff check . && mypy .",
        layout="code under src/, tests under tests/",
    ),
    reports={
        "pytest": r"(?<![\w-])(pytest|py\.test)(?![\w-])",
        "unittest": r"(?<![\w-])unittest(?![\w-])|manage\.py test",
    },
    class_endings=(".py",),
    failures={
        FailureKind.ASSERTION: "AssertionError",
        FailureKind.MISSING: """NameError AttributeError ImportError ModuleNotFoundError NotImplementedError
            UnboundLocalError""",
    },
    phrases={
        FailureKind.BROKEN_FILE: r"^collection failure$|\b_FailedTest\b",
        FailureKind.MISSING: r"\bis not defined\b|\bhas no attribute\b",
    },
    steering=(
        *words("conftest.py sitecustomize.py usercustomize.py noxfile.py dodo.py"),
        *words("pytest.ini .pytest.ini pytest.toml .pytest.toml"),
        *words("pyproject.toml tox.toml hatch.toml setup.cfg tox.ini entry_points.txt .coveragerc"),
    ),
    steering_endings=(".pth", ".pyc"),
    fixtures=("conftest.py",),
    test_files=TEST_MODULE.pattern,
    shadows=_shadows,
    manifests=(
        *words("pyproject.toml setup.py setup.cfg Pipfile"),
        *words("requirements/* requirements*.in constraints*.txt environment*.y*ml"),
    ),
    locks=words("poetry.lock uv.lock pdm.lock Pipfile.lock requirements*.txt"),
    installed=ENVIRONMENT_FOLDERS,
    built=("site-packages", "__pycache__", "build", "dist"),
    never_walked=words(".venv venv __pycache__ .tox .nox"),
    left_behind=words(".coverage .hypothesis/ .mypy_cache/ .pytest_cache/ .ruff_cache/"),
    steering_variables=words("PYTHONPATH PYTHONSTARTUP PYTEST_*"),
    toolchain_variables=words("VIRTUAL_ENV PYTHONPATH PYTHONUTF8 CONDA_* PYENV_* UV_* POETRY_*"),
)
