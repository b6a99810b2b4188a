"""One call of a program as an agent: prompt in, answer out, and nothing left of it when it has ended."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from dualgate.agents.listening import Listener
from dualgate.agents.output import OutputReader
from dualgate.agents.outputs import FORMATS
from dualgate.core.values.answer import AgentReply, CallEnd
from dualgate.core.values.control import Activity, Control
from dualgate.processes.job import Job, read_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor

KEPT_ERROR_BYTES = 64 << 10


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
) -> AgentReply:
    """The prompt on standard input, the project as its folder; what it says goes to files, since pipes lose the end.

    The output is read while it is written, so that whoever waits can be told what the agent is at.
    """
    reader = OutputReader(FORMATS)
    with scratch_folder("call") as folder:
        (folder / "prompt").write_text(prompt, encoding="utf-8")

        def follow() -> None:
            listener.catch_up()
            control.on_activity(_seen_from(project, reader.activity))

        job = Job(
            argv=argv,
            cwd=project,
            environment=environment,
            stdin=folder / "prompt",
            stdout=folder / "stdout",
            stderr=folder / "stderr",
            meanwhile=follow,
            confined=True,
            writable=writable,
        )
        with Listener(job.stdout, reader.feed) as listener:
            ended = supervisor.supervise(job, control)
            listener.hear_out(job.output_limit)
        stderr = read_tail(job.stderr, KEPT_ERROR_BYTES)
        end = CallEnd(now=now(), exit_code=ended.code, ending=ended.ending, stderr=stderr)
        return AgentReply(
            answer=reader.finish(end), stderr=stderr, exit_code=ended.code, ending=ended.ending, seconds=ended.seconds
        )


def _seen_from(project: Path, activity: Activity) -> Activity:
    """With paths as a person in the project's folder would write them."""
    return replace(activity, text=activity.text.replace(f"{project}/", ""))
