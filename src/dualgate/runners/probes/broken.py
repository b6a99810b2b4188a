"""Changed files -> the ways to break a copy of the project: functions, scripts, data, and all that did not change."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dualgate.core.values.notation import listed
from dualgate.runners.reporters.probes import changes, scripts, texts
from dualgate.runners.reporters.probes.switches import is_test

MOST_FILES = 400
NAMED = 3
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError)
FUNCTIONS_KEPT = "it also passes when every function of the project returns a constant"
SCRIPT_CODE = "it also passes without the changed code of {}"
EMPTY_FILES = "it also passes when {} is empty"
NO_CODE = "it runs no code of the project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One way to break a copy: files with their other text."""

    texts: Mapping[str, str]
    reason: str = ""
    """The sentence about a test that passes anyway; empty if changed functions return constants."""
    is_marked: bool = True
    """Whether broken code writes a mark when it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The breaks of a copy, where modules are imported from, and what it means if no broken code runs."""

    breaks: tuple[Break, ...]
    path: Sequence[str] = ()
    unrun: str = ""
    """The sentence about a test that passes and does not run this code; empty if that shows nothing."""
    is_all: bool = False
    """Whether code that did not change is broken too."""

    def roots(self, copy: Path) -> Iterator[str]:
        """The folders of a copy from which the changed files are imported."""
        yield from self.path
        for name in (name for each in self.breaks for name in each.texts if not self.is_all):
            packages = [each for each in PurePosixPath(name).parents if (copy / each / "__init__.py").is_file()]
            if packages or name.endswith(".py"):
                yield str(packages[-1].parent if packages else PurePosixPath(name).parent)


def of_changes(started: Mapping[str, Any], data: Sequence[str], project: Path) -> Broken:
    """Breaks of what changed. Emptied files decide alone only if nothing else can be broken."""
    stubbed, script = started["stubbed"], started["scripts"]
    emptied = {
        name: text for name in (*data, *started["without_code"]) if (text := _emptied(project / name)) is not None
    }
    made = [
        Break(texts=stubbed),
        Break(texts=script, reason=SCRIPT_CODE.format(_named(script))),
        Break(texts=emptied, reason=EMPTY_FILES.format(_named(emptied)), is_marked=False),
    ]
    unrun = "" if stubbed or script else made[-1].reason
    return Broken(breaks=tuple(each for each in made if each.texts), path=started["path"], unrun=unrun)


def of_all(project: Path, path: Sequence[str]) -> Broken:
    """Breaks of all code of a project, changed or not."""
    functions: dict[str, str] = {}
    values: dict[str, str] = {}
    for name in _python_files(project):
        try:
            text = (project / name).read_bytes().decode("utf-8")
            functions[name] = texts.all_stubbed(changes.Source(text))
            values[name] = scripts.with_other_values(changes.Source(text))
        except UNREADABLE:
            continue
    made = Break(texts=functions, reason=FUNCTIONS_KEPT), Break(texts=values, reason=NO_CODE, is_marked=False)
    return Broken(breaks=made, path=path, unrun=NO_CODE, is_all=True)


def _python_files(project: Path) -> Iterator[str]:
    count = 0
    for folder, folders, names in os.walk(project):
        folders[:] = sorted(
            each for each in folders if not each.startswith(".") and not _is_foreign(Path(folder, each))
        )
        for name in sorted(names):
            path = Path(folder, name).relative_to(project)
            if name.endswith(".py") and not is_test(str(path)) and count < MOST_FILES:
                count += 1
                yield path.as_posix()


def _is_foreign(folder: Path) -> bool:
    return folder.is_symlink() or (folder / "pyvenv.cfg").is_file() or folder.name in ("node_modules", "site-packages")


def _emptied(path: Path) -> str | None:
    """The text of a file without content, of the same kind; None if there is none to take away."""
    try:
        text = path.read_bytes().decode("utf-8", "replace").strip()
    except OSError:
        return None
    empty = EMPTY.get(PurePosixPath(path).suffix.lower(), _nothing)(text)
    return None if empty.strip() == text else empty


def _empty_json(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return json.dumps(type(value)() if value is not None else None) + "\n"


def _empty_yaml(text: str) -> str:
    is_list = next((line for line in text.splitlines() if line.strip() and line[0] not in "#-%"), None) is None
    return "[]\n" if is_list else "{}\n"


def _empty_markup(text: str) -> str:
    del text
    return "<x/>\n"


def _nothing(text: str) -> str:
    del text
    return ""


EMPTY = {
    ".json": _empty_json,
    **dict.fromkeys((".yaml", ".yml"), _empty_yaml),
    **dict.fromkeys((".xml", ".svg"), _empty_markup),
}


def _named(names: Mapping[str, str]) -> str:
    return listed([f"`{name}`" for name in names], NAMED)
