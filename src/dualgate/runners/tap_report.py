"""TAP -> its test points and its contradictions. Read line by line; other lines are ignored unless it is strict."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from dualgate.runners.tap_lines import (
    BAIL,
    PLAN,
    PRAGMA,
    PROVE_DUBIOUS,
    PROVE_FILE,
    SUBTEST,
    VERSION,
    Line,
    may_be_tap,
    read_details,
    read_point,
)

INDENT = 4
DEEPEST = 50
LONGEST_LINE = 1 << 16
DETAIL_LINES = 200
NOTE_LINES = 20
PROBLEMS_TOLD = 5


@dataclass(slots=True, kw_only=True)
class Point:
    """One test line with the tests it is part of, its diagnostics, and the remarks after it."""

    line: Line
    file: str = ""
    groups: tuple[str, ...] = ()
    details: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    above: tuple[str, ...] = ()
    """The remarks before it: node prints there why a file could not be loaded."""
    stands_for_file: bool = False
    """Whether the point is about a whole file that could not be run or was skipped."""
    ran_partly: bool = False

    @property
    def fails(self) -> bool:
        return not self.line.ok and not self.line.directive


@dataclass(frozen=True, slots=True, kw_only=True)
class TapReport:
    points: tuple[Point, ...]
    problems: tuple[str, ...]
    complete: bool
    has_plan: bool = False
    """Whether there is a plan; output without one is not TAP."""
    version: str = ""


def read_tap(lines: Iterable[str]) -> TapReport:
    reader = _Reader()
    for line in lines:
        reader.take(line)
    return reader.finish()


def tap_lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a file, each cut at LONGEST_LINE, which is longer than any test line."""
    whole = True
    while piece := file.readline(LONGEST_LINE):
        if whole:
            yield piece.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")
        whole = piece.endswith(b"\n")


@dataclass(slots=True, kw_only=True)
class _Level:
    """One stream of test lines: the outermost, or the subtests of a test."""

    plan: int | None = None
    plans: int = 0
    numbers: list[int | None] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    children: list[Point] = field(default_factory=list)
    """Points of subtests whose parent's test line is still to come."""
    opened: Point | None = None
    """A test line whose subtests follow in braces."""

    def problems(self) -> Iterator[str]:
        ran = len(self.numbers)
        if self.plan is None and ran:
            yield f"there is no plan for {ran} tests, so the end may be missing"
        elif self.plan is not None and self.plan != ran:
            yield f"{self.plan} tests were planned but {ran} reported"
        if self.plans > 1:
            yield f"there are {self.plans} plans"
        twice = [number for number, times in Counter(self.numbers).items() if number is not None and times > 1]
        if twice:
            yield f"test number {twice[0]} was reported more than once"
        beyond = [number for number in self.numbers if number is not None and not 1 <= number <= (self.plan or number)]
        if beyond:
            yield f"test number {beyond[0]} is not in the plan"
        if self.children:
            yield "there are subtests that belong to no test"


