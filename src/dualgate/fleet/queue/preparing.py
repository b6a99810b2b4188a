"""Start jobs beside the loop of a queue: the merge that a job starts from is verified first, which may take minutes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from dualgate.core.values.control import Control, Either
from dualgate.core.values.queue import JobStarted, JobStood
from dualgate.core.values.replacing import replace
from dualgate.errors import Interrupted

Begun = JobStarted | JobStood
Submit = Callable[[Callable[[], Begun]], "Future[Begun]"]
"""Runs a function in a thread, or at once."""


class Preparing:
    """The jobs that are being started."""

    def __init__(self, submit: Submit, control: Control) -> None:
        self._submit = submit
        self._stopped = threading.Event()
        self._control = replace(control, cancel=Either(outside=control.cancel, inside=self._stopped))
        self._futures: dict[str, Future[Begun]] = {}

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._futures

    def begin(self, job_id: str, start: Callable[[Control], Begun]) -> None:
        self._futures[job_id] = self._submit(lambda: start(self._control))

    def ended(self) -> Iterator[Begun]:
        """How each job that is no longer being started stands; one that was stopped is simply not started."""
        for job_id in [each for each, future in self._futures.items() if future.done()]:
            try:
                yield self._futures.pop(job_id).result()
            except Interrupted:
                continue

    def stop(self) -> Iterator[Begun]:
        """Stop what is being started, and wait for it."""
        self._stopped.set()
        for future in self._futures.values():
            future.exception()
        yield from self.ended()


def at_once(function: Callable[[], Begun]) -> "Future[Begun]":
    """A Submit that waits for the function."""
    future: Future[Begun] = Future()
    try:
        future.set_result(function())
    except Interrupted as error:
        future.set_exception(error)
    return future
