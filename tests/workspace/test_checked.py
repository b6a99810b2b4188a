"""What the command of a check runs is frozen, and what it only names is the work."""

from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.changes import Violation
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.tools import tools_in
from dualgate.testing import NOW
from dualgate.workspace.phase_rules import CHECKED, CONFIGURED, Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.steering.commands import checked_text, read_checked
from dualgate.workspace.steering.paths import read_patterns
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import a_project, in_phase

FILES = {
    "Makefile": "lint:\n\tsh tools/lint.sh\n\tshellcheck deploy.sh\n\nrun:\n\tpython src/app.py\n",
    "tools/lint.sh": "ruff check src\n",
    "tools/types.py": "print(1)\n",
    "deploy.sh": "echo deployed\n",
    "src/app.py": "x = 1\n",
    "app": "echo 1\n",
    "package.json": '{"scripts": {"lint": "eslint .", "start": "node ."}, "jest": {"bail": 1}}\n',
}


def made(root: Path) -> Path:
    project = a_project(root / "project")
    for name, text in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    return project


RUN = [
    ("make lint", {"Makefile", "makefile", "GNUmakefile", "tools/lint.sh"}),
    ("./tools/lint.sh", {"tools/lint.sh"}),
    ("tools/lint.sh && true", {"tools/lint.sh"}),
    ("bash tools/lint.sh src", {"tools/lint.sh"}),
    ("python tools/types.py src/app.py", {"tools/types.py"}),
    ("mypy src/app.py", set()),
    ("ruff check src", set()),
    ("shellcheck deploy.sh", set()),
    ("python src/app.py --version", set()),
    ("npm run lint", set()),
    ("", set()),
]


@pytest.mark.parametrize(("command", "files"), RUN)
def test_a_check_freezes_what_it_runs_and_not_what_it_looks_at(tmp_path: Path, command: str, files: set[str]) -> None:
    assert read_checked(made(tmp_path), [command]).files == files


TOOLS = {
    "tools/lint.py": "import json\nimport rules\nfrom app import core\nfrom tools.names import NAMES\n",
    "tools/rules.py": "from . import deep\nimport lint\n",
    "tools/names.py": "NAMES = ()\n",
    "tools/deep/__init__.py": "",
    "tools/other.py": "x = 1\n",
    "tools/lint": "#!/bin/sh\nruff check .\n",
    "tools/broken.py": "import (\n",
    "lint.py": "import app\nimport helper\nfrom app.core import x\n",
    "helper.py": "",
    "check.js": "",
    "scripts.rb": "",
    "qa.sh": "python tools/other.py\n",
    "noxfile.py": "",
    "tasks.py": "",
    "main.py": "",
    "app/__init__.py": "",
    "app/__main__.py": "",
    "app/core.py": "",
    "app/check.py": "",
    "src/lint.py": "",
    ".venv/bin/python": "",
    ".venv/bin/lint.sh": "",
    "pyproject.toml": "[tool.hatch.envs.default.scripts]\nlint = 'python -X dev tools/lint.py'\n",
    "package.json": '{"scripts": {"lint": "node --require ./x check.js", "start": "node main.js"}}',
}
LINTED = {"tools/lint.py", "tools/rules.py", "tools/names.py", "tools/deep/__init__.py"}
EXECUTED = [
    ("python lint.py", {"lint.py"}),
    ("node check.js src", {"check.js"}),
    ("ruby scripts.rb", {"scripts.rb"}),
    ("python -m tools.lint", LINTED),
    ("uv run tools/lint.py", LINTED),
    ("uv run --with ruff python tools/lint.py main.py", LINTED),
    ("poetry run python -m tools.lint", LINTED),
    ("coverage run --source app tools/lint.py", LINTED),
    (".venv/bin/python tools/lint.py", LINTED),
    ("python -W error tools/lint.py", LINTED),
    ("python -u tools/lint.py tools/other.py", LINTED),
    ('python "tools/lint.py"', LINTED),
    ("sh -c 'python tools/lint.py'", LINTED),
    ("bash -c 'cd tools && python -W error lint.py'", LINTED | {"lint.py"}),
    ("(cd tools && python lint.py)", LINTED | {"lint.py"}),
    ("cd tools && python lint.py", LINTED | {"lint.py"}),
    ("CI=1 timeout -k 5 60 python3.12 tools/lint.py", LINTED),
    ("env -u X A=1 tools/lint", {"tools/lint"}),
    ("! tools/lint", {"tools/lint"}),
    ("bash -euo pipefail qa.sh", {"qa.sh", "tools/other.py"}),
    (". ./qa.sh", {"qa.sh", "tools/other.py"}),
    ("nox -s lint", {"noxfile.py"}),
    ("invoke lint", {"tasks.py"}),
    ("npm run lint", {"check.js"}),
    ("hatch run lint", LINTED),
    ("python tools/broken.py", {"tools/broken.py"}),
    # the work, or only an argument
    ("python main.py --version", set()),
    ("python -m app --help", set()),
    ("python -m app.check", set()),
    ("python src/lint.py", set()),
    ("python -c 'import lint' lint.py", set()),
    ("ruff check . lint.py tools/lint.py", set()),
    ("mypy tools/lint.py tasks.py", set()),
    ("shellcheck qa.sh tools/lint", set()),
    ("uv run ruff check tools/lint.py", set()),
    ("npx eslint check.js", set()),
    ("node -e 'x' check.js", set()),
    (".venv/bin/lint.sh", set()),
    ("python -m", set()),
    ("uv run", set()),
    ("python -m pytest tests && env", set()),
]


