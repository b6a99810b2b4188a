"""Build the packages, check them, and run the demo from the wheel in an empty environment. It uploads nothing.

`make release` calls it. A package whose contents, metadata or demo are wrong ends it with 1 and the reason.
"""

import email
import email.message
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
LOCK = ROOT / "requirements" / "demo.txt"
NEEDED = {
    "wheel": (
        "dualgate/_version.py",
        "dualgate/py.typed",
        "dualgate/cli/demo_project/PRP.md",
        "dualgate/prompts/ralph.md",
    ),
    "sdist": (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "src/dualgate/_version.py",
        "tests/conftest.py",
    ),
}
JUNK = ("__pycache__", ".pyc", ".pytest_cache", ".hypothesis", ".venv", "node_modules", ".coverage", ".DS_Store")
MOST_BYTES = 8 << 20
FIELDS = ("Name", "Version", "Summary", "License-Expression", "Requires-Python", "Description-Content-Type")
TO_PUBLISH = """
{version} is built and checked:
{files}

Nothing was uploaded. To publish it:
{tagging}    uv publish dist/*            # or: pipx run twine upload dist/*
"""
TO_TAG = """\
    git tag -a v{tag} -m 'dualgate {tag}' && git push origin v{tag}
    make release                 # again: the version is that of the tag
"""


def main() -> int:
    shutil.rmtree(DIST, ignore_errors=True)
    _call(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT))
    (wheel,), (sdist,) = list(DIST.glob("*.whl")), list(DIST.glob("*.tar.gz"))
    problems = [*wheel_problems(wheel), *sdist_problems(sdist)]
    if problems:
        print("\n".join(f"release: {problem}" for problem in problems), file=sys.stderr)
        return 1
    print("contents and metadata: ok")
    version = str(metadata_of(wheel)["Version"])
    try_demo(wheel, version)
    files = "\n".join(f"    {path.relative_to(ROOT)}  {path.stat().st_size / 1e6:.1f} MB" for path in (sdist, wheel))
    release, is_untagged, _ = version.partition(".dev")
    tagging = TO_TAG.format(tag=release) if is_untagged else ""
    print(TO_PUBLISH.format(version=version, tagging=tagging, files=files))
    return 0


def wheel_problems(wheel: Path) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    yield from _content_problems(wheel, names, NEEDED["wheel"])
    yield from (f"{wheel.name} holds {name}" for name in names if name.startswith("tests/"))
    told = metadata_of(wheel)
    yield from (f"the metadata has no {field}" for field in FIELDS if not told[field])
    if told["Description-Content-Type"] != "text/markdown" or not str(told.get_payload()).startswith("# dualgate"):
        yield "the description is not the README in Markdown"
    if f"-{told['Version']}-" not in wheel.name:
        yield f"{wheel.name} does not have the version of its metadata, {told['Version']}"


def sdist_problems(sdist: Path) -> Iterator[str]:
    with tarfile.open(sdist) as opened:
        names = [name.partition("/")[2] for name in opened.getnames()]
    yield from _content_problems(sdist, names, NEEDED["sdist"])


def _content_problems(package: Path, names: Sequence[str], needed: Sequence[str]) -> Iterator[str]:
    yield from (f"{package.name} has no {name}" for name in needed if name not in names)
    yield from (f"{package.name} holds {name}" for name in names if any(junk in name for junk in JUNK))
    if package.stat().st_size > MOST_BYTES:
        yield f"{package.name} has {package.stat().st_size} bytes, more than {MOST_BYTES}"


def metadata_of(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(opened.read(name))


def try_demo(wheel: Path, version: str) -> None:
    """Install the wheel in an empty environment, with the locked packages beside it, and run the demo from there."""
    with tempfile.TemporaryDirectory(prefix="dualgate-release-") as folder:
        _call(sys.executable, "-m", "venv", folder)
        pip = (f"{folder}/bin/python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-deps")
        _call(*pip, "--require-hashes", "-r", str(LOCK))
        _call(*pip, "--no-index", str(wheel))
        told = _call(f"{folder}/bin/dualgate", "--version", folder=folder)
        if told != f"dualgate {version}":
            raise SystemExit(f"release: the installed program says '{told}', its package is {version}")
        end = _call(f"{folder}/bin/dualgate", "demo", folder=folder)
        print("\n".join(end.rpartition("completed and proven")[2].strip().splitlines()[:4]))


def _call(*words: str, folder: str | None = None) -> str:
    """The output of a program; what it says is shown if it fails."""
    print(f"$ {Path(words[0]).name} {' '.join(word for word in words[1:] if not word.startswith('/'))}", flush=True)
    ended = subprocess.run(words, cwd=folder or ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode:
        raise SystemExit(f"{ended.stdout}\nrelease: {Path(words[0]).name} ended with {ended.returncode}")
    return ended.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
