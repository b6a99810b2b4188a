"""LoopState, Event, LoopState -> the entries that are worth remembering in later sessions."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from itertools import islice

from dualgate.core.said.findings import path_of
from dualgate.core.said.review import NO_FILE
from dualgate.core.said.signature import error_signature
from dualgate.core.values.amendments import AmendmentDecided, AmendmentOutcome
from dualgate.core.values.approvals import QuestionAnswered
from dualgate.core.values.case_names import names
from dualgate.core.values.claim import NoteKind
from dualgate.core.values.events import Event, GuidanceGiven, SessionReset, TurnEnded
from dualgate.core.values.memory import MemoryEntry
from dualgate.core.values.notation import in_line, listed
from dualgate.core.values.reviews import Finding, FindingState
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult, short_id
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import EntryKind, Phase

REMEMBERED = (TurnEnded, AmendmentDecided, GuidanceGiven, SessionReset, QuestionAnswered)
"""The events that entries are made from."""
TEXT_LENGTH = 500
FILES_KEPT = 20
ERRORS_A_TURN = 10
DIFFS_KEPT = 3


def entries_of(
    before: LoopState, event: Event, after: LoopState, project: str, change: str = ""
) -> tuple[MemoryEntry, ...]:
    """The entries of one event; `before` and `after` are the states around it, `change` the changed lines of a turn."""
    made = _Maker(before, event, project)
    match event:
        case TurnEnded():
            found = (
                *_cured(made, event, change),
                *_broken(made, event),
                *_findings(made, after),
                *_records(made, event),
                *_notes(made, event, after),
            )
            return tuple(found)
        case AmendmentDecided():
            return tuple(_amended(made, event))
        case GuidanceGiven(text=said) | QuestionAnswered(text=said) | SessionReset(guidance=said) if said.strip():
            return (made.entry(EntryKind.DECISION, said, f"A person said: {said}"),)
        case _:
            return ()


class _Maker:
    """Makes the entries of one event: all of them have one source."""

    def __init__(self, state: LoopState, event: Event, project: str) -> None:
        self.state = state
        self._event = event
        self._project = project

    def entry(
        self,
        kind: EntryKind,
        subject: str,
        text: str,
        *,
        cure: str = "",
        change: str = "",
        signature: str = "",
        files: Iterable[str] = (),
        criteria: Iterable[str] = (),
    ) -> MemoryEntry:
        state = self.state
        identity = "\0".join((self._project, state.session_id, kind, subject))
        return MemoryEntry(
            key=sha256(identity.encode("utf-8", "backslashreplace")).hexdigest(),
            kind=kind,
            project=self._project,
            text=_short(text),
            cure=_short(cure),
            change=change,
            signature=signature,
            files=tuple(dict.fromkeys(files))[:FILES_KEPT],
            criteria=tuple(dict.fromkeys(criteria)),
            session=state.session_id,
            phase=state.phase,
            iteration=state.iteration + isinstance(self._event, TurnEnded),
            at=self._event.at,
        )

    def named(self, result: CaseResult) -> str:
        return short_id(result.id, self.state.proof.suites)

    def criteria_of(self, results: Iterable[CaseResult]) -> list[str]:
        known = self.state.criteria_states
        return [each.id for result in results for each in known if names(result, each)]


def _cured(made: _Maker, turn: TurnEnded, change: str) -> Iterator[MemoryEntry]:
    """Errors of the turn before that are gone, and the change that made them go.

    In RED a failing test is the aim. After a roll-back the failures are those of a tree that is gone.
    """
    seen, memory = turn.facts.observed, made.state.memory
    amended = turn.amendment is not None and turn.amendment.outcome is AmendmentOutcome.ACCEPTED
    is_aim = turn.facts.phase is Phase.RED or made.state.iteration == 0 or memory.rolled_back is not None
    if is_aim or seen.problems or not seen.counts.total or not (seen.changes.paths or amended):
        return
    left = {result.id for result in seen.failing} | {*seen.vanished, *seen.newly_skipped}
    gone = [result for result in memory.failing if result.id not in left]
    for result in gone[:ERRORS_A_TURN]:
        signature = error_signature(result)
        yield made.entry(
            EntryKind.ERROR,
            f"{result.id}\0{signature}",
            f"{made.named(result)}: {result.message}",
            cure=_cure(turn, amended),
            change=change,
            signature=signature,
            files=(*filter(None, (result.file,)), *seen.changes.paths),
            criteria=made.criteria_of([result]),
        )


def _cure(turn: TurnEnded, amended: bool) -> str:
    """The change of a turn: the changed files as measured, and the agent's own sentence as a claim."""
    paths, said = turn.facts.observed.changes.paths, turn.facts.claimed.recommendation
    parts = (
        "the test was amended" if amended else "",
        f"changed {listed(paths)}" if paths else "",
        f'the agent said: "{said}"' if said else "",
    )
    return "; ".join(filter(None, parts))


