"""Trees -> ids of failing tests: plain pytest, imported once and forked for each tree, without anything of dualgate."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import default_plugins

ROOT = Path(__file__).parents[2]
NOT_OK = re.compile(r"^not ok \d+ - (.+?)(?: #.*)?$", re.MULTILINE)
FAILED_IN_RUST = re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE)
DEAD = "the run did not end"


def failing(trees: Iterable[Path]) -> list[set[str]]:
    """The ids that fail in each folder; a file that cannot be collected is an id too."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DUALGATE_"))}
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-m", "tests.corpus.plain"],
            cwd=ROOT,
            env=environment | {"HOME": home, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            input="\n".join(map(str, trees)),
            capture_output=True,
            text=True,
            check=True,
        )
    return [set(json.loads(line)) for line in done.stdout.splitlines()]


def failing_by(command: str, tree: Path) -> set[str]:
    """The names that fail by a command that writes TAP, or as cargo does."""
    said = subprocess.run(command, shell=True, cwd=tree, capture_output=True, text=True).stdout
    return {*NOT_OK.findall(said), *FAILED_IN_RUST.findall(said)}


class Watch:
    """A plug-in that writes down what failed."""

    def __init__(self) -> None:
        self.failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def serve() -> None:
    for name in default_plugins:
        import_module(f"_pytest.{name}")
    for line in sys.stdin.read().splitlines():
        sys.stdout.flush()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _run(line, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            said = answer.read().decode()
        os.waitpid(pid, 0)
        print(said or json.dumps([DEAD]))


def _run(tree: str, writing: int) -> None:
    watch = Watch()
    failed: Any = [DEAD]
    try:
        os.chdir(tree)
        sys.path[0] = tree
        sys.argv = [pytest.__file__]
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
        with Path(os.devnull).open("w") as sink:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
        code = pytest.main(["-q", "-p", "no:cacheprovider"], plugins=[watch])
        ran = code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
        failed = sorted(watch.failed) if ran or code == pytest.ExitCode.NO_TESTS_COLLECTED else [DEAD]
    finally:
        os.write(writing, json.dumps(failed).encode())
        os._exit(0)


if __name__ == "__main__":
    serve()
