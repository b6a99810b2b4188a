"""The moments of a queue: a message of each, and its delivery through every configured channel."""

from collections.abc import Mapping
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.vocabulary import Moment
from dualgate.notify import terminal
from dualgate.notify.message import Message, NotDelivered
from dualgate.notify.watcher import channels_of, launcher_of
from dualgate.session.host import Host
from dualgate.settings import Settings


def queue_message(document: Mapping[str, Any], host: Host) -> Message:
    """The message of a queue-notice; its text is the account, line by line."""
    redacted = host.redactor.value(document)
    return Message(
        moment=Moment(redacted["moment"]),
        title=f"dualgate queue: {host.project.name}",
        text="\n".join(redacted["lines"]),
        document=redacted,
    )


def notify_of_queue(message: Message, settings: Settings, host: Host, control: Control) -> bool:
    """Send a message if its moment is chosen; returns whether every channel took it."""
    if message.moment not in settings.notify.on:
        return True
    failed = False
    for channel in channels_of(settings, launcher_of(host, control)):
        try:
            channel.send(message)
        except NotDelivered as error:
            if channel.name != terminal.NAME:
                failed = True
                host.tell(f"{channel.name} failed at {message.moment}: {error.message}")
    return not failed
