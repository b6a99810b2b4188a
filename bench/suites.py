"""What our reporter costs: a pytest suite of one test and of many, through the runner beside plain pytest.

Wall time of whole runs, side by side in rounds, so that a change of the machine's mood meets both alike: the median of
each, and the median of the ratios of each round. Plain pytest is measured twice: compiling the tests in each run, and
with the compiled files that it keeps. Ours are those of the runner in both: it keeps what a process of its own
compiled, which the second run pays for. That run and the first one are shown by themselves.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.python import PytestRunner
from dualgate.testing import a_control

# tests, rounds
SIZES = ((1, 11), (2000, 7))
PER_FILE = 100
COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")


def main() -> None:
    for keeps_compiled in (False, True):
        compiled = "with its compiled files" if keeps_compiled else "that compiles in each run"
        print(f"beside plain pytest {compiled}:")
        for tests, rounds in SIZES:
            measure(tests, rounds, keeps_compiled)


def measure(tests: int, rounds: int, keeps_compiled: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        project = Path(name).resolve()
        lay_out(project, tests)
        plain, ours = partial(run_plain, project, keeps_compiled), partial(run_ours, project)
        if keeps_compiled:
            plain()
        first, second = seconds_of(ours), seconds_of(ours)
        taken = [(seconds_of(plain), seconds_of(ours)) for _ in range(rounds)]
    usual, own = (statistics.median(each) for each in zip(*taken, strict=True))
    ratio = statistics.median(ours / plain for plain, ours in taken)
    print(
        f"{tests:5} tests   plain pytest {usual * 1000:7.0f} ms   through the runner {own * 1000:7.0f} ms   "
        f"{(own - usual) * 1000:+6.0f} ms   {ratio:5.3f} × plain   "
        f"(first run {first * 1000:.0f} ms, second with compiling {second * 1000:.0f} ms)"
    )


def lay_out(project: Path, tests: int) -> None:
    for first in range(0, tests, PER_FILE):
        numbers = range(first, min(tests, first + PER_FILE))
        text = "\n".join(
            f"def test_{n}():\n    values = [{n}] * 3\n    assert sum(values) == 3 * {n}\n" for n in numbers
        )
        (project / f"test_{first}.py").write_text(text)


def seconds_of(run: Callable[[], None]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def run_plain(project: Path, keeps_compiled: bool) -> None:
    own = os.environ | {"PYTHONDONTWRITEBYTECODE": "" if keeps_compiled else "1"}
    subprocess.run(COMMAND, cwd=project, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def run_ours(project: Path) -> None:
    report = PytestRunner(
        suite=Suite(name="tests", command=COMMAND), project=project, supervisor=Supervisor(os.environ)
    ).run(a_control())
    if report.problems:
        raise SystemExit("\n".join(report.problems))


if __name__ == "__main__":
    main()
