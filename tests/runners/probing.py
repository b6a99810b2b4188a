"""Small projects, broken in memory while a real test runner runs their tests."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dualgate.core.values.probes import Probe, ProbeGroup, ProbePlan, ProbeReport
from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.probes.prober import SuitesProber
from dualgate.testing import a_control
from tests.forked import ForkingSupervisor
from tests.spawner import Spawner

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def plain() -> dict[str, str]:
    """What a test command needs of the environment."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}


def a_project(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def a_plan(before: Mapping[str, str], tests: Sequence[str], seconds: float = 60, keep: bool = False) -> ProbePlan:
    """A plan with one group for each test."""
    groups = tuple(ProbeGroup(id=test, tests=(f"tests::{test}",), breaks_unchanged=keep) for test in tests)
    return ProbePlan(before=before, groups=groups, seconds=seconds)


def probe_pytest(spawner: Spawner, project: Path, plan: ProbePlan, *words: str) -> ProbeReport:
    """Run the probes in a fork of a process that has imported pytest."""
    supervisor = Supervisor(plain() | NO_PLUGINS)
    suite = Suite(name="tests", command=(*PYTEST, *words))
    return SuitesProber((suite,), project, ForkingSupervisor(supervisor, spawner.run_pytest)).probe(plan, a_control())


def probe_command(
    project: Path, plan: ProbePlan, *command: str, runner: str = "pytest", variables: Mapping[str, str] = NO_PLUGINS
) -> ProbeReport:
    suite = Suite(name="tests", command=command, runner=runner)
    return SuitesProber((suite,), project, Supervisor({**plain(), **variables})).probe(plan, a_control())


def killed_value_probes(report: ProbeReport, test: str) -> list[Probe]:
    from dualgate.core.values.probes import VALUE_PROBES

    return [p for p in report.probes if p.kind in VALUE_PROBES and f"tests::{test}" in p.killed_by]


def states(report: ProbeReport) -> dict[str, str]:
    """Place and text of each probe -> its state."""
    return {f"{probe.file}:{probe.line} {probe.text}": str(probe.state) for probe in report.probes}
