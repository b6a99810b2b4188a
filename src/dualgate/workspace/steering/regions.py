"""Tests inside source files: find them, compare them, restore them while other edits stay."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar

from dualgate.languages.javascript import GRAMMARS
from dualgate.languages.rust import GRAMMAR as RUST
from dualgate.languages.rust_tests import Item, item_name, test_items
from dualgate.languages.sources import Grammar
from dualgate.languages.trees import shown_text, text_in
from dualgate.workspace.steering.added.rust import DIALECT as RUST_TESTS
from dualgate.workspace.steering.added.units import added_between
from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.formats import Unreadable, text_of
from dualgate.workspace.steering.parts import merge
from dualgate.workspace.steering.paths import is_in_test_folder, is_test_file
from dualgate.workspace.steering.syntax import node_form, parse

BETWEEN_EXAMPLES = "\n\0"

Regions = Iterator[tuple[str, str]]
"""The tests in a source file: name and form."""
_Found = TypeVar("_Found")


def regions(path: str, content: bytes) -> dict[str, str]:
    """The tests in a source file by name, each in a form without layout and comments."""
    reader = _READERS.get(PurePosixPath(path).suffix)
    if reader is None:
        return {}
    try:
        return dict(_numbered(reader(text_of(content))))
    except (Unreadable, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def has_regions(path: str, content: bytes) -> bool:
    """Whether a file is source code with tests inside, not a test file."""
    if is_test_file(path) or is_in_test_folder(path) or PurePosixPath(path).suffix not in _READERS:
        return False
    return bool(regions(path, content)) and not _DEFINES_TESTS.search(content)


_DEFINES_TESTS = re.compile(rb"^\s*(?:async )?def test|^\s*class \w*(?:Test|Case)\w*\b.*:", re.MULTILINE)


def is_always_run(path: str) -> bool:
    """Whether every run includes the tests in such a file, even if results name no files."""
    return PurePosixPath(path).suffix in (".rs", *GRAMMARS)


def broken_regions(path: str, proven: bytes, present: bytes) -> tuple[str, ...]:
    """The tests that changed or are missing. Examples may be added among the proven ones, and tests to a Rust module.

    Whether an added example changes the meaning of a proven one is seen in the results: `core/evidence/examples.py`.
    """
    return tuple(name for name, growth in _changed_regions(path, proven, present) if growth.reason)


def growth_of_regions(path: str, proven: bytes, present: bytes) -> Extension:
    """The additions of a change to the tests of a Rust source, and why it is more than an addition."""
    found = [growth for _, growth in _changed_regions(path, proven, present)]
    is_new = path.endswith(".rs") and bool(regions(path, present).keys() - regions(path, proven).keys())
    return Extension(
        reason=next((each.reason for each in found if each.reason), ""),
        adds=is_new or any(each.adds for each in found),
    )


def _changed_regions(path: str, proven: bytes, present: bytes) -> Iterator[tuple[str, Extension]]:
    now, items = regions(path, present), _items(path, present)
    before = _items(path, proven)
    for name, form in regions(path, proven).items():
        if not _is_within(form, now.get(name, "")):
            known, found = before.get(name), items.get(name)
            is_changed = Extension(reason=f"`{name}` is changed or missing")
            yield name, _growth(known, found) if known and found else is_changed


def _growth(was: "Item", now: "Item") -> Extension:
    """The additions to a module of tests; any other difference is a change."""
    heads = [[node_form(RUST, each) for each in attributes] for *attributes, _ in (was, now)]
    bodies = [node.child_by_field_name("body") if node.type == "mod_item" else None for *_, node in (was, now)]
    if heads[0] != heads[1] or bodies[0] is None or bodies[1] is None:
        return Extension(reason=f"`{shown_text(was[-1])}` is changed or missing")
    return added_between(RUST, RUST_TESTS, bodies[0], bodies[1])


def _items(path: str, content: bytes) -> "dict[str, Item]":
    """The tests in a Rust source, as nodes."""
    if not path.endswith(".rs"):
        return {}
    try:
        return dict(_numbered(test_items(parse(RUST, text_of(content)))))
    except (Unreadable, ValueError, RecursionError, MemoryError):
        return {}


def without_added_tests(path: str, proven: bytes, present: bytes) -> bytes:
    """The present Rust source with the proven tests only."""
    before, text = _items(path, proven), present.replace(b"\r\n", b"\n")
    for name, item in sorted(_items(path, present).items(), key=lambda found: -found[1][0].start_byte):
        known = before.get(name)
        if known is None or _form(known) != _form(item):
            own = proven.replace(b"\r\n", b"\n")[known[0].start_byte : known[-1].end_byte] if known else b""
            text = text[: item[0].start_byte] + own + text[item[-1].end_byte :]
    return text if text != present.replace(b"\r\n", b"\n") else present


def _is_within(proven: str, present: str) -> bool:
    left = iter(present.split(BETWEEN_EXAMPLES))
    return all(example in left for example in proven.split(BETWEEN_EXAMPLES))


def with_proven_tests(path: str, proven: bytes, present: bytes) -> bytes:
    """The present file with the proven tests in it."""
    return merge(proven, present, lambda content: not broken_regions(path, proven, content))


def _numbered(found: Iterable[tuple[str, _Found]]) -> Iterator[tuple[str, _Found]]:
    seen = Counter[str]()
    for name, form in found:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", form


def _rust(text: str) -> Regions:
    """Modules and items for tests only, test functions, and the documentation examples that Cargo runs."""
    yield from ((name, _form(item)) for name, item in test_items(parse(RUST, text)))
    for block in _DOC_BLOCK.finditer(text):
        item = item_name(text, block.end()) if block[0].lstrip().startswith("///") else ""
        name = f"example of {item or 'the module'}"
        for example in _EXAMPLE.finditer(block[0]):
            if _RUN_FENCE.fullmatch(example["fence"].strip()):
                yield name, "\n".join(line.strip() for line in _DOC_MARK.sub("", example[0]).splitlines())


_DOC_BLOCK = re.compile(r"(?:^[ \t]*//[/!].*\n?)+", re.MULTILINE)
_DOC_MARK = re.compile(r"^[ \t]*//[/!] ?", re.MULTILINE)
_EXAMPLE = re.compile(r"//[/!][ \t]*```(?P<fence>.*)\n(?:.*\n)*?[ \t]*//[/!][ \t]*```[ \t]*$", re.MULTILINE)
_RUN_FENCE = re.compile(r"`*\s*(?:(?:rust|should_panic|no_run|compile_fail|edition\d+|test_harness)\s*,?\s*)*")


def _form(item: "Item") -> str:
    return "\n".join(node_form(RUST, each) for each in item)


def _vitest(grammar: Grammar) -> Callable[[str], Regions]:
    """Blocks that run under vitest only."""

    def read(text: str) -> Regions:
        if "import.meta.vitest" in text:
            for node in parse(grammar, text).children:
                if node.type == "if_statement" and _VITEST.match(text_in(node)):
                    yield "vitest", node_form(grammar, node)

    return read


_VITEST = re.compile(r"if\s*\(\s*import\.meta\.vitest\b")


def _python(text: str) -> Regions:
    return _docstring_examples(ast.parse(text), "module")


def _docstring_examples(node: ast.AST, name: str) -> Regions:
    match node:
        case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            if ">>>" in (docstring := ast.get_docstring(node, clean=False) or ""):
                yield name, _examples(docstring)
    for child in ast.iter_child_nodes(node):
        yield from _docstring_examples(child, f"{name}.{child.name}" if hasattr(child, "name") else name)


def _examples(text: str) -> str:
    import doctest  # it loads the debugger and unittest, and few files have examples

    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return "\n".join(line.strip() for line in text.splitlines())
    return BETWEEN_EXAMPLES.join(f"{each.source}{each.want}{sorted(each.options.items())}" for each in examples)


def _document(text: str) -> Regions:
    if form := _examples(text) if ">>>" in text else "":
        yield "examples", form


_READERS: dict[str, Callable[[str], Regions]] = {
    ".rs": _rust,
    ".py": _python,
    **{ending: _vitest(grammar) for ending, grammar in GRAMMARS.items()},
    **dict.fromkeys((".md", ".rst", ".txt"), _document),
}
