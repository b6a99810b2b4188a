"""Claim, SuiteReports, Changes -> Facts: claims beside evidence. It compares, and decides nothing."""

from collections.abc import Iterable, Sequence

from dualgate.core.evidence.asking import with_flaws
from dualgate.core.evidence.checks import demanded
from dualgate.core.evidence.circumstances import weigh_circumstances
from dualgate.core.evidence.claims import check_claims
from dualgate.core.evidence.comparison import FlakyTests, compare, differing_functions, flaky
from dualgate.core.evidence.criteria import (
    Shown,
    counts_as_new,
    criterion_results,
    holds_already,
    never_red,
    rests_on_new,
)
from dualgate.core.evidence.examine import (
    Examined,
    changed_by_surroundings,
    demands_more,
    examine,
    repeats_made,
    whole_runs,
)
from dualgate.core.evidence.fresh_tests import fresh_tests
from dualgate.core.evidence.judged_trees import is_judged_before
from dualgate.core.evidence.kinds import InRed, changed_code, in_red, kind_of
from dualgate.core.evidence.linking import counted_tests
from dualgate.core.evidence.review import weigh_review
from dualgate.core.evidence.unfrozen import changed_beside
from dualgate.core.evidence.watching import constant_results, watching
from dualgate.core.spec.plan import newly_done
from dualgate.core.spec.task_memory import remembered
from dualgate.core.values.case_names import functions, names
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.claim import Claim
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.notation import listed
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.replacing import replace
from dualgate.core.values.source_texts import NO_TEXTS, SourceTexts
from dualgate.core.values.specification import CriterionResult, Kind, Plan, Specification
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import IDLE, CaseResult, Counts, SuiteReport
from dualgate.core.values.vocabulary import Phase, SuiteStatus

NAMES_NOTED = 20
NOTHING_SAID = Claim()


def gather(
    state: LoopState,
    prp: Specification,
    claim: Claim,
    runs: Sequence[SuiteReport],
    changes: Changes,
    plan: Plan | None = None,
    checks: Sequence[CheckRun] = (),
    texts: SourceTexts = NO_TEXTS,
) -> Facts:
    plan = remembered(state.plan, plan)
    observed = observe(state, prp, runs, changes, plan, claim, checks, texts)
    return Facts(
        phase=state.phase,
        iteration=state.iteration + 1,
        criteria=sum(r.kind is Kind.NEW for r in observed.criteria if r.id not in _kept(state)),
        claimed=claim,
        observed=observed,
        suites=state.proof.suites,
        rewriting=tuple(each.id for each in state.proof.rewriting),
        rewrites_left=max(0, state.limits.rewrites - state.proof.rewrites),
        past=state.failures,
        checked=_check(claim, observed, newly_done(state.plan, plan)),
        weighed=weigh_review(state, prp, claim, changes),
    )


def observe(
    state: LoopState,
    prp: Specification,
    runs: Sequence[SuiteReport],
    changes: Changes,
    plan: Plan | None = None,
    claim: Claim = NOTHING_SAID,
    checks: Sequence[CheckRun] = (),
    texts: SourceTexts = NO_TEXTS,
) -> Observed:
    """Compare the runs of one tree with the proof; a fault in any run counts."""
    examined = examine(runs, state.proof)
    circumstances = weigh_circumstances(state.proof, runs, changes)
    wholes = [seen for seen in examined if not seen.run.only]
    last = (wholes or examined)[-1] if examined else None
    unsteady = flaky([seen.run for seen in examined])
    reshaped = _reshaped(last, changes)
    red = tuple(r for r in _red(last, reshaped, state.proof, changes) if r.id not in unsteady)
    fresh = _fresh(last)
    observed = Observed(
        counts=last.run.counts if last else Counts(),
        problems=(*_problems([seen.run for seen in examined]), *circumstances.problems),
        failing=tuple({result.id: result for seen in examined for result in _failing(seen, state.phase)}.values()),
        red=tuple(result.id for result in red),
        counted=len(counted_tests(red)),
        idle=tuple(r.id for r in fresh if r.outcome in IDLE),
        nameless=_nameless(prp, last, red),
        spare=len([test for test in counted_tests(red) if not any(test.names(c) for c in prp.criteria)]),
        checks=tuple(checks),
        broken_checks=tuple(demanded(state, checks)),
        unkept=_union(_unkept(seen, state) for seen in examined),
        bereft=_bereft(prp, state, last),
        broken=_union(_broken(seen, changes) for seen in examined),
        reshaped=reshaped,
        vanished=_union(seen.vanished for seen in examined),
        newly_skipped=_union(seen.newly_skipped for seen in examined),
        altered=_union(seen.altered for seen in examined),
        flaky=unsteady,
        unstable_ids=tuple(sorted(differing_functions(whole_runs(runs)))),
        green_runs=sum(seen.is_green for seen in examined),
        repeats=repeats_made(examined),
        partial=bool(examined) and not wholes,
        seconds=last.run.seconds if wholes and last else 0.0,
        notes=(
            *circumstances.notes,
            *changes.notes,
            *dict.fromkeys(note for seen in examined for note in seen.run.notes),
            *changed_beside(texts),
            *_notes(last, reshaped, unsteady),
            *_repeat_note(examined),
            *(_build_notes(last, plan) if state.phase is Phase.BUILD else ()),
        ),
        plan=plan,
        judged_before=is_judged_before(state, changes.tree, plan),
        fresh=fresh_tests(last, state.proof, unsteady) if state.phase is Phase.BUILD else (),
        changes=changes,
    )
    shown = Shown(state=state, examined=examined, red=red, checks=checks, claim=claim, cited=dict(changes.cited))
    return with_flaws(
        _with_criteria(observed, prp, shown), state, fresh, texts, _doubtful(state, observed, prp, last, texts)
    )


