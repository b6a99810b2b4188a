"""A nursery for all tests of a worker, and what was done to runs, told at the end."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.places import Nursery, nursery

SOURCE = Path(__file__).parent / "faults.c"


@pytest.fixture(scope="session")
def plain_nursery() -> Iterator[Nursery]:
    with nursery() as made:
        yield made


@pytest.fixture(scope="session")
def faulty_nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Its runs can be told to fail at a step."""
    compiler = shutil.which("cc")
    if compiler is None or not Path("/proc/self/fd").exists():
        pytest.skip("faults need a C compiler, and Linux")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    with nursery(library) as made:
        yield made


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How often what was done, by what the tests say of themselves."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports if hasattr(report, "when")]
    done = Counter(told for report in reports if report.when == "call" for told in report.user_properties)
    for name in sorted({name for name, _ in done}):
        values = {value: times for (known, value), times in done.items() if known == name}
        told = ", ".join(f"{value} {times}" for value, times in sorted(values.items(), key=lambda each: -each[1]))
        terminalreporter.write_line(f"{name} ({sum(values.values())}): {told}")
