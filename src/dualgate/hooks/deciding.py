"""Stop, record, Verification -> whether the agent may stop, and what is said. Values in, values out.

An agent is blocked only for what it can change: a test that is worse than before, or changed code without a test.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from dualgate.core.values.verification import Finding, Rule, Standing, Verification, Weight
from dualgate.hooks.payload import Stop
from dualgate.hooks.questions import asks_person
from dualgate.hooks.reasons import reason_of

MOST_BLOCKS = 2
_MOST_TOLD = 50
ACTIONABLE = frozenset({Rule.UNNOTICED, Rule.UNTESTED, Rule.HOLLOW, Rule.FIXTURE_CODE, Rule.CRITERION})
"""Rules about missing proof that an agent can add. Each finding blocks once."""
NEVER_A_REASON = frozenset({Rule.OLD_FAILURE, Rule.BUDGET, Rule.FLAKY})


class Act(StrEnum):
    SILENT = "silent"
    NOTE = "note"
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    act: Act = Act.SILENT
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The facts about a session of a host."""

    root: str = ""
    base: str = ""
    """The commit at which the session began; empty if that is not known."""
    tree: str = ""
    """The key of the tree as it was last seen: at the begin, or at the last stop that was verified."""
    refused: str = ""
    """Why that tree was refused, for a person who has not read it yet."""
    blocks: int = 0
    """How many stops were blocked since the work was last verified."""
    told: tuple[str, ...] = ()
    """Ids of findings that were a reason already."""
    event: str = ""
    """The last stop that was answered."""


SILENT = Answer()


def may_stop_unseen(stop: Stop) -> bool:
    """Whether a stop is no end of the work: a plan, work that goes on in the background, a question."""
    return stop.in_plan_mode or stop.has_background_work or asks_person(stop.message)


def answer_unchanged(stop: Stop, seen: Seen) -> tuple[Answer, Seen]:
    """The answer where the tree is as it was: a refusal is repeated once, for the person, and blocks no more."""
    if not seen.refused or stop.event == seen.event:
        return SILENT, seen
    return Answer(act=Act.NOTE, text=_not_proven(seen.refused)), replace(seen, refused="", event=stop.event)


def answer_verified(stop: Stop, seen: Seen, tree: str, found: Verification) -> tuple[Answer, Seen]:
    """The answer to a tree that was just verified, and what is to be remembered of it."""
    seen = replace(seen, tree=tree, event=stop.event, refused="")
    if found.standing is Standing.VERIFIED:
        return SILENT, replace(seen, blocks=0, told=())
    reasons = [finding for finding in found.deciding if _is_reason(finding, seen.told)]
    if not reasons:
        text = reason_of(found.deciding)
        return Answer(act=Act.NOTE, text=_not_proven(text)), seen
    text = reason_of(reasons)
    if seen.blocks >= MOST_BLOCKS:
        return Answer(act=Act.NOTE, text=f"{_not_proven(text)} The agent was sent back twice."), seen
    told = _told(seen.told, reasons)
    after = replace(seen, blocks=seen.blocks + 1, told=told, refused=text)
    return Answer(act=Act.BLOCK, text=f"dualgate: not done. {text}"), after


def _is_reason(finding: Finding, told: Iterable[str]) -> bool:
    if finding.rule in NEVER_A_REASON:
        return False
    is_open = finding.weight is Weight.NOT_PROVEN and finding.rule in ACTIONABLE and finding.id not in told
    return finding.weight is Weight.REFUSED or is_open


def _told(before: Iterable[str], reasons: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *(finding.id for finding in reasons))))[-_MOST_TOLD:]


def _not_proven(text: str) -> str:
    return f"dualgate: not proven. {text}"