class _Reader:
    def __init__(self) -> None:
        self._points: list[Point] = []
        self._problems: list[str] = []
        self._complete = True
        self._version = ""
        self._strict = False
        self._has_plan = False
        self._begin("")

    def _begin(self, file: str) -> None:
        self._file = file
        self._levels = [_Level()]
        self._last: Point | None = None
        self._yaml: list[str] | None = None
        self._yaml_indent = 0
        self._dubious = ""
        self._heading: str | None = None
        self._remark = ""
        self._headed = False
        self._above: list[str] = []

    def take(self, line: str) -> None:
        if self._yaml is not None and self._take_detail(line):
            return
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        remark, self._remark = self._remark, ""
        depth, odd = divmod(indent, INDENT)
        if not odd and depth <= DEEPEST and may_be_tap(text) and self._take_tap(depth, text, remark):
            return
        if text == "---" and self._last is not None and indent > 0 and not self._last.notes:
            self._yaml, self._yaml_indent = [], indent
        else:
            self._take_remark(indent, text)

    def finish(self) -> TapReport:
        self._end_stream()
        problems = tuple(self._problems[:PROBLEMS_TOLD])
        return TapReport(
            points=tuple(self._points),
            problems=problems,
            complete=self._complete,
            has_plan=self._has_plan,
            version=self._version,
        )

    def _take_tap(self, depth: int, text: str, remark: str) -> bool:
        if depth == 0 and self._take_frame(text):
            return True
        if bail := BAIL.match(text):
            self._problems.append(f"the tests bailed out: {bail['reason'] or 'no reason is given'}")
            self._complete = False
            return True
        if plan := PLAN.match(text):
            return self._take_plan(depth, int(plan["count"]))
        if text == "}" and depth < len(self._levels) and self._levels[depth].opened:
            return self._close_braces(depth)
        point = read_point(text)
        return point is not None and self._take_point(depth, point, remark)

    def _take_frame(self, text: str) -> bool:
        """Read a line of the outermost stream only: a version, a pragma, or a line of prove about a whole file."""
        if version := VERSION.match(text):
            self._version = self._version or version["version"]
            if self._levels[0].numbers or self._levels[0].plans:
                self._end_stream()
                self._begin("")
            self._headed = True
            return True
        if pragma := PRAGMA.match(text):
            self._strict = pragma["sign"] == "+" if pragma["name"] == "strict" else self._strict
            return True
        if found := PROVE_FILE.match(text):
            self._end_stream()
            self._begin(found["file"])
            if found["skipped"]:
                self._has_plan = True
                self._tell_of_file(Line(ok=True, directive="skip", reason=found["reason"] or ""))
            return True
        if self._file and PROVE_DUBIOUS.match(text):
            self._dubious = text
            return True
        return bool(self._file) and text == "ok"

    def _take_plan(self, depth: int, count: int) -> bool:
        if not self._reach(depth):
            return False
        level = self._levels[depth]
        level.plan, level.plans = count, level.plans + 1
        self._has_plan, self._last = True, None
        return True

    def _take_point(self, depth: int, line: Line, remark: str) -> bool:
        if not self._reach(depth):
            return False
        level = self._levels[depth]
        if depth == 0 and not level.numbers:
            # tape names its tests in remarks, and its first line is one
            self._headed = self._headed and bool(remark)
        if depth == 0 and self._headed and remark:
            self._heading = remark
        level.numbers.append(line.number)
        groups = (self._heading,) if depth == 0 and self._headed and self._heading else ()
        self._last = Point(line=line, file=self._file, groups=groups, above=tuple(self._above))
        self._above = []
        if line.opens:
            level.opened = self._last
        else:
            self._add(level, self._last)
        return True

    def _add(self, level: _Level, point: Point) -> None:
        """Add a test. Its subtests are reported in its place, unless it fails and none of them does."""
        children, level.children = level.children, []
        failing = any(child.fails for child in children)
        if failing and point.line.ok and not point.line.directive:
            self._problems.append(f"'{point.line.description}' is ok but has subtests that are not")
        for child in children:
            child.groups = (point.line.description, *child.groups)
            if point.line.directive:
                child.line = replace(child.line, directive=child.line.directive or point.line.directive)
        level.points += children
        if not children or (point.fails and not failing):
            level.points.append(point)

    def _reach(self, depth: int) -> bool:
        """Move to a depth: end deeper levels, or begin one more. A jump of two levels is not TAP but other output."""
        if depth > len(self._levels):
            return False
        if depth == len(self._levels):
            self._levels.append(_Level())
        while len(self._levels) > depth + 1:
            self._end_level()
        return True

    def _end_level(self) -> None:
        level = self._levels.pop()
        self._problems += [f"{self._prefix()}in subtests, {problem}" for problem in level.problems()]
        self._levels[-1].children += level.points

    def _close_braces(self, depth: int) -> bool:
        self._reach(depth)
        level = self._levels[depth]
        if level.opened is not None:
            self._add(level, level.opened)
        level.opened = self._last = None
        return True

    def _end_stream(self) -> None:
        while len(self._levels) > 1:
            self._end_level()
        root = self._levels[0]
        self._points += root.points
        if root.opened:
            self._points.append(root.opened)
        if not (root.numbers or root.plans or root.children or self._dubious):
            return
        problems = list(root.problems())
        if self._dubious and (problems or not root.numbers):
            # prove reports that the file died, and its exit code agrees: a failure, not a broken report
            self._tell_of_file(Line(ok=False, reason=self._dubious), ran_partly=bool(root.numbers))
        else:
            self._problems += [f"{self._prefix()}{problem}" for problem in problems]
            self._complete = self._complete and not problems

    def _tell_of_file(self, line: Line, ran_partly: bool = False) -> None:
        self._points.append(Point(line=line, file=self._file, stands_for_file=True, ran_partly=ran_partly))

    def _take_detail(self, line: str) -> bool:
        """Whether the line belongs to an open block of diagnostics."""
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() == "..." and indent <= self._yaml_indent:
            self._end_details()
            return True
        if line.strip() and indent < self._yaml_indent and (read_point(line.strip()) or PLAN.match(line.strip())):
            self._end_details()
            return False
        if self._yaml is not None and len(self._yaml) < DETAIL_LINES:
            self._yaml.append(line)
        return True

    def _end_details(self) -> None:
        if self._last is not None:
            self._last.details = read_details(self._yaml or [])
        self._yaml = None

    def _take_remark(self, indent: int, text: str) -> None:
        if SUBTEST.match(text) and indent % INDENT == 0:
            self._reach(indent // INDENT)
            return
        if not text:
            return
        if text.startswith("#") and indent == 0:
            self._above = [*self._above[1 - NOTE_LINES :], text[1:].strip()[:500]]
        if text.startswith("#"):
            self._remark = text[1:].strip() if indent == 0 else ""
        elif self._strict:
            self._problems.append(f"a line that is not TAP, although the stream is strict: {text[:80]}")
            self._strict = False
        if self._last is not None and not self._last.line.ok and len(self._last.notes) < NOTE_LINES:
            self._last.notes.append(text.removeprefix("#").strip()[:500])

    def _prefix(self) -> str:
        return f"{self._file}: " if self._file else ""