def _doubtful(
    state: LoopState, observed: Observed, prp: Specification, last: Examined | None, texts: SourceTexts
) -> tuple[str, ...]:
    """Places of changed sources that look at tests, or that do only what tests ask."""
    # stubs of RED, and the first steps towards a test that still fails, may return constants
    is_done = state.phase is not Phase.RED and not observed.failing
    seen = watching(texts, _fresh(last, fixed=True), _written(prp, observed.plan))
    return (*seen, *(constant_results(texts) if is_done else ()))


def _fresh(last: Examined | None, fixed: bool = False) -> tuple[CaseResult, ...]:
    """New and changed tests; also those that failed before any work, if `fixed`."""
    found = {*last.since_start.new, *last.since_start.changed} if last else {*()}
    found |= {*last.since_start.fixed} if last and fixed else {*()}
    return tuple(result for result in (last.run.results if last else ()) if result.id in found)


def _written(prp: Specification, plan: Plan | None) -> str:
    """The request of a person: the criteria and the tasks."""
    tasks = (*plan.open, *plan.done, *plan.unmarked, *plan.finished) if plan else ()
    return "\n".join((*(criterion.text for criterion in prp.criteria), *tasks))


def _with_criteria(observed: Observed, prp: Specification, shown: Shown) -> Observed:
    """Add what the runs, the checks and the review show about each criterion; BUILD has only the guard's."""
    if shown.state.phase is Phase.BUILD:
        return observed
    state, last = shown.state, shown.last
    results = last.run.results if last else ()
    code = changed_code(observed.changes, results, state.proof) if state.phase is Phase.RED else ()
    found = _sorted(prp, shown, observed.flaky, code)
    shown = replace(shown, in_red=found)
    criteria = criterion_results(prp.criteria, shown)
    return replace(
        observed,
        uncovered=tuple(c.id for c in found.bare),
        met=tuple(c.id for c in found.met),
        held=tuple(c.id for c in found.held),
        reread=tuple(c.id for c in found.reread),
        code=code if found.met else (),
        never_red=never_red(criteria, shown),
        criteria=criteria,
        notes=(*observed.notes, *_kind_notes(found), *_unsure_notes(criteria, shown, code)),
    )


def _failing(seen: Examined, phase: Phase) -> tuple[CaseResult, ...]:
    """In BUILD every failure counts, because nothing was proven before."""
    return tuple(r for r in seen.run.results if r.failed) if phase is Phase.BUILD else seen.failing


def _build_notes(last: Examined | None, now: Plan | None) -> tuple[str, ...]:
    """Notes on changed tests and lost tasks, since nothing is frozen in BUILD."""
    changed = last.since_start.changed if last else ()
    gone = (now.file,) if now and now.is_gone else ()
    pairs = (
        ("tests whose code changed since the run began", changed),
        ("the task list is missing, and its open tasks still count as open", gone),
        ("tasks removed from the list without being ticked", now.lost if now else ()),
    )
    return tuple(f"{what}: {listed(which, NAMES_NOTED)}" for what, which in pairs if which)


def _reshaped(last: Examined | None, changes: Changes) -> tuple[str, ...]:
    """Tests with unchanged lines that fail now, in a changed file or below changed fixtures."""
    if last is None:
        return ()
    failing = {*last.since_start.regressed} - {*last.since_start.changed}
    return tuple(sorted(failing & _surrounded(last, changes)))


def _broken(seen: Examined, changes: Changes) -> frozenset[str]:
    excused = {*seen.since_start.changed, *_surrounded(seen, changes)}
    return frozenset(seen.since_start.regressed) - excused


def _surrounded(seen: Examined, changes: Changes) -> frozenset[str]:
    return changed_by_surroundings(seen.run.results, changes, functions(seen.since_start.new))


def _red(last: Examined | None, reshaped: tuple[str, ...], proof: Proof, changes: Changes) -> tuple[CaseResult, ...]:
    if last is None:
        return ()
    fresh = {*last.since_start.new, *last.since_start.changed} - {result.id for result in proof.kept}
    if demands_more(changes, last.run.results, proof):
        fresh |= {*reshaped}
    failed = (r for r in last.run.results if r.id in fresh and r.failed)
    return tuple(r for r in failed if not (r.is_broken_file or r.is_broken_test or r.checks_file))


