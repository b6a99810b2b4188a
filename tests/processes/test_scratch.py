import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dualgate.errors import StoreFailed
from dualgate.processes.scratch import clear_abandoned, scratch_folder


def test_it_is_named_after_its_purpose_and_gone_afterwards() -> None:
    with scratch_folder("call") as folder:
        (folder / "prompt").write_text("Do it.")

    assert (folder.name.startswith("dualgate-call-"), folder.exists()) == (True, False)


def test_a_place_without_room_is_named_with_what_to_do() -> None:
    with pytest.raises(StoreFailed, match="cannot be written: No space left") as caught, scratch_folder("call"):
        raise OSError(errno.ENOSPC, "No space left on device")

    assert (tempfile.gettempdir() in caught.value.message, "TMPDIR" in caught.value.next_step) == (True, True)


def test_an_error_that_has_nothing_to_do_with_room_is_passed_on() -> None:
    with pytest.raises(FileNotFoundError), scratch_folder("call"):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")


def test_the_project_is_never_taken_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    with pytest.raises(StoreFailed, match="outside the project"), scratch_folder("call"):
        pass


KILLED = """
import os, signal
from dualgate.processes.scratch import scratch_folder
with scratch_folder("call") as folder:
    (folder / "stdout").write_text("half an answer")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_folders_of_killed_processes_are_removed_and_those_in_use_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", KILLED], env=environment, capture_output=True, text=True, check=False)
    left, others = Path(ended.stdout.strip()), tmp_path / "dualgate-demo-x"
    others.mkdir()

    with scratch_folder("suite") as used:
        clear_abandoned()
        young = left.exists()
        clear_abandoned(older_than=0)

        assert (young, left.exists(), used.exists(), others.exists()) == (True, False, True, True)