def _broken(made: _Maker, turn: TurnEnded) -> Iterator[MemoryEntry]:
    """Tests that a change broke: a refactoring that was rolled back, or tests of the baseline that fail now."""
    seen, back = turn.facts.observed, turn.rolled_back
    known = {result.id for result in made.state.memory.failing}
    broken = [r for r in seen.failing if back is not None or (r.id in seen.broken and r.id not in known)]
    paths = back.paths if back is not None else seen.changes.paths
    if not broken or not paths:
        return
    tests = listed(map(made.named, broken))
    yield made.entry(
        EntryKind.BREAKAGE,
        "\0".join((*paths, *(result.id for result in broken))),
        f"A change of {listed(paths)} in {turn.facts.phase} broke {tests}: {broken[0].message}",
        cure="the change was rolled back" if back is not None else "",
        signature=error_signature(broken[0]),
        files=(*paths, *(result.file for result in broken if result.file)),
        criteria=made.criteria_of(broken),
    )


def _findings(made: _Maker, after: LoopState) -> Iterator[MemoryEntry]:
    """Findings of a review that are new or have another state than before."""
    known = {finding.request.id: finding.state for finding in made.state.reviews.findings}
    for finding in after.reviews.findings:
        if known.get(finding.request.id) is not finding.state:
            yield _finding(made, finding)


def _finding(made: _Maker, finding: Finding) -> MemoryEntry:
    request, path = finding.request, path_of(finding.request)
    place = "" if path == NO_FILE else f"{path}, {request.location}: "
    is_closed = finding.state is FindingState.CLOSED
    touched = made.state.reviews.touched
    changed = f"; changed since: {listed(touched)}" if is_closed and touched else ""
    state = "a later review closed it" if is_closed else f"it is {finding.state}"
    return made.entry(
        EntryKind.FINDING,
        request.id,
        f"{request.severity} {request.category}: {place}{request.description}",
        cure=f"{request.proposed_fix} ({state}{changed})",
        files=() if path == NO_FILE else (path,),
    )


def _records(made: _Maker, turn: TurnEnded) -> Iterator[MemoryEntry]:
    """Decision records of a proven DOCUMENT; their text is in the project."""
    if turn.facts.phase is not Phase.DOCUMENT or turn.verdict.outcome is not Outcome.PASS:
        return
    for path in turn.facts.observed.changes.document_count.records:
        # a reviewer reads this, so it holds no claim of an author
        yield made.entry(EntryKind.DECISION, path, f"{path} records a decision", files=(path,))


_WAYS_TO_SAY = {NoteKind.NOTE: "noted", NoteKind.DECISION: "decided"}


def _notes(made: _Maker, turn: TurnEnded, after: LoopState) -> Iterator[MemoryEntry]:
    """Notes and decisions of agents in a phase that passed. They are claims, so no reviewer gets them."""
    phase, changes = turn.facts.phase, turn.facts.observed.changes
    if turn.verdict.outcome is not Outcome.PASS:
        return
    latest = {note.kind: note for note in after.notes if note.phase is phase}
    for kind, said in _WAYS_TO_SAY.items():
        if note := latest.get(kind):
            files = changes.paths or (*changes.added, *changes.rewritten)
            text = f"An agent {said} in {phase}: {note.text}"
            yield made.entry(EntryKind.CLAIM, f"{phase}\0{kind}\0{note.text}", text, files=files)


def _amended(made: _Maker, event: AmendmentDecided) -> Iterator[MemoryEntry]:
    amendment = event.amendment
    if amendment.outcome is AmendmentOutcome.ACCEPTED:
        request = amendment.request
        files = dict.fromkeys(result.file for result in event.results if result.file)
        text = f"The test {request.test_id} was wrong and was amended: {request.reason}"
        yield made.entry(EntryKind.DECISION, request.test_id, text, files=files)


def _short(text: str) -> str:
    """One line, cut to size: an entry must not look like a block or a heading of a prompt."""
    line = in_line(" ".join(text.split()))
    return line if len(line) <= TEXT_LENGTH else f"{line[:TEXT_LENGTH]} […]"


def change_of(diffs: Iterable[tuple[str, str]]) -> str:
    """The changed lines of the first files, without context, cut to size; `diffs` are paths with unified diffs."""
    kept: list[str] = []
    for path, diff in islice(diffs, DIFFS_KEPT):
        changed = [line for line in diff.splitlines()[2:] if line[:1] in ("+", "-")]
        kept += [in_line(line) for line in (path, *changed)]
    text = "\n".join(kept)
    return text if len(text) <= TEXT_LENGTH else f"{text[:TEXT_LENGTH]} […]"


def note_of(text: str, files: Iterable[str], project: str, at: datetime, key: str) -> MemoryEntry:
    """A note that a person adds."""
    return MemoryEntry(key=key, kind=EntryKind.NOTE, project=project, text=_short(text), files=tuple(files), at=at)
