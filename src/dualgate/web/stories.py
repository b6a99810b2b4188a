"""Journals -> the stories of the sessions that people look at: folded once, then continued by their new events."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.record.iterations import Place
from dualgate.core.report.gathering import Gathered, begin_gathering, gathered_after
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import CallStarted, Event, SessionStarted, TurnEnded
from dualgate.display.lines import Line, Tone
from dualgate.display.log import Log
from dualgate.errors import JournalDamaged
from dualgate.store.account import Account, account_after, begun
from dualgate.store.placing import Placed, placed
from dualgate.store.reading import journal_mark, tail
from dualgate.web.answers import encoded

STORIES_KEPT = 4
_LOUD = (Tone.BAD, Tone.GOOD, Tone.PLAIN, Tone.QUIET)
_LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEvent:
    """An event in the list of events."""

    seq: int
    kind: str
    place: Place
    body: bytes
    """All of it as JSON, without secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """Facts about an iteration that its row in the metrics does not have."""

    gate_1: bool
    gate_2: bool
    violations: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A session up to its last event."""

    started: SessionStarted
    account: Account
    gathered: Gathered
    events: list[ToldEvent]
    turns: list[TurnFacts]


class Story:
    """One session. It grows with the journal; a journal that was replaced is read from its beginning."""

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        self._lock = threading.Lock()
        self._inode = 0
        self._forget()

    def told(self) -> Told:
        """The session as it is now. Raises JournalDamaged or SessionMissing."""
        with self._lock:
            inode = journal_mark(self._folder)[0]
            if inode != self._inode:
                self._forget()
                self._inode = inode
            try:
                self._continue()
            except JournalDamaged:
                self._forget()
                raise
            if self._account is None or self._gathered is None or self._last is None:
                raise JournalDamaged("Its journal does not begin with the start of a session.")
            return Told(
                started=self._gathered.started,
                account=self._account,
                gathered=self._gathered,
                events=[*self._events],
                turns=[*self._turns],
            )

    def _forget(self) -> None:
        self._inode = 0
        self._last: Placed | None = None
        self._account: Account | None = None
        self._gathered: Gathered | None = None
        self._log = Log()
        self._events: list[ToldEvent] = []
        self._turns: list[TurnFacts] = []
        self._called: Event | None = None

    def _continue(self) -> None:
        after = self._last.record.seq if self._last else 0
        for each in placed(tail(self._folder, after), self._last):
            self._last = each
            self._fold(each)

    def _fold(self, each: Placed) -> None:
        event = each.record.event
        if self._account is None or self._gathered is None:
            assert isinstance(event, SessionStarted)
            self._account = begun(event)
            self._gathered = begin_gathering(event, each.after)
        else:
            self._gathered = gathered_after(self._gathered, event, each.before, each.after)
            self._account = account_after(self._account, event, each.after, each.record.seq)
        if isinstance(event, CallStarted) and self._called is None:
            self._called = event
        if isinstance(event, TurnEnded):
            self._turns.append(_facts(event, self._called or event))
            self._called = None
        self._events.append(self._told(each))

    def _told(self, each: Placed) -> ToldEvent:
        event, place = each.record.event, each.place
        lines = self._log.lines(event, each.after, each.before, place.number)
        document = {
            "seq": each.record.seq,
            "at": event.at.isoformat(),
            "kind": event.kind,
            "phase": place.phase.value,
            "iteration": place.iteration,
            "number": place.number,
            "text": [line.text[:_LONGEST_LINE] for line in lines],
            "tone": tone_of(lines).value,
        }
        body = encoded(self._redactor.value(document))
        return ToldEvent(seq=each.record.seq, kind=event.kind, place=place, body=body)


def _facts(turn: TurnEnded, first: Event) -> TurnFacts:
    return TurnFacts(
        gate_1=turn.verdict.gate_1,
        gate_2=turn.verdict.gate_2,
        violations=len(turn.facts.observed.changes.violations),
        seconds=round(max(0.0, (turn.at - first.at).total_seconds()), 3),
    )


def tone_of(lines: list[Line]) -> Tone:
    """The tone that stands out."""
    return next((tone for tone in _LOUD if any(line.tone is tone for line in lines)), Tone.QUIET)


class Stories:
    """The stories that were asked for last."""

    def __init__(self, redactor: Redactor, kept: int = STORIES_KEPT) -> None:
        self._redactor = redactor
        self._kept = kept
        self._stories: OrderedDict[Path, Story] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, folder: Path) -> Told:
        with self._lock:
            story = self._stories.pop(folder, None) or Story(folder, self._redactor)
            self._stories[folder] = story
            while len(self._stories) > self._kept:
                self._stories.popitem(last=False)
        return story.told()
