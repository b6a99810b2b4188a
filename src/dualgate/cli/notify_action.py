"""The action of notify: which channels are configured, and whether they work now."""

import json
import os
from dataclasses import replace
from pathlib import Path

from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, show
from dualgate.cli.outside import require_person
from dualgate.cli.signals import stoppable
from dualgate.core.values.vocabulary import Moment
from dualgate.display.lines import Line, Tone
from dualgate.errors import ExitCode
from dualgate.notify.message import Channel, Message, NotDelivered
from dualgate.notify.queue import notify_of_queue, queue_message
from dualgate.notify.sample import sample_message
from dualgate.notify.watcher import channels_of, hooks_of, launcher_of
from dualgate.session.sandbox import confined, with_sandbox
from dualgate.store.queue_file import queue_place

NOTHING = "No notification is configured. Try: dualgate config --show notify, then set notify.bell = true"


def show_channels() -> int:
    """List the configured channels and hooks. Nothing is sent and nothing is run."""
    settings, host = settings_from({}).settings, our_host()
    with stoppable(host.supervisor.jobs) as control:
        launcher = launcher_of(host, control)
        channels = [channel.name for channel in channels_of(settings, launcher)]
        hooks = {hook.name: moment for moment in Moment for hook in hooks_of(settings, moment, launcher)}
    moments = ", ".join(settings.notify.on)
    show([Line(text=f"{name}: on {moments}") for name in channels])
    show([Line(text=f"{name}: a command") for name in hooks])
    if not channels and not hooks:
        show([Line(text=NOTHING)])
    return ExitCode.PROVEN


def send_test(moment: Moment) -> int:
    """Send a test message through every channel, and run the lifecycle hook of the moment, as a run would."""
    require_person("notify test")
    settings, host = settings_from({}).settings, replace(our_host(), tell=_ignore)
    message = sample_message(moment, host)
    with stoppable(host.supervisor.jobs) as control, confined(with_sandbox(settings, host), host):
        launcher = launcher_of(host, control)
        tried = [*channels_of(settings, launcher), *hooks_of(settings, moment, launcher)]
        results = [_tried(channel, message) for channel in tried]
    if not tried:
        show([Line(text=NOTHING)])
    return ExitCode.PROVEN if tried and all(results) else ExitCode.ERROR


def send_queue_notice(notice: Path) -> int:
    """Send a notice of a queue through every configured channel."""
    # an agent must not tell a person that its work is proven
    require_person("notify queue", queue_place(here(), os.environ))
    settings, host = settings_from({}).settings, our_host()
    message = queue_message(json.loads(notice.read_bytes()), host)
    quiet = replace(host, tell=_ignore)
    with stoppable(host.supervisor.jobs) as control, confined(with_sandbox(settings, quiet), quiet):
        sent = notify_of_queue(message, settings, host, control)
    return ExitCode.PROVEN if sent else ExitCode.ERROR


def _tried(channel: Channel, message: Message) -> bool:
    try:
        channel.send(message)
    except NotDelivered as error:
        show([Line(text=f"{channel.name}: failed: {error.message}", tone=Tone.BAD, hang=4)])
        return False
    show([Line(text=f"{channel.name}: sent", tone=Tone.GOOD)])
    return True


def _ignore(text: str) -> None:
    """Whether a run would be confined is not the subject of a test."""
    del text
