import pytest

from dualgate.core.spec.tools import names_other_language

OTHERS = [
    "A small TypeScript library",
    "tested with vitest",
    "A Node library for slugs",
    "runs on Node.js 20",
    "`npm test` passes",
    "see `src/slug.ts`",
    "A Go module that reads tariffs",
    "written in Go.",
    "`go test ./...` passes",
    "a Rust crate",
    "`cargo test` passes",
    "a service in Java with Maven",
    "PHP 8 with PHPUnit",
    "a Ruby gem, tested with RSpec",
    "a parser in C++ for it",
]
PYTHON = [
    "",
    "`fee(100)` is 10",
    "each node of the graph has a name",
    "users go to the page and rest",
    "Go to the next page",
    "the trusted host, with a cartridge",
    "a pytest suite in tests/test_fee.py",
    "A Python package with a command line",
    "a rapid scan of javanese texts",
]


@pytest.mark.parametrize("text", OTHERS)
def test_another_language_is_known_by_its_name_its_tools_and_its_files(text: str) -> None:
    assert names_other_language(text)


@pytest.mark.parametrize("text", PYTHON)
def test_ordinary_words_name_none(text: str) -> None:
    assert not names_other_language(text)
