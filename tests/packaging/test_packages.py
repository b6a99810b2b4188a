"""The wheel and the sdist as users get them: built from a clone and from a tarball, installed by pipx, uv and uvx."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import dualgate
from tools.release import sdist_problems, wheel_problems

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
LIMIT = 600


def call(words: Sequence[str | Path], folder: Path, variables: Mapping[str, str] | None = None) -> str:
    ended = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert ended.returncode == 0, f"{words}\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}"
    return ended.stdout


def build(tree: Path, to: Path, *kinds: str) -> Path:
    call([sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", to, tree], to.parent)
    return next(to.glob("*.whl"))


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with the files as they are now, committed and tagged."""
    tree = tmp_path_factory.mktemp("tagged") / "tree"
    tree.mkdir()
    names = call(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    identity = ("-c", "user.name=tests", "-c", "user.email=tests@localhost")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "all"), ("tag", "v9.8.7")):
        call(["git", *words], tree)
    return tree


@pytest.fixture(scope="module")
def packages(tagged: Path) -> Path:
    build(tagged, tagged.parent / "dist")
    return tagged.parent / "dist"


@pytest.fixture(scope="module")
def wheel(packages: Path) -> Path:
    return next(packages.glob("*.whl"))


def test_the_version_is_that_of_the_tag(packages: Path) -> None:
    assert sorted(path.name for path in packages.iterdir()) == [
        "dualgate-9.8.7-py3-none-any.whl",
        "dualgate-9.8.7.tar.gz",
    ]


def test_the_packages_hold_what_they_need_and_no_junk(packages: Path, wheel: Path) -> None:
    (sdist,) = packages.glob("*.tar.gz")

    assert [*wheel_problems(wheel), *sdist_problems(sdist)] == []


def test_a_package_with_junk_or_without_its_templates_is_refused(wheel: Path, tmp_path: Path) -> None:
    import zipfile

    broken = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as good, zipfile.ZipFile(broken, "w") as bad:
        for name in good.namelist():
            if "demo_project" not in name:
                bad.writestr(name, good.read(name))
        bad.writestr("dualgate/__pycache__/x.pyc", b"")
        bad.writestr("tests/test_x.py", b"")

    assert list(wheel_problems(broken)) == [
        f"{wheel.name} has no dualgate/cli/demo_project/PRP.md",
        f"{wheel.name} holds dualgate/__pycache__/x.pyc",
        f"{wheel.name} holds tests/test_x.py",
    ]


def test_a_wheel_is_built_from_the_sdist_and_from_a_tree_without_git(packages: Path, tmp_path: Path) -> None:
    (sdist,) = packages.glob("*.tar.gz")
    with tarfile.open(sdist) as opened:
        opened.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    from_sdist = build(unpacked, tmp_path / "again", "--wheel")
    (unpacked / "PKG-INFO").unlink()
    without_git = build(unpacked, tmp_path / "bare", "--wheel")

    assert from_sdist.name == "dualgate-9.8.7-py3-none-any.whl"
    assert without_git.name == "dualgate-0.1.0.dev0-py3-none-any.whl"


def test_a_tree_that_was_not_built_has_the_version_of_a_tree_without_git(tagged: Path) -> None:
    code = "import dualgate; print(dualgate.__version__)"
    (tagged / "src" / "dualgate" / "_version.py").unlink(missing_ok=True)

    told = call([sys.executable, "-S", "-c", code], tagged, {"PYTHONPATH": str(tagged / "src")}).strip()

    assert f'fallback-version = "{told}"' in (ROOT / "pyproject.toml").read_text()
    assert dualgate.__version__


def has_registry() -> str:
    """Why no package can be had from a registry; empty if one can."""
    words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", os.devnull + "x", "iniconfig"]
    words[words.index(os.devnull + "x")] = str(Path(os.environ.get("TMPDIR", "/tmp"), f"dualgate-probe-{os.getpid()}"))
    ended = subprocess.run(words, capture_output=True, text=True, timeout=120)
    shutil.rmtree(words[-2], ignore_errors=True)
    return ended.stderr.strip()[-200:] if ended.returncode else ""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if why := has_registry():
        pytest.skip(f"dualgate's dependencies cannot be installed: {why}")
    place = tmp_path_factory.mktemp("home")
    return {
        "PIPX_HOME": str(place / "pipx"),
        "PIPX_BIN_DIR": str(place / "bin"),
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "UV_TOOL_DIR": str(place / "tools"),
        "UV_TOOL_BIN_DIR": str(place / "uv-bin"),
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
    }


def test_pipx_installs_it_from_the_wheel(wheel: Path, home: dict[str, str], tmp_path: Path) -> None:
    call([BIN / "pipx", "install", "--quiet", f"{wheel}[demo]"], tmp_path, home)

    assert call([Path(home["PIPX_BIN_DIR"], "dualgate"), "--version"], tmp_path) == "dualgate 9.8.7\n"
    assert "caught 3 things" in call([Path(home["PIPX_BIN_DIR"], "dualgate"), "demo"], tmp_path)


def test_uv_installs_it_as_a_tool_from_the_wheel(wheel: Path, home: dict[str, str], tmp_path: Path) -> None:
    call([BIN / "uv", "tool", "install", "--quiet", wheel], tmp_path, home)

    program = Path(home["UV_TOOL_BIN_DIR"], "dualgate")
    assert call([program, "--version"], tmp_path) == "dualgate 9.8.7\n"
    assert "\nNext:\n" in call([program], tmp_path)


def test_uvx_runs_it_from_the_wheel(wheel: Path, home: dict[str, str], tmp_path: Path) -> None:
    told = call([BIN / "uvx", "--from", wheel, "dualgate", "--version"], tmp_path, home)

    assert told == "dualgate 9.8.7\n"
