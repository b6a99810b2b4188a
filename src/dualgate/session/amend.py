"""An agent's request to change a frozen test -> read, reviewed, tried on the tree of RED, and journaled."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dualgate.agents.base import Agent
from dualgate.core.evidence.amendment import judge_amendment
from dualgate.core.machine.history import apply
from dualgate.core.prompt.document import document_for
from dualgate.core.prompt.writing import OUTLINE_SHOWN
from dualgate.core.said.amendment_requests import Refusal, Target, read_amendment, weigh_request
from dualgate.core.said.patches import Unfit, apply_patch
from dualgate.core.said.response import read_response
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.answer import AgentCall
from dualgate.core.values.claim import Review
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Amend, Phase
from dualgate.session.trial import SwapRooms, swapped
from dualgate.workspace.base import Workspace

if TYPE_CHECKING:
    from jinja2 import Environment

SAME_AGENT = "approved by the agent that filed it, as no other can be asked"
REASON_SHOWN = 500
AMENDED = "the tree of RED with the amended"


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentRooms:
    """Everything that an amendment needs. `run` makes a clean run of all tests."""

    prp: Specification
    templates: "Environment"
    agent: Agent
    reviewer: Agent | None
    worktree: Workspace
    run: Callable[[], SuiteReport]
    decided: Callable[[], AmendmentDecided | None]
    """The recorded decision, if the turn was cut off after it; otherwise None."""
    hold: Callable[[], str]
    """Waits while an hourly limit is reached; returns why no call may be made, or an empty string."""
    record: Callable[[Event], LoopState]
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trees:
    """The trees with the amended test, used once it is accepted."""

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
    if state.limits.amend is Amend.HUMAN:
        waits = Amendment(outcome=AmendmentOutcome.WAITING, request=target.request)
        return rooms.record(_decided(waits, rooms))
    trees = _patched(state, target, rooms.worktree)
    if isinstance(trees, Unfit):
        return _refuse(Refusal(reasons=(trees.reason,), request=target.request), rooms)
    if reasons := _disapproval(state, target, rooms, control):
        return _refuse(Refusal(reasons=reasons, request=target.request), rooms)
    return rooms.record(_proven(state, target, trees, rooms))


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
            return Unfit(reason=f"{path} is no text file in every state that the test was proven in")
        changed = apply_patch(target.patch, text)
        if isinstance(changed, Unfit):
            return changed
        made[tree] = worktree.rewritten(tree, path, changed.encode())
    return _Trees(
        present=made[worktree.present],
        red=made[proof.red_tree],
        proven=made[proof.proven_tree],
        green=made.get(proof.green_tree, ""),
    )


def _disapproval(state: LoopState, target: Target, rooms: AmendmentRooms, control: Control) -> tuple[str, ...]:
    """Ask the reviewer, and return the reasons against the amendment; empty if it is approved."""
    if reason := rooms.hold():
        return (f"the review could not be made ({reason}); file the request again",)
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
    answer = (rooms.reviewer or rooms.agent).ask(call, control).answer
    claim = read_response(answer, Phase.QA)
    touched = rooms.worktree.settle(replace(state, phase=Phase.QA, total_agent_calls=call.number)).violations
    if answer.failure:
        return (f"the review could not be made ({answer.failure.sentence}); file the request again",)
    if touched:
        return (f"the reviewer changed files, which a review may not: {', '.join(each.path for each in touched)}",)
    if claim.review is not Review.APPROVE:
        said = answer.text.strip()[-REASON_SHOWN:]
        return (f"the reviewer does not approve: {said or 'no reason given'}",)
    return ()


def _proven(state: LoopState, target: Target, trees: _Trees, rooms: AmendmentRooms) -> AmendmentDecided:
    """Run the tests on the patched tree of RED, then restore the present tree: patched if that run proves the patch."""
    report: SuiteReport | None = None
    place = SwapRooms(worktree=rooms.worktree, record=rooms.record, now=rooms.now)
    with swapped(trees.red, f"{AMENDED} {target.request.test_id}", place, ends=False) as swap:  # the decision ends it
        reasons: tuple[str, ...] = (f"the tree of RED could not be had back: {', '.join(swap.left)}",)
        if not swap.left:
            report = rooms.run()
            reasons = judge_amendment(target, state.proof, report)
        swap.back = swap.back if reasons else trees.present
    if reasons or report is None:
        refused = Amendment(outcome=AmendmentOutcome.REFUSED, request=target.request, reasons=reasons)
        return _decided(refused, rooms)
    return _accepted(target, trees, report, rooms)


def _accepted(target: Target, trees: _Trees, report: SuiteReport, rooms: AmendmentRooms) -> AmendmentDecided:
    accepted = Amendment(
        outcome=AmendmentOutcome.ACCEPTED,
        request=target.request,
        approved_by=(rooms.reviewer or rooms.agent).name,
        notes=() if rooms.reviewer else (SAME_AGENT,),
    )
    return replace(
        _decided(accepted, rooms),
        function=target.function,
        results=tuple(result for result in report.results if target.holds(result)),
        red_tree=trees.red,
        proven_tree=trees.proven,
        green_tree=trees.green,
    )
