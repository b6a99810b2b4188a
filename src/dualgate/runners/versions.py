"""Paths of installed programs -> their names and versions, read from files beside them; nothing is run."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dualgate.runners.fingerprints import package_version

_NUMBER = re.compile(r"(?:^|[-_@v])(\d+\.\d+(?:\.\d+)*[\w.]*)$")
_INTERPRETER = re.compile(r"^version(?:_info)?\s*=\s*(\S+)", re.MULTILINE)
_PACKAGES = ("lib/python*/site-packages", "Lib/site-packages")
_LARGEST = 1 << 16


def tools_of(programs: Iterable[str]) -> tuple[str, ...]:
    """Name and version of each program, and of the interpreter of its virtual environment."""
    return tuple(dict.fromkeys(each for program in programs for each in _described(Path(program))))


def _described(program: Path) -> Iterator[str]:
    home = program.parent.parent
    python = _INTERPRETER.search(_text(home / "pyvenv.cfg"))
    if python:
        yield f"python {python[1]}"
    if not (python and program.name.startswith("python")):
        yield _with_version(program, home)


def _with_version(program: Path, home: Path) -> str:
    """A package of Python or npm, the release of go, or a version in the path, as version managers write it."""
    if version := _distribution(program.name, home):
        return f"{program.name} {version}"
    real = program.resolve()
    if "node_modules" in real.parts and (package := package_version(real)):
        return package
    if (release := _text(real.parent.parent / "VERSION").partition("\n")[0].strip()).startswith("go"):
        return f"go {release.removeprefix('go')}"
    found = (_NUMBER.search(part) for part in reversed(real.parts[:-1]))
    return next((f"{program.name} {number[1]}" for number in found if number), program.name)


def _distribution(name: str, home: Path) -> str:
    wanted = name.replace("-", "_").lower()
    for place in _PACKAGES:
        for info in home.glob(f"{place}/*.dist-info"):
            package, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            if package.replace("-", "_").lower() == wanted:
                return version
    return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace") if path.stat().st_size < _LARGEST else ""
    except OSError:
        return ""
