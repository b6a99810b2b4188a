"""Target, Proof, a run of the patched RED tree, probes -> whether the amendment is proven, and the new Proof."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.comparison import FlakyTests, compare
from dualgate.core.said.amendment_requests import Target
from dualgate.core.values.amendments import AmendmentDecided, AmendmentOutcome
from dualgate.core.values.case_names import function_of
from dualgate.core.values.notation import listed
from dualgate.core.values.probes import STUBS, VALUE_PROBES, Probe, ProbeReport, ProbeState
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, SuiteReport


def judge_amendment(target: Target, proof: Proof, report: SuiteReport) -> tuple[str, ...]:
    """Why a run of the patched RED tree does not prove the amendment; empty if it does."""
    if not report.trusted:
        return (f"the tests could not be run on the tree of RED: {'; '.join(report.problems)}",)
    return (*_not_red(target, proof, report.results), *_others_moved(target, proof, report.results))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The result of the probes of an amended test: the reasons to refuse it, or notes."""

    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def judge_probes(target: Target, report: ProbeReport | None) -> Probed:
    """Refuse an amended test that runs the code under test and notices no changed value of it."""
    if report is None:
        return Probed(notes=("not probed",))
    if not report.measured:
        return Probed(notes=(f"not probed: {'; '.join(report.problems)}",))
    own = [probe for probe in report.probes if probe.kind in VALUE_PROBES and _asks(target, probe)]
    killed = [probe for probe in own if any(map(target.names, probe.killed_by))]
    survivors = [probe for probe in own if probe.state is ProbeState.SURVIVING]
    apart = {each.state for each in report.apart if target.names(each.test)}
    if killed or ProbeState.KILLED in apart:
        return Probed()
    if survivors:
        return Probed(reasons=(f"{target.function} also passes when {_broken(survivors[0])}",))
    if ProbeState.SURVIVING in apart:
        return Probed(reasons=(f"{target.function} also passes when every changed function returns a constant",))
    return Probed(notes=("not probed: no probe broke a value of the code that it runs",))


def _broken(probe: Probe) -> str:
    what = f"`{probe.function}()` {probe.text}" if probe.kind in STUBS else probe.text
    return f"{what} ({probe.file}:{probe.line})"


def _asks(target: Target, probe: Probe) -> bool:
    """Whether the amended test ran the code that a probe breaks."""
    return any(map(target.names, (*probe.killed_by, *probe.survived)))


def with_amendment(proof: Proof, decided: AmendmentDecided) -> Proof:
    """The proof after an amendment: the amended test, and the trees that hold it."""
    if decided.amendment.outcome is not AmendmentOutcome.ACCEPTED:
        return proof
    cases = [result for result in decided.results if function_of(result.id) == decided.function]

    def exchanged(before: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
        return (*(result for result in before if function_of(result.id) != decided.function), *cases)

    return replace(
        proof,
        proven=exchanged(proof.proven or ()),
        red=exchanged(proof.red),
        red_tree=decided.red_tree,
        proven_tree=decided.proven_tree,
        green_tree=decided.green_tree,
    )


def _not_red(target: Target, proof: Proof, results: Sequence[CaseResult]) -> Iterator[str]:
    before = [result for result in proof.red if target.holds(result) and result.failed]
    now = [result for result in results if target.holds(result)]
    failing = [result for result in now if result.failed and not result.is_broken_file]
    if broken := [result.id for result in results if result.is_broken_file]:
        yield f"with the patch these files cannot be collected: {listed(broken)}"
    elif not now:
        yield f"with the patch there is no test {target.function} any more"
    elif not failing or (len(failing) < len(before) and not any(result.uncollected for result in now)):
        passing = [result.id for result in now if not result.failed]
        yield f"it passes without the work, on the tree of RED, and so proves nothing: {listed(passing)}"


def _others_moved(target: Target, proof: Proof, results: Sequence[CaseResult]) -> Iterator[str]:
    known = FlakyTests(unstable={*proof.unstable, *proof.flaky}, unstable_ids=proof.unstable_ids)
    others = [result for result in results if not target.holds(result) and not result.is_broken_file]
    seen = compare([result for result in proof.red if not target.holds(result)], others, known)
    turned = (*seen.fixed, *seen.regressed, *seen.newly_skipped, *seen.newly_xfailed, *seen.newly_xpassed)
    # the tests of a file that waits for work do not run on the tree of RED
    waiting = {result.id for result in results if result.uncollected}
    turned = tuple(name for name in turned if name not in waiting)
    for what, which in (
        ("changes other tests too", seen.changed),
        ("removes other tests", seen.vanished),
        ("adds other tests", seen.new),
        ("changes the results of other tests", turned),
    ):
        if which:
            yield f"the patch {what}: {listed(which)}"
