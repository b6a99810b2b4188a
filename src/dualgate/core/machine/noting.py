"""LoopState, TurnEnded -> the notes of agents that are passed on to later phases, bounded in number and length."""

import re

from dualgate.core.values.claim import NoteKind, PhaseNote, WorkReport
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.state import LoopState

_KEPT = 40
_LENGTH = 2000
_NONE = re.compile(r"\s*(?:none\.?)?\s*", re.IGNORECASE)


def notes_after(state: LoopState, turn: TurnEnded) -> tuple[PhaseNote, ...]:
    """The notes after an iteration that `state` already counts.

    A note replaces the one of the same phase and kind of the same visit.
    """
    visit = state.visit(turn.facts.phase)
    earlier = max(0, visit.iterations - state.iteration) if visit else 0
    fresh = tuple(
        PhaseNote(
            phase=turn.facts.phase,
            iteration=turn.facts.iteration,
            kind=kind,
            text=text if len(text) <= _LENGTH else f"{text[:_LENGTH]} […]",
            agent=turn.agent,
            earlier=earlier,
        )
        for kind, text in _texts(turn.facts.claimed.report).items()
        if not _NONE.fullmatch(text)
    )
    replaced = {(note.phase, note.kind, note.earlier) for note in fresh}
    before = (note for note in state.notes if (note.phase, note.kind, note.earlier) not in replaced)
    return (*before, *fresh)[-_KEPT:]


def _texts(report: WorkReport) -> dict[NoteKind, str]:
    return {
        NoteKind.NOTE: report.notes,
        NoteKind.INTENT: "\n".join(f"{name}: {text}" for name, text in report.intent),
        NoteKind.DECISION: "\n".join(report.decisions),
    }
