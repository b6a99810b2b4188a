"""Runs, checks and answers about one tree -> CriterionResults: the proof of each criterion, and what is missing.

It compares, and decides nothing: the gates read `missing`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dualgate.core.evidence.checks import is_green, why_failed
from dualgate.core.evidence.comparison import Comparison
from dualgate.core.evidence.examine import Examined
from dualgate.core.evidence.kinds import InRed
from dualgate.core.values.case_names import function_of, id_parts, names
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.claim import Claim, CriterionAnswer
from dualgate.core.values.notation import listed
from dualgate.core.values.specification import FIRST_STATUS, Criterion, CriterionResult, CriterionStatus, Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseOutcome, CaseResult, short_id
from dualgate.core.values.vocabulary import AFTER_RED, Phase

OWN_TESTS = "the project's tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Everything that one iteration shows about the criteria."""

    state: LoopState
    examined: Sequence[Examined] = ()
    red: Sequence[CaseResult] = ()
    in_red: InRed = field(default_factory=InRed)
    checks: Sequence[CheckRun] = ()
    claim: Claim = field(default_factory=Claim)
    cited: Mapping[str, int] = field(default_factory=dict)
    """Files that exist, with the number of their lines."""

    @property
    def last(self) -> Examined | None:
        """The last trusted run, a whole one if there is any."""
        trusted = [seen for seen in self.examined if seen.run.trusted]
        wholes = [seen for seen in trusted if not seen.run.only]
        return next(iter((wholes or trusted)[-1:]), None)

    def before(self, criterion: Criterion, kind: Kind) -> CriterionStatus:
        """The status that an earlier iteration found."""
        known = (each.state for each in self.state.criteria_states if (each.id, each.kind) == (criterion.id, kind))
        return next(known, FIRST_STATUS[kind])

    def tests(self, results: Iterable[CaseResult]) -> str:
        return listed(short_id(result.id, self.state.proof.suites) for result in results)


def criterion_results(criteria: Iterable[Criterion], shown: Shown) -> tuple[CriterionResult, ...]:
    proof = shown.state.proof
    return tuple(_BY_KIND[shown.in_red.kind(criterion, proof)](criterion, shown) for criterion in criteria)


def never_red(results: Iterable[CriterionResult], shown: Shown) -> tuple[str, ...]:
    """In RED, if no test is red: the criteria whose tests are all new or changed. Nothing shows that these can fail."""
    if shown.state.phase is not Phase.RED or shown.red or shown.state.proof.kept:
        return ()
    held = {criterion.id for criterion in shown.in_red.held}
    holding = (r for r in results if r.state is CriterionStatus.HOLDS)
    return tuple(r.id for r in holding if r.id in held or rests_on_new(r, shown))


def rests_on_new(result: CriterionResult, shown: Shown) -> bool:
    """Whether all tests that prove a criterion are new or changed since the baseline."""
    since = shown.last.since_start if shown.last else Comparison()
    return {*since.new, *since.changed}.issuperset(result.proof)


def holds_already(criterion: str) -> str:
    return f"{criterion} holds already: its tests pass before any work (keep)"


def counts_as_new(criterion: str) -> str:
    return f"{criterion} was read as keep, but its test fails: it counts as new"


def _new(criterion: Criterion, shown: Shown) -> CriterionResult:
    """By new or changed tests: red, later green."""
    last = shown.last
    if last is None:
        return _result(criterion, Kind.NEW, shown.before(criterion, Kind.NEW))
    fresh = {*last.since_start.new, *last.since_start.changed}
    named = [r for r in last.run.results if r.id in fresh and names(r, criterion)]
    red = [r for r in shown.red if names(r, criterion)]
    if _is_unlinked(criterion, shown):
        return _result(criterion, Kind.NEW, CriterionStatus.NO_TEST)
    if shown.state.phase is Phase.RED and red:
        return _result(criterion, Kind.NEW, CriterionStatus.RED, red)
    if any(r.failed for r in named):
        return _result(criterion, Kind.NEW, CriterionStatus.FAILING, named)
    if last.run.only:
        return _result(criterion, Kind.NEW, shown.before(criterion, Kind.NEW))
    passed = [r for r in named if r.outcome is CaseOutcome.PASSED]
    # a test that was added after RED was never seen red, so it proves nothing in place of those that were there
    known = {function_of(r.id) for r in shown.state.proof.red}
    passed = [r for r in passed if function_of(r.id) in known] or passed
    return _result(criterion, Kind.NEW, CriterionStatus.GREEN if passed else CriterionStatus.NO_TEST, passed)


def _is_unlinked(criterion: Criterion, shown: Shown) -> bool:
    """Whether no test stands for a new criterion: the tests that name it stand for others, or there are none."""
    found = shown.in_red
    if shown.state.phase is Phase.RED:
        return criterion in found.bare and criterion not in found.met
    return criterion.id in shown.state.proof.unlinked


