"""Channels that start a program: the desktop's own notifier, and commands of the user.

A command gets the message as JSON on standard input. It can be a script of the project, which an agent could have
changed, so it runs in the sandbox as the tests do. The desktop's notifier is never one from the project.
"""

import html
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.errors import DualgateError, Interrupted
from dualgate.notify.message import URGENT, Message, NotDelivered
from dualgate.processes.job import Job, output_tail
from dualgate.processes.outside import path_outside
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor

SHOWN = 300
"""Characters of a failed command's output that are shown."""
_SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """Starts programs for notifications; each ends within a time, with everything that it started."""

    project: Path
    supervisor: Supervisor
    control: Control

    def run(self, argv: Sequence[str], stdin: str, timeout: float, *, confined: bool) -> None:
        """Run a program to its end; raise NotDelivered if that is not a success."""
        try:
            with scratch_folder("notify") as scratch:
                given = scratch / "stdin"
                given.write_text(stdin, encoding="utf-8")
                job = Job(
                    argv=argv,
                    cwd=self.project,
                    environment=self.supervisor.environment,
                    stdin=given,
                    stdout=scratch / "stdout",
                    stderr=scratch / "stderr",
                    output_limit=1 << 20,
                    confined=confined,
                    writable=(scratch,) if confined else (),
                )
                ended = self.supervisor.supervise(job, self.control.within(timeout))
                said = " ".join(output_tail(job, SHOWN).split())
        except Interrupted:
            raise NotDelivered("the run was stopped meanwhile") from None
        except DualgateError as error:
            raise NotDelivered(error.message) from error
        except OSError as error:
            raise NotDelivered(error.strerror or str(error)) from error
        if ended.ending is not Ending.EXITED:
            raise NotDelivered(f"the command did not end within {timeout:g} s and was stopped")
        if ended.code:
            raise NotDelivered(f"the command exits with {ended.code}" + (f": {said}" if said else ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the user, run by the shell."""

    name: str
    command: str
    timeout: float
    launcher: Launcher

    def send(self, message: Message) -> None:
        argv = ("/bin/sh", "-c", self.command)
        self.launcher.run(argv, json.dumps(message.document) + "\n", self.timeout, confined=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desktop:
    timeout: float
    launcher: Launcher
    platform: str = sys.platform
    name: str = "desktop"

    def send(self, message: Message) -> None:
        self.launcher.run(self._argv(message), "", self.timeout, confined=False)

    def _argv(self, message: Message) -> tuple[str, ...]:
        if self.platform == "darwin":
            return (self._found("osascript", "it comes with macOS"), "-e", _SCRIPT, message.title, message.text)
        program = self._found("notify-send", "install libnotify (Debian: libnotify-bin)")
        urgency = "critical" if message.moment in URGENT else "normal"
        # the desktop reads the text as markup
        return program, "--app-name=dualgate", f"--urgency={urgency}", "--", message.title, html.escape(message.text)

    def _found(self, name: str, way: str) -> str:
        launcher = self.launcher
        search = path_outside(launcher.project, launcher.supervisor.environment)
        program = shutil.which(name, path=search)
        if program is None:
            raise NotDelivered(f"the program {name} is missing; {way}")
        return program
