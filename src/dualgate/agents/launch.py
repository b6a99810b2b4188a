"""One call of a program as an agent: the prompt goes in, the answer comes out, and no process is left afterwards."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from dualgate.agents.output import CHUNK, OutputReader
from dualgate.agents.registry import FORMATS
from dualgate.agents.retrying import Log
from dualgate.core.values.answer import AgentReply, CallEnd, Ending, Failure
from dualgate.core.values.control import Activity, Control
from dualgate.processes.job import Job, read_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor

KEPT_ERROR_BYTES = 64 << 10
# Bytes read at once while a program runs: a flood must not delay a stop or a deadline.
AT_ONCE = 16 << 20


def local_now() -> datetime:
    return datetime.now().astimezone()


def run_program(
    argv: Sequence[str],
    prompt: str,
    project: Path,
    environment: Mapping[str, str],
    control: Control,
    supervisor: Supervisor,
    now: Callable[[], datetime] = local_now,
    writable: Sequence[Path] = (),
    log: Log | None = None,
    *,
    reads_only: bool = False,
) -> AgentReply:
    """Run a program in the project with the prompt on standard input. Its output goes to files: pipes lose the end.

    The output is read while it is written, so that the activity of the agent can be shown, and a call that can no
    longer come to anything can be ended.
    """
    reader = OutputReader(FORMATS)
    dead_end: Failure | None = None
    with scratch_folder("call") as folder:
        (folder / "prompt").write_text(prompt, encoding="utf-8")

        def follow() -> None:
            listener.catch_up()
            control.on_activity(_with_relative_paths(reader.activity, project))

        def is_over() -> bool:
            nonlocal dead_end
            dead_end = reader.dead_end or (retries.limit() if retries else None)
            return dead_end is not None

        job = Job(
            argv=argv,
            cwd=project,
            environment=environment,
            stdin=folder / "prompt",
            stdout=folder / "stdout",
            stderr=folder / "stderr",
            meanwhile=follow,
            enough=is_over,
            confined=True,
            writable=writable,
            reads_only=reads_only,
        )
        retries = log.watch(job.stdout, job.stderr, now) if log else None
        with Listener(job.stdout, reader.feed) as listener:
            ended = supervisor.supervise(job, control)
            listener.hear_out(job.output_limit)
        stderr = read_tail(job.stderr, KEPT_ERROR_BYTES)
        end = CallEnd(now=now(), exit_code=ended.code, ending=ended.ending, stderr=stderr)
        answer = reader.finish(end)
        if ended.ending is Ending.CUT_SHORT:
            answer = replace(answer, failure=dead_end)
        return AgentReply(
            answer=answer, stderr=stderr, exit_code=ended.code, ending=ended.ending, seconds=ended.seconds
        )


def _with_relative_paths(activity: Activity, project: Path) -> Activity:
    return replace(activity, text=activity.text.replace(f"{project}/", ""))


class Listener:
    """Passes on each byte of a growing file once, as it is written."""

    def __init__(self, path: Path, hear: Callable[[bytes], None]) -> None:
        self._path = path
        self._hear = hear
        self._descriptor: int | None = None
        self._at = 0

    def catch_up(self, most: int = AT_ONCE) -> None:
        """Read what was written since the last time, at most `most` bytes of it."""
        end = self._at + most
        while self._at < end and (chunk := self._next(min(CHUNK, end - self._at))):
            self._at += len(chunk)
            self._hear(chunk)

    def hear_out(self, limit: int) -> None:
        """Read the rest of a file that no longer grows, up to byte `limit`."""
        self.catch_up(max(0, limit - self._at))

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _next(self, size: int) -> bytes:
        if self._descriptor is None:
            with suppress(FileNotFoundError):
                self._descriptor = os.open(self._path, os.O_RDONLY)
        if self._descriptor is None:
            return b""
        # A program that opens /dev/stdout by that name truncates the file.
        if os.fstat(self._descriptor).st_size < self._at:
            self._at = 0
        return os.pread(self._descriptor, size, self._at)
