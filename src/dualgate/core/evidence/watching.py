"""Texts of changed sources -> places that look at tests, or that do only what tests ask. They decide nothing."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from dualgate.core.evidence.syntax.answered import answered_in
from dualgate.core.evidence.syntax.fixed_results import fixed_results, passed_on
from dualgate.core.evidence.syntax.inputs import echoes_in, inputs_of
from dualgate.core.evidence.syntax.trees import Function, argument, name_parts, parsed, text_of
from dualgate.core.values.case_names import function_of, last_part, own_name
from dualgate.core.values.notation import in_line
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.suite import CaseResult

MOST = 20
_RUNNERS = frozenset({"pytest", "_pytest", "py.test", "unittest", "nose", "nose2"})
_VARIABLE = re.compile(r"PYTEST_\w+|DUALGATE_\w+")
_FRAMES = frozenset({"stack", "_getframe", "currentframe", "extract_stack"})
_OF_TESTS = re.compile(r"(^|[/_.\W])(py)?test")
# other languages, by their words
_WORDS = re.compile(
    r"PYTEST_CURRENT_TEST|DUALGATE_\w+|JEST_WORKER_ID|process\.env\.(?:VITEST|CI)\b|typeof\s+(?:jest|vi|describe)\b"
    r"|NODE_ENV\s*===?\s*['\"]test['\"]|testing\.Testing\(\)|flag\.Lookup\(\"test\.|cfg!\(test\)"
    r"|defined\?\((?:RSpec|Minitest)\)|PHPUNIT_\w+"
)
_DATA = re.compile(r"[\w-]+\.(?!py$)\w+")
_Found = tuple[int, str]


def watching(texts: SourceTexts, fresh: Sequence[CaseResult], written: str = "") -> tuple[str, ...]:
    """A sentence for each place."""
    return tuple(f"`{in_line(path)}:{line}` {what}" for path, line, what in watching_places(texts, fresh, written))


def watching_places(
    texts: SourceTexts, fresh: Sequence[CaseResult], written: str = ""
) -> tuple[tuple[str, int, str], ...]:
    """File, line and what is there. Lines from before are left alone; `written` is what a person asks for."""
    names = frozenset(last_part(function_of(own_name(result))) for result in fresh)
    files = frozenset(result.file for result in fresh if result.file)
    tests = _Tests(texts=tuple(texts.tests.values()), names=names, files=files)
    found = (
        (path, line, what)
        for path, text in texts.sources.items()
        for line, what in _places(path, text, tests, written)
        if _line(text, line) not in texts.before.get(path, "")
    )
    return tuple(found)[:MOST]


def constant_results(texts: SourceTexts) -> tuple[str, ...]:
    """A sentence for each new or changed function that returns a constant whatever it is given."""
    modules = {path: parsed(text) for path, text in texts.sources.items() if path.endswith(".py")}
    read = {path: module for path, module in modules.items() if module is not None}
    passed = passed_on(read.values())
    found = (
        f"`{in_line(path)}:{line}` {in_line(name)}() returns a constant whatever its arguments"
        for path, module in read.items()
        for line, name in fixed_results(module, parsed(texts.before.get(path, "")), passed)
    )
    return tuple(found)[:MOST]


def _line(text: str, number: int) -> str:
    return text.splitlines()[number - 1].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tests:
    """The new tests: the texts of their files, their own names, and their files."""

    texts: tuple[str, ...]
    names: frozenset[str]
    files: frozenset[str]

    @property
    def modules(self) -> Iterator[ast.Module]:
        return filter(None, map(parsed, self.texts))


@lru_cache(maxsize=64)  # one turn looks at the same texts several times
def _places(path: str, text: str, tests: _Tests, written: str) -> tuple[_Found, ...]:
    module = parsed(text) if path.endswith(".py") else None
    if module is None:
        return tuple(dict.fromkeys(_in_words(text)))
    named = (*_named(module, tests), *_reads_data(module, tests))
    return tuple(sorted({*_in_python(module), *named, *_echoes(module, tests, written)}))


def _in_words(text: str) -> Iterator[_Found]:
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _WORDS.search(line):
            yield number, f"looks at the test run: {match[0]}"


def _in_python(module: ast.Module) -> Iterator[_Found]:
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and _VARIABLE.fullmatch(text_of(node)):
            yield node.lineno, f"reads a variable of the test run: {text_of(node)}"
        elif isinstance(node, ast.Name) and node.id == "__debug__":
            yield node.lineno, "asks whether assertions are switched on: __debug__"
        elif isinstance(node, ast.Compare | ast.Call | ast.Subscript):
            yield from _asks_for_runner(node)
        elif isinstance(node, ast.If | ast.Try) and not _is_typing(node):
            yield from _imports_runner(node)
        elif isinstance(node, Function):
            yield from _looks_at_callers(node)
        elif isinstance(node, ast.ImportFrom | ast.Import) and any("mock" in name for name in _modules(node)):
            yield node.lineno, "imports mocks, which only tests need"


def _asks_for_runner(node: ast.Compare | ast.Call | ast.Subscript) -> Iterator[_Found]:
    """`"pytest" in sys.modules`, `sys.argv[0].endswith("pytest")`, `os.environ.get("CI")` and the like."""
    words = {part for each in ast.walk(node) if isinstance(each, ast.Attribute) for part in name_parts(each)}
    texts = {text_of(each) for each in ast.walk(node)}
    if words & {"modules", "argv"} and "sys" in words and texts & _RUNNERS:
        yield node.lineno, f"asks whether {min(texts & _RUNNERS)} runs"
    first = argument(node, 0) if isinstance(node, ast.Call) else getattr(node, "slice", getattr(node, "left", None))
    if words & {"environ", "getenv"} and text_of(first) == "CI":
        yield node.lineno, "reads a variable of the test run: CI"


def _is_typing(node: ast.If | ast.Try) -> bool:
    return isinstance(node, ast.If) and name_parts(node.test)[-1] == "TYPE_CHECKING"


def _imports_runner(node: ast.If | ast.Try) -> Iterator[_Found]:
    for each in node.body:
        if found := [name for name in _modules(each) if name.partition(".")[0] in _RUNNERS]:
            yield each.lineno, f"imports {found[0]} under a condition"


def _modules(node: ast.stmt) -> list[str]:
    """The modules that a statement imports; those that stand in a package as `package.module`."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names] if node.module else []
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _looks_at_callers(function: Function) -> Iterator[_Found]:
    nodes = list(ast.walk(function))
    calls = [each for each in nodes if isinstance(each, ast.Call) and name_parts(each)[-1] in _FRAMES]
    if calls and any(_OF_TESTS.search(text_of(each)) for each in nodes):
        yield calls[0].lineno, "looks at its callers for a test"


