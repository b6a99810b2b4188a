"""A test file in JavaScript, Go or Rust that cannot be loaded or compiled -> its tests, if work is missing.

A file that needs a module or a name which the project does not have yet is red, as its tests are. Any other one is
broken: it has a mistake of its own, or needs a package that is not installed.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.languages.registry import LANGUAGES
from dualgate.languages.rust_tests import is_line_of_tests
from dualgate.languages.written import WrittenCase, written_cases
from dualgate.runners.cases import MESSAGE_KEPT

_TEST_FILE = re.compile("|".join(each.test_files for each in LANGUAGES if each.test_files))
_TEST_FOLDERS = frozenset({"test", "tests", *(name for each in LANGUAGES for name in each.test_folders)})

# JavaScript: a module or an export that is missing
_NO_MODULE = re.compile(
    r"Cannot find module ['\"](?P<module>[^'\"\n]+)['\"]|Failed to resolve import ['\"](?P<import>[^'\"\n]+)['\"]"
    r"|Failed to load url (?P<url>\S+)"
    r"|The requested module ['\"](?P<other>[^'\"\n]+)['\"] does not provide an export named"
    r"|Module ['\"]+(?P<typed>[^'\"\n]+)['\"]+ has no exported member"
)


def is_missing_module(message: str, file: str, project: Path) -> bool:
    """Whether a JavaScript file could not be loaded since a module of the project, or a name in one, is missing."""
    found = _NO_MODULE.search(message)
    if found is None:
        return False
    module = next(filter(None, found.groups())).removeprefix("file://")
    if not module.startswith((".", "/")):
        return False  # of somebody else
    start = project / PurePosixPath(file).parent
    place = os.path.relpath(start / module, project)
    return not place.startswith("..") and "node_modules" not in place and not _is_of_tests(place)


def _is_of_tests(place: str) -> bool:
    *folders, name = place.split("/")
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_FILE.fullmatch(name) is not None


# Go: errors of the compiler, one on a line
_GO_ERROR = re.compile(r"^(?:vet: )?(?P<file>\S+\.go):(?P<line>\d+)(?::\d+)?: (?P<text>.+)$", re.MULTILINE)
_GO_MISSING = re.compile(
    r"undefined: (?P<name>[\w.]+)|.* undefined \(.*(?:has no field or method|missing method).*\)"
    r"|unknown field .* in struct literal.*|(?:too many|not enough) arguments in call to .*"
    r"|(?:package (?P<package>\S+) is not in \S+.*|no required module provides package (?P<module>[^\s;]+).*)"
)
_GO_TEST_FILE = re.compile(r".*_test\.go")


def is_missing_in_go(message: str, module: str, texts: Callable[[str], str]) -> bool:
    """Whether a package does not compile only since its tests need names or packages of the module that are missing.

    `texts` gives the text of a file. A lower-case name that is only used as `name.x` is a package without its import.
    """
    errors = [each for each in _GO_ERROR.finditer(message) if each["text"] != "too many errors"]
    return bool(errors) and all(_is_missing_name(each, module, texts) for each in errors)


def _is_missing_name(error: re.Match[str], module: str, texts: Callable[[str], str]) -> bool:
    found = _GO_MISSING.fullmatch(error["text"].strip())
    if found is None or not _GO_TEST_FILE.fullmatch(error["file"]):
        return False
    if package := found["package"] or found["module"]:
        return f"{package}/".startswith(f"{module}/")
    name = found["name"] or ""
    uses = re.findall(rf"\b{re.escape(name)}\b\s*(\.)?", texts(error["file"])) if name.islower() else []
    return not uses or not all(uses)


# Rust: errors of the compiler, each with its place below it
_RUST_ERROR = re.compile(
    r"^error(?:\[(?P<code>E\d+)\])?: (?P<text>(?!could not compile|aborting|test failed|build failed).*)"
    r"\n\s*--> (?P<file>[^:\n]+):(?P<line>\d+):",
    re.MULTILINE,
)
_RUST_MISSING = frozenset(
    {
        *("E0432", "E0433", "E0425", "E0412", "E0405", "E0422", "E0531", "E0574"),
        *("E0599", "E0560", "E0609", "E0610", "E0061", "E0107", "E0423", "E0026"),
    }
)
_RUST_PATH = re.compile(r"unresolved import `(?P<path>[\w:]+)`|failed to resolve: .*`(?P<name>\w+)`")
_RUST_OWN = frozenset({"crate", "super", "self"})


def files_missing_work(output: str, crate: str, texts: Callable[[str], str]) -> tuple[str, ...]:
    """The Rust files whose tests do not compile since work is missing; empty if any error has another reason.

    `texts` gives the text of a file. Inside of sources, only items that are compiled for tests may have errors.
    """
    errors = list(_RUST_ERROR.finditer(output))
    is_missing = bool(errors) and all(_is_missing_item(each, crate, texts) for each in errors)
    return tuple(dict.fromkeys(each["file"].strip() for each in errors)) if is_missing else ()


def _is_missing_item(error: re.Match[str], crate: str, texts: Callable[[str], str]) -> bool:
    file = error["file"]
    is_test = file.startswith("tests/") or (
        file.startswith("src/") and is_line_of_tests(texts(file), int(error["line"]))
    )
    if error["code"] not in _RUST_MISSING or not is_test:
        return False
    found = _RUST_PATH.search(error["text"])
    first = (found["path"] or found["name"] or "").partition("::")[0] if found else crate
    return first in _RUST_OWN | {crate}


def waiting_results(
    path: str, content: bytes, name_of: Callable[[WrittenCase], str], message: str
) -> Iterator[CaseResult]:
    """A result for each test of a file that waits for work."""
    for case in written_cases(path, content):
        yield CaseResult(
            id=name_of(case),
            file=path,
            line=case.line,
            outcome=CaseOutcome.SKIPPED if case.is_idle else CaseOutcome.ERROR,
            kind=None if case.is_idle else FailureKind.MISSING,
            message=message[:MESSAGE_KEPT],
            uncollected=True,
        )


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


Joined = Callable[[str, Sequence[str], Sequence[str]], str]
"""A file, the names of a test in it, and those of its first test -> the id of the test."""


def with_waiting_files(results: Iterable[CaseResult], project: Path, joined: Joined) -> Iterator[CaseResult]:
    """Results in which a JavaScript file that waits for work is its tests; `joined` makes their ids."""
    for result in results:
        is_waiting = result.is_broken_file and is_missing_module(result.message, result.file, project)
        yield from (tests_of(result.file, result.message, project, joined) if is_waiting else ()) or (result,)


def tests_of(file: str, message: str, project: Path, joined: Joined) -> tuple[CaseResult, ...]:
    """The results of a JavaScript file that waits for work; `joined` makes their ids."""
    content = read_bytes(project / file)
    first = next((case.names for case in written_cases(file, content)), ())
    return tuple(waiting_results(file, content, lambda case: joined(file, case.names, first), message))
