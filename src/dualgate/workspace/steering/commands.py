"""The test command -> the files of the project that it runs, and the targets and scripts that it names."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from shlex import join

from dualgate.core.values.endings import CODE
from dualgate.core.values.suite import Suite
from dualgate.languages.registry import LANGUAGES
from dualgate.workspace.steering.executed import (
    SCRIPT_ENDINGS,
    executed,
    helpers,
    is_in_sources,
    is_interpreter,
    serves,
)
from dualgate.workspace.steering.formats import plain
from dualgate.workspace.steering.paths import is_document
from dualgate.workspace.steering.table import row_of

_FILES_READ = 100
_LENGTH_READ = 1 << 16
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_TASKFILES = tuple(
    f"{name}{ending}" for name in ("Taskfile", "taskfile", "Taskfile.dist") for ending in (".yml", ".yaml")
)
# program -> the files it reads, missing ones too: a new file could be read before the existing one
_READ_BY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake"), _MAKEFILES),
    "just": _JUSTFILES,
    **dict.fromkeys(("task", "go-task"), _TASKFILES),
    **{program: files for language in LANGUAGES for program, files in language.task_files.items()},
}
# program -> shared files whose scripts it runs; the table has rows for them, here their scripts are followed
_SCRIPTED_BY = {program: files for language in LANGUAGES for program, files in language.scripts.items()}
_TARGET = r"^@?(?:tests?|check)\b[^=\n]*:(?!=)"
# program -> the pattern of a test target in its files
_USUAL = {
    "make": _TARGET,
    "just": _TARGET,
    "task": r"^\s+(?:tests?|check):",
    **{program: pattern for language in LANGUAGES for program, pattern in language.test_targets.items()},
}
_RUNNERS = frozenset({*_READ_BY, *_SCRIPTED_BY})
_ENTERED = re.compile(r"(?:\bcd|\s-C|--prefix|--directory|--dir|--cwd)[\s=]+([\w./-]+)")
_SEPARATED = re.compile(r"\n|&&|\|\||;")
_TESTING = frozenset({*_RUNNERS, *(program for language in LANGUAGES for program in language.programs)})
"""Programs whose arguments are tests, sources and targets."""
_LOADING = re.compile(
    r"-[prc]|--[\w-]*(?:config|plugin|settings|setup|require|import|loader|register|reporter|preset|file)[\w-]*"
    r"|[A-Z_]*(?:CONFIG|PLUGIN|SETTINGS|RC)[A-Z_]*"
)
"""Options and variables whose value is a file or a module that the run loads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """Files of the project that a test command calls, and words that may name a target or a script."""

    files: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


NOTHING_CALLED = Called()


def read_called(root: Path, *commands: Sequence[str]) -> Called:
    """Follow the test commands into what they run: targets, scripts, tools, and the files that these load.

    Tests and sources that are only their arguments are the work, as in `pytest --cov=app tests`.
    """
    text = "\n".join(map(join, commands))
    folders = [word for word in _words(text) if _exists(root / word, Path.is_dir)]
    first = "\n".join((text, *(f"cd {folder}" for folder in folders)))
    files = {name for name in _loaded(root, text, [".", *folders]) if _is_in(root, name)}
    files |= _scripts_in(root, first, with_sources=True)
    called, before = Called(files=frozenset(files), words=frozenset(_words(text))), NOTHING_CALLED
    while called != before and len(called.files) < _FILES_READ:
        before, called = called, _followed(root, first, called)
    return called


def read_suites(root: Path, suites: Iterable[Suite]) -> Called:
    """Follow the commands of suites, each from its folder."""
    commands = (each for suite in suites for each in (("cd", suite.folder), suite.command, suite.setup))
    return read_called(root, *commands)


def read_checked(root: Path, commands: Iterable[str]) -> Called:
    """Follow the commands of checks into what they run: targets, scripts, tools.

    Files that are only their arguments are the work, as in `mypy src/app.py`; so is a program of the project itself.
    """
    text = "\n".join(commands)
    called, before = Called(words=frozenset(_calling_words(text))), None
    while called != before and len(called.files) < _FILES_READ:
        before, followed = called, _followed(root, text, called, with_sources=True)
        helping = {helper for name in followed.files for helper in helpers(root, name)}
        files = {name for name in followed.files | helping if not _is_in(root, name) or serves(root, name)}
        called = Called(files=frozenset(files), words=followed.words)
    return called


def checked_text(root: Path, commands: Iterable[str]) -> str:
    """The commands of checks, and the text of the targets and scripts that they run."""
    commands = list(commands)
    called = read_checked(root, commands)
    scripted = {name for word in called.words for name in _SCRIPTED_BY.get(word, ())}
    return "\n".join((*commands, *(_part(root, name, called.words) for name in sorted(called.files | scripted))))


