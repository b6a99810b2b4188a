"""Makefile, Justfile, Taskfile, Rakefile -> chunks; frozen are the targets that the command calls, and their needs."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from dualgate.workspace.steering.chunks import Chunk, Words, called_names, freeze

_TEST_GOALS = frozenset({"test", "tests", "check"})
_RULE = re.compile(r"^(?P<targets>[^\s:=#][^:=#]*?)\s*&?::?(?![:=])\s*(?P<needs>[^#\n]*)")
_VARIABLE = re.compile(
    r"^\s*(?:(?:override|private|export)\s+)*(?:define\s+)?(?P<name>[^\s:#=!?+]+)\s*(?:[:?+!]|::|:::)?="
)
_DEFINE = re.compile(r"^\s*(?:override\s+|export\s+)*define\s+(?P<name>\S+)")
_USED = re.compile(r"\$[({](?P<name>[^\s$(){}:,]+)|\$(?P<letter>\w)")
_CALLS_MAKE = re.compile(r"\$[({]MAKE[)}]|\bg?make\b")
# make hands these to what it runs, or takes them for itself, without their being named in any rule
_ALWAYS = re.compile(
    r"PATH|HOME|SHELL|\.SHELLFLAGS|MAKE\w*|GNUMAKEFLAGS|\.DEFAULT_GOAL|\.RECIPEPREFIX|CI|VPATH|LD_\w+|"
    r"(?:PYTHON|PYTEST|COVERAGE|TOX|NOX|UV|NODE|NPM|JEST|VITEST|CARGO|RUST|GO|JAVA|MAVEN|GRADLE|RUBY|DENO|BUN)\w*"
)
_SPECIAL_TARGETS = frozenset({".ONESHELL", ".SILENT", ".IGNORE", ".POSIX", ".EXPORT_ALL_VARIABLES", ".SECONDEXPANSION"})


def split_makefile(text: str, words: Words) -> list[Chunk]:
    """In chunks of one rule, variable or other line each. Without words nobody knows what is called: all is frozen."""
    chunks = list(_make_chunks(text))
    if not words:
        return freeze(chunks, lambda chunk: bool(make_form(chunk.text)))
    rules = [chunk for chunk in chunks if chunk.key.startswith("rule ")]
    called = called_names(_goals(rules, words), lambda name: _needs(rules, name))
    frozen = {chunk.key for chunk in rules if _is_called(chunk.key, called)}
    used = called_names(frozen, lambda key: _used(chunks, key))
    return freeze(chunks, lambda chunk: chunk.key in used or _is_global(chunk.key))


def _make_chunks(text: str) -> Iterator[Chunk]:
    """Lines that belong together: a rule with its recipe, a definition with its body, a line with what continues it."""
    key, held, ends = "", "", None
    for line in _logical_lines(text):
        if ends is not None:
            held, is_end = held + line, line.strip() == ends
            ends = None if is_end else ends
            continue
        if line.startswith("\t") and key.startswith("rule "):
            held += line
            continue
        if not line.strip() and held:
            held += line
            continue
        if held:
            yield Chunk(key=key, text=held)
        key, held = _key_of(line), line
        ends = "endef" if _DEFINE.match(line) else None
    if held:
        yield Chunk(key=key, text=held)


def _logical_lines(text: str) -> Iterator[str]:
    held = ""
    for line in text.splitlines(keepends=True):
        held += line
        if not line.rstrip("\r\n").endswith("\\"):
            yield held
            held = ""
    if held:
        yield held


def _key_of(line: str) -> str:
    stripped = line.strip()
    if not stripped or stripped.startswith("#"):
        return "comment"
    if re.match(r"-?include\b|sinclude\b|export\b|unexport\b|vpath\b|load\b", stripped) or not line[:1].strip():
        return f"line {stripped}" if not (found := _VARIABLE.match(line)) else _variable_key(found, stripped)
    if re.match(r"ifn?(?:eq|def)\b|else\b|endif\b", stripped):
        return "condition"
    if found := _DEFINE.match(line) or _VARIABLE.match(line):
        return _variable_key(found, stripped)
    if found := _RULE.match(line):
        return f"rule {' '.join(found['targets'].split())}"
    return f"line {stripped}"


def _variable_key(found: re.Match[str], line: str) -> str:
    return f"export {found['name']}" if line.startswith("export") else f"variable {found['name']}"


def _goals(rules: list[Chunk], words: Words) -> set[str]:
    """The targets that the command names; one that names none makes the first."""
    targets = [target for rule in rules for target in _targets(rule.key)]
    named = {target for target in targets if target in words}
    plain = [target for target in targets if not target.startswith(".") and "%" not in target]
    return named or {target for target in targets if target in _TEST_GOALS} or set(plain[:1])


def _targets(key: str) -> list[str]:
    return key.removeprefix("rule ").split()


def _is_called(key: str, called: set[str]) -> bool:
    targets = _targets(key)
    if ".PHONY" in targets:
        return False
    # a target whose name is computed may be any
    return "$" in key or any(_fits(name, target) for target in targets for name in called)


def _fits(name: str, target: str) -> bool:
    return name == target or ("%" in target and fnmatchcase(name, target.replace("%", "*")))


def _needs(rules: list[Chunk], name: str) -> Iterator[str]:
    for rule in rules:
        if not _is_called(rule.key, {name}):
            continue
        header, *recipe = rule.text.splitlines()
        found = _RULE.match(header)
        yield from (found["needs"].replace("|", " ").partition(";")[0].split() if found else ())
        for line in recipe:
            if _CALLS_MAKE.search(line):
                yield from re.split(r"[\s;&]+", line)


def _used(chunks: list[Chunk], key: str) -> Iterator[str]:
    """The variables that the chunks of a key use."""
    for chunk in chunks:
        if chunk.key == key:
            names = {found["name"] or found["letter"] for found in _USED.finditer(chunk.text)}
            yield from (f"variable {name}" for name in names)


def _is_global(key: str) -> bool:
    kind, _, name = key.partition(" ")
    is_known = kind == "variable" and _ALWAYS.fullmatch(name) is not None
    return kind in ("line", "condition", "export") or is_known or name in _SPECIAL_TARGETS


def make_form(text: str) -> str:
    """A chunk without comments and blank lines; the blanks of a recipe count, for it is another language's."""
    kept = []
    for line in _logical_lines(text):
        if line.startswith("\t"):
            kept.append("" if line.lstrip().startswith("#") else f"\t{line.strip()}")
        else:
            kept.append(" ".join(re.sub(r"(?<!\\)#.*", "", line).split()))
    return "\n".join(line for line in kept if line.strip())


