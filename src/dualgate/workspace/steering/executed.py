"""A text of shell commands -> the scripts and modules that it executes, without those that are only arguments.

The one definition of it, for test commands and for checks. Which of them are frozen is decided elsewhere.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from dualgate.languages.interpreter import ENVIRONMENT_FOLDERS
from dualgate.languages.registry import LANGUAGES
from dualgate.languages.tools import TOOLS

_LINES = re.compile(r"\n|&&|\|\|?|;|&|\s[({})]\s")
_QUOTED = re.compile(r""""([^"\n]*)"|'([^'\n]*)'""")
_WORD = re.compile(r"""(?:[^\s"'\\]|\\[^\n]|"[^"\n]*"|'[^'\n]*')+""")
_QUOTES = re.compile(r"""["'\\]""")
_ASSIGNED = re.compile(r"\w+=")
_VARIABLE = re.compile(r"\$\$?[({]?(?:\w*PYTHON\d*|PY|NODE|RUBY|SHELL|(?:BA)?SH|\w*RUN)[)}]?", re.IGNORECASE)
"""A variable that holds an interpreter, as in a Makefile."""
_INTERPRETER = re.compile("|".join(each.interpreters for each in LANGUAGES if each.interpreters) + "|dash|ksh|deno|php")
_SHELL = re.compile(r"(?:ba|z|da|k)?sh")
_SOURCING = frozenset({"source", "."})
_BEFORE = frozenset({"!", "if", "then", "else", "elif", "do", "while", "until", "time"})
# program -> its options with a value; the words after those are the command that it runs
_WRAPPERS: dict[str, frozenset[str]] = {
    "env": frozenset({"-u", "--unset", "-C", "--chdir"}),
    "nice": frozenset({"-n"}),
    "timeout": frozenset({"-s", "--signal", "-k", "--kill-after"}),
    **dict.fromkeys(("exec", "command", "nohup", "sudo", "xargs", "npx", "bunx", "pipx", "uvx"), frozenset[str]()),
}
_RUN_BY = frozenset({"uv", "poetry", "pdm", "pipenv", "hatch", "rye", "coverage", "npm", "pnpm", "bundle", "pixi"})
"""Programs that run a command after the word `run` or `exec`."""
_RUNS = frozenset({"run", "exec"})
_RUN_OPTIONS = frozenset({
    "-p", "--python", "--with", "--with-editable", "--with-requirements", "--extra", "--group", "--only-group",
    "--package", "--project", "--directory", "--env-file", "--index", "--index-url", "-e", "--env", "--environment",
    "--rcfile", "--source", "--data-file", "--include", "--omit", "--context",
})  # fmt: skip
_VALUED = frozenset({"-W", "-X", "-r", "-I", "-C", "--require", "--import", "--loader", "--experimental-loader"})
"""Options of interpreters with a value."""
_INLINE = frozenset({"-c", "-ec", "-lc", "-xc", "-euc", "-exc", "--eval", "--print"})
"""Options whose value is the program itself."""
_MODULES = frozenset({"-m", "--module"})
_READ_BY = {
    "nox": ("noxfile.py",),
    **dict.fromkeys(("invoke", "inv"), ("tasks.py", "tasks/__init__.py")),
    "doit": ("dodo.py",),
    "scons": ("SConstruct",),
}
SCRIPT_ENDINGS = frozenset({".sh", ".bash", ".mk"})
_LOOKING = frozenset({
    "shellcheck", "shfmt", "bashate", "cat", "chmod", "cp", "diff", "echo", "file", "git", "grep", "head", "install",
    "ln", "ls", "mv", "printf", "rm", "sed", "tail", "test", "[", "[[", "touch", "wc", *(tool.name for tool in TOOLS),
})  # fmt: skip
"""Programs that read, write or print the scripts among their arguments, and run none of them."""
_TOOL_FOLDERS = frozenset({
    "scripts", "script", "tools", "tool", "bin", "ci", ".ci", "build", "dev", "hack", "hooks", "tasks", "qa", "lint",
    "linters", "checks",
})  # fmt: skip
"""Folders of programs that serve the development; a program elsewhere may be the work itself."""
_TOOL_WORDS = _TOOL_FOLDERS | frozenset({
    "check", "linter", "style", "format", "fmt", "types", "typecheck", "coverage", "verify", "validate", "audit",
    "noxfile", "dodo",
})  # fmt: skip
"""Words in the name of a script that say the same, outside packages and folders of sources."""
_SOURCE_FOLDERS = frozenset({"src", "lib", "app", "pkg", "packages", "internal", "cmd"})
_INSTALLED = frozenset({*ENVIRONMENT_FOLDERS, "node_modules"})
_LENGTH_PARSED = 1 << 18


class Script(NamedTuple):
    """A path as a text names it, from the folder in which it runs it; it need not exist."""

    path: str
    is_module: bool = False
    """Whether an interpreter is given the name of a module, as in `python -m`."""


def executed(text: str) -> Iterator[Script]:
    """The scripts that a text runs, however it wraps them."""
    for line in _LINES.split(text.replace("\\\n", " ")):
        yield from _of_command(_words(line))
    for quoted in _QUOTED.finditer(text):
        inner = quoted[1] or quoted[2] or ""
        if " " in inner:  # a script of a package.json, or of `sh -c`
            yield from executed(inner)


def is_interpreter(name: str) -> bool:
    """Whether a program runs the script that it is given, and is no shell."""
    return _INTERPRETER.fullmatch(name) is not None and _SHELL.fullmatch(name) is None


