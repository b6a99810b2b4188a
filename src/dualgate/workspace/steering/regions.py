"""Tests inside source files: where they stand, what they do, and how they are put back while other edits stay."""

import ast
import doctest
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from dualgate.workspace.steering.formats import text_of
from dualgate.workspace.steering.languages import JAVASCRIPT, RUST
from dualgate.workspace.steering.layout import javascript
from dualgate.workspace.steering.layout import rust as rust_layout
from dualgate.workspace.steering.lexer import Kind, Token, Unreadable, tokens_of
from dualgate.workspace.steering.paths import is_in_test_folder, is_test_file


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


_TEST_ATTRIBUTES = frozenset(
    {"test", "rstest", "test_case", "quickcheck", "bench", "proptest", "wasm_bindgen_test", "test_log"}
)
_ITEM = re.compile(r"\b(mod|fn|impl|use|struct|enum|trait|static|const|type|macro_rules)\b[ !]*([^{;(=]*)")


def _rust(text: str) -> Iterator[Region]:
    """Modules and items for tests only, test functions, and examples in the documentation, which Cargo runs too."""
    every = tokens_of(text, RUST)
    tokens = [token for token in every if token.kind is not Kind.COMMENT]
    place = 0
    while place < len(tokens):
        end, is_test = _attributes(tokens, place)
        if end == place:
            place += 1
        elif not is_test:
            place = end
        else:
            last = _item_end(tokens, end)
            yield _rust_region(tokens, place, end, last)
            place = last
    yield from _rust_examples(every)


def _rust_region(tokens: list[Token], first: int, item: int, last: int) -> Region:
    start, end = tokens[first].start, tokens[last - 1].end
    header = " ".join(token.text for token in tokens[item : min(item + 12, last)])
    found = _ITEM.search(header)
    name = f"{found[1]} {found[2].strip()}" if found else header
    return Region(name=name, form=" ".join(rust_layout(tokens[first:last])), start=start, end=end)


def _attributes(tokens: list[Token], place: int) -> tuple[int, bool]:
    """Where the attributes that begin here end, and whether one of them makes what follows a test."""
    is_test = False
    while place + 1 < len(tokens) and tokens[place].text == "#" and tokens[place + 1].text == "[":
        end = _closing(tokens, place + 1)
        is_test = is_test or _is_for_tests([token.text for token in tokens[place + 2 : end - 1]])
        place = end
    return place, is_test


def _is_for_tests(words: list[str]) -> bool:
    if words[:1] == ["cfg"]:
        return any(word == "test" and "not" not in words[max(place - 2, 0) : place] for place, word in enumerate(words))
    path = words[: words.index("(")] if "(" in words else words
    return bool(path) and path[-1] in _TEST_ATTRIBUTES


def _closing(tokens: list[Token], place: int) -> int:
    """The place behind the bracket that closes the one that stands here."""
    depth = 0
    for at in range(place, len(tokens)):
        if tokens[at].kind is Kind.MARK:
            depth += (tokens[at].text in "([{") - (tokens[at].text in ")]}")
        if depth == 0:
            return at + 1
    raise Unreadable("a bracket that does not close")


def _item_end(tokens: list[Token], place: int) -> int:
    """The place behind an item: its body, or the semicolon that ends it."""
    while place < len(tokens):
        text = tokens[place].text if tokens[place].kind is Kind.MARK else ""
        if text == ";":
            return place + 1
        if text == "{":
            return _closing(tokens, place)
        place = _closing(tokens, place) if text in ("(", "[") else place + 1
    return place


_DOC_COMMENT = re.compile(r"//[/!] ?(?P<text>.*)")
_RUN_FENCE = re.compile(r"```+\s*(?:(?:rust|should_panic|no_run|compile_fail|edition\d+|test_harness)\s*,?\s*)*$")


def _rust_examples(every: list[Token]) -> Iterator[Region]:
    held: list[Token] | None = None
    is_run = False
    for place, token in enumerate(every):
        found = _DOC_COMMENT.fullmatch(token.text) if token.kind is Kind.COMMENT else None
        if found is None:
            held = None
        elif found["text"].lstrip().startswith("```"):
            if held is not None and is_run:
                yield _example(every, place, held)
            is_run = held is None and _RUN_FENCE.match(found["text"].strip()) is not None
            held = [token] if held is None else None
        elif held is not None:
            held.append(token)


def _example(every: list[Token], place: int, held: list[Token]) -> Region:
    """Named for the item that it documents."""
    texts = [_DOC_COMMENT.sub(r"\g<text>", token.text).rstrip() for token in held]
    after = [token.text for token in every[place : place + 60] if token.kind is not Kind.COMMENT]
    found = _ITEM.search(" ".join(after)) if held[0].text.startswith("///") else None
    name = f"example of {found[1]} {found[2].strip()[:40]}" if found else "example of the module"
    return Region(name=name, form="\n".join(texts), start=held[0].start, end=every[place].end)


def _javascript(text: str) -> Iterator[Region]:
    """Blocks that run only under vitest."""
    if "import.meta.vitest" not in text:
        return
    tokens = [token for token in tokens_of(text, JAVASCRIPT) if token.kind is not Kind.COMMENT]
    texts = [token.text for token in tokens]
    for place in range(len(tokens)):
        if texts[place : place + 7] == ["if", "(", "import", ".", "meta", ".", "vitest"]:
            last = _item_end(tokens, place)
            start, end = tokens[place].start, tokens[last - 1].end
            yield Region(name="vitest", form="\n".join(javascript(tokens[place:last])), start=start, end=end)


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
    **dict.fromkeys(_JS_ENDINGS, _javascript),
    **dict.fromkeys((".md", ".rst", ".txt"), _document),
}
