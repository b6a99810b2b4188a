"""Everything that was measured of base and head, as values. `judging.py` makes findings of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from dualgate.core.evidence.comparison import Comparison, FlakyTests, compare
from dualgate.core.evidence.disarmed import Suspect, Texts
from dualgate.core.values.case_names import function_of, stable
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.probes import ProbeReport
from dualgate.core.values.source_texts import NO_TEXTS, SourceTexts
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, SuiteReport

NO_DIFFERENCE = Texts(before={}, now={})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPaths:
    """The paths that differ, by what they are. Steering files steer test runs and hold no tests."""

    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    steering: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Documents and the like, which no test run can depend on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTests:
    """Tests of the base, run in their base version on the head's code."""

    asked: tuple[Suspect, ...] = ()
    """Tests that were removed, skipped or changed, or that depend on a changed file of tests."""
    failing: tuple[Suspect, ...] = ()
    report: SuiteReport | None = None
    """The run that decided; None if there was nothing to ask."""
    texts: Texts = NO_DIFFERENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCheck:
    """A configured check on both sides."""

    name: str
    base: CheckRun
    head: CheckRun
    with_base_settings: CheckRun | None = None
    """On the head with the settings that its tools have on the base; None if these did not change."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    base: SuiteReport
    head: SuiteReport
    paths: ChangedPaths = field(default_factory=ChangedPaths)
    wavering: tuple[str, ...] = ()
    """Tests whose results differed between runs of one tree."""
    on_base: SuiteReport | None = None
    """New and changed tests on the base's code; None if there are none, or they were not run."""
    old: OldTests = field(default_factory=OldTests)
    steered: SuiteReport | None = None
    """The head with the base's steering files; None if that can show nothing."""
    probes: ProbeReport | None = None
    texts: SourceTexts = NO_TEXTS
    checks: tuple[ComparedCheck, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    """Those of the specification, if one is given."""
    commands: Mapping[str, CheckRun] = field(default_factory=dict)
    """Approved commands of criteria, run on the head."""
    red_in_session: tuple[CaseResult, ...] = ()
    """Tests that a session of this project saw failing before the work."""
    undone: tuple[str, ...] = ()
    """Steps that did not fit into the time."""
    notes: tuple[str, ...] = ()
    """How the trees were set up."""

    @cached_property
    def since(self) -> Comparison:
        return compare(self.base.results, self.head.results, FlakyTests(unstable=self.wavering))

    @cached_property
    def proof(self) -> Proof:
        """The base as the baseline of the rules for sessions."""
        return Proof(
            baseline=self.base.results,
            unstable=self.wavering,
            configuration=self.base.configuration,
            suites=self.suites,
        )

    @property
    def suites(self) -> tuple[str, ...]:
        return self.head.suites or self.base.suites

    @cached_property
    def at_base(self) -> Mapping[str, CaseResult]:
        return {result.id: result for result in self.base.results}

    @cached_property
    def at_head(self) -> Mapping[str, CaseResult]:
        return {result.id: result for result in self.head.results}

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """New tests that do what a vanished one did, with the id of that one."""
        return {new: old for old, new in renamed_tests(self.since, self.at_base, self.at_head)}

    @cached_property
    def fresh(self) -> tuple[CaseResult, ...]:
        """New and changed tests of the head, without renamed ones."""
        found = {*self.since.new, *self.since.altered, *self.since.extended} - self.renamed.keys()
        return tuple(r for r in self.head.results if r.id in found and not r.is_broken_file)

    @cached_property
    def fixed(self) -> tuple[CaseResult, ...]:
        """Tests that fail on the base and pass on the head."""
        return tuple(result for result in self.head.results if result.id in self.since.fixed)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Passing tests of the head that show work by themselves: they fail on the base's code, or did before."""
        red = {function(result.id) for result in (self.on_base.results if self.on_base else ()) if result.failed}
        fixed = {*self.since.fixed} - {*self.since.changed}
        # a test that stands in a source is not there on the base's code, so it cannot be tried
        tried = {function(result.id) for result in (self.on_base.results if self.on_base else ())}
        in_source = ("", *self.paths.code)
        inside = {r.id for r in self.fresh if r.file in in_source and tried and function(r.id) not in tried}
        names = {result.id for result in self.fresh if function(result.id) in red} | fixed | self._red_before() | inside
        return tuple(r.id for r in self.head.results if r.id in names and not r.failed)

    def _red_before(self) -> set[str]:
        """Tests that a session saw failing, in the same form."""
        known = {(function(result.id), result.digest) for result in self.red_in_session if result.digest}
        return {r.id for r in self.head.results if (function(r.id), r.digest) in known}


def function(name: str) -> str:
    """The function of a test id, the same in every run."""
    return function_of(stable(name))


def renamed_tests(
    since: Comparison, before: Mapping[str, CaseResult], after: Mapping[str, CaseResult]
) -> list[tuple[str, str]]:
    """Pairs of a vanished and a new test with the same code, or the same body under another name."""
    pairs = list(since.renamed)
    gone = [name for name in since.vanished if name not in {old for old, _ in pairs}]
    waiting: dict[str, list[str]] = {}
    for name in since.new:
        if name not in {new for _, new in pairs} and after[name].body:
            waiting.setdefault(after[name].body, []).append(name)
    for old in gone:
        if candidates := waiting.get(before[old].body):
            pairs.append((old, candidates.pop(0)))
    return pairs