def _keep(criterion: Criterion, shown: Shown) -> CriterionResult:
    """By a test, existing or new, that passes at every gate."""
    last = shown.last
    if last is None:
        return _result(criterion, Kind.KEEP, shown.before(criterion, Kind.KEEP))
    named = [r for r in last.run.results if names(r, criterion)]
    failing = {r.id: r for seen in shown.examined for r in seen.failing if names(r, criterion)}
    passed = [r for r in named if r.outcome is CaseOutcome.PASSED and r.id not in failing]
    if failing:
        found = list(failing.values())
        missing = f"{criterion.id} (keep) must hold and does not: {shown.tests(found)} fails"
        return _result(criterion, Kind.KEEP, CriterionStatus.FAILING, found, missing)
    if last.run.only:
        return _result(criterion, Kind.KEEP, shown.before(criterion, Kind.KEEP))
    if passed:
        return _result(criterion, Kind.KEEP, CriterionStatus.HOLDS, passed)
    others = [r for r in named if r.failed]
    missing = f"no passing test names {criterion.id} (keep): add one, or name an existing test in the specification"
    return _result(
        criterion, Kind.KEEP, CriterionStatus.FAILING if others else CriterionStatus.NO_TEST, others, missing
    )


def _check(criterion: Criterion, shown: Shown) -> CriterionResult:
    """By an approved command, or by the project's own tests if it has none. No agent can help if nobody approved it."""
    state, command = shown.state, criterion.command
    if state.phase not in AFTER_RED:
        return _result(criterion, Kind.CHECK, CriterionStatus.NOT_RUN)
    if not command:
        status = CriterionStatus.PASSES if is_green(shown.examined) else CriterionStatus.FAILS
        is_known = shown.last is not None and not shown.last.run.only
        return CriterionResult(
            id=criterion.id,
            kind=Kind.CHECK,
            state=status if is_known else CriterionStatus.NOT_RUN,
            proof=(OWN_TESTS,),
        )
    run = next((each for each in shown.checks if each.command == command), None)
    if run is None:
        return _checked(criterion, CriterionStatus.NOT_RUN)
    why = why_failed(criterion, run)
    if why:
        return _checked(criterion, CriterionStatus.FAILS, f"{criterion.id}: `{command}` {why}")
    return _checked(criterion, CriterionStatus.PASSES)


def _review(criterion: Criterion, shown: Shown) -> CriterionResult:
    """By the reviewer's answer, with a file and a line."""
    if shown.state.phase is not Phase.QA or shown.claim.failure:
        before = next((each for each in shown.state.criteria_states if each.id == criterion.id), None)
        return CriterionResult(
            id=criterion.id,
            kind=Kind.REVIEW,
            state=shown.before(criterion, Kind.REVIEW),
            proof=before.proof if before else (),
        )
    answer = next((each for each in shown.claim.answers if id_parts(each.id) == id_parts(criterion.id)), None)
    if answer is None:
        unsound = "the review does not answer this criterion"
    elif not answer.met:
        unsound = "" if answer.file or answer.reason else "the review says 'not met' without a file or a reason"
    else:
        unsound = why_no_place(answer, shown.cited, needs_line=not criterion.forbids)
    if answer is None or unsound:
        return CriterionResult(
            id=criterion.id, kind=Kind.REVIEW, state=CriterionStatus.NOT_REVIEWED, missing=f"{criterion.id}: {unsound}"
        )
    status = CriterionStatus.MET if answer.met else CriterionStatus.NOT_MET
    missing = "" if answer.met else f"{criterion.id} is not met: {answer.reason or answer.place}"
    proof = tuple(filter(None, [answer.place]))
    return CriterionResult(id=criterion.id, kind=Kind.REVIEW, state=status, proof=proof, missing=missing)


def why_no_place(answer: CriterionAnswer, cited: Mapping[str, int], needs_line: bool = True) -> str:
    """Why the place that an answer cites is asked for again; empty if it exists."""
    if not answer.file:
        return "the review cites no file for it"
    if answer.file not in cited:
        return f"the review cites {answer.file}, which is not a file of the project"
    if not needs_line:
        return ""
    if answer.line is None:
        return f"the review cites {answer.file} without a line"
    is_there = 1 <= answer.line <= max(1, cited[answer.file])
    return "" if is_there else f"the review cites line {answer.line} of {answer.file}, which has {cited[answer.file]}"


def _result(
    criterion: Criterion, kind: Kind, state: CriterionStatus, results: Iterable[CaseResult] = (), missing: str = ""
) -> CriterionResult:
    proof = tuple(result.id for result in results)
    return CriterionResult(id=criterion.id, kind=kind, state=state, proof=proof, missing=missing)


def _checked(criterion: Criterion, state: CriterionStatus, missing: str = "") -> CriterionResult:
    proof = (criterion.command,)
    return CriterionResult(id=criterion.id, kind=Kind.CHECK, state=state, proof=proof, missing=missing)


_BY_KIND: Mapping[Kind, Callable[[Criterion, Shown], CriterionResult]] = {
    Kind.NEW: _new,
    Kind.KEEP: _keep,
    Kind.CHECK: _check,
    Kind.REVIEW: _review,
}
