"""Baseline, edits, TurnEnded -> Proof: the results that later runs are compared with."""

from dualgate.core.evidence.comparison import unfolded
from dualgate.core.evidence.disarmed import seen_red
from dualgate.core.evidence.rewriting import with_rewritten
from dualgate.core.evidence.sensitivity import surviving
from dualgate.core.gates.judge import measure
from dualgate.core.values import events
from dualgate.core.values.changes import Edits
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.facts import Facts
from dualgate.core.values.notation import applying
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import CriterionStatus, Kind
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import Phase


def baseline_proof(event: events.BaselineTaken) -> Proof:
    return Proof(
        baseline=event.results,
        unstable=event.unstable,
        unstable_ids=event.unstable_ids,
        outputs=event.outputs,
        configuration=event.configuration,
        environment=event.environment,
        unstable_keys=event.unstable_keys,
        seconds=event.seconds,
        start_tree=event.tree,
        suites=event.suites,
        checks=event.checks,
    )


def moved_by_person(proof: Proof, edits: Edits) -> Proof:
    """Treat a person's changes as part of the start and of the proof; their changed tests are judged again."""
    changed = frozenset(edits.paths)
    proven = None if proof.proven is None else tuple(r for r in proof.proven if r.file not in changed)
    return replace(
        proof,
        start_tree=edits.start_tree or proof.start_tree,
        proven_tree=edits.proven_tree or proof.proven_tree,
        green_tree=edits.green_tree or proof.green_tree,
        kept_tree=edits.kept_tree or proof.kept_tree,
        proven=proven,
        kept=tuple(replace(r, digest="") if r.file in changed else r for r in proof.kept),
    )


def with_learned(proof: Proof, turn: TurnEnded) -> Proof:
    """Keep flaky tests and unstable ids for later runs."""
    seen = turn.facts.observed
    is_green = proof.proven is not None and measure(turn.facts).verified
    return replace(
        proof,
        unstable_ids=tuple(sorted({*proof.unstable_ids, *seen.unstable_ids})),
        flaky=tuple(sorted({*proof.flaky, *seen.flaky})),
        seconds=seen.seconds or proof.seconds,
        green_tree=seen.changes.tree if is_green else proof.green_tree,
    )


def with_asked(proof: Proof, turn: TurnEnded) -> Proof:
    """Keep what RED was asked, since it is asked once."""
    about = (each for asked in turn.facts.observed.asks for each in asked.about)
    return replace(proof, asked=tuple(dict.fromkeys((*proof.asked, *about))))


def proof_after(state: LoopState, turn: TurnEnded) -> Proof:
    """The proof after a phase that passed; RED adds what the later phases are compared with."""
    tree = turn.facts.observed.changes.tree
    before = _with_first_tests(state.proof, turn)
    proof = replace(
        before,
        proven=turn.proven,
        proven_tree=tree,
        phases=tuple(dict.fromkeys((*before.phases, state.phase))),
        green_runs=turn.facts.observed.green_runs,
        # values that the baseline did not report are never compared
        configuration=before.configuration and (turn.configuration or before.configuration),
        environment=before.environment and (turn.environment or before.environment),
    )
    seen = turn.facts.observed
    if state.phase is Phase.GREEN:
        # the cases are known now, of tests whose file could not be collected in RED
        proof = replace(proof, red=unfolded(before.red, turn.proven))
    if seen.probes is not None:
        proof = replace(proof, weak=seen.weak, sensitive=seen.sensitive, surviving=surviving(seen.probes))
    if state.phase is Phase.GREEN:
        proof = replace(proof, upheld=seen.upheld)
    if state.phase is Phase.RED and seen.trial is not None:
        return with_rewritten(proof, seen.trial)
    if state.phase is Phase.RED:
        proof = replace(proof, red_tree=tree, red=turn.proven, removed=seen.vanished, notes=seen.notes)
        proof = replace(proof, stubs=seen.changes.sources, reconfigured=())
        proof = replace(proof, kinds=tuple((each.id, each.kind) for each in seen.criteria))
        proof = replace(proof, held=tuple(sorted({*before.held, *seen.held})), never_red=seen.never_red)
        proof = replace(proof, was_red=tuple(dict.fromkeys((*before.was_red, *seen_red(before, turn.proven)))))
        earlier = (name for name in before.unlinked if name in before.kept_criteria)
        # an older session compared numbers only, and stays as it ended
        unlinked = seen.unlinked if seen.counted is not None else ()
        proof = replace(proof, unlinked=(*earlier, *unlinked), kept=(), kept_criteria=(), kept_tree="")
    return proof


def _with_first_tests(before: Proof, turn: TurnEnded) -> Proof:
    """A proof with the suites that were found after the baseline, if it had none."""
    if before.suites or before.configuration or before.environment:
        return before
    return replace(before, suites=turn.suites, configuration=turn.configuration, environment=turn.environment)


def why_without_proof(facts: Facts, proof: Proof) -> tuple[str, ...]:
    bereft = facts.observed.bereft
    unseen = [name for name in proof.never_red if name not in proof.sensitive]
    checks = [each for each in facts.observed.criteria if each.kind is Kind.CHECK and facts.phase is not Phase.RED]
    declined = [f"{each.id}: `{each.proof[0]}`" for each in checks if each.state is CriterionStatus.NOT_RUN]
    return applying(
        (declined, f"nobody approved the command of {', '.join(declined)}"),
        (bereft, f"a person removed the proven tests of {', '.join(bereft)}"),
        *((True, f"no test proves {each.id}: {each.reason}") for each in proof.weak),
        (proof.unlinked, f"no test names {', '.join(proof.unlinked)}, so nothing shows which test proves it"),
        *((True, missing) for missing in facts.weighed.unanswered),
        (unseen, f"no test was red: nothing shows that the new tests of {', '.join(unseen)} can fail"),
    )
