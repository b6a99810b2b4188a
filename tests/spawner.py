"""dualgate, imported once and forked for each call: its imports take longer than most commands do.

A child has a process, streams, a folder and an environment of its own, as one that `python -m dualgate` starts.
"""

import ctypes
import gc
import inspect
import json
import os
import pkgutil
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from _pytest.config import default_plugins

from dualgate.processes.job import Job
from tests.dying import rig
from tests.forked import WRITING, become_pytest, forked_launch, forked_runner, move_to
from tests.support import Ended

LOADED_LATER = (
    *(f"_pytest.{name}" for name in default_plugins),
    "jinja2",
    "markdown_it",
    "msgspec",
    "pathspec",
    "psutil",
    "sqlite3",
    "zoneinfo",
    # of pytest, when it is configured
    "_pytest._argcomplete",
    "faulthandler",
    "mmap",
    "pdb",
    "readline",
)
# what few calls import, and every fork would have to copy: a third of all memory
LEFT_OUT = ("dualgate.mcp.", "dualgate.runners.reporters.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A call of dualgate or a run of pytest, and what is to happen to it."""

    words: Sequence[str]
    """Of dualgate those behind its name; of pytest all."""
    cwd: str
    environment: Mapping[str, str]
    out: str
    err: str
    given: str = os.devnull
    """Its input."""
    is_pytest: bool = False
    life: float | None = None
    """Seconds after which it is killed."""
    limits: Sequence[tuple[int, int]] = ()
    """Of its resources, by number."""
    dies_at: tuple[int, str] | None = None
    """With which append to the journal it dies: number and moment."""
    faults: Sequence[Any] = field(default_factory=tuple)
    """What the library of faults is told, where it is loaded: folder, step, moment, value, file for the steps."""


class Child:
    """One that was started."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._told = line.makefile("r")
        self.pid = int(self._told.readline())

    def wait(self, limit: float | None = None) -> int | None:
        """Its exit code, or less the signal that ended it; None where it takes too long."""
        self._line.settimeout(limit)
        try:
            return int(self._told.readline())
        except TimeoutError:
            return None
        finally:
            self._told.close()
            self._line.close()

    def wait_or_kill(self, limit: float | None) -> int | None:
        code = self.wait(limit)
        if code is None:
            os.kill(self.pid, signal.SIGKILL)
        return code


class Spawner:
    """The side of the tests. Whatever calls at the same time runs at the same time."""

    def __init__(self, preloaded: Path | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="spawner-")
        self._place = Path(self._folder.name) / "calls"
        environment = dict(os.environ) | ({"LD_PRELOAD": os.fspath(preloaded)} if preloaded else {})
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.fspath(self._place))
            listener.listen()
            words = [sys.executable, "-m", "tests.spawner", str(listener.fileno())]
            root = Path(__file__).parent.parent
            self._server = subprocess.Popen(
                words, pass_fds=[listener.fileno()], cwd=root, env=environment, stdin=subprocess.PIPE
            )

    def start(self, order: Order) -> Child:
        line = socket.socket(socket.AF_UNIX)
        line.connect(os.fspath(self._place))
        line.sendall(json.dumps(asdict(order)).encode() + b"\n")
        return Child(line)

    def call(
        self,
        words: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        limit: float,
        dies_at: tuple[int, str] | None = None,
        terminal: str | None = None,
    ) -> Ended:
        """Run it to its end. On a terminal, a person reads its errors there and types its input; else it has none."""
        with tempfile.TemporaryDirectory(prefix="spawned-") as name:
            out, err = Path(name, "out"), Path(name, "err")
            child = self.start(
                Order(
                    words=words,
                    cwd=os.fspath(cwd),
                    environment=environment,
                    out=str(out),
                    err=terminal or str(err),
                    given=terminal or os.devnull,
                    dies_at=dies_at,
                )
            )
            code = child.wait_or_kill(limit)
            if code is None:
                raise subprocess.TimeoutExpired(list(words), limit)
            return Ended(code=code, out=_text(out), err="" if terminal else _text(err))

    def run_pytest(self, job: Job, seconds: float | None) -> int | None:
        """Its exit code; None where it takes too long. The process of the tests is larger, so its forks take longer."""
        child = self.start(
            Order(
                words=job.argv,
                cwd=os.fspath(job.cwd),
                environment=job.environment,
                out=os.fspath(job.stdout),
                err=os.fspath(job.stderr),
                is_pytest=True,
            )
        )
        return child.wait_or_kill(seconds)

    def close(self) -> None:
        self._server.communicate()
        self._folder.cleanup()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def serve(listener: socket.socket) -> None:
    """Until the tests close our input, or are killed."""
    load()
    gc.freeze()  # what no collection looks at, no fork has to copy
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        line, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            watch(line)
        line.close()
        reap()
    reap()


def reap() -> None:
    """Take leave of the watchers that ended, so that what they used counts for this process."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def load() -> None:
    """All that a call would import, and pytest, which it would start."""
    import dualgate

    modules = (module.name for module in pkgutil.walk_packages(dualgate.__path__, "dualgate."))
    ours = (name for name in modules if not name.startswith(LEFT_OUT) and not name.endswith("__main__"))
    for name in (*LOADED_LATER, *ours):
        import_module(name)
    prepare_first_uses()


def prepare_first_uses() -> None:
    """What a process keeps after it used it once: compiled templates, the files of reporters, the modules by file."""
    from dualgate.core.prompt.writing import prepare
    from dualgate.prompts import load_templates
    from dualgate.runners.reporter_files import PACKAGE, reporter_files

    templates = prepare(load_templates())
    for name in templates.list_templates():
        templates.get_template(name)
    for package in (PACKAGE, f"{PACKAGE}.probes"):
        reporter_files(package)
    # what pytest does for the first test that fails
    inspect.getsource(prepare_first_uses.__code__)


def watch(line: socket.socket) -> NoReturn:
    """Start the child, and say how it ended, whatever ended it."""
    order = Order(**json.loads(line.makefile("r").readline()))
    pid = os.fork()
    if pid == 0:
        line.close()
        if order.is_pytest:
            become_pytest(asked_job(order))
        become(order)
    line.sendall(f"{pid}\n".encode())
    code = awaited(pid, order.life)
    line.sendall(f"{code}\n".encode())
    os._exit(0)


def awaited(pid: int, life: float | None) -> int:
    """Its exit code; killed where it lives longer than it may."""
    if life is not None:
        watched = os.pidfd_open(pid)
        if not select.select([watched], [], [], life)[0]:
            signal.pidfd_send_signal(watched, signal.SIGKILL)
        os.close(watched)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def asked_job(order: Order) -> Job:
    return Job(
        argv=order.words,
        cwd=Path(order.cwd),
        environment=order.environment,
        stdout=Path(order.out),
        stderr=Path(order.err),
    )


def become(order: Order) -> NoReturn:
    """What a new interpreter would be, and then dualgate."""
    from dualgate.__main__ import main
    from dualgate.runners.probes.prober import LAUNCHES
    from dualgate.runners.registry import RUNNERS

    move_to(order.cwd, order.environment, order.given, order.out, order.err)
    sys.argv = ["dualgate", *order.words]
    sys.path[0] = order.cwd
    RUNNERS["pytest"] = forked_runner
    LAUNCHES["pytest"] = forked_launch
    suffer(order)
    code = 70
    try:
        code = main()
        sys.stdout.flush()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        os._exit(code)


def suffer(order: Order) -> None:
    """What is to happen to it begins now."""
    for number, limit in order.limits:
        resource.setrlimit(number, (limit, limit))
    if order.dies_at:
        rig(*order.dies_at)
    if order.faults:
        below, step, moment, value, steps = order.faults
        listing = os.open(steps, WRITING, 0o600) if steps else -1
        ctypes.CDLL(None).faults_plan(below.encode(), ctypes.c_long(step), moment, value, listing)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