def _kept(state: LoopState) -> tuple[str, ...]:
    """In RED, the criteria that a changed specification kept: they were proven before."""
    return state.proof.kept_criteria if state.phase is Phase.RED else ()


def _sorted(prp: Specification, shown: Shown, unsteady: Sequence[str], code: Sequence[str]) -> InRed:
    """The criteria that need a red test. Only RED changes their kinds."""
    state, red = shown.state, shown.red
    if state.phase is Phase.RED and not state.proof.rewriting:
        asked = (c for c in prp.criteria if c.id not in _kept(state))
        return in_red(asked, shown.examined, red, state.proof, unsteady, code)
    new = tuple(c for c in prp.criteria if kind_of(c, state.proof) is Kind.NEW)
    return InRed(new=new, bare=tuple(c for c in new if not any(names(result, c) for result in red)))


def _kind_notes(found: InRed) -> tuple[str, ...]:
    """Notes on criteria that are proven by another kind than the specification says."""
    return (*(holds_already(c.id) for c in found.held), *(counts_as_new(c.id) for c in found.reread))


def _unsure_notes(criteria: Iterable[CriterionResult], shown: Shown, code: Sequence[str]) -> tuple[str, ...]:
    """Notes on criteria to keep whose new tests may pass only because of code that RED changed."""
    unsure = [each.id for each in criteria if each.kind is Kind.KEEP and each.proof and rests_on_new(each, shown)]
    return (f"the tests of {listed(unsure)} (keep) are new, and RED changed {listed(code)}",) if unsure and code else ()


def _unkept(seen: Examined, state: LoopState) -> tuple[str, ...]:
    """Kept tests (proven for unchanged criteria) that changed, vanished or are skipped."""
    if not state.proof.kept or seen.run.only:
        return ()
    since = compare(state.proof.kept, seen.run.results)
    return (*since.altered, *since.vanished, *since.newly_skipped, *since.newly_xfailed)


def _bereft(prp: Specification, state: LoopState, last: Examined | None) -> tuple[str, ...]:
    """Criteria whose proven tests a person removed. Tests that an agent removed count as vanished."""
    proof = state.proof
    if last is None or last.run.only or not state.touched.person:
        return ()
    left = last.run.results
    gone = {*compare(proof.red, left, FlakyTests(unstable=proof.unstable, unstable_ids=proof.unstable_ids)).vanished}
    lost = [result for result in proof.red if result.id in gone]
    if any(names(result, criterion) for result in proof.red for criterion in prp.criteria):
        bare = [c for c in prp.criteria if not any(names(result, c) for result in left)]
        return tuple(c.id for c in bare if any(names(result, c) for result in lost))
    still = [result for result in proof.red if result.failed and result.id not in gone]
    new = [c.id for c in prp.criteria if kind_of(c, proof) is Kind.NEW]
    return tuple(new) if lost and len(still) < len(new) else ()


def _nameless(prp: Specification, last: Examined | None, red: Sequence[CaseResult]) -> tuple[str, ...]:
    new = last.since_start.new if last else ()
    counted = (test for test in counted_tests(red) if not any(test.names(c) for c in prp.criteria))
    return tuple(test.results[0].id for test in counted if not any(r.id in new for r in test.results))


def _notes(last: Examined | None, reshaped: tuple[str, ...], unsteady: tuple[str, ...]) -> tuple[str, ...]:
    """Notes that keep no gate shut."""
    if last is None:
        return ()
    since = last.since_start
    renamed = [f"{old} -> {new}" for old, new in since.renamed if not last.run.only]
    pairs = (
        ("changed through a fixture or a constant outside their own lines, and failing", reshaped),
        ("failing only beside red tests, and passing without them", last.run.disturbed),
        ("probably renamed", renamed),
        ("that newly pass although marked as expected failures", since.newly_xpassed),
        ("that are flaky: they pass and fail on the same tree", unsteady),
    )
    return tuple(f"tests {what}: {listed(which, NAMES_NOTED)}" for what, which in pairs if which)


def _repeat_note(examined: Sequence[Examined]) -> tuple[str, ...]:
    repeats = repeats_made(examined)
    if not repeats:
        return ()
    tests = len(examined[-1].run.only)
    return (
        (f"the suite is slow: the whole suite ran once, and {tests} new, changed or flaky tests ran {repeats} times"),
    )


def _union(names_of_runs: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for names_ in names_of_runs for name in names_}))


def _problems(runs: Sequence[SuiteReport]) -> tuple[str, ...]:
    if not runs:
        return ("no test run was made",)
    return tuple(dict.fromkeys(problem for run in runs for problem in run.problems))


def _check(claim: Claim, observed: Observed, tasks: int | None) -> tuple[CheckedClaim, ...]:
    """An untrusted run measures nothing; a passing run of a few tests measures no status."""
    is_known = not observed.problems and observed.counts.total and (observed.failing or not observed.partial)
    measured = SuiteStatus.FAILING if observed.failing else SuiteStatus.PASSING
    is_counted = not observed.problems and not observed.partial
    return check_claims(
        claim, measured if is_known else None, observed.counts if is_counted else None, observed.changes, tasks
    )
