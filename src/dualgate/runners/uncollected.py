"""Report of a test file that could not be collected -> a result for each test in it, if work is missing.

A file that imports a module or a name that the project does not have yet is red, as its tests are. Any other one is
broken: it has a mistake of its own, or needs a package that is not installed.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.languages.python import TEST_MODULE
from dualgate.runners.foreign import is_foreign
from dualgate.runners.sources import written_at
from dualgate.runners.written_tests import Names, WrittenTest, written_tests

_TEST_FOLDERS = frozenset({"test", "tests"})
_FIXTURES = "conftest.py"

Event = Mapping[str, Any]


def uncollected_tests(event: Event, project: Path, runner: str, message: str) -> tuple[CaseResult, ...]:
    """The tests of a file that waits for work; empty if it is broken, or if no test in it is certain."""
    file, name = str(event["file"]), str(event["id"])
    if not is_unmet(event, project) or (runner == "pytest" and "::" in name):
        return ()
    try:
        content = Path(file).read_bytes()
    except OSError:
        return ()
    place = os.path.relpath(file, project)
    separator = "." if runner == "unittest" else "::"
    found = written_tests(content, _names(event, runner))
    return tuple(_result(each, separator.join((name, *each.names)), file, place, message) for each in found)


def is_unmet(event: Event, project: Path) -> bool:
    """Whether a file could not be collected because something of the project, and not of its tests, is missing."""
    found = event.get("unmet") or {}
    module, place = str(found.get("module", "")), str(found.get("place", ""))
    if module:
        return not is_foreign(project, module.partition(".")[0]) and not _is_of_tests(module.split("."))
    return bool(place) and not _is_of_tests(PurePosixPath(os.path.relpath(place, project)).parts)


def _is_of_tests(parts: "tuple[str, ...] | list[str]") -> bool:
    """Whether a path or a dotted name belongs to the tests, which are to be whole when RED ends."""
    *folders, last = parts
    name = last if last.endswith(".py") else f"{last}.py"
    return not _TEST_FOLDERS.isdisjoint(folders) or name == _FIXTURES or TEST_MODULE.fullmatch(name) is not None


def _names(event: Event, runner: str) -> Names:
    if runner == "unittest":
        return Names(only_cases=True)
    patterns = event.get("patterns") or {}
    return Names(functions=tuple(_texts(patterns, "functions")), classes=tuple(_texts(patterns, "classes")))


def _texts(patterns: Mapping[str, Any], key: str) -> Iterator[str]:
    yield from map(str, patterns.get(key) or ())


def _result(test: WrittenTest, name: str, file: str, place: str, message: str) -> CaseResult:
    written = written_at(file, test.line)
    mistake = f"name '{test.unbound}' is not defined in the test file" if test.unbound else ""
    kind = FailureKind.BROKEN_TEST if mistake else FailureKind.MISSING
    return CaseResult(
        id=name,
        file=place,
        line=written.line,
        outcome=test.idle or CaseOutcome.ERROR,
        digest=written.digest,
        body=written.body,
        doc=written.doc,
        kind=None if test.idle else kind,
        message=mistake or message,
        uncollected=True,
    )
