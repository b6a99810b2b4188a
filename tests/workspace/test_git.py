"""git that cannot be started is no answer about the repository."""

import subprocess
import sys
from pathlib import Path

from tests.fleet.places import committed, git

# all files that a process may open are open: git would need pipes
FULL = """
import os, resource, sys
from pathlib import Path
from dualgate.errors import GitFailed
from dualgate.workspace.git import ask_git

root = Path(sys.argv[1])
print(ask_git(root, "rev-parse", "HEAD").decode().strip())
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True:
        os.open(os.devnull, os.O_RDONLY)
except OSError:
    pass
try:
    print(ask_git(root, "rev-parse", "HEAD"))
except GitFailed as error:
    print(error.message)
"""


def test_a_machine_without_room_for_git_is_named(tmp_path: Path) -> None:
    committed(tmp_path, **{"a.txt": "a"})

    told = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)

    assert told.stdout.splitlines() == [
        git(tmp_path, "rev-parse", "HEAD").strip(),
        "git cannot be started: Too many open files.",
    ]
