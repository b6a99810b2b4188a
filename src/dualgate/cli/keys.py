"""Bytes of a terminal -> keys. Escape sequences are no keys: a terminal also answers questions with them."""

import codecs
import re
from enum import StrEnum


class Key(StrEnum):
    ENTER = "enter"
    ESCAPE = "escape"
    BACKSPACE = "backspace"
    CLEAR = "clear"


_ESC = "\x1b"
_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # arrows, function keys, positions
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # answers with a text: titles, colours
    r"|O[@-~]"
    r"|[^\[\]PX^_O])"  # Alt and a key
)
_BEGINNING = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|O)?\Z")
_NAMED = {"\r": Key.ENTER, "\n": Key.ENTER, "\x7f": Key.BACKSPACE, "\x08": Key.BACKSPACE, "\x15": Key.CLEAR}
MOST_HELD = 4096


class KeyReader:
    """Turns what a terminal sends into keys, however it is cut into pieces."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    @property
    def is_waiting(self) -> bool:
        """Whether the last bytes may be the beginning of a sequence."""
        return bool(self._held)

    def read(self, piece: bytes) -> list[str]:
        """The keys of a piece: printable characters, and those of Key."""
        text = _SEQUENCE.sub("", self._held + self._decoder.decode(piece))
        self._held = ""
        if begun := _BEGINNING.search(text):
            text, self._held = text[: begun.start()], text[begun.start() :][:MOST_HELD]
        return [key for sign in text if (key := _NAMED.get(sign, sign if sign.isprintable() else ""))]

    def settle(self) -> list[str]:
        """The keys held back, once nothing more follows: Escape alone is a key, the beginning of a sequence is not."""
        held, self._held = self._held, ""
        return [Key.ESCAPE] if held == _ESC else []
