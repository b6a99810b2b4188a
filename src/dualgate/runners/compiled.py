"""Files that test runs had to compile -> their code for the next run, made by a process that runs none of it.

The code is kept in memory and written to the folder of each run: a file that code under test can write is never read.
"""

import base64
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite
from dualgate.errors import ProgramNotFound
from dualgate.processes.job import Job
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.launch import base_environment
from dualgate.runners.report_folder import open_report_folder

_SUITES_KEPT = 16
_MOST_BYTES = 1 << 26
SECONDS_WORTH_IT = 0.4
"""Seconds that runs must have spent on compiling before a process is started for it, an estimate of its start."""
# rough estimates, the first a guess; pytest rewrites in Python
_SECONDS_PER_BYTE = {"plain": 2e-6, "rewritten": 1e-5}
_COMPILE_SECONDS = 120.0
_FILE, _EXPECTED = "code", "DUALGATE_CODE"
_START = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_module(sys.argv[2], run_name='__main__')"
# packages that pytest's rewriter consists of; transient edits of them must leave nothing behind
_COMPILING = ("_pytest", "pytest", "pluggy")
_FOREIGN = (AttributeError, KeyError, TypeError, ValueError)

_Event = Mapping[str, Any]
_Stamp = tuple[tuple[str, int, int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    digest: str
    """Of the source that it was compiled from."""
    content: bytes


class CompiledSources:
    """The compiled files of one suite, for one interpreter and pytest."""

    def __init__(self, project: Path, worth: float = SECONDS_WORTH_IT) -> None:
        self._project = project
        self._worth = worth
        self._changing = threading.Lock()
        self._identity: tuple[str, ...] = ()
        self._stamp: _Stamp = ()
        self._kept: dict[str, _Code] = {}
        self._missed: dict[str, float] = {}
        self._refused: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """`plain PATH` or `rewritten PATH` of each compiled file."""
        return tuple(self._kept)

    @property
    def missed(self) -> tuple[str, ...]:
        """The files that runs had to compile since the last time files were compiled."""
        return tuple(self._missed)

    def prepare(self, supervisor: Supervisor, control: Control) -> None:
        """Compile what earlier runs had to compile, if that took them long enough. Runs no code of the project."""
        with self._changing:
            spent = sum(seconds for name, seconds in self._missed.items() if name not in self._refused)
            if not spent or spent < self._worth:
                return
            asked, self._missed = sorted(self._missed), {}
            before = _stamp_of(self._identity)
            made = dict(_compile(self._identity, asked, supervisor, control))
            if _stamp_of(self._identity) != before:
                return
            if before != self._stamp:
                self._kept.clear()
            self._stamp = before
            self._refused = (self._refused | frozenset(asked)) - made.keys()
            self._keep(made)

    def _keep(self, made: Mapping[str, _Code]) -> None:
        for name, code in made.items():
            self._kept.pop(name, None)
            self._kept[name] = code
        total = sum(len(code.content) for code in self._kept.values())
        for name in list(self._kept):
            if total <= _MOST_BYTES:
                return
            total -= len(self._kept.pop(name).content)

    def write_to(self, folder: Path) -> dict[str, str]:
        """Write the code for a run, and return the variable with which the run can recognize it."""
        with self._changing:
            if not self._kept or _stamp_of(self._identity) != self._stamp:
                return {}
            content = _packed(self._identity, self._kept)
        with os.fdopen(os.open(folder / _FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        return {_EXPECTED: sha256(content).hexdigest()}

    def expect(self, identity: tuple[str, ...], sizes: Mapping[str, int]) -> None:
        """Compile files before the next run: `plain PATH` or `rewritten PATH`, each with its size."""
        self._note(identity, sizes)

    def take_over(self, other: "CompiledSources") -> None:
        """Use the code of the same files in another folder; a file with other content is compiled as usual."""
        if other is self:
            return
        with other._changing:
            identity, stamp = other._identity, other._stamp
            found = {_moved(name, other._project, self._project): code for name, code in other._kept.items()}
        with self._changing:
            if found and identity and self._identity in ((), identity):
                self._identity, self._stamp = identity, stamp
                self._keep({name: code for name, code in found.items() if name not in self._kept})

    def learn(self, events: Sequence[_Event]) -> None:
        """Note what a run compiled. Its word decides only what is compiled, never the result."""
        try:
            told = [
                (tuple(map(str, event["identity"])), dict(event["missed"]))
                for event in events
                if event.get("event") == "compiled"
            ]
            # a command may start several interpreters: the first one stays
            for identity, missed in [each for each in told if each[0] == self._identity] or told[:1]:
                self._note(identity, missed)
        except _FOREIGN:
            return

    def _note(self, identity: tuple[str, ...], missed: Mapping[str, Any]) -> None:
        with self._changing:
            if identity != self._identity:
                self._identity, self._stamp = identity, ()
                self._kept, self._missed, self._refused = {}, {}, frozenset()
            for name, size in missed.items():
                if name.partition(" ")[2].startswith(f"{self._project}{os.sep}"):
                    self._missed[name] = self._missed.get(name, 0.0) + seconds_to_compile({name: size})


def seconds_to_compile(sizes: Mapping[str, Any]) -> float:
    """An estimate, of `plain PATH` or `rewritten PATH` with the size of each."""
    return sum(_SECONDS_PER_BYTE[name.partition(" ")[0]] * int(size) for name, size in sizes.items())


def _moved(name: str, before: Path, after: Path) -> str:
    kind, _, path = name.partition(" ")
    return f"{kind} {after}{path.removeprefix(str(before))}"


@lru_cache(maxsize=_SUITES_KEPT)
def compiled_sources(suite: Suite, project: Path) -> CompiledSources:
    """The compiled files of a suite, as long as this process lives."""
    del suite
    return CompiledSources(project)


def _stamp_of(identity: Sequence[str]) -> _Stamp:
    """Size and times of the interpreter and of pytest's files, compiled ones included."""
    executable, home = identity[0], identity[3]
    folders = [f"{home}{os.sep}{name}" for name in _COMPILING] if home else []
    found = (path for folder in folders for path in _files(folder))
    return tuple(filter(None, map(_stamp, (os.path.realpath(executable), *found))))


def _files(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (f"{place}{os.sep}{name}" for name in sorted(names))


def _stamp(path: str) -> tuple[str, int, int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - 150 files in every run; a path object costs more than the call
    except OSError:
        return None
    return path, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _packed(identity: Sequence[str], kept: Mapping[str, _Code]) -> bytes:
    """A line of JSON with the place of each file's code, then the code."""
    index, begin = {}, 0
    for name, code in kept.items():
        index[name] = (code.digest, begin, begin + len(code.content))
        begin += len(code.content)
    head = json.dumps({"identity": list(identity), "index": index})
    return b"".join((head.encode(), b"\n", *(code.content for code in kept.values())))


def _compile(
    identity: Sequence[str], asked: Sequence[str], supervisor: Supervisor, control: Control
) -> Iterator[tuple[str, _Code]]:
    """Start the interpreter of the tests, isolated and without site packages, and read what it compiled."""
    with open_report_folder((json.dumps(list(identity)), *asked), lambda _: None) as folder:
        job = Job(
            argv=(identity[0], "-I", "-S", "-B", "-c", _START, str(folder.path), f"{folder.package}.compiler"),
            cwd=folder.path,
            environment=base_environment(supervisor.environment) | {"DUALGATE_RUN": str(folder.path)},
            stdout=folder.path / "stdout",
            stderr=folder.path / "stderr",
            # the path of the interpreter comes from a test run
            confined=True,
            writable=(folder.path,),
        )
        try:
            supervisor.supervise(job, control.within(_COMPILE_SECONDS))
        except ProgramNotFound:
            return
        folder.follow(control, is_over=True)
        if any(file.problem for file in folder.files):
            return
        wanted = frozenset(asked)
        for event in (event for file in folder.files for event in file.events):
            name = str(event.get("request"))
            if event.get("event") == "code" and name in wanted:
                yield name, _Code(digest=str(event["digest"]), content=base64.b64decode(event["code"]))
