"""Probes: deliberate breaks of code, made while its tests run, and which tests noticed them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar


class ProbeKind(StrEnum):
    VALUE_STUB = "value stub"
    """The function returns a constant at once."""
    GUESSED_STUB = "guessed stub"
    """The function returns a constant at once that may be of another type than its own values."""
    NONE_STUB = "none stub"
    """The function returns None at once."""
    RAISE_STUB = "raise stub"
    """The function raises at once; that kills tests without an assertion too, so it is not evidence."""
    MUTANT = "mutant"
    """One value, operator or condition on a changed line is replaced."""
    DELETION = "deletion"
    """One statement on a changed line is left out."""


VALUE_PROBES = frozenset({ProbeKind.VALUE_STUB, ProbeKind.GUESSED_STUB, ProbeKind.MUTANT})
"""Probes that change a value: only a test that looks at values kills them."""


STUBS = frozenset({ProbeKind.VALUE_STUB, ProbeKind.GUESSED_STUB, ProbeKind.NONE_STUB, ProbeKind.RAISE_STUB})


class ProbeState(StrEnum):
    KILLED = "killed"
    SURVIVING = "surviving"
    UNKNOWN = "unknown"
    """The probe took too long or broke the test runner itself."""
    LEFT_OUT = "left out"
    """The budget was spent before the probe was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One break of the code. Test ids begin with the name of their suite."""

    file: str
    """Path relative to the project's root."""
    line: int
    function: str = ""
    """The qualified name; empty for code of the module itself."""
    kind: ProbeKind
    text: str
    """The break in words that follow the place: "returns 1", "`<=` → `<`"."""
    state: ProbeState
    killed_by: tuple[str, ...] = ()
    survived: tuple[str, ...] = ()
    """Tests of the plan's groups that ran the broken code and passed."""
    crashed: tuple[str, ...] = ()
    """Those of `killed_by` that failed by an error in the code, not by an assertion or an error of the test itself."""

    @property
    def noticed_by(self) -> frozenset[str]:
        """Tests that failed by themselves. If broken code crashes elsewhere, a test without an assertion fails too."""
        return frozenset(self.killed_by) - {*self.crashed}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedFunction:
    """A function, or the code of a module itself (name empty), that changed since the baseline."""

    file: str
    line: int
    name: str = ""
    tests: int = 0
    """How many tests run it."""
    can_be_probed: bool = True
    """False if there is nothing in it that a probe can break."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrunLines:
    """Changed lines that no test runs, from `first` to `last`."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApartResult:
    """A test that runs no changed code in its own process, run in a copy of the project that is broken."""

    test: str
    state: ProbeState
    reason: str = ""
    """Why the state is unknown; of a test that survives, what it passes without ("it runs no code of the project").

    Empty for a test that survives although every changed function returns a constant.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeGroup:
    """Tests that prove one thing together, such as a criterion."""

    id: str
    tests: tuple[str, ...]
    breaks_unchanged: bool = False
    """Whether the functions that these tests run are broken too if they did not change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePlan:
    before: Mapping[str, str] = field(default_factory=dict)
    """Changed source files, relative to the project's root, with their text before any work; empty for a new file."""
    groups: tuple[ProbeGroup, ...] = ()
    data: tuple[str, ...] = ()
    """Changed files that are not code: tables, templates, queries."""
    outputs: tuple[str, ...] = ()
    """Patterns of files that test runs write: removed before each run, so that no probe meets those of another."""
    seconds: float = 60.0
    """The time that all probes together may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    probes: tuple[Probe, ...] = ()
    functions: tuple[ProbedFunction, ...] = ()
    ran: tuple[str, ...] = ()
    """Tests of the groups that run code which can be probed for them, in their own process."""
    apart: tuple[ApartResult, ...] = ()
    unrun: tuple[UnrunLines, ...] = ()
    unasserted: tuple[str, ...] = ()
    """Tests of the groups that have assertions, and passed without reaching any of them."""
    unexpecting: tuple[str, ...] = ()
    """Tests of the groups that pass with each of their expected literals changed."""
    failing: tuple[str, ...] = ()
    """Tests that fail without any probe, and run changed code."""
    left_out: int = 0
    """Number of probes that did not fit into the budget."""
    problems: tuple[str, ...] = ()
    """Why a part of the project cannot be measured."""
    seconds: float = 0.0
    tree: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    """The test commands that were run with probes, one a suite."""

    @property
    def measured(self) -> bool:
        return bool(self.functions or self.probes or self.apart) or not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakCriterion:
    """A criterion whose tests do not notice that the code is broken."""

    id: str
    reason: str
    """Which test passes although the code is broken, and how it was broken."""
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbesStarted:
    """Changed code is being broken, to see whether its tests notice."""

    kind: ClassVar[str] = "probes.started"
    at: datetime
    seconds: float
    """The most that all probes together may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbesEnded:
    """Probes were made on a tree: which were killed, and by which tests."""

    kind: ClassVar[str] = "probes.ended"
    at: datetime
    report: ProbeReport
    known: bool = False
    """Whether the result was reused because tree and tests are unchanged."""
