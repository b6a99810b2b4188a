from pathlib import Path

import pytest

from dualgate.workspace.steering.commands import read_called

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
