"""Back to RED for tests that notice nothing, twice at most, and on without proof after that."""

from dataclasses import replace
from typing import Any

from dualgate.core.evidence.facts import gather
from dualgate.core.gates.judge import judge
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide, with_proof
from dualgate.core.machine.proving import why_without_proof
from dualgate.core.machine.reproving import why_still_proven
from dualgate.core.values.claim import Claim
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.facts import Facts
from dualgate.core.values.probes import ProbeReport, WeakCriterion
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, Trial
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Decision, Phase, WorkStatus
from dualgate.testing import NOW, a_report, a_spec, a_state, done, facts, failed, not_done, passed

TEST = passed("test_ac1_fee")
WEAK = WeakCriterion(id="AC-1", reason="`test_ac1_fee` also passes when `fee()` returns 1", tests=(TEST.id,))
TRIAL = Trial(tree="trial", results=(failed("test_ac1_fee", digest="d2"),))


def turn(state: LoopState, seen: Facts, *results: CaseResult) -> LoopState:
    verdict = judge(seen, state.limits)
    move = decide(state, seen, verdict, state.breaker)
    ended = TurnEnded(at=NOW, facts=seen, verdict=verdict, breaker=state.breaker, move=move)
    return apply(state, with_proof(ended, [a_report(*results)]))


def in_green(**proof: Any) -> LoopState:
    known = {"red": (failed("test_ac1_fee"),), "red_tree": "red", "proven": (TEST,), "phases": (Phase.RED,)}
    return a_state(phase=Phase.GREEN, phases_completed=(Phase.RED,), proof=Proof(**{**known, **proof}))


def weak_facts(state: LoopState, **values: Any) -> Facts:
    left = state.limits.rewrites - state.proof.rewrites
    return replace(facts(Phase.GREEN, weak=(WEAK,), probes=ProbeReport(), **values), rewrites_left=left)


def rewriting_facts(state: LoopState, claim: Claim | None = None, **values: Any) -> Facts:
    left = state.limits.rewrites - state.proof.rewrites
    return replace(facts(Phase.RED, claim, **values), rewriting=("AC-1",), rewrites_left=left)


def in_rewriting() -> LoopState:
    state = in_green()
    return turn(state, weak_facts(state), TEST)


def test_a_criterion_without_proof_returns_to_red_and_the_work_stays() -> None:
    state = in_rewriting()

    assert (state.phase, state.phases_completed) == (Phase.RED, ())
    assert (state.proof.rewriting, state.proof.rewrites) == ((WEAK,), 0)
    assert (state.proof.proven, state.proof.proven_tree, state.proof.red_tree) == ((TEST,), "t", "red")


def test_rewritten_tests_are_frozen_again_and_green_is_proven_without_a_call() -> None:
    state = in_rewriting()

    state = turn(state, rewriting_facts(state, trial=TRIAL), passed("test_ac1_fee", digest="d2"))

    assert (state.phase, state.phases_completed) == (Phase.GREEN, (Phase.RED,))
    assert (state.proof.rewriting, state.proof.rewrites, state.proof.red_tree) == ((), 1, "trial")
    assert state.proof.red == TRIAL.results
    assert why_still_proven(state) == "tests were to be rewritten, and nothing else changed"


def test_tests_are_rewritten_twice_at_most_and_the_run_goes_on_without_proof() -> None:
    state = in_rewriting()
    state = turn(state, rewriting_facts(state, unrewritten=("AC-1 has no rewritten test",)))

    assert (state.phase, state.proof.rewrites) == (Phase.RED, 1)
    seen = rewriting_facts(state, unrewritten=("AC-1 has no rewritten test",))
    assert judge(seen, state.limits).outcome is Outcome.UNREWRITTEN

    state = turn(state, seen)
    assert (state.phase, state.phases_completed, state.proof.rewriting) == (Phase.GREEN, (Phase.RED,), ())
    seen = weak_facts(state)
    state = turn(state, seen, TEST)

    assert state.phase is Phase.REFACTOR
    assert state.unproven == ("no test proves AC-1: `test_ac1_fee` also passes when `fee()` returns 1",)


def test_an_agent_that_is_blocked_by_rewriting_does_not_halt_the_run() -> None:
    state = replace(in_rewriting(), proof=replace(in_rewriting().proof, rewrites=1))
    seen = rewriting_facts(state, not_done(status=WorkStatus.BLOCKED))

    assert decide(state, seen, judge(seen, state.limits), state.breaker).decision is Decision.KEEP_TESTS


def test_a_green_after_red_asks_the_agent_if_nothing_was_rewritten() -> None:
    assert why_still_proven(in_green(phases=(Phase.RED, Phase.GREEN))) is None


def test_a_criterion_that_was_never_red_is_proven_by_tests_that_notice() -> None:
    proof = Proof(never_red=("AC-1", "AC-2"), sensitive=("AC-1",))

    (reason,) = why_without_proof(facts(Phase.QA), proof)

    assert "new tests of AC-2 can fail" in reason


def test_the_facts_say_which_criteria_are_rewritten_and_how_often_that_is_possible() -> None:
    state = in_rewriting()

    seen = gather(state, a_spec(), done(Phase.RED), [a_report(TEST)], facts(Phase.RED).observed.changes)

    assert (seen.rewriting, seen.rewrites_left) == (("AC-1",), 2)
    assert (seen.observed.held, seen.observed.reread) == ((), ())