@pytest.mark.parametrize(("command", "files"), EXECUTED)
def test_scripts_are_frozen_however_a_command_runs_them(tmp_path: Path, command: str, files: set[str]) -> None:
    for name, text in TOOLS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert read_checked(tmp_path, [command]).files == files


EDITS = [
    ("make lint", "Makefile", FILES["Makefile"].replace("sh tools/lint.sh", "true"), True),
    ("make lint", "Makefile", FILES["Makefile"] + "\nship:\n\ttrue\n", False),
    ("make lint", "GNUmakefile", "lint:\n\ttrue\n", True),
    ("make lint", "tools/lint.sh", "exit 0\n", True),
    ("make lint", "src/app.py", "x = 2\n", False),
    ("make lint", "deploy.sh", "echo no\n", False),
    ("npm run lint", "package.json", FILES["package.json"].replace("eslint .", "true"), True),
    ("npm run lint", "package.json", FILES["package.json"].replace("node .", "node x"), False),
    ("npm run lint", "package.json", FILES["package.json"].replace('"bail": 1', '"bail": 2'), False),
    ("mypy src/app.py", "src/app.py", "x = 2\n", False),
]


def edited(project: Path, frozen: Freeze, phase: Phase, path: str, text: str) -> tuple[Violation, ...]:
    """The violations of a call that writes a file."""
    saved = SavedSnapshots(project, project.parent / "snapshots.db", project.parent / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=frozen)
    state = in_phase(phase, worktree)
    (project / path).write_text(text)
    return worktree.settle(state).violations


@pytest.mark.parametrize(("command", "path", "text", "refused"), EDITS)
def test_an_agent_cannot_make_a_check_pass_by_what_it_runs(
    tmp_path: Path, command: str, path: str, text: str, refused: bool
) -> None:
    project = made(tmp_path)
    frozen = Freeze(checked=read_checked(project, [command]))

    violations = edited(project, frozen, Phase.RED, path, text)

    assert [(each.path, each.rule, each.reverted) for each in violations] == [(path, CHECKED, True)] * refused
    assert ((project / path).exists() and (project / path).read_text() == text) is not refused


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.REFACTOR])
def test_it_stays_frozen_after_red(tmp_path: Path, phase: Phase) -> None:
    project = made(tmp_path)
    frozen = Freeze(checked=read_checked(project, ["make lint"]))

    (violation,) = edited(project, frozen, phase, "tools/lint.sh", "exit 0\n")

    assert (violation.path, violation.rule) == ("tools/lint.sh", CHECKED)


def test_a_person_can_allow_it(tmp_path: Path) -> None:
    project = made(tmp_path)
    frozen = Freeze(checked=read_checked(project, ["make lint"]), patterns=read_patterns((), ("Makefile",)))

    assert edited(project, frozen, Phase.RED, "Makefile", "lint:\n") == ()


