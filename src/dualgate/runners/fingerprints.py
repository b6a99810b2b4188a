"""Program or interpreter, packages and variables of a test run -> a text that changes when they do."""

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.languages.registry import LANGUAGES

# variables that tools and languages read before any test does; `NAME_*` is a family
GENERAL = ["CI", "TZ", "LANG", "LC_ALL", "PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"]
STEERING = frozenset(GENERAL).union(*(language.steering_variables for language in LANGUAGES))
FAMILIES = tuple(name[:-1] for name in STEERING if name.endswith("*"))
FILES_KEPT = 1 << 14
PARENTS_LOOKED_AT = 5
LARGEST_MANIFEST = 1 << 20


def describe_program(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Path, size, time and version of a command's program, without running it."""
    found = shutil.which(words[0], path=environment.get("PATH")) or str(folder / words[0])
    path = Path(os.path.realpath(found))
    told = {"program": str(path)}
    with suppress(OSError):
        state = path.stat()
        told |= {"size": str(state.st_size), "modified": str(state.st_mtime_ns)}
    if version := package_version(path):
        told["version"] = version
    return told


def program_fingerprint(program: Mapping[str, str], environment: Mapping[str, str]) -> str:
    variables = {name: value for name, value in environment.items() if name in STEERING or name.startswith(FAMILIES)}
    text = json.dumps([dict(program), variables], sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def package_version(program: Path) -> str:
    """Name and version of the npm package that a program belongs to."""
    for parent in list(program.parents)[:PARENTS_LOOKED_AT]:
        manifest = _manifest(parent / "package.json")
        if manifest.get("version"):
            return f"{manifest.get('name', '')} {manifest['version']}".strip()
    return ""


def _manifest(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_MANIFEST:
            return {}
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def interpreter_fingerprint(told: Mapping[str, Any], runner: str, ours: Sequence[str]) -> str:
    """The fingerprint of an interpreter; `ours` are names that only this run put into the variables."""
    parts = [
        told["python"],
        str(Path(told["executable"]).resolve()),
        told["flags"],
        *told["installed"],
        *(f"{name}={value}" for name, value in _variables(told["variables"], ours)),
        *(f"{path} {_digest(path)}" for path in told["files"]),
    ]
    digest = sha256("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:16]
    packages = sum(name.endswith(("-info", "-link")) for name in told["installed"])
    return f"{told['python']}, {runner}, {packages} packages, {digest}"


def _variables(told: Mapping[str, str], ours: Sequence[str]) -> list[tuple[str, str]]:
    parts = {name: re.split("[,:]", value) for name, value in told.items()}
    kept = {name: [part for part in found if not any(own in part for own in ours)] for name, found in parts.items()}
    return [(name, ":".join(parts)) for name, parts in sorted(kept.items()) if any(parts)]


def _digest(path: str) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - a hundred files in every run; a path object costs more than the call
        return _digest_of(path, (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino))
    except OSError:
        return "unreadable"


@lru_cache(maxsize=FILES_KEPT)
def _digest_of(path: str, stamp: tuple[int, ...]) -> str:
    del stamp
    return sha256(Path(path).read_bytes()).hexdigest()
