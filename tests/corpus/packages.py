"""Packages of other people, downloaded with pip as it is set up; where it cannot, the test is skipped and says why."""

import subprocess
import sys
import tarfile
from collections.abc import Sequence
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


def must(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.skip("pip took too long to download")
    if done.returncode:
        pytest.skip(f"pip cannot download here: {done.stderr.strip()[-300:]}")