def _words(line: str) -> list[str]:
    words = (_QUOTES.sub("", word).lstrip("(`") for word in _WORD.findall(line))
    return [word if "(" in word else word.rstrip(")`") for word in words]


def _of_command(words: list[str]) -> Iterator[Script]:
    words = _unwrapped(words)
    if not words:
        return
    name = PurePosixPath(words[0]).name
    if _INTERPRETER.fullmatch(name) or _VARIABLE.fullmatch(words[0]) or words[0] in _SOURCING:
        yield from _of_interpreter(name, words[1:])
    elif PurePosixPath(words[0]).suffix or "/" in words[0]:
        yield Script(words[0])  # other names are looked for on the PATH
    elif name not in _LOOKING:
        yield from _of_arguments(words[1:])
    yield from map(Script, _READ_BY.get(name, ()))


def _of_arguments(words: list[str]) -> Iterator[Script]:
    """Scripts among the arguments of a program that may run them: a wrapper, a tool of containers, an `include`."""
    for place, word in enumerate(words, 1):
        if _INTERPRETER.fullmatch(PurePosixPath(word).name):
            yield from _of_interpreter(PurePosixPath(word).name, words[place:])
        elif PurePosixPath(word).suffix in SCRIPT_ENDINGS or (word.startswith("./") and not PurePosixPath(word).suffix):
            yield Script(word)


def _unwrapped(words: list[str]) -> list[str]:
    """The command without what is before it: signs of make, variables, programs that run another command."""
    words = [words[0].lstrip("@-+"), *words[1:]] if words else words
    while words:
        name = PurePosixPath(words[0]).name
        if not words[0] or words[0] in _BEFORE or _ASSIGNED.match(words[0]):
            words = words[1:]
        elif name in _WRAPPERS:
            words = _after_options(words[1:], _WRAPPERS[name])[name == "timeout" :]
        elif name in _RUN_BY and (at := _place_of_run(words)):
            words = _after_options(words[at:], _RUN_OPTIONS)
            if name == "coverage" or words[:1] in (["-m"], ["--module"]):
                return ["python", *words]
        else:
            return words
    return words


def _place_of_run(words: list[str]) -> int:
    """The place after `run`; 0 if the program does not run a command."""
    return next((place for place, word in enumerate(words[1:], 2) if word in _RUNS), 0)


def _after_options(words: list[str], valued: frozenset[str]) -> list[str]:
    while words and words[0].startswith("-") and words[0] not in _MODULES:
        words = words[2 if words[0] in valued else 1 :]
    return words


def _of_interpreter(name: str, words: list[str]) -> Iterator[Script]:
    is_shell = _SHELL.fullmatch(name) is not None
    while words and words[0].startswith(("-", "+")):
        option, words = words[0], words[1:]
        if option in _MODULES:
            yield from _of_module(words[0] if words else "")
            return
        if option in _INLINE:
            return
        if option in _VALUED or (is_shell and option.endswith("o")):
            words = words[1:]
    if words[:1] == ["run"]:  # bun, deno
        words = _after_options(words[1:], frozenset())
    yield from map(Script, words[:1])


def _of_module(name: str) -> Iterator[Script]:
    path = name.replace(".", "/")
    yield from (Script(each, is_module=True) for each in (f"{path}.py", f"{path}/__main__.py") if path)


def serves(root: Path, name: str) -> bool:
    """Whether a file that a check executes serves the development, so that it is not the work itself."""
    path = PurePosixPath(name)
    if not _INSTALLED.isdisjoint(path.parts):
        return False
    if path.suffix in SCRIPT_ENDINGS | {""} or is_in_tools(name):
        return True
    is_named = not _TOOL_WORDS.isdisjoint(re.split(r"[\W_]+", path.stem.lower()))
    return is_named and not is_in_sources(root, name)


def is_in_sources(root: Path, name: str) -> bool:
    """Whether a file lies in a package or in a folder of sources, and not among tools."""
    path = PurePosixPath(name)
    is_packaged = not _SOURCE_FOLDERS.isdisjoint(path.parts[:-1]) or (root / path.parent / "__init__.py").exists()
    return is_packaged and not is_in_tools(name)


def is_in_tools(name: str) -> bool:
    return not _TOOL_FOLDERS.isdisjoint(PurePosixPath(name).parts[:-1])


def helpers(root: Path, name: str) -> Iterator[str]:
    """Modules that a Python script imports from its own folder, if that is a folder of tools: others are the work."""
    folder = PurePosixPath(name).parent
    if not name.endswith(".py") or not is_in_tools(name):
        return
    for module in _imported(root / name, folder):
        places = {folder / module, PurePosixPath(module)}
        for place in (each for each in places if each.is_relative_to(folder) and each != folder):
            packages = (each / "__init__.py" for each in (place, *place.parents) if each.is_relative_to(folder))
            found = (place.with_suffix(".py"), *packages)
            yield from (each.as_posix() for each in found if (root / each).is_file())


def _imported(path: Path, folder: PurePosixPath) -> Iterator[str]:
    """Imported modules as paths, from the folder of the script or from the root."""
    try:
        nodes = list(ast.walk(ast.parse(path.read_bytes()[:_LENGTH_PARSED])))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.replace(".", "/") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = [folder, *folder.parents][: node.level][-1:]
            start = PurePosixPath(*above, *(node.module or "").split("."))
            yield from (each.as_posix() for each in (start, *(start / alias.name for alias in node.names)))
