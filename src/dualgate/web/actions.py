"""LoopState -> the actions that a person can take on a session now, each with the words of its button and question."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dualgate.core.machine.approving import decidable, decisions_open, waits_for_approval
from dualgate.core.machine.controls import rest_before_trial, wait_of_next_call
from dualgate.core.machine.resuming import can_go_on
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, SpecChoice, Status, WayOn

ALL = "all"


class Action(StrEnum):
    PAUSE = "pause"
    PAUSE_NOW = "pause-now"
    RESUME = "resume"
    ABORT = "abort"
    ABORT_NOW = "abort-now"
    RESET = "reset"
    SKIP = "skip"
    SKIP_WAIT = "skip-wait"
    GUIDE = "guide"
    WITHDRAW = "withdraw"
    APPROVE = "approve"
    REJECT = "reject"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """A session as a person finds it."""

    state: LoopState
    alive: bool
    spec_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How an action is offered, and when it fits."""

    label: str
    confirm: str
    """The sentence that a person confirms; `{state}` is the state."""
    fits: Callable[[FoundSession], bool]
    text_label: str = ""
    """The label of a field for a text; empty if there is none."""
    needs_text: bool = False
    danger: bool = False
    values: Callable[[FoundSession], tuple[str, ...]] = lambda _: ()


def _runs(seen: FoundSession) -> bool:
    return seen.alive and seen.state.status is Status.RUNNING


def _is_open(seen: FoundSession) -> bool:
    """Whether the session can still change."""
    return seen.state.status is not Status.COMPLETED


def _is_stopped(seen: FoundSession) -> bool:
    return not seen.alive and _is_open(seen)


def _is_undecided(seen: FoundSession) -> bool:
    """Whether neither finished work waits, nor the session has ended."""
    return _is_open(seen) and not waits_for_approval(seen.state)


def _waits(seen: FoundSession) -> bool:
    state = seen.state
    return seen.alive and (wait_of_next_call(state) or rest_before_trial(state, state.last_activity)) is not None


def _targets(seen: FoundSession) -> tuple[str, ...]:
    return tuple(each.target or each.id for each in decidable(seen.state))


def _may(way: WayOn) -> Callable[[FoundSession], bool]:
    return lambda seen: way in decisions_open(seen.state)


FORMS: dict[Action, Form] = {
    Action.PAUSE: Form(label="Pause", confirm="Pause the run after its present iteration? Its edits stay.", fits=_runs),
    Action.PAUSE_NOW: Form(
        label="Pause now", confirm="Stop the agent now and pause the run? Its edits stay.", fits=_runs
    ),
    Action.RESUME: Form(
        label="Resume",
        confirm="Continue the session? An agent is started on this machine and can cost money.",
        fits=lambda seen: _is_stopped(seen) and _is_undecided(seen) and can_go_on(seen.state),
        values=lambda seen: tuple(SpecChoice) if seen.spec_changed else (),
    ),
    Action.APPROVE: Form(
        label="Approve",
        confirm="Approve it? The journal records that you did.",
        fits=_may(WayOn.APPROVE),
        values=_targets,
    ),
    Action.REJECT: Form(
        label="Reject",
        confirm="Reject it? The agent gets your reason.",
        fits=_may(WayOn.REJECT),
        text_label="Reason",
        needs_text=True,
        values=_targets,
    ),
    Action.ANSWER: Form(
        label="Answer",
        confirm="Put this answer into every prompt from the next one on?",
        fits=_may(WayOn.ANSWER),
        text_label="Answer",
        needs_text=True,
    ),
    Action.GUIDE: Form(
        label="Guide",
        confirm="Put this guidance into every prompt from the next one on?",
        fits=_is_open,
        text_label="Guidance",
        needs_text=True,
    ),
    Action.WITHDRAW: Form(
        label="Withdraw guidance",
        confirm="Remove this guidance from the next prompts?",
        fits=lambda seen: _is_open(seen) and bool(seen.state.guidance),
        values=lambda seen: (*map(str, range(1, len(seen.state.guidance) + 1)), ALL),
    ),
    Action.RESET: Form(
        label="Reset",
        confirm="Close the breaker and restart the counts? What was proven stays.",
        fits=_is_undecided,
        text_label="Guidance (optional)",
    ),
    Action.SKIP_WAIT: Form(label="Skip the wait", confirm="Start the next call at once?", fits=_waits),
    Action.SKIP: Form(
        label="Skip the phase",
        confirm="Pass the phase without proof? The session can no longer be proven.",
        fits=_is_undecided,
        danger=True,
        values=lambda seen: (seen.state.phase.value,),
    ),
    Action.ABORT: Form(
        label="Abort",
        confirm="Give the session up? Its files stay.",
        fits=lambda seen: _is_open(seen) and seen.state.ended_by is not Decision.ABORTED,
        danger=True,
    ),
    Action.ABORT_NOW: Form(
        label="Abort now",
        confirm="Stop the agent now and give the session up? Its files stay.",
        fits=_runs,
        danger=True,
    ),
}


def fitting(seen: FoundSession) -> tuple[Action, ...]:
    """The actions that fit a session now."""
    return tuple(action for action, form in FORMS.items() if form.fits(seen))


def action_record(action: Action, seen: FoundSession) -> dict[str, Any]:
    form = FORMS[action]
    return {
        "name": action.value,
        "label": form.label,
        "needs_text": form.needs_text,
        "text_label": form.text_label,
        "confirm": form.confirm,
        "danger": form.danger,
        "values": list(form.values(seen)),
    }
