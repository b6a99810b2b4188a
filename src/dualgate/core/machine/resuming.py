"""Events of a session -> where to resume: the state between turns, and the steps of an interrupted turn."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from dualgate.core.machine.controls import controlled, halt_of, trial_after
from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.team.pace import after_event
from dualgate.core.values import events
from dualgate.core.values.amendments import AmendmentDecided, AmendmentTried
from dualgate.core.values.answer import Thread
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckEnded, CheckRun, CheckStarted
from dualgate.core.values.commits import CommitEvent
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.control import RequestRefused
from dualgate.core.values.events import CallEnded, CallStarted, Event
from dualgate.core.values.probes import ProbeReport, ProbesEnded, ProbesStarted
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport, TrialEnded, TrialStarted
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.vocabulary import Status

# events that do not change an interrupted turn
_MEANWHILE: tuple[type, ...] = (
    AgentSwitched,
    events.CallDelayed,
    events.LeftoversEnded,
    RequestRefused,
    events.RunSuspended,
    events.GuidanceGiven,
    events.GuidanceWithdrawn,
    AmendmentAnswered,
    QuestionAnswered,
    events.SessionAborted,
    events.SessionFailed,
    events.SessionHalted,
    *get_args(CommitEvent),
)
_PauseEvent = events.SessionPaused | events.SessionResumed
_ReviewEnd = events.CallInterrupted | AmendmentDecided
_SuiteEvent = events.SuiteStarted | events.SuiteEnded | CheckStarted | CheckEnded
_ProbeEvent = ProbesStarted | ProbesEnded
_Trial = AmendmentTried | TrialStarted | TrialEnded
_TurnStep = _SuiteEvent | _ProbeEvent | CallEnded | events.QuestionAsked | events.TreeSettled | _Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """A session as a crash, a pause or a halt left it."""

    started: events.SessionStarted
    spec: str
    """The text of the specification in force."""
    state: LoopState
    before: LoopState
    """The state when the interrupted turn began; the current state if no turn was interrupted."""
    call: CallStarted | None = None
    """The call of that turn; None if it had not started."""
    answered: CallEnded | None = None
    asked: bool = False
    reviewer: CallStarted | None = None
    """The call to a reviewer about an amendment, in the middle of the turn."""
    reviewed: CallEnded | None = None
    decided: AmendmentDecided | None = None
    """The decision on the amendment that the answer asked for."""
    configured: ConfigurationDecided | None = None
    """The decision on the configuration that the call changed."""
    follow_up: CallStarted | None = None
    """The call that asks for the status block of the answer, at the end of the turn."""
    followed: CallEnded | None = None
    follow_up_changes: Changes | None = None
    """The changes of the follow-up; if there are any, its answer is the next turn."""
    changes: Changes | None = None
    runs: tuple[SuiteReport, ...] = ()
    checks: tuple[CheckRun, ...] = ()
    probes: ProbeReport | None = None
    settled: str = ""
    """The work tree after the call, before any test of the turn could write to it."""
    tree: str = ""
    """The work tree as it was last seen."""
    paused_tree: str = ""
    """The work tree at the pause, if it was recorded."""
    swapped_for: str = ""
    """The tree to restore after the work tree was switched to another one for a trial."""
    trial: str = ""
    """The label of that trial."""
    testing: bool = False
    """Whether a test run started and did not end."""
    thread: Thread | None = None
    """The agent's own session, if the next call can continue it."""
    joins: bool = False
    """Whether the changes of an interrupted call are counted with the next call."""

    @property
    def measured_from(self) -> str:
        """The work tree from which the agent's changes are counted."""
        return self.call.tree if self.call is not None else self.tree

    @property
    def before_follow_up(self) -> str:
        """The work tree to judge the first answer by: the last one, unless a follow-up came after it."""
        return self.follow_up.tree if self.follow_up and self.follow_up_changes is not None else self.tree

    @property
    def trees(self) -> frozenset[str]:
        """The trees needed to resume; not all of them are named snapshots."""
        proof, state = self.state.proof, self.state
        of_proof = (proof.start_tree, proof.red_tree, proof.proven_tree, proof.green_tree, proof.kept_tree)
        of_turn = (
            *(self.measured_from, self.settled, self.tree, self.before_follow_up),
            *(self.paused_tree, self.swapped_for),
        )
        return frozenset(
            {*of_proof, *dict(proof.reconfigured).values(), *of_turn, state.tree, state.reviews.tree} - {""}
        )

    @property
    def reached(self) -> str | None:
        """The work tree after our last process ended; None if it was not recorded."""
        if self.paused_tree:
            return self.paused_tree
        is_settled = self.changes is not None or (self.call is None and not self.joins)
        is_settled = is_settled and (self.follow_up is None or self.follow_up_changes is not None)
        return self.tree if is_settled and not self.testing else None


