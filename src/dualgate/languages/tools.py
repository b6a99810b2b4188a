"""Tools that check code: what each is for, how it is run, and where it is configured."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from dualgate.core.values.checks import Purpose
from dualgate.languages.base import words

_WORDS = re.compile(r"[\s;&|()<>'\"=,\\{}\[\]@$]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool and the places of its configuration; all but its name and purpose are optional."""

    name: str
    """The program; other words that show that it is run are in `words`."""
    purpose: Purpose
    command: str = ""
    """How it is run in a project that configures it; empty if it is not proposed."""
    by_file: bool = False
    """Whether it looks at each file alone, so that what it reports is wrong in the file that it names."""
    words: tuple[str, ...] = ()
    files: str = ""
    """Pattern of the names of its own configuration files."""
    table: str = ""
    """The name of its table under `tool` in pyproject.toml."""
    sections: str = ""
    """Pattern of its sections in setup.cfg and tox.ini."""
    package_keys: tuple[str, ...] = ()
    """Its keys in package.json."""
    cargo_keys: tuple[str, ...] = ()
    """Its keys in Cargo.toml."""


_LINT, _TYPES, _FORMAT, _COVERAGE = Purpose.LINT, Purpose.TYPES, Purpose.FORMAT, Purpose.COVERAGE
_NPX = "npx --no-install"
TOOLS = (
    Tool(name="ruff", purpose=_LINT, command="ruff check .", by_file=True, files=r"\.?ruff\.toml", table="ruff"),
    Tool(name="flake8", purpose=_LINT, command="flake8", by_file=True, files=r"\.flake8", sections="flake8.*"),
    Tool(name="pylint", purpose=_LINT, files=r"\.?pylintrc(\.toml)?", table="pylint", sections="pylint.*"),
    Tool(name="isort", purpose=_FORMAT, by_file=True, files=r"\.isort\.cfg", table="isort", sections="isort"),
    Tool(name="black", purpose=_FORMAT, command="black --check .", by_file=True, table="black"),
    Tool(name="mypy", purpose=_TYPES, words=("dmypy",), files=r"\.?mypy\.ini", table="mypy", sections="mypy.*"),
    Tool(
        name="pyright",
        purpose=_TYPES,
        command="pyright",
        words=("basedpyright",),
        files=r"pyrightconfig\.json",
        table="(based)?pyright",
    ),
    Tool(
        name="coverage",
        purpose=_COVERAGE,
        words=("--cov", "--cov-fail-under", "pytest-cov"),
        files=r"\.coveragerc",
        table="coverage",
        sections="coverage:.*",
    ),
    Tool(
        name="eslint",
        purpose=_LINT,
        command=f"{_NPX} eslint .",
        by_file=True,
        files=r"\.eslintrc(\.\w+)?|eslint\.config\.[cm]?[jt]s|\.eslintignore",
        package_keys=("eslintConfig", "eslintIgnore"),
    ),
    Tool(name="biome", purpose=_LINT, command=f"{_NPX} biome check .", by_file=True, files=r"biome\.jsonc?"),
    Tool(name="stylelint", purpose=_LINT, by_file=True, files=r"\.stylelintrc(\.\w+)?|stylelint\.config\.[cm]?js"),
    Tool(
        name="prettier",
        purpose=_FORMAT,
        command=f"{_NPX} prettier --check .",
        by_file=True,
        files=r"\.prettierrc(\.\w+)?|prettier\.config\.[cm]?[jt]s|\.prettierignore",
        package_keys=("prettier",),
    ),
    Tool(
        name="tsc", purpose=_TYPES, command=f"{_NPX} tsc --noEmit", words=("vue-tsc",), files=r"tsconfig(\..+)?\.json"
    ),
    Tool(name="clippy", purpose=_LINT, words=("cargo-clippy",), files=r"\.?clippy\.toml", cargo_keys=("lints",)),
    Tool(name="rustfmt", purpose=_FORMAT, by_file=True, words=("fmt",), files=r"\.?rustfmt\.toml"),
    Tool(name="golangci-lint", purpose=_LINT, command="golangci-lint run", files=r"\.golangci\.(ya?ml|toml|json)"),
    Tool(name="gofmt", purpose=_FORMAT, by_file=True),
    Tool(name="pre-commit", purpose=_LINT, files=r"\.pre-commit-config\.ya?ml"),
    Tool(
        name="markdownlint",
        purpose=_LINT,
        by_file=True,
        words=words("markdownlint-cli2 mdl"),
        files=r"\.markdownlint.*",
    ),
    Tool(name="yamllint", purpose=_LINT, by_file=True, files=r"\.yamllint(\.ya?ml)?"),
)
_BY_WORD = {word: tool for tool in TOOLS for word in (tool.name, *tool.words)}
_PURPOSES = {
    **{tool.name: tool.purpose for tool in TOOLS},
    **dict.fromkeys(words("lint linter linting vet clippy style check"), _LINT),
    **dict.fromkeys(words("types type typecheck type-check check-types check:types typing"), _TYPES),
    **dict.fromkeys(words("format fmt format-check format:check fmt-check check-format check:format"), _FORMAT),
    **dict.fromkeys(words("build compile dist"), Purpose.BUILD),
    **dict.fromkeys(words("coverage cov"), _COVERAGE),
}


def tools_in(text: str) -> tuple[Tool, ...]:
    """The tools that a command or a script names, each once."""
    named = (PurePosixPath(word).name for word in _WORDS.split(text))
    return tuple(dict.fromkeys(_BY_WORD[name] for name in named if name in _BY_WORD))


def purpose_of(name: str, tools: Iterable[Tool] = ()) -> Purpose | None:
    """The purpose of a check, by its name, else by the tools that it runs; None if both are unknown."""
    purposes = (_PURPOSES.get(name.lower()), *(tool.purpose for tool in tools))
    return next(filter(None, purposes), None)
