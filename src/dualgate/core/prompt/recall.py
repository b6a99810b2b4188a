"""LoopState -> MemoryQuery, and stored entries -> the Recalled that fit a prompt, the most relevant first."""

import re
from collections.abc import Iterable, Sequence

from dualgate.core.said.signature import error_signature, signature
from dualgate.core.values.answer import Recalled
from dualgate.core.values.memory import MemoryEntry, MemoryQuery, StoredEntry
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import EntryKind, Phase

FAILURES_ASKED = 20
WORDS_ASKED = 40
WORDS_SHARED = 2
"""Words that an entry must share with a query, if nothing else connects them; for a person's note one is enough."""
SHORT = 8
_WORD = re.compile(r"\w{3,}")
# words of nearly every failure and criterion
_COMMON = frozenset(
    {"assert", "assertionerror", "error", "exception", "expected", "false", "found", "none", "test", "tests", "true"}
    | {"address", "duration", "place", "temp", "time"}
    | {"all", "and", "any", "are", "but", "can", "for", "has", "its", "not", "one", "the", "two", "was", "who"}
    | {"after", "also", "before", "does", "each", "every", "from", "given", "have", "into", "less", "more", "must"}
    | {"only", "return", "returns", "shall", "should", "than", "that", "then", "this", "value", "values", "what"}
    | {"when", "where", "which", "will", "with", "works"}
)
FOR_WORK = (EntryKind.ERROR, EntryKind.BREAKAGE, EntryKind.DECISION, EntryKind.NOTE, EntryKind.CLAIM)
# without claims: a reviewer does not hear what authors say
FOR_QA = (EntryKind.FINDING, EntryKind.BREAKAGE, EntryKind.DECISION, EntryKind.NOTE)


def query_for(prp: Specification, state: LoopState) -> MemoryQuery | None:
    """The query of the next call for earlier sessions: in GREEN and BUILD after a failure, and in QA; else None."""
    if state.phase is Phase.QA:
        context = state.review_context
        files = tuple(dict.fromkeys((*context.added, *context.rewritten)))
        words = _words(criterion.text for criterion in prp.criteria)
        return MemoryQuery(kinds=FOR_QA, files=files, words=words, session=state.session_id)
    failing = state.memory.failing[:FAILURES_ASKED]
    if state.phase not in (Phase.GREEN, Phase.BUILD) or not state.iteration or not failing:
        return None
    signatures = tuple(dict.fromkeys(map(error_signature, failing)))
    words = _words(signature(result.message) for result in failing)
    return MemoryQuery(kinds=FOR_WORK, signatures=signatures, words=words, session=state.session_id)


def choose(query: MemoryQuery, found: Iterable[StoredEntry], budget: int, project: str) -> tuple[Recalled, ...]:
    """The best entries whose texts fit the budget, in characters; of equal ones the newest."""
    scored = [(_score(query, stored.entry), stored.entry.at, stored.id, stored) for stored in found]
    ranked = sorted((each for each in scored if each[0]), key=lambda each: each[:3], reverse=True)
    chosen: dict[tuple[str, str], Recalled] = {}
    left = budget
    for *_, stored in ranked:
        entry = stored.entry
        recalled = Recalled(
            id=stored.id,
            kind=entry.kind,
            text=entry.text,
            cure=entry.cure,
            change="" if any(entry.change == each.change for each in chosen.values()) else entry.change,
            source=source_of(entry, project),
        )
        size = sum(map(len, (recalled.text, recalled.cure, recalled.change, recalled.source)))
        if size <= left and (entry.text, entry.cure) not in chosen:
            chosen[entry.text, entry.cure] = recalled
            left -= size
    return tuple(chosen.values())


def source_of(entry: MemoryEntry, project: str) -> str:
    """The source of an entry; `project` is the present one, which is not named."""
    of = "" if entry.project == project else f" of {entry.project.rpartition('/')[2]}"
    day = f"{entry.at:%Y-%m-%d}"
    if not entry.session:
        return f"a person's note{of}, {day}"
    return f"session {entry.session[:SHORT]}{of}, {entry.phase} {entry.iteration}, {day}"


def _score(query: MemoryQuery, entry: MemoryEntry) -> int:
    """How much connects an entry to a query: its signature, then files, then words; 0 if too little does."""
    if entry.kind not in query.kinds or (entry.session and entry.session == query.session):
        return 0
    same_error = bool(entry.signature) and entry.signature in query.signatures
    files = len({*entry.files} & {*query.files})
    words = len({*query.words} & {*_words((entry.text, entry.cure), most=None)})
    needed = 1 if entry.kind is EntryKind.NOTE else min(WORDS_SHARED, max(1, len(query.words)))
    if not (same_error or files or words >= needed):
        return 0
    return 1000 * same_error + 100 * min(files, 5) + words + 1


def _words(texts: Iterable[str], most: int | None = WORDS_ASKED) -> tuple[str, ...]:
    found: Sequence[str] = [word for text in texts for word in _WORD.findall(text.casefold())]
    return tuple(dict.fromkeys(word for word in found if word not in _COMMON))[:most]
