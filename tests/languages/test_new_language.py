"""A language that is put into the registry is known everywhere: it takes one file and one line."""

import subprocess
import sys
from pathlib import Path

# in a process of its own: the registry is read when the rooms that use it are imported
PROGRAM = """
import sys
from pathlib import Path

from dualgate.languages import base, registry


def find(part, sign):
    yield base.make_suite(part, "tap", "quux check --tap", "a made-up sign")


QUUX = base.Language(
    name="quux",
    signs=("quux.project",),
    find=base.each_part(find, "quux.project"),
    programs=("quux",),
    environment={"QUUX_QUIET": "1"},
    reports={"tap": "quux check"},
    steering=("quux.setup",),
    fixtures=("shared.quux",),
    test_files=r".*_check[.]quux",
    locks=("quux.pinned",),
)
registry.LANGUAGES = (*registry.LANGUAGES, QUUX)

from dualgate.runners.detect import detect, told_runner
from dualgate.runners.launch import suite_environment
from dualgate.runners.prepare import LOCKS
from dualgate.workspace.steering.parts import steering_part
from dualgate.workspace.steering.paths import is_fixture, is_steering, is_test_file, names_dependencies

project = Path(sys.argv[1])
(suite,) = detect(project, {}).suites
assert (suite.runner, suite.command) == ("tap", ("quux", "check", "--tap")), suite
assert told_runner("quux check") == "tap"
assert suite_environment({}, suite, project)["QUUX_QUIET"] == "1"
assert is_steering("part/quux.setup") and steering_part("quux.setup", b"a") != steering_part("quux.setup", b"b")
assert is_test_file("a_check.quux") and is_fixture("tests/shared.quux")
assert names_dependencies("quux.pinned") and "quux.pinned" in LOCKS
"""


def test_a_language_in_the_registry_is_found_run_and_frozen(tmp_path: Path) -> None:
    (tmp_path / "quux.project").touch()

    ended = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True)

    assert (ended.returncode, ended.stderr) == (0, "")