_INDENTED = re.compile(r"^[ \t]|^\s*$")
_RECIPE = re.compile(r"^@?(?P<name>[A-Za-z_][\w-]*)(?P<rest>[^:=]*:(?!=).*)", re.DOTALL)


def split_justfile(text: str, words: Words) -> list[Chunk]:
    """Recipes apart, with what they depend on; settings, variables and imports are frozen as a whole."""
    chunks = [Chunk(key=_recipe_key(block), text=block) for block in _blocks(text)]
    return _called_chunks(chunks, words, "recipe ")


def split_rakefile(text: str, words: Words) -> list[Chunk]:
    """Blocks that begin at the left edge; those that tell of tests, and what is loaded, are frozen."""
    chunks = [
        Chunk(key=block.splitlines()[0].strip(), text=block) for block in _blocks(text, closing=("end", "}", ")"))
    ]
    named = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, sorted({'test', 'spec', 'default', *words} - {'task', 'rake'})))})\b",
        re.IGNORECASE,
    )
    loads = ("require", "load", "import", "$", "ENV")
    return freeze(
        chunks,
        lambda chunk: bool(named.search(chunk.text) or "Test" in chunk.text or chunk.key.startswith(loads)),
    )


def split_taskfile(text: str, words: Words) -> list[Chunk]:
    """The tasks of a Taskfile apart; everything else in it is frozen as a whole."""
    chunks = []
    for block in _blocks(text):
        first, _, body = block.partition("\n")
        if first.split("#")[0].strip() != "tasks:" or not body.strip():
            chunks.append(Chunk(key=f"line {first.strip()}", text=block))
            continue
        chunks.append(Chunk(key="line tasks:", text=f"{first}\n"))
        indent = re.match(r"(?:[ \t]*(?:#.*)?\n)*([ \t]+)", body)
        for task in _blocks(body, edge=indent[1] if indent else ""):
            chunks.append(Chunk(key=f"recipe {task.strip().partition(':')[0]}", text=task))
    return _called_chunks(chunks, words, "recipe ")


def _called_chunks(chunks: list[Chunk], words: Words, kind: str) -> list[Chunk]:
    names = {chunk.key.removeprefix(kind) for chunk in chunks if chunk.key.startswith(kind)}
    first = [chunk.key.removeprefix(kind) for chunk in chunks if chunk.key.startswith(kind)][:1]
    goals = names & words or names & (_TEST_GOALS | {"default"}) or set(first)
    bodies = {name: " ".join(chunk.text for chunk in chunks if chunk.key == f"{kind}{name}") for name in names}
    called = called_names(goals, lambda name: names & set(re.findall(r"[\w:.-]*[\w-]", bodies[name])))
    return freeze(
        chunks,
        lambda chunk: chunk.key.removeprefix(kind) in called if chunk.key.startswith(kind) else chunk.key != "comment",
    )


def _recipe_key(block: str) -> str:
    first = block.strip("\n").splitlines()[0] if block.strip() else ""
    if not first or first.startswith("#"):
        return "comment"
    if first.startswith("["):
        return _recipe_key(block.strip("\n").partition("\n")[2])
    found = _RECIPE.match(first)
    return (
        f"recipe {found['name']}" if found and not first.startswith(("set ", "export ", "alias ")) else f"line {first}"
    )


def _blocks(text: str, edge: str = "", closing: Iterable[str] = ()) -> Iterator[str]:
    """Lines at the edge, each with the deeper and empty ones that follow; an attribute line belongs to the next."""
    held, opens = "", False
    for line in text.splitlines(keepends=True):
        rest = line.removeprefix(edge)
        is_deeper = not line.strip() or (line.startswith(edge) and _INDENTED.match(rest) is not None)
        if held and not is_deeper and not opens and not rest.startswith(tuple(closing)):
            yield held
            held = ""
        held += line
        opens = not edge and not closing and re.match(r"\[[\w ,:()'\"-]+\]\s*$", line) is not None
    if held:
        yield held
