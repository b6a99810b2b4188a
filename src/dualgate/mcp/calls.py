"""A blocking tool -> a call that a client can cancel and watch."""

import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.to_thread

from dualgate.core.values.control import Activity, Control
from dualgate.core.values.notation import in_line
from dualgate.errors import DualgateError

T = TypeVar("T")
BETWEEN = 0.25
"""Seconds between two notifications of progress."""
Report = Callable[[float, float | None, str], Awaitable[None]]
"""Tells a client how many steps are done, of how many if that is known, and what is being done."""


@dataclass(slots=True)
class _Heard:
    """The last activity of a tool, which a thread replaces and the loop reads."""

    last: Activity | None = None


async def in_thread(act: Callable[[Control], T], report: Report) -> T:
    """Run a tool in a thread. Cancelled, it ends everything that it started before this returns."""
    cancel, heard = threading.Event(), _Heard()

    def hear(activity: Activity) -> None:
        heard.last = activity

    async def set_when_cancelled() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            cancel.set()

    control = Control(cancel=cancel, clock=time.monotonic, on_activity=hear)
    async with anyio.create_task_group() as beside:
        beside.start_soon(set_when_cancelled)
        beside.start_soon(_relay, heard, report)
        with anyio.CancelScope(shield=True):
            found = await anyio.to_thread.run_sync(_outcome, act, control)
        beside.cancel_scope.cancel()
    if isinstance(found, DualgateError):
        raise found
    return found


def _outcome(act: Callable[[Control], T], control: Control) -> T | DualgateError:
    """The answer of a tool, or its error: raised among tasks, it would become a group of errors."""
    try:
        return act(control)
    except DualgateError as error:
        return error


async def _relay(heard: _Heard, report: Report) -> None:
    """Report each activity once. The number grows with every report, as clients require, whatever a tool counts."""
    number, told = 0.0, None
    while True:
        await anyio.sleep(BETWEEN)
        if heard.last is None or heard.last is told:
            continue
        told, number = heard.last, number + 1
        steps = f" ({told.done} of {told.total})" if told.total else ""
        await report(number, None, in_line(f"{told.source}: {told.text}{steps}"))
