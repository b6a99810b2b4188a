"""A JUnit XML file of any dialect -> its cases and its contradictions. Streamed, so that any size can be read.

Uses expat rather than defusedxml, which builds whole trees; entities are refused here in the same way.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from dualgate.core.values.suite import FAILURES, CaseOutcome
from dualgate.runners.xml_text import readable_chunks

SUITES = frozenset({"testsuite", "testsuites"})
VERDICTS = frozenset({"failure", "error", "skipped", "flakyFailure", "flakyError", "rerunFailure", "rerunError"})
_NOT_RUN = frozenset({"notrun", "disabled", "suppressed", "ignored"})
_EXPECTED_FAILURE, _NOT_YET = "pytest.xfail", "todo"
# ctest reports a test whose program was not built as `skipped`
_UNBUILT = "Unable to find executable"
_TEXT_KEPT = 4000
_ATTRIBUTE_KEPT = 4000
_DEEPEST = 100
_LARGEST_TAG = 4 << 20
_PROBLEMS_TOLD = 5


class _Refused(Exception):
    """The document uses XML features that no report needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One `testcase` as written, with its final verdict."""

    name: str
    classname: str
    suites: tuple[str, ...]
    file: str
    line: int | None
    seconds: float
    outcome: CaseOutcome
    exception: str = ""
    message: str = ""
    text: str = ""

    @property
    def says_nothing(self) -> bool:
        """Whether the case passed in 0 seconds: jest-junit writes a `todo` so, and does not count it."""
        return self.outcome is CaseOutcome.PASSED and self.seconds == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    cases: tuple[Case, ...]
    problems: tuple[str, ...] = ()
    complete: bool = True


def read_document(file: BinaryIO) -> Document:
    """Read a document. If it breaks off or declares entities, the cases before that are kept."""
    reader = _Reader()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.EntityDeclHandler = _refuse_entity
    parser.buffer_text = True
    problems, complete = reader.problems, True
    try:
        fed = 0
        for chunk in readable_chunks(file):
            fed += len(chunk)
            parser.Parse(chunk, False)
            if fed - parser.CurrentByteIndex > _LARGEST_TAG:
                raise _Refused("a single tag is larger than a report needs")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        problems, complete = [f"the report breaks off or is no XML: {error}", *problems], False
    except _Refused as error:
        problems, complete = [f"the report is refused: {error}", *problems], False
    return Document(cases=tuple(reader.cases), problems=tuple(problems[:_PROBLEMS_TOLD]), complete=complete)


def read_document_at(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            return read_document(file)
    except OSError as error:
        return Document(cases=(), problems=(f"the report cannot be read: {error.strerror}",), complete=False)


def read_seconds(text: str) -> float:
    """A time as tools of many countries write it: `0.5`, `0,5`, `1,234.5`, `1.234,5`."""
    text = text.strip().rstrip("s").replace("\u00a0", "").replace(" ", "")
    mark = max(text.rfind("."), text.rfind(","))
    whole, part = (text[:mark], text[mark + 1 :]) if mark >= 0 else (text, "")
    if mark >= 0 and text.count(text[mark]) > 1:
        whole, part = text, ""
    try:
        seconds = float(f"{whole.replace(',', '').replace('.', '') or '0'}.{part or '0'}")
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < 1e9 else 0.0


@dataclass(slots=True, kw_only=True)
class _OpenSuite:
    """A suite that is being read: its declared counts, and its actual counts with and without nested suites."""

    name: str
    file: str
    declared: dict[str, int]
    own: Counter[str] = field(default_factory=Counter)
    within: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True, kw_only=True)
class _OpenCase:
    attributes: dict[str, str]
    verdicts: dict[str, "_Verdict"] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Verdict:
    type: str
    message: str
    text: str = ""


class _Reader:
    """Handles parser events. Keeps only the text it needs, since captured output may have any size."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.problems: list[str] = []
        self._tags: list[str] = []
        self._suites: list[_OpenSuite] = []
        self._case: _OpenCase | None = None
        self._verdict: _Verdict | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self._tags.append(tag)
        if len(self._tags) > _DEEPEST:
            raise _Refused("it is nested deeper than a report needs")
        if len(self._tags) == 1 and tag not in SUITES:
            raise _Refused(f"it is not JUnit XML, its root is <{tag[:40]}>")
        if self._case is not None:
            self._start_in_case(tag, attributes)
        elif tag in SUITES:
            self._suites.append(_open_suite(attributes))
        elif tag == "testcase":
            self._case = _OpenCase(attributes={name: value[:_ATTRIBUTE_KEPT] for name, value in attributes.items()})

    def _start_in_case(self, tag: str, attributes: dict[str, str]) -> None:
        if self._case is None or tag not in VERDICTS or self._tags[-2] != "testcase":
            return
        verdict = _Verdict(type=attributes.get("type", "")[:200], message=attributes.get("message", "")[:_TEXT_KEPT])
        # googletest writes one failure for each expectation; the first is the cause
        self._verdict = self._case.verdicts.setdefault(tag, verdict)

    def characters(self, text: str) -> None:
        verdict = self._verdict
        if verdict is not None and len(verdict.text) < _TEXT_KEPT:
            verdict.text += text[: _TEXT_KEPT - len(verdict.text)]

    def end(self, tag: str) -> None:
        tag = self._tags.pop()
        if tag in VERDICTS and self._tags[-1] == "testcase":
            self._verdict = None
        elif tag == "testcase" and self._case is not None and "testcase" not in self._tags:
            self._close_case(self._case)
            self._case = None
        elif tag in SUITES and self._case is None:
            self._close_suite(self._suites.pop())

    def _close_case(self, opened: _OpenCase) -> None:
        names = tuple(suite.name for suite in self._suites)
        files = [opened.attributes.get("file", ""), *(suite.file for suite in reversed(self._suites))]
        case = _finish(opened, names, next(filter(None, files), ""))
        kinds = _tally(opened, case)
        self._suites[-1].own += kinds
        if self.cases and _same_test_twice(self.cases[-1], case):
            self._suites[-1].own["doubles"] += 1
            return
        self.cases.append(case)

    def _close_suite(self, suite: _OpenSuite) -> None:
        everything = suite.own + suite.within
        if self._suites:
            self._suites[-1].within += everything
        if not any(_agrees(suite.declared, held) for held in (everything, suite.own)):
            self.problems.append(_disagreement(suite, everything))


