"""Makefile, Justfile, Taskfile, Rakefile -> the targets that the test command calls, and everything they use."""

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from dualgate.workspace.steering.formats import plain

Words = frozenset[str]
"""The words of the test command and of the scripts that it runs; some name targets, tasks and scripts."""
_TEST_GOALS = frozenset({"test", "tests", "check", "default"})


class Block(NamedTuple):
    """Lines that belong together, the names that they define and the names that they use."""

    text: str
    names: tuple[str, ...] | None = ()
    """None if the block concerns every target."""
    uses: frozenset[str] = frozenset()


Read = Callable[[str, Words], Iterable[Block]]


def called_part(read: Read, form: Callable[[str], str]) -> Callable[[bytes, Words], str]:
    """The blocks that the test command uses; all of them if its words are unknown."""

    def part(content: bytes, words: Words) -> str:
        if not words:
            return form(plain(content))
        blocks = list(read(plain(content), words))
        always = (name for block in blocks if block.names is None for name in block.uses)
        called = called_names({*_goals(blocks, words), *always}, lambda name: _used(blocks, name))
        return "\n".join(filter(None, (form(block.text) for block in blocks if _is_called(block, called))))

    return part


def called_names(goals: Iterable[str], calls: Callable[[str], Iterable[str]]) -> set[str]:
    """The goals and everything that they call, directly or not."""
    found: set[str] = set()
    waiting = list(goals)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += calls(name)
    return found


def _goals(blocks: list[Block], words: Words) -> set[str]:
    """The targets that the command names; otherwise the first target and those named for tests."""
    names = [
        name for block in blocks for name in block.names or () if not name.startswith((".", "$(")) and "%" not in name
    ]
    return set(words.intersection(names)) or {*names[:1], *_TEST_GOALS.intersection(names)}


def _used(blocks: list[Block], name: str) -> Iterator[str]:
    for block in blocks:
        if block.names is not None and _is_called(block, {name}):
            yield from block.uses


def _is_called(block: Block, called: set[str]) -> bool:
    return block.names is None or any(_fits(name, target) for target in block.names for name in called)


def _fits(name: str, target: str) -> bool:
    return name == target or ("%" in target and fnmatchcase(name, target.replace("%", "*")))


_ATTRIBUTE = re.compile(r"\[[\w ,:()'\"-]+\]\s*$")
_CLOSING = re.compile(r"(?:end|[)}\]]+)(?![\w:-])")
_DEFINE = re.compile(r"\s*(?:override\s+|export\s+)*define\s+(?P<name>\S+)")
_WORDS = re.compile(r"[\w:.-]*[\w-]")


def _blocks(text: str, deeper: str = " \t", edge: str = "") -> Iterator[str]:
    """Lines at the edge, each with the indented and empty lines that follow, and those that continue or close it."""
    held, last, is_defining = "", "", False
    for line in text.splitlines(keepends=True):
        rest = line.removeprefix(edge)
        is_deeper = not line.strip() or (line.startswith(edge) and rest[0] in deeper)
        is_continued = last.endswith("\\") or is_defining or _ATTRIBUTE.match(last) is not None
        if held and not is_deeper and not is_continued and not _CLOSING.match(line):
            yield held
            held = ""
        is_defining = line.strip() != "endef" if is_defining else not held and _DEFINE.match(line) is not None
        held += line
        last = line.rstrip("\r\n")
    if held:
        yield held


_RULE = re.compile(r"(?P<targets>[^\s:=#][^:=#]*?)\s*&?::?(?![:=])\s*(?P<needs>[^#\n]*)")
_VARIABLE = re.compile(r"\s*(?:(?:override|private)\s+)*(?P<name>[^\s:#=!?+]+)\s*(?:[:?+!]|::|:::)?=")
_DIRECTIVE = re.compile(r"\s*(?:-?include|sinclude|export|unexport|vpath|load|ifn?eq|ifn?def|else|endif)\b")
_USED = re.compile(r"\$[({](?P<name>[^\s$(){}:,]+)|\$(?P<letter>\w)")
_CALLS_MAKE = re.compile(r"\$[({]MAKE[)}]|\bg?make\b")
# variables that make reads itself or passes to every command
_ALWAYS = re.compile(
    r"PATH|HOME|SHELL|\.SHELLFLAGS|MAKE\w*|GNUMAKEFLAGS|\.DEFAULT_GOAL|\.RECIPEPREFIX|CI|VPATH|LD_\w+|"
    r"(?:PYTHON|PYTEST|COVERAGE|TOX|NOX|UV|NODE|NPM|JEST|VITEST|CARGO|RUST|GO|JAVA|MAVEN|GRADLE|RUBY|DENO|BUN)\w*"
)
_SPECIAL_TARGETS = frozenset({".ONESHELL", ".SILENT", ".IGNORE", ".POSIX", ".EXPORT_ALL_VARIABLES", ".SECONDEXPANSION"})


