"""What ran the tests, where dualgate has no word inside the runner: the program, its package, the variables."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

# variables that tools and languages read before any test does
STEERING = (
    "CI TZ LANG LC_ALL PATH ENV BASH_ENV LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_ENV",
    "JAVA_HOME JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS GOFLAGS GOOS GOARCH GOPATH",
    "RUSTFLAGS RUSTC_WRAPPER PERL5LIB PERL5OPT HARNESS_OPTIONS RUBYOPT RUBYLIB BUNDLE_GEMFILE PHPRC PHP_INI_SCAN_DIR",
    "PYTHONPATH PYTHONSTARTUP GTEST_FILTER NODE_PATH",
)
FAMILIES = ("JEST_", "VITEST_", "MOCHA_", "PYTEST_", "CARGO_", "NEXTEST_", "DOTNET_", "BATS_", "CTEST_", "npm_")
STEERING_NAMES = frozenset(name for line in STEERING for name in line.split())
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
    variables = {
        name: value for name, value in environment.items() if name in STEERING_NAMES or name.startswith(FAMILIES)
    }
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
