"""The cost of a report and of `status --line` for a session of 1,000 iterations, beside reading its journal."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.journal import ITERATIONS, best, write_long_session
from dualgate.core.secrets.redaction import redactor_of
from dualgate.core.values.vocabulary import ReportFormat
from dualgate.display.report.formats import FORMATS
from dualgate.session.reporting import ReportSource, read_report
from dualgate.store.account import take_account
from dualgate.store.reading import read_journal
from dualgate.testing import NOW

STATUS_LINE = ("-m", "dualgate", "status", "--line")
NOTHING = ("-c", "pass")


def main() -> None:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-", dir=memory) as name:
        os.environ["HOME"] = f"{name}/home"
        _measure(Path(name) / "long")


def _measure(folder: Path) -> None:
    write_long_session(folder)
    environment = {"HOME": os.environ["HOME"]}
    source = ReportSource(folder=folder, project=folder, environment=environment, redactor=redactor_of(environment))
    account = best(lambda: take_account(read_journal(folder)))
    reading = best(lambda: read_report(source, NOW))
    report = read_report(source, NOW)
    print(f"a session of {ITERATIONS} iterations; CPU time")
    print(f"  its account, from the start    {account * 1000:8.1f} ms")
    print(f"  its report, read               {reading * 1000:8.1f} ms  {reading / account:6.1f}x of the account")
    for kind in ReportFormat:
        size, seconds = len(FORMATS[kind](report).encode()), best(lambda kind=kind: FORMATS[kind](report))  # type: ignore[misc]
        print(f"  written as {kind:<20}{seconds * 1000:8.1f} ms  {seconds / account:6.1f}x, {size / 1e3:.0f} KB")
    line, start = (min(_cpu_of(words, folder) for _ in range(5)) for words in (STATUS_LINE, NOTHING))
    print(f"  dualgate status --line         {line * 1000:8.1f} ms  {line / start:6.1f}x python -c pass")


def _cpu_of(words: tuple[str, ...], folder: Path) -> float:
    """Seconds of CPU of a whole process, in a project beside the session."""
    project = folder.with_name("project")
    project.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words],
        cwd=project,
        env=kept | {"PRP_SESSION_DIR": str(folder)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
