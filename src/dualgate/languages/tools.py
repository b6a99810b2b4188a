"""Project -> commands that check its code: lint, types, format and build, as its files name them. Nothing is run."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from dualgate.languages.parts import read_text

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
WORTH = re.compile(
    r"(lint|typecheck|type-check|types|check-types|check:types|mypy|tsc|vet|build"
    r"|format-check|format:check|fmt-check|check-format|check:format)"
)
TARGET = re.compile(rf"^({WORTH.pattern})\s*:(?!=)", re.MULTILINE)
# lock file -> the words that run a script of package.json
SCRIPT_RUNNERS = {"pnpm-lock.yaml": "pnpm run", "yarn.lock": "yarn run", "bun.lock": "bun run", "bun.lockb": "bun run"}
# a file, a text in it that shows that the tool is used, its command
SIGNS = (
    ("pyproject.toml", "[tool.ruff", "ruff check ."),
    ("ruff.toml", "", "ruff check ."),
    (".ruff.toml", "", "ruff check ."),
    (".flake8", "", "flake8"),
    ("setup.cfg", "[flake8]", "flake8"),
    ("pyproject.toml", "[tool.black", "black --check ."),
    ("pyproject.toml", "[tool.pyright", "pyright"),
    ("pyrightconfig.json", "", "pyright"),
    (".pre-commit-config.yaml", "", "pre-commit run --all-files"),
)
MYPY = (("pyproject.toml", "[tool.mypy]"), ("mypy.ini", "[mypy]"), (".mypy.ini", "[mypy]"), ("setup.cfg", "[mypy]"))
NAMES_FILES = re.compile(r"^files\s*=", re.MULTILINE)


def tool_commands(project: Path) -> tuple[str, ...]:
    """The commands, each once."""
    found = (*_targets(project), *_scripts(project), *_tools(project))
    return tuple(dict.fromkeys(found))


def _targets(project: Path) -> Iterator[str]:
    text = next((text for name in MAKEFILES if (text := read_text(project / name))), "")
    yield from (f"make {found[1]}" for found in TARGET.finditer(text))


def _scripts(project: Path) -> Iterator[str]:
    try:
        scripts = json.loads(read_text(project / "package.json") or "{}")["scripts"]
        names = [name for name in scripts if WORTH.fullmatch(name)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    runner = next((words for lock, words in SCRIPT_RUNNERS.items() if (project / lock).is_file()), "npm run")
    yield from (f"{runner} {name}" for name in names)


def _tools(project: Path) -> Iterator[str]:
    yield from (command for name, sign, command in SIGNS if _shows(project / name, sign))
    for name, sign in MYPY:
        if _shows(project / name, sign):
            section = read_text(project / name).partition(sign)[2].partition("\n[")[0]
            yield "mypy" if NAMES_FILES.search(section) else "mypy ."
            return


def _shows(path: Path, sign: str) -> bool:
    return path.is_file() and sign in read_text(path)
