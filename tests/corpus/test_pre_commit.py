"""The hook of pre-commit, with the real pre-commit and real pushes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dualgate.ci.pre_push import surroundings, verify_words

ROOT = Path(__file__).parents[2]
CODE = "def double(n):\n    return n + n\n"
TEST = "from doubling import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
COMMIT = "a" * 40

WORDS = [
    ([], {}, ["verify"]),
    (["--base", "dev"], {"PRE_COMMIT_TO_REF": COMMIT}, ["verify", f"--head={COMMIT}", "--base", "dev"]),
    (["--head", "HEAD"], {"PRE_COMMIT_TO_REF": COMMIT}, ["verify", "--head", "HEAD"]),
    (["--head=HEAD"], {"PRE_COMMIT_TO_REF": COMMIT}, ["verify", "--head=HEAD"]),
]


@pytest.mark.parametrize(("given", "environment", "words"), WORDS)
def test_the_pushed_commit_is_verified(given: list[str], environment: dict[str, str], words: list[str]) -> None:
    assert verify_words(given, environment) == words


def test_the_tests_do_not_run_in_the_environment_of_the_hook() -> None:
    given = {"VIRTUAL_ENV": "/hook", "PATH": "/hook/bin:/project/bin:/usr/bin", "PRE_COMMIT": "1", "HOME": "/home/a"}

    assert surroundings(given, "/hook") == {"PATH": "/project/bin:/usr/bin", "HOME": "/home/a"}
    assert surroundings({**given, "VIRTUAL_ENV": "/project"}, "/hook")["VIRTUAL_ENV"] == "/project"


def git(folder: Path, *words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(["git", *identity, *words], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pre-commit from an index, in an environment of its own."""
    folder = tmp_path_factory.mktemp("pre-commit")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    install = [str(folder / "env" / "bin" / "pip"), "install", "-q", "pre-commit"]
    done = subprocess.run(install, capture_output=True, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"pre-commit cannot be installed: {done.stderr[-300:]}")
    return folder / "env" / "bin" / "pre-commit"


@pytest.fixture
def environment(tmp_path: Path, pre_commit: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    kept = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR") or name.startswith("PIP_")}
    return kept | {
        "PATH": f"{pre_commit.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "PRE_COMMIT_HOME": str(pre_commit.parents[2] / "home"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """This repository as it is, as a repository of hooks with a commit."""
    folder = tmp_path / "hooks"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src", "README.md", "LICENSE"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, (*listed.stdout.split("\0"), "pyproject.toml", ".pre-commit-hooks.yaml")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "hooks")
    return folder


@pytest.fixture
def project(tmp_path: Path, hooks: Path, environment: dict[str, str], pre_commit: Path) -> Path:
    """A clone whose pushes go through the hook, and whose environment is a .venv of its own."""
    root, remote = tmp_path / "doubling", tmp_path / "remote.git"
    root.mkdir()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(root, "init", "-q", "-b", "main")
    git(root, "remote", "add", "origin", str(remote))
    head = git(hooks, "rev-parse", "HEAD").stdout.strip()
    used = {"repo": str(hooks), "rev": head, "hooks": [{"id": "dualgate-verify"}]}
    (root / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [used]}))
    (root / ".gitignore").write_text(".venv\n")
    (root / "doubling.py").write_text(CODE)
    (root / "test_doubling.py").write_text(TEST)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")], check=True)
    (packages,) = (root / ".venv" / "lib").glob("python*/site-packages")
    (packages / "pytest.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    git(root, "push", "-q", "origin", "main")
    git(root, "checkout", "-qb", "topic")
    installed = subprocess.run(
        [pre_commit, "install", "--hook-type", "pre-push"], cwd=root, env=environment, capture_output=True, text=True
    )
    assert installed.returncode == 0, installed.stdout
    return root


def commit(project: Path, code: str, test: str) -> None:
    (project / "doubling.py").write_text(code)
    (project / "test_doubling.py").write_text(test)
    git(project, "commit", "-qam", "change")


@pytest.mark.whole
def test_a_push_with_a_weakened_test_is_refused_and_an_honest_one_passes(
    project: Path, environment: dict[str, str], pre_commit: Path
) -> None:
    commit(project, CODE.replace("n + n", "n + 1"), TEST.replace(" == 4", ""))
    refused = git(project, "push", "origin", "topic", environment=environment)
    by_hand = subprocess.run(
        [pre_commit, "run", "--hook-stage", "manual", "dualgate-verify"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
    )
    git(project, "reset", "-q", "--hard", "main")
    more = "\n\ndef test_words():\n    assert double('a') == 'aa' and double(None) == 0\n"
    commit(project, CODE.replace("return", "return 0 if n is None else"), TEST + more)
    # an edit that is not pushed is not judged, even where HEAD is elsewhere
    (project / "doubling.py").write_text("raise SystemExit\n")
    git(project, "stash", "-q")
    git(project, "checkout", "-q", "main")
    honest = git(project, "push", "origin", "topic", environment=environment)

    assert refused.returncode != 0, refused.stderr
    assert "refused: " in refused.stdout + refused.stderr
    assert "test_double was changed, and its base version fails on the head" in refused.stdout + refused.stderr
    assert (by_hand.returncode, "refused: work tree (" in by_hand.stdout) == (1, True), by_hand.stdout
    assert honest.returncode == 0, honest.stdout + honest.stderr
    assert "verified: " in honest.stdout + honest.stderr
