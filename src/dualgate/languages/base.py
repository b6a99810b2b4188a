"""What dualgate knows of a language, as data. A new one is a file with a `LANGUAGE`, and a line in the registry."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import FailureKind, Stack, Suite
from dualgate.languages.parts import Part
from dualgate.languages.sources import Source

Found = Iterator[Suite | str]
"""Suites that can be run, and in words the tests that cannot be read, with a way to make them readable."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _no_suites(parts: Sequence[Part]) -> Found:
    del parts
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How the tests of a language are found, run, reported and steered. Every field but the name may be left out."""

    name: str

    # how tests are found and run
    signs: tuple[str, ...] = ()
    """Files that make a folder a project of this language."""
    find: Callable[[Sequence[Part]], Found] = _no_suites
    """The suites of the root and of each folder with a sign."""
    programs: tuple[str, ...] = ()
    """Programs that make a test command one of this language."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set for suites of this language, so that they write whole reports and no snapshots."""
    scripts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Program of a test command -> files of `steering` whose scripts it runs."""
    task_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Program of a test command -> files that it reads, and that steer only where it is run."""
    test_targets: Mapping[str, str] = field(default_factory=dict)
    """Program -> pattern in its files that shows that `PROGRAM test` runs tests."""
    interpreters: str = ""
    """Pattern of the programs that run a script which is named behind them."""
    stack: Stack | None = None
    """The words of a prompt for a project of this language."""

    # what a report looks like
    reports: Mapping[str, str] = field(default_factory=dict)
    """Runner -> pattern of the commands that it reads."""
    class_endings: tuple[str, ...] = ()
    """Endings of source files that are named after their class or module."""
    test_roots: tuple[str, ...] = ()
    """Folders from which the name of a class leads to its file."""
    silent_endings: tuple[str, ...] = ()
    """Endings of files that count as one passed test where their process ended before any test ran."""
    failures: Mapping[FailureKind, str] = field(default_factory=dict)
    """Names of exceptions by the kind of failure that they mean."""
    phrases: Mapping[FailureKind, str] = field(default_factory=dict)
    """Patterns in messages by the kind of failure that they mean."""

    # which files steer a test run, and which are of tests
    steering: tuple[str, ...] = ()
    """Names of files that steer test runs, as they are or with a part of them."""
    steering_variants: str = ""
    """Pattern of more names of such files."""
    steering_paths: tuple[str, ...] = ()
    """The same by the end of a path."""
    steering_endings: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Ending -> how such a file is read, so that neither its layout nor its comments count."""
    fixtures: tuple[str, ...] = ()
    """Files that hold fixtures for every test in their folder and below."""
    test_files: str = ""
    """Pattern of the names that runners look for."""
    test_folders: tuple[str, ...] = ()
    data_folders: tuple[str, ...] = ()
    spec_endings: tuple[str, ...] = ()
    """Endings of files in a folder `spec` that are of tests."""
    shadows: Callable[[str, frozenset[str]], bool] | None = None
    """Whether a file of this path is loaded in place of the runner or of the library; also given the test folders."""

    # what is installed, built and left behind
    manifests: tuple[str, ...] = ()
    """Patterns of files that say which packages are needed."""
    locks: tuple[str, ...] = ()
    """Patterns of files that say in which versions."""
    installed: tuple[str, ...] = ()
    """Folders that packages are installed into."""
    built: tuple[str, ...] = ()
    """Folders without sources: made by a build or by the interpreter."""
    never_walked: tuple[str, ...] = ()
    """Folders that are never part of the work."""
    left_behind: tuple[str, ...] = ()
    """Patterns of what tools leave in a project, as in an ignore file."""

    # variables; `NAME_*` stands for a family
    steering_variables: tuple[str, ...] = ()
    """Read by tools of the language before any test is."""
    toolchain_variables: tuple[str, ...] = ()
    """Where its tools lie, without which an agent cannot run tests."""


def each_part(find: Callable[[Part, str], Found], *signs: str) -> Callable[[Sequence[Part]], Found]:
    """Looks into each part that has one of these files, and names the first of them."""

    def find_in(parts: Sequence[Part]) -> Found:
        for part in parts:
            if sign := next((sign for sign in signs if sign in part.home.files), ""):
                yield from find(part, sign)

    return find_in


def make_suite(part: Part, runner: str, command: str, reason: str, report: str = "") -> Suite:
    """A suite of a part of the project: named by its folder, in the root after its runner."""
    return Suite(
        name=runner if part.home.path == "." else part.home.path,
        runner=runner,
        command=split_command(command),
        folder=part.home.path,
        report=report,
        reason=reason,
    )


def advice(command: str) -> str:
    return f"give --test-command '{command}' --runner NAME, with one that it speaks"
