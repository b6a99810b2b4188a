"""The test command -> the files of the project that it runs, and the targets and scripts that it names."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dualgate.languages.registry import LANGUAGES
from dualgate.workspace.steering.executed import executed, helpers, serves
from dualgate.workspace.steering.formats import plain
from dualgate.workspace.steering.table import row_of

_SCRIPT_ENDINGS = frozenset({".sh", ".bash", ".mk"})
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
_INTERPRETERS = "|".join(language.interpreters for language in LANGUAGES if language.interpreters)
_INTERPRETED = re.compile(rf"(?:^|[\s;&|(\"'@])(?:(?:{_INTERPRETERS}|source|\.|exec)\s+(?:-\w+\s+)*|(?=\./))([\w./-]+)")


_SEPARATED = re.compile(r"\n|&&|\|\||;")
Scripts = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """Files of the project that a test command calls, and words that may name a target or a script."""

    files: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


NOTHING_CALLED = Called()


def read_called(root: Path, command: Sequence[str]) -> Called:
    """Follow the command into the scripts and the parts of shared files that it calls."""
    text = " ".join(command)
    folders = [word for word in _words(text) if _exists(root / word, Path.is_dir)]
    first = "\n".join((text, *(f"cd {folder}" for folder in folders)))
    files = {name for name in _named(root, _words(text), [".", *folders]) if _is_in(root, name)}
    called, before = Called(files=frozenset(files), words=frozenset(_words(text))), NOTHING_CALLED
    while called != before and len(called.files) < _FILES_READ:
        before, called = called, _followed(root, first, called, _scripts)
    return called


def read_checked(root: Path, commands: Iterable[str]) -> Called:
    """Follow the commands of checks into what they run: targets, scripts, tools.

    Files that are only their arguments are the work, as in `mypy src/app.py`; so is a program of the project itself.
    """
    text = "\n".join(commands)
    called, before = Called(words=frozenset(_calling_words(text))), None
    while called != before and len(called.files) < _FILES_READ:
        before, followed = called, _followed(root, text, called, _executed)
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


def usual_command(read: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """Guess the test command from targets named for tests in the files of a project."""
    files = _SCRIPTED_BY | _READ_BY
    found = [
        program
        for program, target in _USUAL.items()
        if any(re.search(target.encode(), read(name) or b"", re.MULTILINE) for name in files[program])
    ]
    return tuple(word for program in found for word in (program, "test"))


def _followed(root: Path, first: str, called: Called, find: Scripts) -> Called:
    """Add one step: the files and words that the called files call; `find` finds the scripts of a text."""
    followed = called.files | {name for word in called.words for name in _SCRIPTED_BY.get(word, ())}
    texts = [first, *(_part(root, name, called.words) for name in sorted(followed))]
    return Called(
        files=called.files.union(*(_files_in(root, text, find) for text in texts)),
        words=called.words.union(*map(_calling_words, texts)),
    )


def _named(root: Path, words: list[str], folders: list[str]) -> Iterator[str]:
    """Paths of files and modules with these names."""
    modules = [f"{word.replace('.', '/')}.py" for word in words if re.fullmatch(r"[\w.]+", word)]
    for folder in folders:
        yield from (_inside(root, folder, word) for word in (*words, *modules))


def _files_in(root: Path, text: str, find: Scripts) -> set[str]:
    """The scripts that a text runs and the files that its tools read, in every folder that it enters."""
    folders = [".", *_ENTERED.findall(text)]
    read = [name for word in _commands(_words(text)) for name in _READ_BY.get(word, ())]
    scripts = {
        name for folder in folders for script in find(text) if _is_in(root, name := _inside(root, folder, script))
    }
    return scripts | {
        name for folder in folders for file in read if not (name := _inside(root, folder, file)).startswith("..")
    }


def _calling_words(text: str) -> set[str]:
    """The words of the lines that call targets or scripts of other files."""
    lines = (_words(line) for line in _SEPARATED.split(text))
    return {word for line in lines if not _RUNNERS.isdisjoint(_commands(line)) for word in line}


def _commands(words: list[str]) -> set[str]:
    return {"make" if word in ("MAKE", "${MAKE}") else PurePosixPath(word).name for word in words}


def _scripts(text: str) -> Iterator[str]:
    """Scripts and included Makefiles that a text names, and files that it passes to an interpreter."""
    yield from (word for word in _words(text) if PurePosixPath(word).suffix in _SCRIPT_ENDINGS)
    yield from (found[1] for found in _INTERPRETED.finditer(text))


def _executed(text: str) -> Iterator[str]:
    """Scripts that a text executes or includes."""
    yield from (word for word in _words(text) if PurePosixPath(word).suffix == ".mk")
    yield from executed(text)


def _part(root: Path, name: str, words: frozenset[str]) -> str:
    """The text that may call other files: a whole script, or the called part of a shared file."""
    row = row_of(name)
    suffix = PurePosixPath(name).suffix
    if not _is_in(root, name) or (row is None and suffix not in _SCRIPT_ENDINGS | {""}):
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
