"""What a path alone says: whether it is of tests, a document, or stands in for a module that a runner imports."""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dualgate.workspace.steering.table import ENDINGS, NAMES, VARIANTS, row_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_STEERING_NAMES = frozenset(name for name, row in NAMES.items() if not row.is_called)
_STEERING_ENDINGS = frozenset(ending for ending, row in ENDINGS.items() if not row.is_called)
# a module of such a name, where the interpreter looks first, is run in place of the runner or of a part of it
_RUNNER_NAMES = frozenset({"_pytest", "pluggy", "iniconfig", "unittest", "doctest", "hypothesis", "nose2", "ward"})
_MODULE_ENDINGS = frozenset({".py", ".so", ".pyc", ".pyd"})
_SOURCE_FOLDERS = frozenset({"src", "lib", "python"})
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__", "testdata", "__snapshots__", "__mocks__"})
_DATA_FOLDERS = frozenset(
    {"data", "testdata", "fixtures", "__snapshots__", "snapshots", "golden", "__image_snapshots__"}
)
_SPEC_ENDINGS = (".rb", ".yml", ".js", ".mjs", ".cjs", ".ts")
_DOCUMENT_ENDINGS = frozenset({".md", ".rst", ".adoc"})
_TEST_FILE = re.compile(
    r"(?:test_.*|.*_test|tests?)\.py|.*_test\.(?:go|rb|exs|dart|cc|cpp|c)|.*[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?|.*Spec\.[cm]?[jt]sx?"
    r"|.*(?:Tests?|IT|Spec)\.(?:java|kt|groovy|scala|cs|php|swift)|.*_spec\.(?:rb|lua)|tests?\.rs|.*_tests?\.rs|.*\.bats"
    r"|.*\.feature|.*\.t"
)


def is_steering(path: str) -> bool:
    """Whether a file of this path may steer any test run, whatever the test command is.

    Asked of every file in a walk: nearly all are told by two looks into a set, and the table has the last word.
    """
    name = path[path.rfind("/") + 1 :]
    if name in _STEERING_NAMES or name[name.rfind(".") :] in _STEERING_ENDINGS or VARIANTS.fullmatch(name):
        return True
    if path[:1] != "." and ".cargo/" not in path:
        return False
    row = row_of(path)
    return row is not None and not row.is_called


def shadows(path: str) -> bool:
    """Whether a module stands before one that the runner imports: its own, a plug-in's, the library's.

    It does in the root, in a folder of sources, and beside tests, whose folder is searched first when they are
    imported. A folder does only with an `__init__.py`. Node looks for packages in node_modules alone, so no file can.
    """
    parts = path.split("/")
    is_in_sources = len(parts) > 1 and parts[0] in _SOURCE_FOLDERS
    is_beside_tests = not _TEST_FOLDERS.isdisjoint(parts[:-1])
    own = parts[-2:] if parts[-1] == "__init__.py" else parts[-1:]
    seen = own if is_beside_tests else parts[is_in_sources:]
    module = "/".join(seen).removesuffix("/__init__.py")
    name, _, rest = module.partition(".")
    is_module = "/" not in module and (
        f".{rest.rpartition('.')[2]}" in _MODULE_ENDINGS or path.endswith("/__init__.py")
    )
    if not is_module or name in _TEST_FOLDERS:
        return False
    is_runner = name in _RUNNER_NAMES or name.startswith("pytest")
    is_first = parts[0] in _TEST_FOLDERS if is_beside_tests else not is_in_sources
    return is_runner or (name in sys.stdlib_module_names and is_first)


def is_in_test_folder(path: str) -> bool:
    """Whether a file stands with the tests, as their helpers and data do."""
    parts = path.split("/")
    is_readme = parts[-1].lower().startswith("readme")
    is_of_specs = "spec" in parts[:-1] and parts[-1].endswith(_SPEC_ENDINGS)
    return not is_readme and (is_of_specs or not _TEST_FOLDERS.isdisjoint(parts[:-1]))


def is_test_file(path: str) -> bool:
    """Whether a file is named as runners look for tests."""
    return _TEST_FILE.fullmatch(path.rpartition("/")[2]) is not None


def is_data(path: str) -> bool:
    """Whether a file is read by tests as it is, so that even its layout may be what they test."""
    return not _DATA_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_document(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix.lower() in _DOCUMENT_ENDINGS or pure.parts[0] in ("docs", "doc")


@dataclass(frozen=True, slots=True)
class Patterns:
    """What a project adds to the table: paths that are frozen, and paths that are free in any case."""

    frozen: "GitIgnoreSpec | None" = None
    allowed: "GitIgnoreSpec | None" = None

    def freezes(self, path: str) -> bool:
        return self.frozen is not None and self.frozen.match_file(path) and not self.allows(path)

    def allows(self, path: str) -> bool:
        return self.allowed is not None and self.allowed.match_file(path)


NO_PATTERNS = Patterns()


def read_patterns(frozen: Iterable[str] = (), allowed: Iterable[str] = ()) -> Patterns:
    """Patterns as in an ignore file. Raises ValueError for one that is none."""
    from pathspec import GitIgnoreSpec

    return Patterns(GitIgnoreSpec.from_lines(frozen), GitIgnoreSpec.from_lines(allowed))
