"""Tests inside source files: where they stand, what they do, and how they are put back while other edits stay."""

import ast
import doctest
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dualgate.workspace.steering.formats import Unreadable, text_of
from dualgate.workspace.steering.paths import is_in_test_folder, is_test_file
from dualgate.workspace.steering.syntax import RUST, TSX, TYPESCRIPT, Grammar, is_comment, node_form, parse, text_in

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A test in a source file; `form` is what it does, `start` and `end` are its place in the text."""

    name: str
    form: str
    start: int
    end: int


def regions(path: str, content: bytes) -> dict[str, str]:
    """The tests in a source file by name, each in a form in which layout and comments do not count."""
    return {region.name: region.form for region in _found(path, content)}


def has_regions(path: str, content: bytes) -> bool:
    """Whether a file is a source with tests inside, and not a file of tests."""
    if is_test_file(path) or is_in_test_folder(path) or PurePosixPath(path).suffix not in _READERS:
        return False
    return bool(_found(path, content)) and not _DEFINES_TESTS.search(content)


_DEFINES_TESTS = re.compile(rb"^\s*(?:async )?def test|^\s*class \w*(?:Test|Case)\w*\b.*:", re.MULTILINE)


def is_always_run(path: str) -> bool:
    """Whether tests in such a source are part of any run, even where results name no files."""
    return PurePosixPath(path).suffix in (".rs", *_JS_ENDINGS)


def broken_regions(path: str, proven: bytes, present: bytes) -> tuple[str, ...]:
    """The tests that were changed or are gone. Examples may be added after the proven ones: they change none."""
    now = regions(path, present)
    return tuple(
        name for name, form in regions(path, proven).items() if not (now.get(name, "") + "\n").startswith(form + "\n")
    )


def mend_regions(path: str, proven: bytes, present: bytes) -> bytes | None:
    """The present file with the proven tests in it, or None where their place is not sure."""
    try:
        right, text = text_of(proven), text_of(present)
    except Unreadable:
        return None
    broken = broken_regions(path, proven, present)
    known = {region.name: region for region in _found(path, proven)}
    places = {region.name: region for region in _found(path, present)}
    for name in sorted(broken, key=lambda name: places[name].start if name in places else -1, reverse=True):
        wanted = right[known[name].start : known[name].end]
        if name in places:
            text = text[: places[name].start] + wanted + text[places[name].end :]
        elif path.endswith(".rs") and name.startswith("mod "):
            text = f"{text.rstrip()}\n\n{wanted}\n"
        else:
            return None
    mended = text.replace("\n", "\r\n").encode() if b"\r\n" in present else text.encode()
    return None if broken_regions(path, proven, mended) else mended


def _found(path: str, content: bytes) -> list[Region]:
    reader = _READERS.get(PurePosixPath(path).suffix)
    if reader is None:
        return []
    try:
        return list(_numbered(reader(text_of(content))))
    except (Unreadable, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _numbered(found: Iterator[Region]) -> Iterator[Region]:
    seen: dict[str, int] = {}
    for region in found:
        count = seen[region.name] = seen.get(region.name, 0) + 1
        name = region.name if count == 1 else f"{region.name} ({count})"
        yield Region(name=name, form=region.form, start=region.start, end=region.end)


_TEST_ATTRIBUTE = re.compile(
    r"#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|bench|proptest|wasm_bindgen_test|test_log)\b"
)
_FOR_TESTS = re.compile(r"#\s*\[\s*cfg\b.*(?<!\w)(?<!not\()test\b", re.DOTALL)
_ITEM = re.compile(r"\b(mod|fn|impl|use|struct|enum|trait|static|const|type|macro_rules)\b[ !]*([^{;(=]*)")


def _rust(text: str) -> Iterator[Region]:
    """Modules and items for tests only, test functions, and examples in the documentation, which Cargo runs too."""
    yield from _rust_tests(parse(RUST, text), text.encode())
    for block in _DOC_BLOCK.finditer(text):
        item = _ITEM.search(text, block.end()) if block[0].lstrip().startswith("///") else None
        name = f"example of {item[1]} {item[2].strip()[:40]}" if item else "example of the module"
        for example in _EXAMPLE.finditer(block[0]):
            if _RUN_FENCE.fullmatch(example["fence"].strip()):
                form = "\n".join(line.strip() for line in _DOC_MARK.sub("", example[0]).splitlines())
                start = block.start() + example.start()
                yield Region(name=name, form=form, start=start, end=start + len(example[0]))


_DOC_BLOCK = re.compile(r"(?:^[ \t]*//[/!].*\n?)+", re.MULTILINE)
_DOC_MARK = re.compile(r"^[ \t]*//[/!] ?", re.MULTILINE)
_EXAMPLE = re.compile(r"//[/!][ \t]*```(?P<fence>.*)\n(?:.*\n)*?[ \t]*//[/!][ \t]*```[ \t]*$", re.MULTILINE)
_RUN_FENCE = re.compile(r"`*\s*(?:(?:rust|should_panic|no_run|compile_fail|edition\d+|test_harness)\s*,?\s*)*")


def _rust_tests(node: "Node", source: bytes) -> Iterator[Region]:
    """Items with an attribute that makes them tests, and macros that hold such items."""
    attributes: list[Node] = []
    for child in node.children:
        text = text_in(child)
        if child.type == "attribute_item":
            attributes.append(child)
        elif not is_comment(child):
            is_test = any(_is_for_tests(text_in(attribute)) for attribute in attributes)
            if is_test or (child.type.startswith("macro_") and _TEST_ATTRIBUTE.search(text)):
                found = _ITEM.search(text)
                name = f"{found[1]} {found[2].strip()}" if found else text.partition("{")[0].strip()
                yield _region(RUST, name, [*attributes, child], source)
            else:
                yield from _rust_tests(child, source)
            attributes = []


def _is_for_tests(attribute: str) -> bool:
    return bool(_TEST_ATTRIBUTE.match(attribute) or _FOR_TESTS.match(attribute))


def _region(grammar: Grammar, name: str, nodes: "list[Node]", source: bytes) -> Region:
    """Places are counted in characters, nodes know them in bytes."""
    start, end = (len(source[:place].decode()) for place in (nodes[0].start_byte, nodes[-1].end_byte))
    return Region(name=name, form="\n".join(node_form(grammar, node) for node in nodes), start=start, end=end)


def _vitest(grammar: Grammar) -> Callable[[str], Iterator[Region]]:
    """Blocks that run only under vitest."""

    def read(text: str) -> Iterator[Region]:
        if "import.meta.vitest" in text:
            for node in parse(grammar, text).children:
                if node.type == "if_statement" and _VITEST.match(text_in(node)):
                    yield _region(grammar, "vitest", [node], text.encode())

    return read


_VITEST = re.compile(r"if\s*\(\s*import\.meta\.vitest\b")


def _python(text: str) -> Iterator[Region]:
    """The examples of each docstring; its place is that of the whole docstring."""
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    for name, docstring in _docstrings(tree, "module"):
        assert isinstance(docstring.value, str)
        if ">>>" in docstring.value:
            start = _offset(lines, docstring.lineno, docstring.col_offset)
            end = _offset(lines, docstring.end_lineno or 0, docstring.end_col_offset or 0)
            yield Region(name=name, form=_examples(docstring.value), start=start, end=end)


def _docstrings(node: ast.AST, name: str) -> Iterator[tuple[str, ast.Constant]]:
    match node:
        case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            match node.body[:1]:
                case [ast.Expr(value=ast.Constant(value=str()) as docstring)]:
                    yield name, docstring
    for child in ast.iter_child_nodes(node):
        yield from _docstrings(child, f"{name}.{child.name}" if hasattr(child, "name") else name)


def _offset(lines: list[str], line: int, column: int) -> int:
    """The place in the text; the syntax tree counts columns in bytes."""
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def _examples(text: str) -> str:
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return "\n".join(line.strip() for line in text.splitlines())
    return "\n".join(f">>> {example.source}{example.want}{sorted(example.options.items())}" for example in examples)


def _document(text: str) -> Iterator[Region]:
    if form := _examples(text) if ">>>" in text else "":
        yield Region(name="examples", form=form, start=0, end=len(text))


_JS_ENDINGS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx")
_READERS: dict[str, Callable[[str], Iterator[Region]]] = {
    ".rs": _rust,
    ".py": _python,
    **dict.fromkeys(_JS_ENDINGS, _vitest(TSX)),
    **dict.fromkeys((".ts", ".mts", ".cts"), _vitest(TYPESCRIPT)),
    **dict.fromkeys((".md", ".rst", ".txt"), _document),
}
