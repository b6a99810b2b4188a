"""The folder that reporters write to, and a reader that accepts only lines that continue the signed chain."""

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Activity, Control
from dualgate.processes.scratch import scratch_folder
from dualgate.runners.reporter_files import reporter_files

MOST_REPORTS = 16
"""How many runs of a runner one command may start, in sequence or in parallel."""
BLOCK = 1 << 18
REFUSED = "refused"

Event = Mapping[str, Any]


class ReportFile:
    """One growing report, read through a descriptor that was opened before any other process knew the file."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        self.descriptor = descriptor
        self.events: list[Event] = []
        self.problem = ""
        self._chain = blake2b(key=key, digest_size=12)
        self._offset = 0

    def read(self, is_over: bool) -> Iterator[Event]:
        """The new events. Until the run is over, a badly signed line is no problem: it may be incomplete."""
        if os.fstat(self.descriptor).st_size < self._offset:
            self.problem = "the report was cut while it was written"
        for line in self._lines():
            chain = self._chain.copy()
            signature, _, body = line.partition(b" ")
            chain.update(body)
            if signature != chain.hexdigest().encode():
                self.problem = "somebody else wrote into the report" if is_over else ""
                return
            self._chain = chain
            self._offset += len(line) + 1
            for event in json.loads(body):
                self.events.append(event)
                yield event

    def _lines(self) -> Iterator[bytes]:
        """Complete lines after the last one read. The allocated rest of the file is zero bytes."""
        rest, offset = b"", self._offset
        while not self.problem and (block := os.pread(self.descriptor, BLOCK, offset)):
            offset += len(block)
            *lines, rest = (rest + block).split(b"\n")
            yield from lines
            if rest.endswith(b"\0"):
                return


@dataclass(kw_only=True)
class ReportFolder:
    """The reports of one run, and the progress of its tests."""

    path: Path
    package: str
    files: tuple[ReportFile, ...]
    on_event: Callable[[Event], None]
    total: int = 0
    done: int = 0
    running: dict[str, None] = field(default_factory=dict)

    @property
    def reports(self) -> list[ReportFile]:
        return [file for file in self.files if file.events or file.problem]

    @property
    def was_full(self) -> bool:
        return (self.path / REFUSED).exists()

    def follow(self, control: Control, is_over: bool = False) -> None:
        """Read new events, and report the test that runs now."""
        before = self.done, len(self.running)
        for file in self.files:
            for event in file.read(is_over):
                self._note(event)
                self.on_event(event)
        if (self.done, len(self.running)) != before:
            control.on_activity(Activity(source="tests", text=self.now, done=self.done, total=self.total))

    @property
    def now(self) -> str:
        return next(reversed(self.running), "")

    def _note(self, event: Event) -> None:
        match event.get("event"):
            case "collected":
                self.total += len(event["ids"])
            case "start":
                self.running[str(event["id"])] = None
            case "result":
                self.running.pop(str(event["id"]), None)
                self.done += 1


@contextmanager
def open_report_folder(only: Sequence[str], on_event: Callable[[Event], None]) -> Iterator[ReportFolder]:
    with scratch_folder("suite", measures=True) as folder:
        # a new name each time, so that no module of the project can be imported in its place
        package = f"dualgate_{secrets.token_hex(8)}"
        write_modules(folder / package, reporter_files())
        asked = json.dumps(list(only))
        files = tuple(_lay_out(folder, number, asked) for number in range(MOST_REPORTS))
        try:
            yield ReportFolder(path=folder, package=package, files=files, on_event=on_event)
        finally:
            for file in files:
                os.close(file.descriptor)


def write_modules(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a package of modules and of their compiled files."""
    (folder / "__pycache__").mkdir(parents=True)
    for name, content in files.items():
        _write(f"{folder}/{name}", content)


def _lay_out(folder: Path, number: int, asked: str) -> ReportFile:
    key = secrets.token_bytes(32)
    descriptor = os.open(f"{folder}/report-{number:02}", os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600)
    _write(f"{folder}/key-{number:02}", f'{{"key": "{key.hex()}", "only": {asked}}}'.encode())
    return ReportFile(descriptor, key)


def _write(path: str, content: bytes) -> None:
    """Write a new file. Dozens are written for every run, so this avoids path objects and encoders."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
