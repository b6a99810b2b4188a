"""Checks that a project's files name, found without running anything."""

from pathlib import Path

import pytest

from dualgate.languages.checks import proposed_checks

FOUND: list[tuple[dict[str, str], dict[str, str]]] = [
    (
        {"Makefile": "lint: x\n\truff\nbuild:\ntest:\nlint-all:\ntypes := 1\n"},
        {"lint": "make lint", "build": "make build"},
    ),
    ({"Makefile": "check:\n\tmypy src\n\truff check .\n"}, {"lint": "make check"}),
    ({"Makefile": "check: lint\n\tpytest -q\n"}, {}),
    ({"Makefile": "check: test\n\tmypy\n"}, {}),
    (
        {"package.json": '{"scripts": {"lint": "a", "test": "b", "format:check": "c"}}'},
        {"lint": "npm run lint", "format": "npm run format:check"},
    ),
    (
        {"package.json": '{"scripts": {"lint": "a"}}', "pnpm-lock.yaml": ""},
        {"lint": "pnpm run lint"},
    ),
    ({"package.json": '{"scripts": "none"}'}, {}),
    ({"package.json": "{"}, {}),
    ({"package.json": "[]"}, {}),
    (
        {"package.json": '{\n  "prettier": {},\n  "devDependencies": {"eslint": "9"}\n}'},
        {"format": "npx --no-install prettier --check ."},
    ),
    (
        {"pyproject.toml": "[tool.ruff.lint]\n[tool.mypy]\nfiles = ['src']\n[tool.x]\n"},
        {"lint": "ruff check .", "types": "mypy"},
    ),
    ({"pyproject.toml": "[tool.mypy]\nstrict = true\n\n[tool.x]\nfiles = 1\n"}, {"types": "mypy ."}),
    (
        {"pyproject.toml": "[tool.black]\n[tool.coverage.report]\nfail_under = 80\n"},
        {"format": "black --check .", "coverage": "coverage run -m pytest && coverage report"},
    ),
    ({".coveragerc": "[report]\nfail_under = 0\n"}, {}),
    ({"setup.cfg": "[flake8]\n[mypy-x.*]\n"}, {"lint": "flake8", "types": "mypy ."}),
    (
        {"ruff.toml": "", "eslint.config.js": "", "tsconfig.json": "{}"},
        {"lint": "ruff check .", "eslint": "npx --no-install eslint .", "types": "npx --no-install tsc --noEmit"},
    ),
    (
        {"Makefile": "lint:\n\truff check .\n", "ruff.toml": "", "mypy.ini": "[mypy]\n"},
        {"lint": "make lint", "types": "mypy ."},
    ),
    (
        {"Cargo.toml": ""},
        {"lint": "cargo clippy -- -D warnings", "format": "cargo fmt --check", "build": "cargo build"},
    ),
    (
        {"go.mod": "", ".golangci.yml": ""},
        {"lint": "golangci-lint run", "vet": "go vet ./...", "build": "go build ./..."},
    ),
    ({".pre-commit-config.yaml": "repos: []\n"}, {}),
    ({"README.md": "make lint"}, {}),
]


@pytest.mark.parametrize(("files", "checks"), FOUND)
def test_checks_are_read_from_the_files_that_name_them(
    tmp_path: Path, files: dict[str, str], checks: dict[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert proposed_checks(tmp_path) == checks


def test_two_checks_for_one_purpose_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("lint:\n\tx\nvet:\n\ty\n")
    (tmp_path / "package.json").write_text('{"scripts": {"lint": "a", "vet": "b"}}')

    assert proposed_checks(tmp_path) == {
        "lint": "make lint",
        "vet": "make vet",
        "lint-2": "npm run lint",
        "vet-2": "npm run vet",
    }


def test_a_folder_that_is_gone_has_no_checks(tmp_path: Path) -> None:
    assert proposed_checks(tmp_path / "gone") == {}
