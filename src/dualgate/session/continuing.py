"""Continue a session without a terminal: `dualgate resume` as a process of its own, which outlives its starter."""

import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.machine.approving import FINISHED, waits_for_approval
from dualgate.core.machine.resuming import can_go_on
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import SpecChoice, Status
from dualgate.errors import ControlRefused
from dualgate.processes.detached import own_argv, start_detached
from dualgate.session.intervene import Requester, is_running
from dualgate.store.making_room import RESUME_OUTPUT, load_state
from dualgate.store.owners import is_owned
from dualgate.store.reading import journal_mark
from dualgate.store.sessions import session_folder

SESSION_DIR = "PRP_SESSION_DIR"
OF_DASHBOARD = "DUALGATE_DASHBOARD"
"""The beginning of variables that a run does not get: the token of a dashboard is not for its agents."""
_BEGIN_SECONDS = 30.0
_POLL_SECONDS = 0.1
_SHOWN = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """A session that was continued: its process, and whether the run has begun or ended already."""

    pid: int
    output: Path
    exit_code: int | None = None
    has_begun: bool = True


def environment_of(environment: Mapping[str, str], project: Path, folder: Path) -> dict[str, str]:
    """The environment in which commands use the session in `folder`, without the variables of a dashboard."""
    kept = {name: value for name, value in environment.items() if not name.startswith(OF_DASHBOARD)}
    kept.pop(SESSION_DIR, None)
    is_usual = session_folder(project, kept).resolve() == folder.resolve()
    return kept if is_usual else kept | {SESSION_DIR: str(folder)}


def continue_session(
    requester: Requester, choice: SpecChoice | None = None, patience: float = _BEGIN_SECONDS
) -> Continued:
    """Start `dualgate resume`, and wait until its run has begun. Raises ControlRefused with its message if it fails."""
    host, folder = requester.host, requester.folder
    require_resumable(requester, load_state(folder))
    before = journal_mark(folder)
    argv = own_argv("resume", *((f"--{choice}",) if choice else ()))
    environment = environment_of(host.environment, host.project, folder)
    output = folder / RESUME_OUTPUT
    output.unlink(missing_ok=True)  # of the last time
    started = start_detached(argv, host.project, environment, output)
    # a process that has ended is kept by the kernel until its parent waits for it
    threading.Thread(target=started.wait, daemon=True).start()
    deadline = time.monotonic() + patience
    while started.poll() is None and time.monotonic() < deadline:
        if journal_mark(folder) != before and is_running(requester):
            return Continued(pid=started.pid, output=output)
        time.sleep(_POLL_SECONDS)
    return _ended_at_once(started, output, journal_mark(folder) != before)


def require_resumable(requester: Requester, state: LoopState) -> None:
    """Raise ControlRefused if a session cannot be continued now."""
    project = requester.host.project
    if not project.is_dir():
        raise ControlRefused(f"The folder of the project does not exist: {project}.", "Restore it, then resume.")
    if is_running(requester):
        raise ControlRefused("A run of this session is active.", "See how it stands with: dualgate status")
    if is_owned(project):
        raise ControlRefused(f"Another run is active in {project}.", "See which one with: dualgate status")
    if state.status is Status.COMPLETED:
        raise ControlRefused("The session is completed.", "Read what it did with: dualgate report")
    if waits_for_approval(state):
        raise ControlRefused(FINISHED, "A changed work tree is proven again with: dualgate resume")
    if not can_go_on(state):
        raise ControlRefused(f"The session halted: {state.halt_reason}.", "Reset it first, then resume.")


def _ended_at_once(started: "subprocess.Popen[bytes]", output: Path, has_begun: bool) -> Continued:
    code = started.poll()
    if code is not None and not has_begun:
        said = _last_output(output) or f"exit code {code}"
        raise ControlRefused(f"The session was not continued: {said}", f"The whole output is in {output}.")
    return Continued(pid=started.pid, output=output, exit_code=code, has_begun=has_begun)


def _last_output(output: Path) -> str:
    """The end of the output of a run."""
    try:
        return output.read_bytes()[-_SHOWN:].decode("utf-8", "replace").strip()
    except OSError:
        return ""
