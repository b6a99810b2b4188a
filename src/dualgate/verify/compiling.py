"""Compile the test files that base and head have in common once, before either of them is run.

pytest rewrites the assertions of every test file, which takes longer than running many of the tests. A process that
runs no code of the project does it for both trees; code is used only for the exact bytes that it was compiled from.
"""

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from shutil import which

from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import RunnerName
from dualgate.runners.compiled import SECONDS_WORTH_IT, compiled_sources, seconds_to_compile
from dualgate.verify.sides import Sides
from dualgate.verify.trees import ASK_SECONDS, Written
from dualgate.workspace.steering.paths import is_fixture, is_test_file

REWRITTEN = "rewritten"
SCRIPTS = ("pytest", "py.test")
# the identity of `runners/reporters/compiled.py`; a test run with another one does not use the code
IDENTITY = """
import json, os, sys
sys.path[:] = [each for each in sys.path if each]
import _pytest
from importlib import _bootstrap_external as external
home = os.path.dirname(os.path.dirname(os.path.abspath(_pytest.__file__)))
flags = f"{sys.flags.optimize} {external.MAGIC_NUMBER.hex()}"
print(json.dumps([sys.executable, sys.version, flags, home, _pytest.__version__]))
"""


def compile_once(suites: Sequence[Suite], written: Written, sides: Sides) -> None:
    """Let the next run of a tree compile its test files that the other tree has too, if that saves more than it takes.

    The trees of later runs take the code from there: `take_compiled`.
    """
    common = _common(sides)
    for suite in (each for each in suites if each.runner == RunnerName.PYTEST):
        files = _collected(suite, written, common)
        sizes = {f"{REWRITTEN} {path}": path.stat().st_size for path in files}
        if seconds_to_compile(sizes) < 2 * SECONDS_WORTH_IT:
            continue
        if identity := _identity(suite, written):
            compiled_sources(suite, written.project).expect(identity, sizes)


def take_compiled(suites: Sequence[Suite], written: Written, others: Sequence[Suite], other: Written) -> None:
    """Take the compiled files of suites in another tree."""
    for ours, theirs in zip(suites, others, strict=True):
        compiled_sources(ours, written.project).take_over(compiled_sources(theirs, other.project))


def _common(sides: Sides) -> list[str]:
    """Python test files that are the same in both trees, seen from the project."""
    before, after = (sides.revisions.entries(side.tree) for side in (sides.base, sides.head))
    same = (sides.seen_from_project(path) for path, entry in before.items() if after.get(path) == entry)
    return [path for path in same if path.endswith(".py") and (is_test_file(path) or is_fixture(path))]


def _collected(suite: Suite, written: Written, paths: Sequence[str]) -> list[Path]:
    """Those of the files that a suite looks at: below its folder, and below the paths that its command names."""
    folder = written.project / suite.folder
    named = [folder / word for word in suite.command[1:] if not word.startswith("-") and (folder / word).exists()]
    places = [place.resolve() for place in named or [folder]]
    files = [written.project / path for path in paths]
    return [file for file in files if file.is_file() and any(map(file.is_relative_to, places))]


def _identity(suite: Suite, written: Written) -> tuple[str, ...]:
    """The interpreter and the pytest of a suite; empty if its command does not show how they are started."""
    python = _python(suite.command, written)
    if not python:
        return ()
    with suppress(OSError, subprocess.SubprocessError, ValueError, TypeError):
        asked = subprocess.run(
            [*python, "-c", IDENTITY],
            cwd=written.project / suite.folder,
            env=dict(written.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_SECONDS,
            check=True,
        )
        return tuple(map(str, json.loads(asked.stdout)))
    return ()


def _python(command: Sequence[str], written: Written) -> Sequence[str]:
    """The words that start the interpreter: those before `-m pytest`, or the first line of the script `pytest`."""
    pairs = list(pairwise(command))
    if ("-m", "pytest") in pairs:
        return command[: pairs.index(("-m", "pytest"))]
    if Path(command[0]).name not in SCRIPTS:
        return ()
    script = which(command[0], path=written.environment.get("PATH"))
    with suppress(OSError, UnicodeDecodeError):
        first = Path(script or command[0]).read_text(encoding="utf-8").partition("\n")[0]
        return (first[2:].strip(),) if first.startswith("#!/") and "python" in first else ()
    return ()
