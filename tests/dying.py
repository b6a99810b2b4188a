"""dualgate that dies with its Nth append to the journal: before it, after it, or with half of it written."""

import os
import signal

from dualgate.store.journal import Journal


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def rig(number: int, moment: str) -> None:
    write, count = Journal._write, 0

    def dying(journal: Journal, line: bytes) -> None:
        nonlocal count
        count += 1
        if count == number and moment == "torn":
            os.write(os.open(journal._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), line[: len(line) // 2])
        if count == number and moment != "after":
            die()
        write(journal, line)
        if count == number:
            die()

    Journal._write = dying  # type: ignore[method-assign, assignment]
