"""LoopState -> the notes of earlier phases that the agent of the next call gets. They are claims."""

from dualgate.core.values.claim import NoteKind, PhaseNote
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Phase, Workflow

# A reviewer does not hear what the author says. Notes of a review come after a rejection only.
_HEARD: dict[Phase, tuple[Phase, ...]] = {
    Phase.RED: (),
    Phase.GREEN: (Phase.RED, Phase.QA),
    Phase.REFACTOR: (Phase.RED, Phase.GREEN, Phase.QA),
    Phase.DOCUMENT: (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.QA),
    Phase.QA: (),
    Phase.BUILD: (Phase.BUILD,),
}
_ORDER = (NoteKind.INTENT, NoteKind.NOTE, NoteKind.DECISION)
_PHASES = (*PHASES[Workflow.TDD], *PHASES[Workflow.RALPH])


def notes_for(state: LoopState) -> tuple[PhaseNote, ...]:
    """Notes in the order of the phases, the intent of the tests first; of reviews only those of the last one."""
    heard = [note for note in state.notes if note.phase in _HEARD[state.phase]]
    last = max((note.earlier for note in heard if note.phase is Phase.QA), default=0)
    current = [note for note in heard if note.phase is not Phase.QA or note.earlier == last]
    return tuple(sorted(current, key=lambda note: (_PHASES.index(note.phase), note.earlier, _ORDER.index(note.kind))))
