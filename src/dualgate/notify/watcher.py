"""Event, LoopState -> notifications and lifecycle hooks, each delivered before the run goes on.

A channel that fails is reported once and never ends the run. After kill -9 a notice may be missing; none comes twice.
"""

import threading
from collections.abc import Iterator, Mapping

from dualgate.core.record.notices import Notice, notice_document, notices_after
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Moment
from dualgate.notify import terminal
from dualgate.notify.addresses import Apprise, Webhook
from dualgate.notify.message import Channel, Message, NotDelivered
from dualgate.notify.programs import Command, Desktop, Launcher
from dualgate.session.host import Host
from dualgate.session.record import Watcher
from dualgate.settings import Settings

_HOOKS: Mapping[Moment, str] = {
    Moment.PHASE_STARTED: "phase_started",
    Moment.PHASE_ENDED: "phase_ended",
    Moment.HALTED: "halted",
    Moment.BLOCKED: "halted",
    Moment.COMPLETED: "done",
}
"""The setting of the lifecycle hook that is run at each moment."""


class Notifier:
    """A watcher that notifies after the watcher that it wraps."""

    def __init__(self, watch: Watcher, settings: Settings, host: Host, control: Control) -> None:
        self._watch = watch
        self._settings = settings
        self._host = host
        self._control = control
        self._before: LoopState | None = None
        self._failures: set[tuple[str, str]] = set()

    def __call__(self, event: Event, state: LoopState) -> None:
        self._watch(event, state)
        before, self._before = self._before, state
        for notice in notices_after(event, before, state):
            message = message_of(notice, state, self._host)
            for channel in self._channels(notice.moment):
                self._send(channel, message)

    def _channels(self, moment: Moment) -> Iterator[Channel]:
        settings, launcher = self._settings, launcher_of(self._host, self._control)
        yield from hooks_of(settings, moment, launcher)
        if moment in settings.notify.on:
            yield from channels_of(settings, launcher)

    def _send(self, channel: Channel, message: Message) -> None:
        try:
            channel.send(message)
        except NotDelivered as error:
            failure = (channel.name, error.message)
            if channel.name != terminal.NAME and failure not in self._failures:  # many runs have no terminal
                self._failures.add(failure)
                self._host.tell(f"{channel.name} failed at {message.moment}: {error.message}")


def launcher_of(host: Host, control: Control) -> Launcher:
    """A launcher that works after Ctrl+C too, when the control refuses to start anything."""
    if control.cancel.is_set():
        control = replace(control, cancel=threading.Event())
    return Launcher(project=host.project, supervisor=host.supervisor, control=replace(control, idle=None))


def hooks_of(settings: Settings, moment: Moment, launcher: Launcher) -> Iterator[Channel]:
    key = _HOOKS.get(moment)
    command = getattr(settings.hooks, key) if key else None
    if command:
        yield Command(name=f"hooks.{key}", command=command, timeout=settings.hooks.timeout, launcher=launcher)


def channels_of(settings: Settings, launcher: Launcher) -> Iterator[Channel]:
    """The channels that are configured, the quickest first."""
    notify, environment = settings.notify, launcher.supervisor.environment
    if notify.bell:
        yield terminal.Bell()
    if notify.desktop:
        yield Desktop(timeout=notify.timeout, launcher=launcher)
    if notify.webhook:
        yield Webhook(address=notify.webhook, environment=environment, timeout=notify.timeout)
    if notify.urls:
        yield Apprise(addresses=notify.urls, environment=environment)
    if notify.command:
        yield Command(name="notify.command", command=notify.command, timeout=notify.timeout, launcher=launcher)


def message_of(notice: Notice, state: LoopState, host: Host) -> Message:
    document = notice_document(notice, state, str(host.project), str(host.folder()))
    redacted = host.redactor.value(document)
    return Message(
        moment=notice.moment,
        title=f"dualgate: {host.project.name}",
        text=host.redactor.text(f"{notice.text} ({state.prp_file})"),
        document=redacted,
    )