def makefile(text: str, _: Words) -> Iterator[Block]:
    """Rules and variables; every other line concerns every target, as does a recipe without a rule."""
    return map(_make_block, _blocks(text, deeper="\t"))


def _make_block(block: str) -> Block:
    first, *rest = logical_lines(block)
    used = frozenset(f"$({found['name'] or found['letter']})" for found in _USED.finditer(block))
    is_directive = _DIRECTIVE.match(first) is not None
    has_recipe = any(line.startswith("\t") for line in rest)
    if not has_recipe and not make_form(first):
        return Block(block)
    if not is_directive and (defined := _DEFINE.match(first) or (None if has_recipe else _VARIABLE.match(first))):
        return Block(block, None if _ALWAYS.fullmatch(defined["name"]) else (f"$({defined['name']})",), used)
    if not is_directive and (rule := _RULE.match(first)):
        needs = rule["needs"].replace("|", " ").partition(";")[0].split()
        calls = [word for line in rest if _CALLS_MAKE.search(line) for word in re.split(r"[\s;&]+", line)]
        return Block(block, _targets(rule["targets"].split()), used.union(needs, calls))
    return Block(block, None, used)


def _targets(names: list[str]) -> tuple[str, ...] | None:
    """The targets of a rule. A computed name may be any target; `.PHONY` defines none."""
    if not _SPECIAL_TARGETS.isdisjoint(names) or any("$" in name for name in names):
        return None
    return () if ".PHONY" in names else tuple(names)


def logical_lines(text: str) -> list[str]:
    return re.findall(r"(?:\\\r?\n|[^\n])*\n|(?:\\\r?\n|[^\n])+", text)


def make_form(text: str) -> str:
    """Drop comments and blank lines; blanks inside a recipe line count."""
    kept = []
    for line in logical_lines(text):
        if line.startswith("\t"):
            kept.append("" if line.lstrip().startswith("#") else f"\t{line.strip()}")
        else:
            kept.append(" ".join(re.sub(r"(?<!\\)#.*", "", line).split()))
    return "\n".join(line for line in kept if line.strip())


_BEFORE_RECIPE = re.compile(r"(?:\s*\n|\[[^\n]*\]\s*\n)*")
_RECIPE = re.compile(r"(?!set |export |alias )@?(?P<name>[A-Za-z_][\w-]*)[^:=\n]*:(?!=)")


def justfile(text: str, _: Words) -> Iterator[Block]:
    """Recipes; settings, variables and imports concern every recipe."""
    for block in _blocks(text):
        header = _BEFORE_RECIPE.sub("", block, count=1)
        if not header or header.startswith("#"):
            yield Block(block)
        else:
            found = _RECIPE.match(header)
            yield Block(block, (found["name"],), frozenset(_WORDS.findall(block))) if found else Block(block, None)


def taskfile(text: str, words: Words) -> Iterator[Block]:
    """Tasks; everything else concerns every task."""
    del words
    for block in _blocks(text):
        first, _, body = block.partition("\n")
        if first.split("#")[0].strip() != "tasks:":
            yield Block(block, None)
            continue
        yield Block(first, None)
        indent = re.match(r"(?:[ \t]*(?:#.*)?\n)*([ \t]+)", body)
        for task in _blocks(body, edge=indent[1] if indent else ""):
            yield Block(task, (task.strip().partition(":")[0],), frozenset(_WORDS.findall(task)))


def rakefile(text: str, words: Words) -> Iterator[Block]:
    """Blocks that name tests or words of the command, and loaded files, concern every target; the others none."""
    named = {"test", "spec", "default", *words} - {"task", "rake"}
    is_named = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(named)))})\b|(?-i:Test)", re.IGNORECASE)
    for block in _blocks(text):
        is_loading = block.lstrip().startswith(("require", "load", "import", "$", "ENV"))
        yield Block(block, None if is_loading or is_named.search(block) else ())
