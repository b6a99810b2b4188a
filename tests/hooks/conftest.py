"""A repository that opted in, a home, and engines that answer with values."""

import subprocess
from pathlib import Path

import pytest

from dualgate.hooks.opting import PLACES

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(root: Path, *words: str) -> str:
    done = subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def plain_repository(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "code.py").write_text("one = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


@pytest.fixture
def repository(plain_repository: Path) -> Path:
    place = plain_repository / PLACES["claude"]
    place.parent.mkdir()
    place.write_text('{"hooks": {"Stop": [{"hooks": [{"command": "dualgate hook stop --host claude"}]}]}}')
    git(plain_repository, "add", "-A")
    git(plain_repository, "commit", "-qm", "opt in")
    return plain_repository


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return {"HOME": str(tmp_path / "home")}