def cut_off(journal: Iterable[Event]) -> CutOff:
    rest = iter(journal)
    first = first_of(next(rest, None))
    state = begin(first)
    found = just_begun(first, state)
    for event in rest:
        state = apply(state, event)
        found = cut_off_after(found, event, state)
    return replace(found, state=state)


def just_begun(started: events.SessionStarted, state: LoopState) -> CutOff:
    return CutOff(started=started, spec=started.prp_text, state=state, before=state)


def can_go_on(state: LoopState) -> bool:
    """Whether a session can resume without a reset; after an open breaker only if a cool-down is set."""
    if state.status is Status.HALTED:
        return halt_of(state).resumes or trial_after(state) is not None
    return state.status is not Status.COMPLETED


def cut_off_after(found: CutOff, event: Event, state: LoopState) -> CutOff:
    """Advance by one event; `state` is the state after it. The caller sets `CutOff.state` after the last event."""
    followed = _after_follow_up(found, event, state) or _followed(found, event, state)
    thread = after_event(found.thread, event, state)
    return followed if followed.thread == thread else replace(followed, thread=thread)


def _followed(found: CutOff, event: Event, state: LoopState) -> CutOff:
    if isinstance(event, CallStarted | CallEnded) and event.phase not in (None, state.phase):
        return _with_review(found, event)
    if isinstance(event, _MEANWHILE):
        return found
    if isinstance(event, _TurnStep):
        return _stepped(found, event)
    match event:
        case CallStarted():
            before = replace(state, total_agent_calls=event.number - 1)
            return replace(_at_rest(found, before), call=event, tree=event.tree or found.tree)
        case events.CallInterrupted() | AmendmentDecided():
            return _with_end_of_review(found, event, state)
        case ConfigurationDecided():
            return replace(found, configured=event, tree=event.tree, swapped_for="", testing=False)
        case events.PersonEdited():
            return _with_edits(found, event)
        case events.SessionReset():  # an interrupted turn is judged with the counts after the reset
            return replace(found, before=controlled(found.before, event)) if found.call else found
        case events.SessionPaused() | events.SessionResumed():
            return _paused_or_resumed(found, event, state)
        case _:
            return replace(_at_rest(found, state), tree=_tree_after(event) or found.tree)


def is_changed(changes: Changes | None) -> bool:
    """Whether a call changed anything, be it reverted."""
    return changes is not None and bool(changes.paths or changes.violations)


def _after_follow_up(found: CutOff, event: Event, state: LoopState) -> CutOff | None:
    """Advance by an event of a follow-up; None if the event belongs to no follow-up."""
    call = found.follow_up
    match event:
        case CallStarted() if event.follows and found.answered is not None:
            begun = replace(found, follow_up=event, followed=None, follow_up_changes=None)
            return replace(begun, tree=event.tree or found.tree, paused_tree="")
        case CallEnded() if call is not None:
            return replace(found, followed=event)
        case events.CallInterrupted() if call is not None:
            return _without_follow_up(found, bool(event.paths))
        case events.TreeSettled() if call is not None and found.changes is not None:
            began = replace(call, tree=found.tree)
            return replace(found, follow_up=began, follow_up_changes=event.changes, tree=event.changes.tree)
        case events.TurnEnded() if call is not None and is_changed(found.follow_up_changes):
            return _with_follow_up(found, call, state)
        case _:
            return None


def _with_follow_up(found: CutOff, call: CallStarted, state: LoopState) -> CutOff:
    """Begin the next turn with the answer of a follow-up, which changed the work tree."""
    before = replace(state, total_agent_calls=call.number - 1)
    begun = replace(_at_rest(found, before), call=call, answered=found.followed, changes=found.follow_up_changes)
    return replace(begun, settled=begun.tree)


def _joining(found: CutOff, state: LoopState) -> CutOff:
    """End the turn, and count its edits in the work tree with the next call."""
    return replace(_at_rest(found, state), tree=found.measured_from, joins=True, paused_tree=found.paused_tree)


def _paused_or_resumed(found: CutOff, event: _PauseEvent, state: LoopState) -> CutOff:
    if isinstance(event, events.SessionPaused):
        return replace(found, paused_tree=event.tree)
    found = replace(
        found, spec=event.prp_text or found.spec, swapped_for="", trial=""
    )  # restored before it is recorded
    if found.call is None or not event.reopens:
        return found
    return _joining(found, state)


