"""Lock files that differ between base and head, with the real tools: each side is run with its own packages."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.packages import environment, shared

TOOLS = ("uv==0.13.8", "poetry==2.5.1")
PATIENCE = 300
OLD, NEW = "2.0.0", "2.1.0"
PYTHON_TEST = """\
from importlib.metadata import version


def test_version():
    assert version("iniconfig") == "VERSION"
"""
NODE_TEST = """\
const test = require("node:test");
const assert = require("node:assert");

test("version", () => {
  assert.strictEqual(require("is-number/package.json").version, "VERSION");
});
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """A tool that installs what a lock file names. VERSION stands for the version of the one package."""

    files: Mapping[str, str]
    lock: str
    install: str
    ignored: str = ".venv/"
    old: str = OLD
    new: str = NEW


UV = """\
[project]
name = "shop"
version = "0.1"
requires-python = ">=3.11"
dependencies = ["iniconfig==VERSION"]

[dependency-groups]
dev = ["pytest==8.3.5"]

[tool.uv]
package = false
"""
POETRY = """\
[tool.poetry]
package-mode = false

[tool.poetry.dependencies]
python = ">=3.11,<4"
iniconfig = "VERSION"

[tool.poetry.group.dev.dependencies]
pytest = "8.3.5"
"""
NPM = (
    '{"name": "shop", "private": true, "scripts": {"test": "node --test"}, "dependencies": {"is-number": "VERSION"}}\n'
)
MANAGERS = {
    "uv": Manager(
        files={"pyproject.toml": UV, "test_shop.py": PYTHON_TEST},
        lock="uv lock",
        install="uv sync --frozen --all-groups",
    ),
    "poetry": Manager(
        files={"pyproject.toml": POETRY, "test_shop.py": PYTHON_TEST},
        lock="poetry lock",
        install="poetry install --no-interaction",
    ),
    "npm": Manager(
        files={"package.json": NPM, "shop.test.js": NODE_TEST},
        lock="npm install --package-lock-only --no-audit --no-fund",
        install="npm ci --no-audit --no-fund",
        ignored="node_modules/",
        old="6.0.0",
        new="7.0.0",
    ),
}


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the programs of the tools."""

    def make(folder: Path) -> None:
        environment(TOOLS, folder)

    return shared("installers", make, tmp_path_factory) / "environment" / "bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    root: Path
    manager: Manager
    variables: Mapping[str, str]

    def write(self, version: str) -> None:
        for name, text in self.manager.files.items():
            (self.root / name).write_text(text.replace("VERSION", version))

    def call(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            shell=True,
            cwd=self.root,
            env=dict(self.variables),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def must(self, command: str) -> None:
        if (done := self.call(command)).returncode:
            pytest.skip(f"'{command}' cannot be run here: {(done.stderr or done.stdout).strip()[-300:]}")

    def commit(self) -> None:
        identity = "git -c user.name=a -c user.email=a@b.example"
        assert self.call(f"git add -A && {identity} commit -qm base").returncode == 0

    def verify(self) -> tuple[int, dict[str, Any]]:
        done = self.call(f"{sys.executable} -m dualgate verify --base main --json")
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(params=sorted(MANAGERS))
def project(request: pytest.FixtureRequest, tools: Path, tmp_path: Path) -> Project:
    """A project at the base, installed; its work tree has the new version, in its lock and in its packages."""
    manager = MANAGERS[request.param]
    root = tmp_path / "shop"
    root.mkdir()
    left_out = ("VIRTUAL_ENV", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "DUALGATE_TEST_COMMAND")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    variables = kept | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "POETRY_VIRTUALENVS_IN_PROJECT": "1",
        "UV_PYTHON_DOWNLOADS": "never",
    }
    made = Project(root=root, manager=manager, variables=variables)
    program = manager.install.split()[0]
    if shutil.which(program, path=variables["PATH"]) is None:
        pytest.skip(f"{program} is not installed")
    (root / ".gitignore").write_text(manager.ignored)
    made.write(manager.old)
    made.must(f"git init -q -b main && {manager.lock}")
    made.commit()
    made.write(manager.new)
    made.must(manager.lock)
    made.must(manager.install)
    return made


def test_an_upgrade_with_its_changed_test_is_verified_by_the_packages_of_each_side(project: Project) -> None:
    code, found = project.verify()

    assert (code, found["verdict"]) == (0, "verified"), found["findings"]
    (test,) = found["tests"]
    # the old test passes with the old package alone, the new one with the new package alone
    assert [test[name] for name in ("base", "head", "on_base", "old_on_head")] == [
        "passed",
        "passed",
        "failed",
        "failed",
    ]
    assert project.call(_version_in(project)).stdout.strip() == project.manager.new  # the project's own packages stay


def test_a_lock_that_cannot_be_installed_is_named_and_the_base_has_the_packages_of_the_work_tree(
    project: Project,
) -> None:
    # a program that fails in the place of the tool
    broken = project.root.parent / "broken"
    broken.mkdir()
    program = broken / project.manager.install.split()[0]
    program.write_text("#!/bin/sh\necho no network >&2\nexit 1\n")
    program.chmod(0o755)
    path = {"PATH": f"{broken}{os.pathsep}{project.variables['PATH']}"}
    if program.name == "poetry":
        pytest.skip("poetry starts the tests too")

    _, found = Project(root=project.root, manager=project.manager, variables={**project.variables, **path}).verify()

    (note,) = [each["text"] for each in found["notes"] if each["rule"] == "environment" and "installed" in each["text"]]
    assert "no network" in note
    assert found["base"]["counts"]["failed"] == 1  # the base's test, with the package of the work tree


def _version_in(project: Project) -> str:
    if "package.json" in project.manager.files:
        return "node -p 'require(\"is-number/package.json\").version'"
    return ".venv/bin/python -c 'import importlib.metadata as m; print(m.version(\"iniconfig\"))'"
