"""What probes cost: seconds beside one run of the suite, for changes of 5, 50 and 500 lines, and probes per second.

Wall time as a person waits, and processor time, which does not depend on what else the machine does.

One suite of tests that look at values; the first functions of its package count as changed. The share is that of the
probes in a run of the loop which runs the suite twice, as GREEN does.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from dualgate.core.values.probes import ProbeGroup, ProbePlan, ProbeReport, ProbeState
from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.probes.prober import SuitesProber
from dualgate.runners.python import PytestRunner
from dualgate.testing import a_control

FUNCTIONS = 100
LINES = 5
"""Lines of one function."""
CHANGES = (5, 50, 500)
SECONDS = 60.0
COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")
OTHERS = 400
"""Tests that run nothing that changed."""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        project = Path(name).resolve()
        lay_out(project)
        suite = Suite(name="tests", command=COMMAND)
        before = processor_seconds()
        once = run_suite(project, suite)
        cpu = processor_seconds() - before
        print(f"one run of {FUNCTIONS + OTHERS} tests: {once:.2f} s, processor {cpu:.2f} s")
        for lines in CHANGES:
            before = processor_seconds()
            report, taken = run_probes(project, suite, lines)
            show(lines, report, taken, once, processor_seconds() - before)


def lay_out(project: Path) -> None:
    for number in range(FUNCTIONS):
        text = (
            f"def f{number}(value):\n    amount = value * {number + 2}\n"
            f"    if amount > {number + 10}:\n        return amount - 1\n    return amount\n"
        )
        (project / f"module_{number}.py").write_text(text)
        check = f"assert f{number}(9) == {expected(number)}"
        test = f"from module_{number} import f{number}\n\ndef test_{number}():\n    {check}\n"
        (project / f"test_{number}.py").write_text(test)
    others = "\n".join(f"def test_other_{n}():\n    assert sum([{n}] * 3) == 3 * {n}\n" for n in range(OTHERS))
    (project / "test_others.py").write_text(others)


def expected(number: int) -> int:
    amount = 9 * (number + 2)
    return amount - 1 if amount > number + 10 else amount


def run_suite(project: Path, suite: Suite) -> float:
    started = time.perf_counter()
    report = PytestRunner(suite=suite, project=project, supervisor=Supervisor(os.environ)).run(a_control())
    if report.problems:
        raise SystemExit("\n".join(report.problems))
    return time.perf_counter() - started


def run_probes(project: Path, suite: Suite, lines: int) -> tuple[ProbeReport, float]:
    count = lines // LINES
    groups = tuple(ProbeGroup(id=f"AC-{n}", tests=(f"tests::test_{n}.py::test_{n}",)) for n in range(count))
    plan = ProbePlan(before={f"module_{n}.py": "" for n in range(count)}, groups=groups, seconds=SECONDS)
    started = time.perf_counter()
    report = SuitesProber((suite,), project, Supervisor(os.environ)).probe(plan, a_control())
    return report, time.perf_counter() - started


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show(lines: int, report: ProbeReport, taken: float, once: float, cpu: float) -> None:
    made = [probe for probe in report.probes if probe.state is not ProbeState.LEFT_OUT]
    killed = sum(probe.state is ProbeState.KILLED for probe in made)
    print(
        f"{lines:4} lines   {taken:6.2f} s, {taken / once:5.2f} × one run   {len(made):4} probes ({killed} killed, "
        f"{report.left_out} left out)   {len(made) / taken:5.1f} probes/s   processor {cpu:5.2f} s, "
        f"{cpu / max(1, len(made)) * 1000:3.0f} ms a probe   "
        f"share of a run {taken / (taken + 2 * once):4.0%}"
    )


if __name__ == "__main__":
    main()