def _with_review(found: CutOff, event: CallStarted | CallEnded) -> CutOff:
    if isinstance(event, CallEnded):
        return replace(found, reviewed=event)
    return replace(found, reviewer=event, reviewed=None)


def _with_end_of_review(found: CutOff, event: _ReviewEnd, state: LoopState) -> CutOff:
    """End the review of an amendment; without one, end the interrupted turn."""
    match event:
        case events.CallInterrupted() if found.reviewer is not None:
            return replace(found, reviewer=None)
        case AmendmentDecided() if event.tree and found.call is None:  # approved by a person, between two turns
            return replace(_at_rest(found, state), tree=event.tree)
        case AmendmentDecided() if event.tree:
            found = replace(found, swapped_for="", trial="")
            return replace(found, decided=event, tree=event.tree, reviewer=None, reviewed=None)
        case _:
            return _joining(found, state)


def _without_follow_up(found: CutOff, is_changed: bool) -> CutOff:
    """Drop a follow-up that did not end; if it changed files, they are examined and tested with the first answer."""
    found = replace(found, follow_up=None, followed=None)
    return replace(found, changes=None, runs=(), checks=(), probes=None) if is_changed else found


def _with_edits(found: CutOff, event: events.PersonEdited) -> CutOff:
    """Examine and test the tree again after a person's edits, and do not count them as the call's changes."""
    tree = event.edits.tree
    call = found.call and replace(found.call, tree=tree)
    before = apply(found.before, event)
    return replace(
        found,
        before=before,
        call=call,
        reviewer=None,
        reviewed=None,
        changes=None,
        configured=None,
        follow_up_changes=None,
        runs=(),
        checks=(),
        probes=None,
        settled="",
        tree=tree,
        paused_tree="",
        testing=False,
    )


def _stepped(found: CutOff, event: _TurnStep) -> CutOff:
    match event:
        case events.SuiteStarted() | CheckStarted() | ProbesStarted():
            return replace(found, testing=True, paused_tree="")
        case ProbesEnded() | events.SuiteEnded() if found.swapped_for:
            return replace(found, testing=False)  # what another tree shows is no evidence for this turn
        case ProbesEnded():
            return replace(found, probes=event.report, tree=event.report.tree or found.tree, testing=False)
        case CheckEnded():
            return _checked(found, event.check)
        case CallEnded():
            return replace(found, answered=event)
        case events.QuestionAsked():
            return replace(found, asked=True)
        case events.TreeSettled() if found.reviewer is not None:
            return replace(found, tree=event.changes.tree)  # the call's own changes are already recorded
        case events.TreeSettled():
            return _settled(found, event.changes)
        case events.SuiteEnded():
            return _ran(found, event.report)
        case AmendmentTried() | TrialStarted() | TrialEnded():
            return _tried(found, event)


def _settled(found: CutOff, changes: Changes) -> CutOff:
    """Begin the evidence of the turn again: results for a tree that was settled before do not count."""
    begun = replace(found, configured=None, runs=(), checks=(), probes=None)
    return replace(begun, changes=changes, settled=found.settled or changes.tree, tree=changes.tree)


def _tried(found: CutOff, event: _Trial) -> CutOff:
    """Follow a trial. Of one within another, the outer tree is restored after a kill."""
    match event:
        case AmendmentTried():
            return replace(found, swapped_for=event.tree, tree=event.tree)
        case TrialStarted():
            is_inner = bool(found.swapped_for)
            return found if is_inner else replace(found, swapped_for=event.tree, trial=event.label, tree=event.tree)
        case TrialEnded():
            is_inner = found.trial not in ("", event.label)
            return found if is_inner else replace(found, swapped_for="", trial="", tree=event.tree)


def _ran(found: CutOff, report: SuiteReport) -> CutOff:
    is_whole = found.changes is not None and not report.written
    runs = (*found.runs, report) if is_whole else found.runs
    return replace(found, runs=runs, tree=report.tree or found.tree, testing=False)


def _checked(found: CutOff, check: CheckRun) -> CutOff:
    is_whole = found.changes is not None and not check.written
    checks = (*found.checks, check) if is_whole else found.checks
    return replace(found, checks=checks, tree=check.tree or found.tree, testing=False)


def _at_rest(found: CutOff, state: LoopState) -> CutOff:
    return CutOff(started=found.started, spec=found.spec, state=state, before=state, tree=found.tree)


def _tree_after(event: Event) -> str:
    match event:
        case events.BaselineTaken():
            return event.after
        case events.TurnEnded(rolled_back=back) if back is not None:
            return back.tree
        case events.TurnEnded(ticked=ticked) if ticked is not None:
            return ticked.tree
        case _:
            return ""
