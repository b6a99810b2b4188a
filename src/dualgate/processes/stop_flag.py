"""A flag that stops blocking functions, for handlers of signals."""

import os
import select


class StopFlag:
    """A flag that a signal handler may set while the same thread waits for it.

    `threading.Event` cannot: its `set` waits for the lock that the interrupted `wait` holds, and the run never ends.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._reader, self._writer = os.pipe()

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        if not self._is_set:
            self._is_set = True
            os.write(self._writer, b"!")  # never read, so that every wait ends at once

    def wait(self, timeout: float | None = None) -> bool:
        if not self._is_set:
            ready = select.poll()
            ready.register(self._reader, select.POLLIN)
            ready.poll(None if timeout is None else timeout * 1000)
        return self._is_set

    def close(self) -> None:
        os.close(self._reader)
        os.close(self._writer)
