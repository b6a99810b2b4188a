"""What verify costs: beside two plain pytest runs, without probes; and a second call for the same trees.

The change is one new function with its test, in a repository of many tests. Times are medians of rounds, side by side,
of a new home each, so that nothing is known. Plain pytest compiles in each run, as on a fresh checkout, or keeps
its compiled files. dualgate has its own compiled files, as it has where it is installed. CPU times are those of a
command and of everything that it starts.
"""

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.startup import ENVIRONMENT
from bench.suites import COMMAND, lay_out

TESTS, ROUNDS, CALLS = 2000, 3, 9
NEW = {
    "fee.py": "def fee(amount):\n    return amount // 50\n",
    "test_fee.py": "from fee import fee\n\n\ndef test_fee():\n    assert fee(100) == 2\n",
}
PLAIN_START = (sys.executable, "-c", "pass")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        folder = Path(name).resolve()
        project = make_repository(folder / "project")
        environment = ENVIRONMENT | {
            "DUALGATE_TEST_COMMAND": " ".join(COMMAND),
            "DUALGATE_SENSITIVITY": "off",
        }
        for keeps in (False, True):
            measure(project, folder, environment, keeps)
        again(project, environment | {"HOME": str(folder / "home-0")})


def make_repository(project: Path) -> Path:
    project.mkdir()
    lay_out(project, TESTS)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@bench.example")
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)
    for name, text in NEW.items():
        (project / name).write_text(text)
    return project


def measure(project: Path, folder: Path, environment: dict[str, str], keeps_compiled: bool) -> None:
    plain = environment | {"PYTHONDONTWRITEBYTECODE": "" if keeps_compiled else "1"}
    if keeps_compiled:
        used_by(COMMAND, project, plain)
    ratios, taken = [], []
    for number in range(ROUNDS):
        home = folder / f"home-{number}"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        both = used_by(COMMAND, project, plain), used_by(COMMAND, project, plain)
        ours = used_by(verify(), project, environment | {"HOME": str(home)})
        taken.append(ours)
        ratios.append([own / sum(plain) for own, *plain in zip(ours, *both, strict=True)])
    kind = "keeps its compiled files" if keeps_compiled else "compiles in each run"
    wall, cpu = (statistics.median(each) for each in zip(*taken, strict=True))
    by_wall, by_cpu = (statistics.median(each) for each in zip(*ratios, strict=True))
    print(f"{TESTS} tests, beside two plain runs of a pytest that {kind}:")
    print(f"    verify {wall:.2f} s, {by_wall:.2f} × (aim: 1.15); {cpu:.2f} s of CPU, {by_cpu:.2f} ×")


def again(project: Path, environment: dict[str, str]) -> None:
    """The second call for the same trees, beside the start of Python."""
    used_by(verify(), project, environment)
    starts = [used_by(PLAIN_START, project, environment)[1] for _ in range(CALLS)]
    calls = [used_by(verify(), project, environment)[1] for _ in range(CALLS)]
    usual, own = statistics.median(starts), statistics.median(calls)
    print(f"known trees: {own * 1000:.0f} ms of CPU, {own / usual:.1f} × the start of Python ({usual * 1000:.0f} ms)")


def verify() -> tuple[str, ...]:
    return (sys.executable, "-m", "dualgate", "verify", "--base", "main")


def used_by(words: tuple[str, ...], project: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds by the clock, and of CPU, of a command and of all that it starts."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, cwd=project, env=environment, check=True, capture_output=True)
    taken, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
