"""Packages of other people, downloaded with pip as it is set up; where it cannot, the test is skipped and says why."""

import fcntl
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

PATIENCE = 120


def unpacked(package: str, folder: Path) -> Path:
    must(folder, "download", "-q", "--no-deps", "--no-binary", ":all:", "--dest", str(folder), package)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def environment(packages: Sequence[str], folder: Path) -> Path:
    home = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    if packages:
        must(folder, "--python", str(python), "install", "-q", *packages)
    return python


def shared(name: str, make: Callable[[Path], None], factory: pytest.TempPathFactory) -> Path:
    """A folder that the first worker of a session makes, and all use; if it cannot be made, all skip."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"shared-{name}"
    folder.mkdir(exist_ok=True)
    done, missing = folder / "done", folder / "missing"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if missing.exists():
            pytest.skip(missing.read_text())
        if not done.exists():
            try:
                make(folder)
            except pytest.skip.Exception as why:
                missing.write_text(str(why))
                raise
            done.touch()
    return folder


def must(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.skip("pip took too long to download")
    if done.returncode:
        pytest.skip(f"pip cannot download here: {done.stderr.strip()[-300:]}")
