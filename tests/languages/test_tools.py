"""Commands that check a project's code, found without running anything."""

from pathlib import Path

import pytest

from dualgate.languages.tools import tool_commands

FOUND = [
    ("Makefile", "lint: x\n\truff\nbuild:\ntest:\nlint-all:\ntypes := 1\n", ("make lint", "make build")),
    (
        "package.json",
        '{"scripts": {"lint": "a", "test": "b", "format:check": "c"}}',
        ("npm run lint", "npm run format:check"),
    ),
    ("package.json", '{"scripts": "none"}', ()),
    ("package.json", "{", ()),
    ("package.json", "[]", ()),
    ("pyproject.toml", "[tool.ruff.lint]\n[tool.mypy]\nfiles = ['src']\n[tool.x]\n", ("ruff check .", "mypy")),
    ("pyproject.toml", "[tool.mypy]\nstrict = true\n\n[tool.x]\nfiles = 1\n", ("mypy .",)),
    ("setup.cfg", "[flake8]\n[mypy]\n", ("flake8", "mypy .")),
    (".pre-commit-config.yaml", "repos: []\n", ("pre-commit run --all-files",)),
    ("README.md", "make lint", ()),
]


@pytest.mark.parametrize(("name", "text", "commands"), FOUND)
def test_commands_are_read_from_the_files_that_name_them(
    tmp_path: Path, name: str, text: str, commands: tuple[str, ...]
) -> None:
    (tmp_path / name).write_text(text)

    assert tool_commands(tmp_path) == commands


def test_scripts_are_run_by_the_manager_whose_lock_file_is_there(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"lint": "a"}}')
    (tmp_path / "pnpm-lock.yaml").touch()

    assert tool_commands(tmp_path) == ("pnpm run lint",)
