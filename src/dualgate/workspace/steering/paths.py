"""A path alone -> whether it belongs to tests, is a document, or replaces a module that a runner imports."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dualgate.languages.registry import LANGUAGES
from dualgate.workspace.steering.table import ENDINGS, NAMES, PATHS, VARIANTS, row_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_STEERING_NAMES = frozenset(name for name, row in NAMES.items() if not row.is_called)
_STEERING_ENDINGS = frozenset(ending for ending, row in ENDINGS.items() if not row.is_called)
_TEST_FOLDERS = frozenset({"test", "tests", "testing"}).union(*(language.test_folders for language in LANGUAGES))
_DATA_FOLDERS = frozenset({"data", "fixtures", "snapshots", "golden"}).union(
    *(language.data_folders for language in LANGUAGES)
)
_SPEC_ENDINGS = tuple(ending for language in LANGUAGES for ending in language.spec_endings)
_DOCUMENT_ENDINGS = frozenset({".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc"})
_DOCUMENT_NAMES = re.compile(
    r"(readme|change(?:s|log)|news|history|contributing|upgrading|release[-_]?notes)(\.txt)?", re.IGNORECASE
)
_DOCUMENT_FOLDERS = ("docs", "doc")
_ENDINGS_IN_FOLDERS = frozenset({".txt", ".html", ".htm", ".tex", ".org", ".textile", ".ipynb"})
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".pdf", ".drawio", ".puml", ".mmd"})
_NOTES = (".txt", ".log")
_HIDDEN_WORK = frozenset({".github", ".gitlab-ci.yml", ".circleci"})
_TEST_FILE = re.compile("|".join(language.test_files for language in LANGUAGES if language.test_files))
_FIXTURES = frozenset(name for language in LANGUAGES for name in language.fixtures)
_MANIFESTS = tuple(each for language in LANGUAGES for each in (*language.manifests, *language.locks))
_DEPENDENCY_FILES = re.compile("|".join(map(translate, ("*.lock", "*.lockb", *_MANIFESTS))))
_DEPENDENCY_FOLDERS = frozenset(pattern.removesuffix("/*") for pattern in _MANIFESTS if pattern.endswith("/*"))
_SHADOWS = tuple(language.shadows for language in LANGUAGES if language.shadows)


def is_steering(path: str) -> bool:
    """Whether a file may steer a test run of any test command. Called for every file, so cheap checks come first."""
    name = path[path.rfind("/") + 1 :]
    if name in _STEERING_NAMES or name[name.rfind(".") :] in _STEERING_ENDINGS or VARIANTS.fullmatch(name):
        return True
    if path[:1] != "." and not path.endswith(PATHS):
        return False
    row = row_of(path)
    return row is not None and not row.is_called


def shadows(path: str) -> bool:
    """Whether a file is loaded instead of the runner, a plug-in or the library."""
    return any(does(path, _TEST_FOLDERS) for does in _SHADOWS)


def is_fixture(path: str) -> bool:
    """Whether a file holds fixtures for every test in its folder and below."""
    return path.rpartition("/")[2] in _FIXTURES


def is_of_tests(path: str) -> bool:
    """Whether a file is a test, or a helper, fixture or data of tests; files that only steer a run are not."""
    return is_test_file(path) or is_in_test_folder(path) or is_fixture(path)


def is_support(path: str) -> bool:
    """Whether a file is beside tests and has no tests: a helper or data that they read."""
    return is_in_test_folder(path) and not is_test_file(path) and not is_fixture(path)


def fixtures_above(path: str) -> tuple[str, ...]:
    """The paths at which files of fixtures for a test would be."""
    folders = ("", *(f"{folder}/" for folder in map(str, PurePosixPath(path).parents) if folder != "."))
    return tuple(f"{folder}{name}" for folder in folders for name in sorted(_FIXTURES))


def names_dependencies(path: str) -> bool:
    *folders, name = path.split("/")
    return not _DEPENDENCY_FOLDERS.isdisjoint(folders) or _DEPENDENCY_FILES.fullmatch(name) is not None


def is_in_test_folder(path: str) -> bool:
    """Whether a file lies in a folder of tests, like their helpers and data."""
    parts = path.split("/")
    is_readme = parts[-1].lower().startswith("readme")
    is_of_specs = "spec" in parts[:-1] and parts[-1].endswith(_SPEC_ENDINGS)
    return not is_readme and (is_of_specs or not _TEST_FOLDERS.isdisjoint(parts[:-1]))


def is_test_file(path: str) -> bool:
    """Whether the name of a file is one in which runners look for tests."""
    return _TEST_FILE.fullmatch(path.rpartition("/")[2]) is not None


def belongs_to_tests(path: str) -> bool:
    """Whether a path alone shows that a file is a test, supports tests or steers their run."""
    return is_test_file(path) or is_in_test_folder(path) or is_fixture(path) or is_steering(path)


def is_data(path: str) -> bool:
    """Whether a file is test data, whose layout may count too."""
    return not _DATA_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_document(path: str) -> bool:
    """Whether people read a file: code, settings and pictures in a folder of documents do not count."""
    pure = PurePosixPath(path)
    if pure.suffix.lower() in _DOCUMENT_ENDINGS or _DOCUMENT_NAMES.fullmatch(pure.name):
        return True
    is_text = pure.suffix.lower() in _ENDINGS_IN_FOLDERS
    return is_text and is_in_document_folder(path) and not names_dependencies(path)


def is_work(path: str) -> bool:
    """Whether a file is more than a document, notes, a log, or a hidden file of a tool."""
    first, _, _ = path.partition("/")
    is_hidden = first.startswith(".") and first not in _HIDDEN_WORK
    is_noted = path.endswith(_NOTES) and not names_dependencies(path) and not path.endswith("CMakeLists.txt")
    return not (is_document(path) or is_hidden or is_noted)


def is_code_of_documents(path: str) -> bool:
    """Whether a file is code or a setting in a folder of documents: the configuration of a build, an example."""
    is_picture = PurePosixPath(path).suffix.lower() in _PICTURES
    return is_in_document_folder(path) and not is_document(path) and not is_picture


def is_in_document_folder(path: str) -> bool:
    return PurePosixPath(path).parts[0] in _DOCUMENT_FOLDERS


@dataclass(frozen=True, slots=True)
class Patterns:
    """Paths that the settings freeze, and paths that they never freeze."""

    frozen: "GitIgnoreSpec | None" = None
    allowed: "GitIgnoreSpec | None" = None

    def freezes(self, path: str) -> bool:
        return self.frozen is not None and self.frozen.match_file(path) and not self.allows(path)

    def allows(self, path: str) -> bool:
        return self.allowed is not None and self.allowed.match_file(path)


NO_PATTERNS = Patterns()


def read_patterns(frozen: Iterable[str] = (), allowed: Iterable[str] = ()) -> Patterns:
    """Read patterns as in an ignore file. Raises ValueError for an invalid one."""
    from pathspec import GitIgnoreSpec

    return Patterns(GitIgnoreSpec.from_lines(frozen), GitIgnoreSpec.from_lines(allowed))
