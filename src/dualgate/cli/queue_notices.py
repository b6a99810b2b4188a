"""Notify people of the moments of a queue.

Each notice is sent by a process of its own: what starts programs ends every process below its own that it does not
know, and in the process of the queue these would be the jobs.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dualgate.agents.command import local_now
from dualgate.cli.output import our_redactor
from dualgate.core.queue.notices import queue_notice_document
from dualgate.core.values.vocabulary import Moment
from dualgate.errors import ProgramNotFound, StoreFailed
from dualgate.processes.detached import own_argv, start_detached
from dualgate.processes.job import read_tail
from dualgate.settings import Settings
from dualgate.store.atomic import write_whole

NOTICE, OUTPUT = "notice.json", "notice.log"
STARTS_AND_ENDS_SECONDS = 30.0
SAID_BYTES = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueNotifier:
    project: Path
    logs: Path
    settings: Settings
    environment: Mapping[str, str]
    _sent: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def send(self, moment: Moment, lines: Sequence[str], queue: Mapping[str, Any]) -> None:
        """Start to send a notice, if a channel is configured and the moment is chosen."""
        notify = self.settings.notify
        channels = notify.bell, notify.desktop, notify.webhook, notify.urls, notify.command
        if moment not in notify.on or not any(channels):
            return
        document = queue_notice_document(moment, lines, local_now(), str(self.project), queue)
        notice, output = self.logs / NOTICE, self.logs / OUTPUT
        try:
            write_whole(notice, json.dumps(our_redactor().value(document)).encode())
            output.unlink(missing_ok=True)
            argv = own_argv("notify", "queue", str(notice))
            self._sent.append(start_detached(argv, self.project, self.environment, output))
        except (StoreFailed, ProgramNotFound, OSError):
            return  # a notice never ends the queue; its account is printed

    def failures(self) -> str:
        """The errors of channels that failed, once the last notice is sent."""
        if not self._sent:
            return ""
        channels = len(self.settings.notify.urls) + len(("bell", "desktop", "webhook", "command"))
        try:
            code = self._sent[-1].wait(STARTS_AND_ENDS_SECONDS + channels * self.settings.notify.timeout)
        except subprocess.TimeoutExpired:
            return "the notification takes too long"
        return read_tail(self.logs / OUTPUT, SAID_BYTES).strip() if code else ""
