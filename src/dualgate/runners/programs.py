"""What ran the tests, where dualgate has no word inside the runner: the program, its package, the variables."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dualgate.languages.registry import LANGUAGES

# variables that tools and languages read before any test does; `NAME_*` is a family
GENERAL = ["CI", "TZ", "LANG", "LC_ALL", "PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"]
STEERING = frozenset(GENERAL).union(*(language.steering_variables for language in LANGUAGES))
FAMILIES = tuple(name[:-1] for name in STEERING if name.endswith("*"))
PARENTS_LOOKED_AT = 5
LARGEST_MANIFEST = 1 << 20


def describe_program(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The program of a command as far as it can be seen without running it."""
    found = shutil.which(words[0], path=environment.get("PATH")) or str(folder / words[0])
    path = Path(os.path.realpath(found))
    told = {"program": str(path)}
    with suppress(OSError):
        state = path.stat()
        told |= {"size": str(state.st_size), "modified": str(state.st_mtime_ns)}
    if version := _package_version(path):
        told["version"] = version
    return told


def fingerprint(program: Mapping[str, str], environment: Mapping[str, str]) -> str:
    variables = {name: value for name, value in environment.items() if name in STEERING or name.startswith(FAMILIES)}
    text = json.dumps([dict(program), variables], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _package_version(program: Path) -> str:
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
