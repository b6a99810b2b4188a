"""A verification: evidence for a change between two trees, base and head, without an agent."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from dualgate.core.values.vocabulary import CaseOutcome, Counts, CriterionStatus, Kind

FINGERPRINT_LENGTH = 8


class Standing(StrEnum):
    """How a verification ends."""

    VERIFIED = "verified"
    REFUSED = "refused"
    """Something is worse than on the base, or tests were weakened."""
    NOT_PROVEN = "not proven"
    """Nothing is wrong, and no test would notice if it were."""
    UNUSABLE = "unusable"
    """The tests cannot be run or trusted."""


class Weight(StrEnum):
    """The consequence of a finding. Notes decide nothing."""

    REFUSED = "refused"
    UNUSABLE = "unusable"
    NOT_PROVEN = "not proven"
    NOTE = "note"


class Rule(StrEnum):
    """The subject of a finding. The words are stable: they are part of ids, of SARIF and of policies."""

    REGRESSED = "regressed-test"
    """A test passes on the base and fails on the head."""
    LOST = "lost-test"
    """A test of the base cannot be collected on the head any more."""
    WEAKENED = "weakened-test"
    """A removed, skipped or changed test fails on the head in its base version."""
    HIDDEN = "hidden-failure"
    """A test that fails on the base is removed, skipped or expected to fail, instead of fixed."""
    BENT = "bent-test"
    """A test that fails on the base was changed so that it passes there."""
    STEERED = "steered-result"
    """A test does better only because files changed that steer the test run."""
    FORGED = "forged-result"
    """A result contradicts what the runner saw."""
    UNNOTICED = "unnoticed-code"
    """No test notices when changed code is broken."""
    UNTESTED = "untested-code"
    """No test runs changed code."""
    FIXTURE_CODE = "code-for-tests"
    """Changed code looks at its tests, or answers only their inputs."""
    OLD_FAILURE = "old-failure"
    """A test that fails on both sides runs changed code."""
    PASSES_ON_BASE = "passes-on-base"
    """A new test passes on the base too: it proves nothing about the change."""
    HOLLOW = "hollow-test"
    """A new or changed test cannot fail."""
    FLAKY = "flaky-test"
    CRITERION = "criterion"
    """A criterion of the specification is not proven."""
    CHECK = "worse-check"
    """A configured check is worse than on the base."""
    BUDGET = "out-of-time"
    """A step did not fit into the time."""
    SUITE = "test-run"
    """A test run that cannot be made or trusted."""
    SETUP = "environment"
    """How the trees were set up."""
    SURVIVORS = "surviving-probes"
    CHANGE = "change"
    """Something about the change itself."""


class CaseState(StrEnum):
    """A change of a test from base to head. A test can have several."""

    FIXED = "fixed"
    NEW = "new"
    STILL_FAILING = "still failing"
    REGRESSED = "regressed"
    VANISHED = "vanished"
    SKIPPED = "skipped"
    CHANGED = "changed"
    RENAMED = "renamed"
    FLAKY = "flaky"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    rule: Rule
    weight: Weight
    text: str
    """One sentence, without a full stop at its end."""
    test: str = ""
    """The id of the test that it is about, as its runner writes it."""
    file: str = ""
    line: int | None = None
    subject: str = ""
    """The name of the finding besides test and file: a function, a check, a criterion. Never a line number."""
    details: tuple[str, ...] = ()
    """Lines for `--explain`: what was run where, and how it ended."""
    accepted: str = ""
    """The reason for which a person accepts it; it then decides nothing."""

    @property
    def id(self) -> str:
        """Stable as long as rule, test, file and subject stay: lines may move."""
        named = "\0".join((self.rule, self.test or self.file, self.subject))
        return f"{self.rule}-{sha256(named.encode('utf-8', 'backslashreplace')).hexdigest()[:FINGERPRINT_LENGTH]}"

    @property
    def decides(self) -> bool:
        return self.weight is not Weight.NOTE and not self.accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """One test on both sides. Outcomes are None where it was not run or does not exist."""

    id: str
    """As its runner writes it; with the name of its suite in front if there are several suites."""
    file: str = ""
    line: int | None = None
    states: tuple[CaseState, ...] = ()
    """Empty for a test that did not change and has the same result."""
    base: CaseOutcome | None = None
    head: CaseOutcome | None = None
    on_base: CaseOutcome | None = None
    """The head's version of the test, run on the base's code."""
    old_on_head: CaseOutcome | None = None
    """The base's version of the test, run on the head's code."""
    renamed_from: str = ""
    message: str = ""
    """How it fails on the head."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two trees and its test run."""

    ref: str
    """As it was asked for, or "work tree"."""
    commit: str = ""
    """Empty for a work tree that differs from its commit."""
    tree: str = ""
    """The id of the git tree that was tested."""
    command: tuple[str, ...] = ()
    runner: str = ""
    tools: tuple[str, ...] = ()
    environment: str = ""
    counts: Counts = field(default_factory=Counts)
    problems: tuple[str, ...] = ()
    """Why the run cannot be trusted."""
    seconds: float = 0.0
    reused: bool = False
    """Whether the result of an earlier run of the same tree was reused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionProof:
    """A criterion of the specification, and the tests that show it."""

    id: str
    text: str
    kind: Kind
    state: CriterionStatus
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeCounts:
    """How many deliberate breaks of changed code the tests noticed."""

    killed: int = 0
    surviving: int = 0
    unknown: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    standing: Standing
    base: Side
    head: Side
    changed: tuple[str, ...] = ()
    """Paths that differ between the trees."""
    cases: tuple[CaseChange, ...] = ()
    findings: tuple[Finding, ...] = ()
    probes: ProbeCounts | None = None
    """None if changed code was not probed."""
    criteria: tuple[CriterionProof, ...] = ()
    seconds: float = 0.0

    @property
    def deciding(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.decides)

    @property
    def notes(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.decides)

    def with_state(self, state: CaseState) -> tuple[CaseChange, ...]:
        return tuple(case for case in self.cases if state in case.states)


_BY_WEIGHT = (
    (Weight.REFUSED, Standing.REFUSED),
    (Weight.UNUSABLE, Standing.UNUSABLE),
    (Weight.NOT_PROVEN, Standing.NOT_PROVEN),
)
"""The worst first. A refusal stands even if something else could not be run."""


def standing_of(findings: Iterable[Finding]) -> Standing:
    weights = {finding.weight for finding in findings if finding.decides}
    return next((standing for weight, standing in _BY_WEIGHT if weight in weights), Standing.VERIFIED)