def _refuse_entity(*declaration: object) -> None:
    raise _Refused(f"it declares an entity of its own, {str(declaration[0])[:40]}")


def _open_suite(attributes: dict[str, str]) -> _OpenSuite:
    words = ("tests", "failures", "errors", "skipped", "disabled")
    numbers = {word: _number(attributes.get(word, "")) for word in words}
    return _OpenSuite(
        name=attributes.get("name", "")[:_ATTRIBUTE_KEPT],
        file=attributes.get("file", "") or attributes.get("filepath", ""),
        declared={word: number for word, number in numbers.items() if number is not None},
    )


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _finish(opened: _OpenCase, suites: tuple[str, ...], file: str) -> Case:
    attributes, verdicts = opened.attributes, opened.verdicts
    outcome = _outcome(opened)
    order = ("failure", "error", "skipped", "flakyFailure", "flakyError", "rerunFailure", "rerunError")
    verdict = next((verdicts[tag] for tag in order if tag in verdicts), _Verdict(type="", message=""))
    text = verdict.text.strip()
    return Case(
        name=attributes.get("name", ""),
        classname=attributes.get("classname", "") or attributes.get("class", ""),
        suites=suites,
        file=file,
        line=_number(attributes.get("line", "")),
        seconds=read_seconds(attributes.get("time", "")),
        outcome=outcome,
        exception=verdict.type,
        message=verdict.message.strip() or text,
        text=text,
    )


def _outcome(opened: _OpenCase) -> CaseOutcome:
    verdicts, skipped = opened.verdicts, opened.verdicts.get("skipped")
    failed = next((outcome for tag, outcome in _FAILED if tag in verdicts), None)
    if skipped is not None and (skipped.type == _EXPECTED_FAILURE or (failed and skipped.type == _NOT_YET)):
        return CaseOutcome.XFAILED
    if failed:
        return failed
    if skipped is not None:
        return CaseOutcome.ERROR if skipped.message == _UNBUILT else CaseOutcome.SKIPPED
    if _NOT_RUN & {opened.attributes.get(name, "").lower() for name in ("status", "result")}:
        return CaseOutcome.SKIPPED
    # failed attempts without a final verdict are no pass
    return CaseOutcome.FAILED if {"rerunFailure", "rerunError"} & verdicts.keys() else CaseOutcome.PASSED


_FAILED = (("failure", CaseOutcome.FAILED), ("error", CaseOutcome.ERROR))


def _tally(opened: _OpenCase, case: Case) -> Counter[str]:
    """The counters in which a tool may have counted this case."""
    verdicts = opened.verdicts
    bad = "failures" if "failure" in verdicts else "errors" if "error" in verdicts else ""
    counted = {
        "tests": True,
        "silent": case.says_nothing,
        "retried": bool(verdicts.keys() - {"failure", "error", "skipped"}),
        "skipped": "skipped" in verdicts,
        "disabled": "skipped" not in verdicts and case.outcome is CaseOutcome.SKIPPED,
        "lenient": bool(bad) and case.outcome is CaseOutcome.XFAILED,
        bad: bool(bad),
    }
    return Counter(word for word, counts in counted.items() if counts)


def _same_test_twice(before: Case, case: Case) -> bool:
    """Whether two cases are one test: pytest writes a failure and a teardown error as two, jest-junit a broken file."""
    return (before.name, before.classname, before.suites, before.file) == (
        case.name,
        case.classname,
        case.suites,
        case.file,
    ) and {before.outcome, case.outcome} == FAILURES


def _agrees(declared: dict[str, int], held: Counter[str]) -> bool:
    return all(_counts_agree(declared, held))


def _counts_agree(declared: dict[str, int], held: Counter[str]) -> Iterator[bool]:
    tests = declared.get("tests")
    if tests is not None:
        # surefire may count every attempt; pytest one test where it writes two; jest-junit no todo and no broken file
        most = held["tests"] * (100 if held["retried"] else 1)
        least = held["tests"] - held["doubles"] - held["silent"] - held["errors"]
        yield least <= tests <= most
    bad = held["failures"] + held["errors"]
    told = declared.get("failures", 0) + declared.get("errors", 0)
    if "failures" in declared and "errors" in declared:
        yield bad - held["lenient"] - held["doubles"] <= told <= bad
    elif "failures" in declared:
        yield told in (bad, held["failures"], held["failures"] - held["lenient"])
    if "skipped" in declared:
        skipped = held["skipped"]
        yield declared["skipped"] in (skipped, skipped + held["disabled"], skipped - held["lenient"])


def _disagreement(suite: _OpenSuite, held: Counter[str]) -> str:
    declared = ", ".join(f"{count} {word}" for word, count in suite.declared.items())
    found = ", ".join(f"{held[word]} {word}" for word in suite.declared)
    return f"the suite '{suite.name[:80]}' declares {declared} but holds {found}"
