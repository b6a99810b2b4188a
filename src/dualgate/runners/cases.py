"""A test in the report of another tool -> its file, its id, and its kind of failure."""

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.languages.registry import LANGUAGES
from dualgate.runners.titles import files_by_title

# test folders of build tools, relative to the suite's folder; then the endings of files that a dotted name may mean
ROOTS = ("", *(root for language in LANGUAGES for root in language.test_roots), "test", "tests")
ENDINGS = tuple(ending for language in LANGUAGES for ending in language.class_endings)
SILENT = tuple(ending for language in LANGUAGES for ending in language.silent_endings)
PARTS_TRIED = 3
LONGEST_NAME = 1000
AGAIN = re.compile(r"(?<=\S)#\d+$")
SEPARATORS = re.compile(r"[./\\$:]+")
LOOKED_AT = 2000
MESSAGE_KEPT = 2000
EXCEPTION = re.compile(r"\w*(?:Error|Exception|Failure|Failed|Assertion)\w*")

KIND_OF_EXCEPTION = {
    name: kind for language in LANGUAGES for kind, names in language.failures.items() for name in names.split()
}
# phrases of any language; the first kind that matches counts
GENERAL = {
    FailureKind.BROKEN_FILE: "",
    FailureKind.MISSING: "not (yet )?implemented|no such function",
    FailureKind.ASSERTION: (
        r"assertion .*failed|\bassert\b|\bexpect(ed)?\b|should (be|equal|have)|\bgot:|!=|==|\bto (be|equal)\b"
    ),
}
PATTERNS = tuple(
    (
        kind,
        re.compile(
            "|".join(filter(None, (pattern, *(language.phrases.get(kind) for language in LANGUAGES)))), re.I | re.M
        ),
    )
    for kind, pattern in GENERAL.items()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFiles:
    """Finds the file of a test from its path or class name in a report."""

    project: Path
    folder: str = "."
    known: dict[str, str] = field(default_factory=dict, compare=False)
    titles: dict[str, str] = field(default_factory=dict, compare=False)

    def of_file(self, told: str) -> str:
        """The file relative to the project's root, with `..` if it is outside; empty if there is no such file."""
        if told not in self.known:
            self.known[told] = self._look_for(told)
        return self.known[told]

    def of_class(self, name: str) -> str:
        """The file of a class or module in one of the usual layouts; empty if there is none."""
        key = f"class {name}"
        if key not in self.known:
            self.known[key] = self.of_file(name) or next(filter(None, map(self.of_file, _guesses(name))), "")
        return self.known[key]

    def of_title(self, *names: str) -> str:
        """The only file with a JavaScript test of this title, which stands after those of its groups."""
        if not self.titles:
            found = files_by_title(self.project / self.folder)
            self.titles.update({"": ""}, **found)
        return self.of_file(self.titles.get(" ".join(filter(None, names)), ""))

    def shorten(self, text: str) -> str:
        """A path of the project relative to its root; any other text unchanged."""
        return self.of_file(text) or text if text.startswith("/") else text

    def _look_for(self, told: str) -> str:
        told = told.removeprefix("file://")
        if not told or len(told) > LONGEST_NAME or "\0" in told:
            return ""
        root = self.project.resolve()
        for start in (root / self.folder, root):
            path = start / told
            if os.path.isfile(path):  # noqa: PTH113 - an invalid path counts as missing and raises no error
                return os.path.relpath(path.resolve(), root)
        return ""


def _guesses(name: str) -> Iterable[str]:
    parts = name.partition("$")[0].replace("::", ".").replace("\\", ".").split(".")
    for length in range(len(parts), max(0, len(parts) - PARTS_TRIED), -1):
        for root in ROOTS:
            stem = os.path.join(root, *parts[:length])  # noqa: PTH118 - many candidates, few exist
            yield from (stem + ending for ending in ENDINGS)


def tells_file(classname: str, file: str) -> bool:
    """Whether a class name contains the name of the file, so that an id needs no file."""
    # only where files are named after classes; elsewhere a test group may have the file's name by chance
    stem = Path(file).stem if file.endswith(ENDINGS) else None
    return file in classname or stem in SEPARATORS.split(classname)


def make_unique(results: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """Make ids unique: in the order of the report, the second test with an id gets `#2`, and so on."""
    repeats: Counter[str] = Counter()
    unique: dict[str, CaseResult] = {}
    for result in results:
        name = result.id
        while name in unique:
            repeats[result.id] += 1
            name = f"{result.id}#{repeats[result.id] + 1}"
        unique[name] = result if name == result.id else replace(result, id=name)
    return tuple(unique.values())


def without_number(identifier: str) -> str:
    """The id without the number from `make_unique`."""
    return AGAIN.sub("", identifier)


def silent_file_problems(results: Iterable[CaseResult]) -> list[str]:
    """Files without a single test: node reports a file whose process exits early with 0 as one passed test."""
    silent = [r.id for r in results if r.outcome is CaseOutcome.PASSED and r.id == r.file and r.id.endswith(SILENT)]
    return [f"{silent[0]} reported no test: its process ended early, or it has no tests"] if silent else []


def outside_problems(results: Iterable[CaseResult]) -> list[str]:
    outside = sorted({result.file for result in results if result.file.startswith("..")})
    return [f"tests outside the project cannot be guarded: {', '.join(outside[:3])}"] if outside else []


def failure_kind(outcome: CaseOutcome, exception: str, message: str, text: str = "") -> FailureKind:
    """The kind of a failure, from its exception, else its message, else the longer text."""
    told = f"{exception}\n{message}"[:LOOKED_AT]
    broken, pattern = PATTERNS[0]
    if pattern.search(told):
        return broken
    for part in (told, text[:LOOKED_AT]):
        if kind := _by_exception(part) or _by_phrase(part):
            return kind
    # a `failure` without an exception name is an unmet expectation
    unnamed = not EXCEPTION.search(told)
    return FailureKind.ASSERTION if outcome is CaseOutcome.FAILED and unnamed else FailureKind.OTHER


def _by_exception(text: str) -> FailureKind | None:
    kinds = (KIND_OF_EXCEPTION.get(word) for word in EXCEPTION.findall(text))
    return next((kind for kind in kinds if kind), None)


def _by_phrase(text: str) -> FailureKind | None:
    return next((kind for kind, pattern in PATTERNS if pattern.search(text)), None)
