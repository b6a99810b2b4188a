"""Changes -> the stream of events: numbered, kept for a while, so that a reader can continue after a disconnect."""

import asyncio
import secrets
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualgate.web.register import Change


KEPT = 4096


class Feed:
    """The last changes. Only the event loop's thread uses it; a reader holds a number and no queue of its own."""

    def __init__(self, kept: int = KEPT) -> None:
        self._mark = secrets.token_hex(6)
        self._kept: deque[tuple[int, Change]] = deque(maxlen=kept)
        self._number = 0
        self._news = asyncio.Event()
        self.closed = False

    @property
    def cursor(self) -> str:
        return self.cursor_at(self._number)

    @property
    def number(self) -> int:
        return self._number

    def cursor_at(self, number: int) -> str:
        """The mark in it is that of this server: after a restart, older cursors are unknown."""
        return f"{self._mark}-{number}"

    def publish(self, changes: "Iterable[Change]") -> None:
        for change in changes:
            self._number += 1
            self._kept.append((self._number, change))
        self._wake()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        self._wake()

    def number_of(self, cursor: str) -> int | None:
        """The number of a cursor; None if it is not of this server or its changes are forgotten."""
        mark, _, number = cursor.rpartition("-")
        if mark != self._mark or not number.isascii() or not number.isdigit() or len(number) > 18:
            return None
        return int(number) if self._is_kept(int(number)) else None

    def after(self, number: int) -> "list[tuple[int, Change]] | None":
        """The last change of each session after a number; None if some are forgotten."""
        if not self._is_kept(number):
            return None
        last: dict[str, tuple[int, Change]] = {}
        for place in range(len(self._kept) - (self._number - number), len(self._kept)):
            each = self._kept[place]
            last.pop(each[1].id, None)
            last[each[1].id] = each
        return list(last.values())

    async def changed(self, number: int) -> None:
        """Wait for a change after a number, or for the end."""
        while self._number == number and not self.closed:
            await self._news.wait()

    def _is_kept(self, number: int) -> bool:
        return self._number - len(self._kept) <= number <= self._number

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
