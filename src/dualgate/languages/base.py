"""A language as data. To add one, write a file with a `LANGUAGE` and add a line to the registry."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import FailureKind, Stack, Suite
from dualgate.languages.parts import Part
from dualgate.languages.sources import Source

Found = Iterator[Suite | str]
"""Suites that can be run, and notes on tests whose reports cannot be read, with a way to fix that."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _no_suites(parts: Sequence[Part]) -> Found:
    del parts
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How the tests of a language are found, run, reported and steered. All fields but the name are optional."""

    name: str

    # how tests are found and run
    signs: tuple[str, ...] = ()
    """Files that make a folder a project of this language."""
    find: Callable[[Sequence[Part]], Found] = _no_suites
    """Finds the suites of the root and of each folder with a sign."""
    programs: tuple[str, ...] = ()
    """Programs that make a test command one of this language."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables set for suites of this language, so that they write complete reports and no snapshots."""
    scripts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Program of a test command -> files of `steering` whose scripts it runs."""
    task_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Program of a test command -> files that steer the tests only if the command runs this program."""
    test_targets: Mapping[str, str] = field(default_factory=dict)
    """Program -> pattern in its files which shows that `PROGRAM test` runs tests."""
    interpreters: str = ""
    """Pattern of programs that run a script given as an argument."""
    stack: Stack | None = None
    """Words for the prompts of a project in this language."""

    # the form of reports
    reports: Mapping[str, str] = field(default_factory=dict)
    """Runner -> pattern of the commands whose reports it reads."""
    class_endings: tuple[str, ...] = ()
    """Endings of source files that are named after their class or module."""
    test_roots: tuple[str, ...] = ()
    """Root folders of test files that are named after their class."""
    silent_endings: tuple[str, ...] = ()
    """Endings of files that are reported as one passed test if their process ends before any test."""
    failures: Mapping[FailureKind, str] = field(default_factory=dict)
    """Kind of failure -> names of exceptions."""
    phrases: Mapping[FailureKind, str] = field(default_factory=dict)
    """Kind of failure -> pattern in messages."""

    # which files steer a test run, and which are test files
    steering: tuple[str, ...] = ()
    """Names of files that steer test runs, as a whole or in part."""
    steering_variants: str = ""
    """Pattern of further names of steering files."""
    steering_paths: tuple[str, ...] = ()
    """Path endings of further steering files."""
    steering_endings: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Ending -> how to read such a file, so that its layout and comments do not count."""
    fixtures: tuple[str, ...] = ()
    """Names of files with fixtures for every test in their folder and below."""
    test_files: str = ""
    """Pattern of the file names in which runners look for tests."""
    test_folders: tuple[str, ...] = ()
    data_folders: tuple[str, ...] = ()
    spec_endings: tuple[str, ...] = ()
    """Endings of test files in a folder `spec`."""
    shadows: Callable[[str, frozenset[str]], bool] | None = None
    """(path, test folders) -> whether the file is loaded in place of a module of the runner or the library."""

    # installed, built and leftover files
    manifests: tuple[str, ...] = ()
    """Patterns of files that list the required packages."""
    locks: tuple[str, ...] = ()
    """Patterns of files that lock the versions of packages."""
    installed: tuple[str, ...] = ()
    """Folders that packages are installed into."""
    built: tuple[str, ...] = ()
    """Folders without sources, made by a build or by the interpreter."""
    never_walked: tuple[str, ...] = ()
    """Folders that are always ignored."""
    left_behind: tuple[str, ...] = ()
    """Patterns of files that tools leave in a project, as in an ignore file."""

    # variables; `NAME_*` means all that begin with `NAME_`
    steering_variables: tuple[str, ...] = ()
    """Variables that tools of the language read before any test runs."""
    toolchain_variables: tuple[str, ...] = ()
    """Variables with the location of its tools; an agent needs them to run tests."""


def each_part(find: Callable[[Part, str], Found], *signs: str) -> Callable[[Sequence[Part]], Found]:
    """Make a `find` that calls the given one for each part with one of these files, and passes the first of them."""

    def find_in(parts: Sequence[Part]) -> Found:
        for part in parts:
            if sign := next((sign for sign in signs if sign in part.home.files), ""):
                yield from find(part, sign)

    return find_in


def make_suite(part: Part, runner: str, command: str, reason: str, report: str = "") -> Suite:
    """A suite for a part of the project, named after its folder, or after its runner in the root."""
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
