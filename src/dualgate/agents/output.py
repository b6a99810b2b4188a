"""bytes -> Answer. The format is detected, not declared; output of any length is read as a stream."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import msgspec

from dualgate.agents.formats import Event, EventReader, OutputFormat
from dualgate.agents.limits import as_limit
from dualgate.core.values.answer import Answer, AnswerFormat, CallEnd, Failure, conclude
from dualgate.core.values.control import Activity

CHUNK = 1 << 20
TEXT_KEPT = 8 << 20
LONGEST_LINE = 64 << 20
LINE_SHOWN = 2000
MARK = b"\xef\xbb\xbf"
# shown while an agent has used no tool yet
AT_WORK = "at work"
BLOCK_END = b"\n---END_RALPH_STATUS---"
UNCLAIMED_KEPT = 100
# begins with a newline, not with ^: a literal is searched for, ^ would be tried at every position
JSON_LINE = re.compile(rb"\n[ \t]*([{\[][^\n]*)")


class OutputReader:
    """Reads an agent's output in pieces, cut anywhere, while it is written or afterwards."""

    def __init__(self, formats: Iterable[OutputFormat]) -> None:
        self._formats = tuple(formats)
        self._events = _Events(self._formats)
        self._line = bytearray()
        self._line_too_long = False
        self._tail = bytearray()
        self._size = 0
        self._begins_with_json: bool | None = None
        self._held = b""

    def feed(self, chunk: bytes) -> None:
        if self._begins_with_json is None:
            chunk = self._begin(chunk)
        self._size += len(chunk)
        self._tail += chunk
        if len(self._tail) > 2 * TEXT_KEPT:
            del self._tail[:-TEXT_KEPT]
        whole, newline, rest = chunk.rpartition(b"\n")
        if newline:
            self._end_line(whole)
        self._line += rest
        if self._line_too_long or len(self._line) > LONGEST_LINE:
            self._line.clear()
            self._line_too_long = True

    @property
    def activity(self) -> Activity:
        """The present activity of the agent, by the output so far."""
        return self._events.activity or Activity(source="agent", text=self._last_line)

    @property
    def _last_line(self) -> str:
        """The last line of the output that is not empty; of a program that writes no events, all that is known."""
        lines = self._tail[-LINE_SHOWN:].decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    @property
    def dead_end(self) -> Failure | None:
        """Why the call can no longer come to anything, by the output so far."""
        return self._events.dead_end

    def finish(self, end: CallEnd) -> Answer:
        """The answer, by the whole output and the end of the process."""
        self._tail += self._held  # part of a byte order mark was the whole output
        self._end_line(b"")
        if not self._events.claimed and self._size == len(self._tail):
            self._events.take_document(bytes(self._tail))
        answer = self._events.finish(end)
        if answer is None or self._only_quotes():
            answer = self._as_text(end)
        # before its message is shortened, and after a failure was concluded
        return as_limit(conclude(as_limit(answer, end), end), end)

    def _begin(self, chunk: bytes) -> bytes:
        """Remove a byte order mark from the first bytes; hold them back while they may be part of one."""
        chunk, self._held = self._held + chunk, b""
        if not self._size and len(chunk) < len(MARK) and MARK.startswith(chunk):
            self._held = chunk
            return b""
        chunk = chunk if self._size else chunk.removeprefix(MARK)
        if first := chunk.lstrip()[:1]:
            self._begins_with_json = first in b"[{"
        return chunk

    def _only_quotes(self) -> bool:
        """Whether a text only quotes events: a status block is outside them, or it begins with prose and most of it is.

        Inside JSON a newline is escaped, so a delimiter on a line of its own cannot be part of an event.
        """
        return self._events.block_outside or (not self._begins_with_json and self._events.size * 2 < self._size)

    def _end_line(self, more: bytes) -> None:
        """Read the pending line, completed by `more`, and the lines after it. A line that is too long is dropped."""
        if self._line_too_long:
            _, _, more = more.partition(b"\n")
        self._events.take_lines(bytes(self._line) + more if self._line else more)
        self._line.clear()
        self._line_too_long = False

    def _as_text(self, end: CallEnd) -> Answer:
        text = self._tail[-TEXT_KEPT:].decode("utf-8", "replace")
        recognised = (found for each in self._formats if (found := each.read_text(text, end)) is not None)
        shape = self._events.shape if self._begins_with_json and self._events.is_whole else AnswerFormat.TEXT
        return next(recognised, Answer(text=text, format=shape))