def names_scripts(path: str) -> bool:
    """Whether a file shared with other tools names scripts that programs run."""
    return any(PurePosixPath(path).name in files for files in _SCRIPTED_BY.values())


def usual_commands(read: Callable[[str], bytes | None]) -> tuple[tuple[str, ...], ...]:
    """Guess the test commands from targets named for tests in the files of a project."""
    files = _SCRIPTED_BY | _READ_BY
    found = [
        program
        for program, target in _USUAL.items()
        if any(re.search(target.encode(), read(name) or b"", re.MULTILINE) for name in files[program])
    ]
    return tuple((program, "test") for program in found)


def _followed(root: Path, first: str, called: Called, *, with_sources: bool = False) -> Called:
    """Add one step: the files and words that the called files call."""
    followed = called.files | {name for word in called.words for name in _SCRIPTED_BY.get(word, ())}
    texts = [first, *(_part(root, name, called.words) for name in sorted(followed))]
    return Called(
        files=called.files.union(*(_files_in(root, text, with_sources=with_sources) for text in texts)),
        words=called.words.union(*map(_calling_words, texts)),
    )


def _loaded(root: Path, text: str, folders: list[str]) -> Iterator[str]:
    """Paths that the arguments of a test command name and that its program reads or loads itself."""
    for line in _SEPARATED.split(text):
        words = _words(line)
        is_testing = any(executed(line)) or any(word in _TESTING or is_interpreter(word) for word in _commands(words))
        for before, word in pairwise(("", *words)):
            is_loaded = _LOADING.fullmatch(before) is not None
            is_work = PurePosixPath(word).suffix.lower() in CODE or is_document(word)
            names = [word] if is_loaded or not (is_testing and is_work) else []
            names += [f"{word.replace('.', '/')}.py"] if is_loaded and re.fullmatch(r"[\w.]+", word) else []
            yield from (_inside(root, folder, name) for folder in folders for name in names)


def _files_in(root: Path, text: str, *, with_sources: bool) -> set[str]:
    """The scripts that a text runs and the files that its tools read, in every folder that it enters."""
    read = [name for word in _commands(_words(text)) for name in _READ_BY.get(word, ())]
    names = (_inside(root, folder, file) for folder in _entered(text) for file in read)
    return _scripts_in(root, text, with_sources=with_sources) | {name for name in names if not name.startswith("..")}


def _scripts_in(root: Path, text: str, *, with_sources: bool) -> set[str]:
    """The files that a text runs. Without `with_sources` modules of the sources are left out."""
    return {
        name
        for folder in _entered(text)
        for script in executed(text)
        if _is_in(root, name := _inside(root, folder, script.path))
        and (with_sources or not script.is_module or _is_tool(root, name))
    }


def _is_tool(root: Path, name: str) -> bool:
    """Whether a module that a script runs is a tool or runs tests, and is not the work itself."""
    runs_tests = "test" in PurePosixPath(name).stem.lower() and not is_in_sources(root, name)
    return runs_tests or serves(root, name)


def _entered(text: str) -> list[str]:
    return [".", *_ENTERED.findall(text)]


def _calling_words(text: str) -> set[str]:
    """The words of the lines that call targets or scripts of other files."""
    lines = (_words(line) for line in _SEPARATED.split(text))
    return {word for line in lines if not _RUNNERS.isdisjoint(_commands(line)) for word in line}


def _commands(words: list[str]) -> set[str]:
    return {"make" if word in ("MAKE", "${MAKE}") else PurePosixPath(word).name for word in words}


def _part(root: Path, name: str, words: frozenset[str]) -> str:
    """The text that may call other files: a whole script, or the called part of a shared file."""
    row = row_of(name)
    suffix = PurePosixPath(name).suffix
    if not _is_in(root, name) or (row is None and suffix not in SCRIPT_ENDINGS | {""}):
        return ""
    with (root / name).open("rb") as file:
        content = file.read(_LENGTH_READ)
    folder = PurePosixPath(name).parent.as_posix()
    text = row.part(content, words) if row is not None else plain(content)
    return f"{text}\ncd {folder}"


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s;&|()<>'\"=,\\]+", text) if word and len(word) < 200]


def _is_in(root: Path, name: str) -> bool:
    return not name.startswith("..") and _exists(root / name, Path.is_file)


def _inside(root: Path, folder: str, name: str) -> str:
    return os.path.relpath(root / folder / name, root)


def _exists(path: Path, kind: Callable[[Path], bool]) -> bool:
    try:
        return kind(path)
    except (OSError, ValueError):
        return False