PYPROJECT = "[project]\nname = 'x'\n\n[tool.ruff]\nselect = ['E']\n\n[tool.mypy]\nstrict = true\n"
SETUP_CFG = "[metadata]\nname = x\n\n[flake8]\nmax-line-length = 80\n\n[mypy-a.*]\nignore_errors = false\n"
PACKAGE = '{"name": "x", "eslintConfig": {"rules": {"semi": 2}}}'
RECONFIGURED = [
    ("ruff check .", "pyproject.toml", PYPROJECT.replace("['E']", "[]"), True),
    ("ruff check .", "pyproject.toml", PYPROJECT.replace("[tool.ruff]\nselect = ['E']\n", ""), True),
    ("ruff check .", "pyproject.toml", PYPROJECT.replace("true", "false"), False),
    ("ruff check .", "pyproject.toml", PYPROJECT.replace("'x'", "'y'"), False),
    ("ruff check .", "pyproject.toml", PYPROJECT.replace("['E']", "[ 'E' ]  # errors"), False),
    ("ruff check .", "ruff.toml", "ignore = ['ALL']\n", True),
    ("ruff check .", "src/.ruff.toml", "", True),
    ("make check", "pyproject.toml", PYPROJECT.replace("true", "false"), True),
    ("flake8", "setup.cfg", SETUP_CFG.replace("80", "800"), True),
    ("flake8", "setup.cfg", SETUP_CFG.replace("name = x", "name = y"), False),
    ("flake8", ".flake8", "[flake8]\nignore = E\n", True),
    ("python -m mypy", "setup.cfg", SETUP_CFG.replace("false", "true"), True),
    ("npx eslint .", "package.json", PACKAGE.replace("2", "0"), True),
    ("npx eslint .", "eslint.config.js", "export default []", True),
    ("npx tsc --noEmit", "tsconfig.json", '{"compilerOptions": {"strict": false}}', True),
    ("cargo clippy", "Cargo.toml", "[lints.clippy]\nall = 'allow'\n", True),
    ("cargo build", "Cargo.toml", "[lints.clippy]\nall = 'allow'\n", False),
    ("coverage report", "pyproject.toml", f"{PYPROJECT}[tool.coverage.report]\nfail_under = 0\n", True),
]


def configured(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    files = {
        "pyproject.toml": PYPROJECT,
        "setup.cfg": SETUP_CFG,
        "package.json": PACKAGE,
        "tsconfig.json": '{"compilerOptions": {"strict": true}}',
        "Cargo.toml": "[lints.clippy]\nall = 'deny'\n",
        ".coveragerc": "[report]\nfail_under = 80\n",
        "Makefile": "check:\n\t.venv/bin/mypy src\n",
    }
    for name, text in files.items():
        (project / name).write_text(text)
    return project


def frozen_by(project: Path, command: str, **values: Any) -> Freeze:
    called = read_checked(project, [command])
    return Freeze(checked=called, tools=tools_in(checked_text(project, [command])), **values)


@pytest.mark.parametrize(("command", "path", "text", "refused"), RECONFIGURED)
def test_an_agent_cannot_make_a_check_pass_by_the_configuration_of_its_tool(
    tmp_path: Path, command: str, path: str, text: str, refused: bool
) -> None:
    project = configured(tmp_path)
    before = (project / path).read_text() if (project / path).exists() else None

    violations = edited(project, frozen_by(project, command), Phase.RED, path, text)

    now = (project / path).read_text() if (project / path).exists() else None
    assert [(each.path, each.rule, each.reverted) for each in violations] == [(path, CONFIGURED, True)] * refused
    assert now == (before if refused else text)


def test_only_the_part_of_the_tool_is_put_back(tmp_path: Path) -> None:
    project = configured(tmp_path)
    text = PYPROJECT.replace("['E']", "[]").replace("'x'", "'y'")

    edited(project, frozen_by(project, "ruff check ."), Phase.GREEN, "pyproject.toml", text)

    assert (project / "pyproject.toml").read_text() == PYPROJECT.replace("'x'", "'y'")


def test_the_first_configuration_of_a_tool_is_allowed_with_a_note_and_then_frozen(tmp_path: Path) -> None:
    project = configured(tmp_path)
    saved = SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=frozen_by(project, "golangci-lint run"))
    (project / ".golangci.yml").write_text("linters: {}\n")
    first = worktree.settle(in_phase(Phase.RED, worktree))
    (project / ".golangci.yml").write_text("linters: {disable-all: true}\n")

    second = worktree.settle(in_phase(Phase.RED, worktree))

    note = ".golangci.yml is the first configuration of golangci-lint, which a check runs"
    assert (first.violations, first.notes) == ((), (note,))
    assert ([each.rule for each in second.violations], second.notes) == ([CONFIGURED], ())
    assert (project / ".golangci.yml").read_text() == "linters: {}\n"


def test_a_file_of_configuration_that_is_deleted_or_linked_away_is_put_back(tmp_path: Path) -> None:
    project = configured(tmp_path)
    saved = SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=frozen_by(project, "mypy && npx tsc"))
    (project / "tsconfig.json").unlink()
    (project / "setup.cfg").unlink()
    (project / "setup.cfg").symlink_to("/dev/null")

    violations = worktree.settle(in_phase(Phase.GREEN, worktree)).violations

    assert sorted(each.path for each in violations) == ["setup.cfg", "tsconfig.json"]
    assert (project / "tsconfig.json").exists()
    assert (project / "setup.cfg").read_text() == SETUP_CFG


def test_a_person_can_allow_a_configuration(tmp_path: Path) -> None:
    project = configured(tmp_path)
    frozen = frozen_by(project, "ruff check .", patterns=read_patterns((), ("pyproject.toml",)))

    assert edited(project, frozen, Phase.GREEN, "pyproject.toml", "[tool.ruff]\n") == ()
