"""A test in the report of another tool: its file, its id, and what kind of failure it met."""

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.languages.registry import LANGUAGES

# where build tools keep tests, seen from the folder of the suite; and the endings of files that a dotted name may mean
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
# said in any language; the first kind that fits
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
    """Finds the file of a test from what a report says of it: a path, or the name of a class."""

    project: Path
    folder: str = "."
    known: dict[str, str] = field(default_factory=dict, compare=False)

    def of_file(self, told: str) -> str:
        """The file seen from the project's root, with `..` where it is outside; empty where there is none."""
        if told not in self.known:
            self.known[told] = self._look_for(told)
        return self.known[told]

    def of_class(self, name: str) -> str:
        """The file of a class or module, where the usual layouts have one."""
        key = f"class {name}"
        if key not in self.known:
            self.known[key] = self.of_file(name) or next(filter(None, map(self.of_file, _guesses(name))), "")
        return self.known[key]

    def shorten(self, text: str) -> str:
        """A path of the project as it is seen from its root, and any other text as it is."""
        return self.of_file(text) or text if text.startswith("/") else text

    def _look_for(self, told: str) -> str:
        told = told.removeprefix("file://")
        if not told or len(told) > LONGEST_NAME or "\0" in told:
            return ""
        root = self.project.resolve()
        for start in (root / self.folder, root):
            path = start / told
            if os.path.isfile(path):  # noqa: PTH113 - a path that the system refuses is no file, and no error
                return os.path.relpath(path.resolve(), root)
        return ""


def _guesses(name: str) -> Iterable[str]:
    parts = name.partition("$")[0].replace("::", ".").replace("\\", ".").split(".")
    for length in range(len(parts), max(0, len(parts) - PARTS_TRIED), -1):
        for root in ROOTS:
            stem = os.path.join(root, *parts[:length])  # noqa: PTH118 - only tried, and seldom there
            yield from (stem + ending for ending in ENDINGS)


def tells_file(classname: str, file: str) -> bool:
    """Whether a class name holds the name of the file, so that the file adds nothing to it."""
    # where a file is named after its class; elsewhere a group of tests may have the name of the file by chance
    stem = Path(file).stem if file.endswith(ENDINGS) else None
    return file in classname or stem in SEPARATORS.split(classname)


def make_unique(results: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """The second test of an id gets `#2`, in the order of the report, and so on."""
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
    """The id as it was before it was made unique."""
    return AGAIN.sub("", identifier)


def silent_file_problems(results: Iterable[CaseResult]) -> list[str]:
    """node reports a file whose process exits early with code 0 as one passed test."""
    silent = [r.id for r in results if r.outcome is CaseOutcome.PASSED and r.id == r.file and r.id.endswith(SILENT)]
    return [f"{silent[0]} told of no test: its process ended before them, or it has none"] if silent else []


def outside_problems(results: Iterable[CaseResult]) -> list[str]:
    outside = sorted({result.file for result in results if result.file.startswith("..")})
    return [f"tests outside the project cannot be guarded: {', '.join(outside[:3])}"] if outside else []


def failure_kind(outcome: CaseOutcome, exception: str, message: str, text: str = "") -> FailureKind:
    """The kind that the named exception says, else the words of the message, else those of the longer text."""
    told = f"{exception}\n{message}"[:LOOKED_AT]
    broken, pattern = PATTERNS[0]
    if pattern.search(told):
        return broken
    for part in (told, text[:LOOKED_AT]):
        if kind := _by_exception(part) or _by_phrase(part):
            return kind
    # who says `failure` and names no exception means that an expectation was not met
    unnamed = not EXCEPTION.search(told)
    return FailureKind.ASSERTION if outcome is CaseOutcome.FAILED and unnamed else FailureKind.OTHER


def _by_exception(text: str) -> FailureKind | None:
    kinds = (KIND_OF_EXCEPTION.get(word) for word in EXCEPTION.findall(text))
    return next((kind for kind in kinds if kind), None)


def _by_phrase(text: str) -> FailureKind | None:
    return next((kind for kind, pattern in PATTERNS if pattern.search(text)), None)
