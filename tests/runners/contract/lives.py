"""The life that every runner goes through, and what must come of it whatever the runner."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.values.suite import FailureKind


class Life(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    SKIP = "skip"
    XFAIL = "xfail"
    BROKEN_FILE = "broken file"
    HANG = "hang"
    CRASH = "crash"
    NO_TESTS = "no tests"
    HUGE_OUTPUT = "huge output"
    SAME_NAME = "two tests of one name"
    UNICODE = "unicode"
    PARAMETRISED = "parametrised"
    CLASSES = "classes"
    PARALLEL = "parallel"
    RANDOM_ORDER = "random order"
    NOISE = "plug-ins that write to stdout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a report must say: how many of each outcome, the kinds of failures, words that ids hold."""

    outcomes: Mapping[str, int] = field(default_factory=dict)
    kinds: tuple[FailureKind, ...] = ()
    words: tuple[str, ...] = ()
    trusted: bool = True


EXPECTED = {
    Life.PASS: Expected(outcomes={"passed": 1}),
    Life.FAIL: Expected(outcomes={"failed": 1}, kinds=(FailureKind.ASSERTION,)),
    Life.ERROR: Expected(outcomes={"error": 1}),
    Life.SKIP: Expected(outcomes={"skipped": 1}),
    Life.XFAIL: Expected(outcomes={"xfailed": 1}),
    Life.BROKEN_FILE: Expected(outcomes={"error": 1, "passed": 1}, kinds=(FailureKind.BROKEN_FILE,)),
    Life.HANG: Expected(trusted=False),
    Life.CRASH: Expected(trusted=False),
    Life.NO_TESTS: Expected(),
    Life.HUGE_OUTPUT: Expected(outcomes={"passed": 1}),
    Life.SAME_NAME: Expected(outcomes={"passed": 2}),
    Life.UNICODE: Expected(outcomes={"passed": 1}, words=("käse",)),
    Life.PARAMETRISED: Expected(outcomes={"passed": 2}, words=("one", "two")),
    Life.CLASSES: Expected(outcomes={"passed": 1}, words=("Group",)),
    Life.PARALLEL: Expected(outcomes={"passed": 4}),
    Life.RANDOM_ORDER: Expected(outcomes={"passed": 4}, words=("alpha", "beta", "gamma", "delta")),
    Life.NOISE: Expected(outcomes={"passed": 1}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A project for one life: its files, and words that its command needs besides."""

    files: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    expected: Expected | None = None
    """Where a runner cannot tell as much as the others; the reason stands beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A runner with a tool that it reads. What it has no scene for, it says why in `lacks`."""

    name: str
    runner: str
    command: tuple[str, ...]
    scenes: Mapping[Life, Scene]
    lacks: Mapping[Life, str] = field(default_factory=dict)
    absent: str = ""
    """Why it cannot take part on this machine."""
