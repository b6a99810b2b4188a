"""An agent's request to change a frozen test -> read, reviewed, tried on the tree of RED, and journaled."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dualgate.agents.base import Agent
from dualgate.core.evidence.amendment import Probed, judge_amendment, judge_probes
from dualgate.core.machine.approving import is_approved
from dualgate.core.machine.history import apply
from dualgate.core.prompt.document import document_for
from dualgate.core.prompt.writing import OUTLINE_SHOWN
from dualgate.core.said.amendment_requests import Refusal, Target, read_amendment, weigh_request
from dualgate.core.said.patches import Unfit
from dualgate.core.said.response import read_response
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.answer import AgentCall, Answer
from dualgate.core.values.changes import Violation
from dualgate.core.values.claim import Review
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.probes import ProbeReport
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Amend, Phase
from dualgate.session.swap import SwapRooms, swapped
from dualgate.workspace.base import Workspace

if TYPE_CHECKING:
    from jinja2 import Environment

NO_OTHER = "no other agent can be asked, so a person must approve it"
SAME_MODEL = (
    "{name} approves it, and is the same model ({model}) as the agent that filed it: a person must approve it too"
)
REASON_SHOWN = 500
AMENDED = "the tree of RED with the amended"
PATCHED = "before an amended test was tried on the present tree"


def not_probed(_tests: tuple[str, ...]) -> ProbeReport | None:
    """The default of `AmendmentRooms.probe`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentRooms:
    """Everything that an amendment needs. `run` makes a clean run of all tests."""

    prp: Specification
    templates: "Environment"
    reviewer: Agent | None
    """Another agent than the one that files the request; None if there is none."""
    worktree: Workspace
    run: Callable[[], SuiteReport]
    decided: Callable[[], AmendmentDecided | None]
    """The recorded decision, if the turn was cut off after it; otherwise None."""
    hold: Callable[[], str]
    """Waits while an hourly limit is reached; returns why no call may be made, or an empty string."""
    record: Callable[[Event], LoopState]
    now: Callable[[], datetime]
    probe: Callable[[tuple[str, ...]], ProbeReport | None] = not_probed
    """Breaks the code that these tests run in the present tree; None if they do not pass there, or cannot be probed."""
    model: str | None = None
    """The model of the agent that files the request, if it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trees:
    """The trees with the amended test, used once it is accepted."""

    target: Target
    present: str
    red: str
    proven: str
    green: str


def consider(state: LoopState, text: str, rooms: AmendmentRooms, control: Control) -> LoopState:
    """Decide on the amendment request in an answer, if there is one, and return the state after the decision."""
    if decided := rooms.decided():
        return apply(state, decided)
    request = read_amendment(text)
    if request is None:
        return state
    target = request if isinstance(request, Refusal) else weigh_request(request, state)
    if isinstance(target, Refusal):
        return _refuse(target, rooms)
    trees = _patched(state, target, rooms.worktree)
    if isinstance(trees, Unfit):
        return _refuse(Refusal(reasons=(trees.reason,), request=target.request), rooms)
    target = trees.target
    if state.limits.amend is Amend.HUMAN:
        return _ask_person(target, (), rooms)
    if rooms.reviewer is None:
        return _ask_person(target, (NO_OTHER,), rooms)
    answer, reasons = _reviewed(state, target, rooms.reviewer, rooms, control)
    if reasons:
        return _refuse(Refusal(reasons=reasons, request=target.request), rooms)
    if answer.model and answer.model == rooms.model:
        return _ask_person(target, (SAME_MODEL.format(name=rooms.reviewer.name, model=answer.model),), rooms)
    return rooms.record(_proven(state, target, trees, rooms, rooms.reviewer.name))


def try_approved(state: LoopState, rooms: AmendmentRooms) -> LoopState:
    """Prove each amendment that a person approved, and apply it if the proof succeeds."""
    for amendment in filter(is_approved, state.amendments):
        target = weigh_request(amendment.request, state)
        trees = _patched(state, target, rooms.worktree) if isinstance(target, Target) else target
        if isinstance(trees, _Trees):
            decided = _proven(state, trees.target, trees, rooms, amendment.approved_by)
        else:
            reasons = trees.reasons if isinstance(trees, Refusal) else (trees.reason,)
            refused = Amendment(outcome=AmendmentOutcome.REFUSED, request=amendment.request, reasons=reasons)
            decided = _decided(refused, rooms)
        state = rooms.record(decided)
    return state


def _ask_person(target: Target, reasons: tuple[str, ...], rooms: AmendmentRooms) -> LoopState:
    """The request waits, and the test stays as it is until a person decides."""
    waits = Amendment(outcome=AmendmentOutcome.WAITING, request=target.request, reasons=reasons)
    return rooms.record(_decided(waits, rooms))


def _refuse(refusal: Refusal, rooms: AmendmentRooms) -> LoopState:
    refused = Amendment(outcome=AmendmentOutcome.REFUSED, request=refusal.request, reasons=refusal.reasons)
    return rooms.record(_decided(refused, rooms))


def _decided(amendment: Amendment, rooms: AmendmentRooms) -> AmendmentDecided:
    return AmendmentDecided(at=rooms.now(), amendment=amendment, tree=rooms.worktree.present)


def _patched(state: LoopState, target: Target, worktree: Workspace) -> _Trees | Unfit:
    """Apply the patch to every tree that tests are compared with or restored from."""
    proof, made = state.proof, dict[str, str]()
    path = target.patch.path
    for tree in filter(None, (worktree.present, proof.red_tree, proof.proven_tree, proof.green_tree)):
        content = worktree.read(tree, path)
        try:
            text = None if content is None else content.decode()
        except UnicodeDecodeError:
            text = None
        if text is None:
            return Unfit(reason=f"{path} is not a text file in every state that the test was proven in")
        changed = target.changed(text)
        if isinstance(changed, Unfit):
            return changed
        made[tree] = worktree.rewritten(tree, path, changed.encode())
        target = target.with_diff(text, changed)  # of the present tree, which comes first
    return _Trees(
        target=target,
        present=made[worktree.present],
        red=made[proof.red_tree],
        proven=made[proof.proven_tree],
        green=made.get(proof.green_tree, ""),
    )


def _reviewed(
    state: LoopState, target: Target, reviewer: Agent, rooms: AmendmentRooms, control: Control
) -> tuple[Answer, tuple[str, ...]]:
    """Ask the reviewer, and return its answer and the reasons against the amendment; none if it is approved."""
    if reason := rooms.hold():
        return Answer(), (f"the review could not be made ({reason}); file the request again",)
    template = rooms.templates.get_template("AMENDMENT_REVIEW.md")
    call = AgentCall(
        number=state.total_agent_calls + 1,
        ordinal=len(state.amendments) + 1,
        phase=Phase.QA,
        iteration=state.iteration + 1,
        session_id=state.session_id,
        prompt=template.render(
            prp=rooms.prp,
            file=state.prp_file,
            document=(document := document_for(rooms.prp, state.limits.prompt_tokens)),
            outline=document.outline[:OUTLINE_SHOWN],
            request=target.request,
        ),
    )
    answer = reviewer.ask(call, control).answer
    touched = rooms.worktree.settle(replace(state, phase=Phase.QA, total_agent_calls=call.number)).violations
    return answer, _disapproval(answer, touched)


def _disapproval(answer: Answer, touched: tuple[Violation, ...]) -> tuple[str, ...]:
    if answer.failure:
        return (f"the review could not be made ({answer.failure.sentence}); file the request again",)
    if touched:
        return (f"the reviewer changed files, which a review may not: {', '.join(each.path for each in touched)}",)
    if read_response(answer, Phase.QA).review is not Review.APPROVE:
        said = answer.text.strip()[-REASON_SHOWN:]
        return (f"the reviewer does not approve: {said or 'no reason given'}",)
    return ()


def _proven(
    state: LoopState, target: Target, trees: _Trees, rooms: AmendmentRooms, approved_by: str
) -> AmendmentDecided:
    """Run the tests on the patched tree of RED, then restore the present tree: patched if that run proves the patch."""
    report, probed = None, Probed()
    place = SwapRooms(worktree=rooms.worktree, record=rooms.record, now=rooms.now)
    with swapped(trees.red, f"{AMENDED} {target.request.test_id}", place, ends=False) as swap:  # the decision ends it
        reasons: tuple[str, ...] = (f"the tree of RED could not be restored: {', '.join(swap.left)}",)
        if not swap.left:
            report = rooms.run()
            reasons = judge_amendment(target, state.proof, report)
        if report and not reasons:
            probed = _probed(target, trees, report, rooms)
            reasons = probed.reasons
        swap.back = swap.back if reasons else trees.present
    if reasons or report is None:
        refused = Amendment(outcome=AmendmentOutcome.REFUSED, request=target.request, reasons=reasons)
        return _decided(refused, rooms)
    accepted = Amendment(
        outcome=AmendmentOutcome.ACCEPTED, request=target.request, approved_by=approved_by, notes=probed.notes
    )
    return _accepted(target, trees, report, rooms, accepted)


def _probed(target: Target, trees: _Trees, report: SuiteReport, rooms: AmendmentRooms) -> Probed:
    """Probe the amended test on the present tree with the patch."""
    left = rooms.worktree.become(trees.present, PATCHED).left
    if left:
        return Probed(reasons=(f"the present tree could not be restored: {', '.join(left)}",))
    return judge_probes(target, rooms.probe(tuple(r.id for r in report.results if target.holds(r))))


def _accepted(
    target: Target, trees: _Trees, report: SuiteReport, rooms: AmendmentRooms, accepted: Amendment
) -> AmendmentDecided:
    return replace(
        _decided(accepted, rooms),
        function=target.function,
        results=tuple(result for result in report.results if target.holds(result)),
        red_tree=trees.red,
        proven_tree=trees.proven,
        green_tree=trees.green,
    )