class _Events:
    """Parses JSON objects from lines, and passes them to the reader of the format that claims one."""

    def __init__(self, formats: tuple[OutputFormat, ...]) -> None:
        self._formats = formats
        self._format: OutputFormat | None = None
        self._reader: EventReader | None = None
        self._waiting: list[Event] = []
        self._shape = AnswerFormat.LINES
        self._count = 0
        self._torn = 0
        self.size = 0
        """Bytes of JSON lines."""
        self.block_outside = False

    @property
    def is_whole(self) -> bool:
        return self._count > 0 and not self._torn

    @property
    def shape(self) -> AnswerFormat:
        return AnswerFormat.JSON if self._shape is AnswerFormat.LINES and self._count == 1 else self._shape

    @property
    def claimed(self) -> bool:
        return self._reader is not None

    @property
    def activity(self) -> Activity | None:
        if self._reader is None or self._format is None:
            return None
        doing = self._reader.doing
        return Activity(source=self._format.name, text=doing.text or AT_WORK, tokens=doing.tokens)

    @property
    def dead_end(self) -> Failure | None:
        return self._reader.doing.dead_end if self._reader is not None else None

    def take_lines(self, lines: bytes) -> None:
        text = b"\n" + lines
        self.block_outside = self.block_outside or BLOCK_END in text
        for match in JSON_LINE.finditer(text):
            values = list(_values(match[1]))
            self._torn += not values
            self.size += len(match[1])
            for value in values:
                self._take(value)

    def take_document(self, content: bytes) -> None:
        """Read a JSON document of several lines, perhaps with other text before it."""
        opening = JSON_LINE.search(b"\n" + content)
        if opening:
            self._waiting.clear()
            self._count = self._torn = 0
            self.size = len(content)
            for value in _values(content[opening.start(1) - 1 :]):
                self._take(value)

    def finish(self, end: CallEnd) -> Answer | None:
        if self._reader is None or self._format is None:
            return None
        answer = self._reader.finish(end)
        torn = (f"{self._torn} lines begin like JSON and are not",) if self._torn else ()
        return replace(answer, agent=self._format.name, format=self.shape, problems=(*answer.problems, *torn))

    def _take(self, value: Any) -> None:
        match value:
            case list():
                self._shape = AnswerFormat.LIST
                for item in value:
                    self._take(item)
            case dict():
                self._count += 1
                self._feed(value)

    def _feed(self, event: Event) -> None:
        if self._reader is not None:
            self._reader.feed(event)
            return
        self._waiting.append(event)
        del self._waiting[:-UNCLAIMED_KEPT]
        self._format = next((each for each in self._formats if each.claims(event)), None)
        if self._format is not None:
            self._reader = self._format.reader()
            for waited in self._waiting:
                self._reader.feed(waited)
            self._waiting.clear()


def read_output(file: BinaryIO, formats: Iterable[OutputFormat], end: CallEnd) -> Answer:
    reader = OutputReader(formats)
    while chunk := file.read(CHUNK):
        reader.feed(chunk)
    return reader.finish(end)


def _values(text: bytes) -> Iterator[Any]:
    """The JSON value of a text; if it is not one value, the objects in it."""
    try:
        yield msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _patchwork(text.decode("utf-8", "replace"))


def _patchwork(text: str) -> Iterator[Any]:
    import json

    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield value