def _named(module: ast.Module, tests: _Tests) -> Iterator[_Found]:
    """Names of new tests and paths of their files, outside of docstrings."""
    names = {*tests.names, *tests.files, *(path.rpartition("/")[2] for path in tests.files)}
    docs = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if id(node) not in docs and text_of(node) in names and isinstance(node, ast.Constant):
            yield node.lineno, f"names a test: {text_of(node)}"


def _reads_data(module: ast.Module, tests: _Tests) -> Iterator[_Found]:
    """Paths of data that tests read, such as `folder / "tests" / "expected.json"`."""
    folders = {path.split("/")[-2] for path in tests.files if "/" in path}
    data = {text_of(node).rpartition("/")[2] for each in tests.modules for node in ast.walk(each)}
    for node in ast.walk(module):
        if isinstance(node, ast.BinOp | ast.Call | ast.Constant):
            parts = [part for text in _texts_in(node) for part in text.split("/")]
            for folder, name in pairwise(parts):
                if folder in folders and name in data and _DATA.fullmatch(name):
                    yield node.lineno, f"reads data of tests: {folder}/{name}"


def _texts_in(node: ast.expr) -> list[str]:
    """The texts of an expression in the order in which they are written."""
    found = [each for each in ast.walk(node) if isinstance(each, ast.Constant) and text_of(each)]
    return [text_of(each) for each in sorted(found, key=lambda each: (each.lineno, each.col_offset))]


def _echoes(module: ast.Module, tests: _Tests, written: str) -> Iterator[_Found]:
    functions = [node for each in tests.modules for node in ast.walk(each) if isinstance(node, Function)]
    new = [each for each in functions if each.name in tests.names]
    for line, value, test in (*echoes_in(module, inputs_of(new)), *answered_in(module, new, written)):
        yield line, f"compares with an input of {test}: {value!r}"
