"""What our reporter costs: a pytest suite of one test and of many, through the runner beside plain pytest.

Wall time of whole runs, in rounds, so that a change of the machine's mood meets both alike; the best of each, since
what else the machine does only adds. Plain pytest keeps the tests that it compiled and takes them up the next time. We
never do, since whoever is tested could change them; so it is measured without them, which is what reporting costs, and
with them.
"""

import os
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
        compiled = "that keeps what it compiled" if keeps_compiled else "that compiles anew"
        print(f"beside a plain pytest {compiled}:")
        for tests, rounds in SIZES:
            measure(tests, rounds, keeps_compiled)


def measure(tests: int, rounds: int, keeps_compiled: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        project = Path(name).resolve()
        lay_out(project, tests)
        plain = partial(run_plain, project, keeps_compiled)
        if keeps_compiled:
            plain()
        best, ours = interleaved(plain, partial(run_ours, project), rounds)
    print(
        f"{tests:5} tests   plain pytest {best * 1000:7.0f} ms   through the runner {ours * 1000:7.0f} ms   "
        f"{(ours - best) * 1000:+6.0f} ms   {ours / best:5.3f} × plain"
    )


def lay_out(project: Path, tests: int) -> None:
    for first in range(0, tests, PER_FILE):
        numbers = range(first, min(tests, first + PER_FILE))
        text = "\n".join(
            f"def test_{n}():\n    values = [{n}] * 3\n    assert sum(values) == 3 * {n}\n" for n in numbers
        )
        (project / f"test_{first}.py").write_text(text)


def interleaved(plain: Callable[[], None], ours: Callable[[], None], rounds: int) -> tuple[float, float]:
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            started = time.perf_counter()
            (plain, ours)[which]()
            taken[which].append(time.perf_counter() - started)
    return min(taken[0]), min(taken[1])


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
