"""Every test runs in every build: none is deselected, sampled or left out by its position."""

import ast
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
FILES = sorted(path for path in TESTS.rglob("test_*.py") if TESTS / "data" not in path.parents)
# what the real CLIs are that `make test-live` is asked for, and how much `make test-crash` does
MAY_READ_THE_ENVIRONMENT = ("tests/live/conftest.py", "tests/crash/scale.py")
MAY_DESELECT = ("tests/live/conftest.py",)
DESELECTING = {"pytest_collection_modifyitems", "pytest_ignore_collect", "pytest_deselected", "pytest_itemcollected"}
BY_CHANCE = {"sample", "choice", "choices", "shuffle"}


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parsed() -> list[tuple[str, ast.Module]]:
    files = [path for path in sorted(TESTS.rglob("*.py")) if TESTS / "data" not in path.parents]
    return [(named(path), ast.parse(path.read_text(encoding="utf-8"))) for path in files]


def outside_of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """What decides which tests there are: all but the bodies of functions, with their decorators."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for decorator in getattr(child, "decorator_list", ()):
                yield from ast.walk(decorator)
        else:
            yield child
            yield from outside_of_functions(child)


def leaves_out(node: ast.AST) -> bool:
    """A slice or a range with a step, or a choice by chance. Turned round, all is still there."""
    match node:
        case ast.Slice(step=step):
            return step is not None and ast.unparse(step) != "-1"
        case ast.Call(func=ast.Name(id="range"), args=[_, _, _]):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in BY_CHANCE
    return False


def reads_the_environment(node: ast.AST) -> bool:
    """Asks for what may be there or not; what has to be there, as PATH, decides nothing."""
    match node:
        case ast.Compare(comparators=[asked]) | ast.Call(func=ast.Attribute(value=asked, attr="get")):
            return ast.unparse(asked) == "os.environ"
        case ast.Call(func=asked):
            return ast.unparse(asked) == "os.getenv"
    return False


def places(trees: Iterable[tuple[str, ast.Module]], is_meant: Callable[[ast.AST], bool]) -> list[str]:

    return [
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, tree in trees
        for node in outside_of_functions(tree)
        if is_meant(node)
    ]


def words_of(target: str) -> list[str]:
    """The arguments of pytest in a target of the Makefile."""
    shown = subprocess.run(
        ["make", "-n", "-o", ".venv/.ready", target, "CLIS="], cwd=ROOT, capture_output=True, text=True, check=True
    )
    line = next(line for line in shown.stdout.splitlines() if "/pytest" in line)
    words = shlex.split(line)
    return words[next(place for place, word in enumerate(words) if word.endswith("/pytest")) + 1 :]


def test_no_test_is_left_out_by_a_step_or_by_chance() -> None:
    assert places(parsed(), leaves_out) == []


def test_no_environment_decides_which_tests_there_are() -> None:
    found = places(parsed(), reads_the_environment)

    assert [place for place in found if not place.startswith(MAY_READ_THE_ENVIRONMENT)] == []


def test_nothing_deselects_tests() -> None:
    found = [
        name
        for name, tree in parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name in DESELECTING
    ]

    assert set(found) <= set(MAY_DESELECT)


FAULTS = [
    ("ALL = read()\nTRIED = ALL[::2]", leaves_out),
    ("@pytest.mark.parametrize('number', range(1, 9, 2))\ndef test_it(): ...", leaves_out),
    ("class Scenes:\n    TRIED = random.sample(ALL, 3)", leaves_out),
    ("KILLS = int(os.environ.get('KILLS', '20'))", reads_the_environment),
    ("@pytest.mark.skipif('X' not in os.environ, reason='slow')\ndef test_it(): ...", reads_the_environment),
]


@pytest.mark.parametrize(("text", "is_meant"), FAULTS)
def test_what_would_leave_out_tests_is_found(text: str, is_meant: Callable[[ast.AST], bool]) -> None:
    assert len(places([("t.py", ast.parse(text))], is_meant)) == 1


def test_every_test_of_every_file_is_collected_by_make_test_or_has_a_target_of_its_own(
    request: pytest.FixtureRequest,
) -> None:
    words = words_of("test")
    ignored = [word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")]
    own_targets = [*words_of("test-corpus"), *words_of("test-live")]
    is_make_test = request.config.args == ["tests"] and (request.config.getoption("ignore") or []) == ignored

    ids = {item.nodeid for item in request.session.items} if is_make_test else collected_with(words)

    assert set(ignored) <= set(own_targets)
    ids = {name.partition("[")[0] for name in ids}
    here = [path for path in FILES if not named(path).startswith(tuple(ignored))]
    assert sorted(set(written(here)) - ids) == []


def collected_with(words: list[str]) -> set[str]:
    """The tests that such a run would collect, by a process of its own."""
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *words, "-n", "0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "deselected" not in collected.splitlines()[-1]
    return {line for line in collected.splitlines() if "::" in line}


def written(files: list[Path]) -> Iterator[str]:
    """The ids of the tests that stand in files, without their parameters."""
    for path in files:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            inner = node.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test") else [node]
            prefix = f"{named(path)}::{node.name}::" if isinstance(node, ast.ClassDef) else f"{named(path)}::"
            for each in inner:
                if isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
                    yield f"{prefix}{each.name}"
