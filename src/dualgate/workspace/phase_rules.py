"""Which edits a phase does not allow, one edit at a time. The guard reverts them and reports them to the agent."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from dualgate.core.spec.edits import is_same_text
from dualgate.core.spec.plan import without_new_ticks
from dualgate.core.values.changes import is_output
from dualgate.core.values.configuring import IMPORT_PATH, Reach
from dualgate.core.values.notation import shown
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.python import MODULE_ENDINGS
from dualgate.languages.tools import Tool
from dualgate.workspace.forbidden import Forbidden
from dualgate.workspace.steering.additions import only_adds
from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.commands import NOTHING_CALLED, Called, names_scripts
from dualgate.workspace.steering.configured import configures, is_shared, tool_part
from dualgate.workspace.steering.growth import growth_of
from dualgate.workspace.steering.import_paths import names_folders_below
from dualgate.workspace.steering.parts import code_part, loads_plugins, merge, steering_part, with_proven_part
from dualgate.workspace.steering.paths import (
    NO_PATTERNS,
    Patterns,
    belongs_to_tests,
    is_data,
    is_document,
    is_fixture,
    is_in_document_folder,
    is_in_test_folder,
    is_of_tests,
    is_steering,
    is_test_file,
    shadows,
)
from dualgate.workspace.steering.reconfiguring import Reached, reach_of
from dualgate.workspace.steering.regions import growth_of_regions, has_regions, is_always_run, with_proven_tests
from dualgate.workspace.steering.sections import OWN_FILE, OWN_PLACES, own_part
from dualgate.workspace.trees import Entry

FROZEN = "proven tests and their configuration are frozen after RED"
ADD_ELSEWHERE = "a proven file may get new tests that leave all others as they are; put the rest into a new file"
DOCUMENTS_ONLY = "DOCUMENT may change documents, docstrings and comments only"
CHECKED = "a check runs this file, so it is frozen"
CONFIGURED = "this file configures a tool that a check runs, so it is frozen; a person can allow it in guard.allowed"
TESTS_ONLY = "only the tests of the named criteria are rewritten; the code stays as it is"
TICKED = "boxes are ticked by dualgate (plan.tick); report finished tasks as TASKS_COMPLETED_THIS_LOOP"
READ_ONLY = "a review may not change files"
_RUNNING = frozenset({"pytest", "_pytest", "pluggy", "iniconfig", "py", "sitecustomize", "usercustomize"})
"""Packages and modules that run the tests, or that run with every Python."""
SETTINGS = "only a person may change the settings of dualgate: they say what is frozen, and name programs to run"
SPEC = "only a person may change the specification; report what is wrong with it as BLOCKED or as a question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One path before and after; `content` gives the bytes of an entry."""

    path: str
    before: Entry | None
    after: Entry | None
    content: Callable[[Entry], bytes]

    def keeps(self, part: Callable[[str, bytes | None], str | None]) -> bool:
        """Whether a part of the file is unchanged. Links have no parts and count as a whole."""
        if not self.has_parts:
            return self.before == self.after
        return part(self.path, self._bytes(self.before)) == part(self.path, self._bytes(self.after))

    @property
    def has_parts(self) -> bool:
        entries = [entry for entry in (self.before, self.after) if entry is not None]
        return not any(entry.is_link or not entry.is_kept for entry in entries)

    @property
    def contents(self) -> tuple[bytes | None, bytes | None]:
        return self._bytes(self.before), self._bytes(self.after)

    def begins_to_load_plugins(self) -> bool:
        before, after = self.contents
        return self.path.endswith(".py") and loads_plugins(after or b"") and not loads_plugins(before or b"")

    def keeps_own_settings(self) -> bool:
        """Whether the settings of dualgate are unchanged: they cannot allow their own change."""
        return self.path not in OWN_PLACES or self.keeps(own_part)

    def _bytes(self, entry: Entry | None) -> bytes | None:
        return None if entry is None else self.content(entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """Files that are frozen after RED, in addition to those of the tables."""

    files: Collection[str] = ()
    """The files of proven results."""
    all_examples: bool = False
    """Whether examples in docstrings count as tests in every module, if no results show which ones are run."""
    outputs: Collection[str] = ()
    """Patterns of the files that test runs write."""
    modules: frozenset[str] = frozenset()
    """Names of the modules in the proven tree."""
    folders: frozenset[str] = frozenset()
    """Folders of the proven tree."""
    searched: frozenset[str] = frozenset()
    """Folders of the proven tree that are searched for modules first: pytest imports tests or a conftest from them."""
    packages: frozenset[str] = frozenset()
    """Folders of documents that are packages too, so that their files are code."""
    called: Called = NOTHING_CALLED
    """Files and words that the test command calls."""
    patterns: Patterns = NO_PATTERNS
    environments: Collection[str] = ()
    """Virtual environments: the files in them that run tests are frozen."""
    root: str = ""
    """The folder of the project, which an environment names if the project is installed in it."""
    spec: frozenset[str] = frozenset()
    """Files of the specification: an agent may tick their boxes only, in every phase."""
    boxes: frozenset[str] = frozenset()
    """Task lists whose boxes only dualgate ticks."""
    forbidden: tuple[Forbidden, ...] = ()
    """Paths that the specification forbids to change, in every phase."""
    rewriting: frozenset[str] = frozenset()
    """Files of tests that are being rewritten, because they did not notice broken code."""
    only_tests: bool = False
    """Whether only tests may change, because tests are being rewritten."""
    checked: Called = NOTHING_CALLED
    """Files and words that the commands of checks call; they are frozen in every phase."""
    tools: tuple[Tool, ...] = ()
    """Tools that the commands of checks run; their configuration is frozen in every phase."""

    def holds(self, path: str) -> bool:
        """Whether a path is frozen in any folder."""
        is_installed = self.has_installed(path)
        return path in self.files or path in self.called.files or is_steering(path) or is_installed

    def has_installed(self, path: str) -> bool:
        return any(path.startswith(f"{place}/") for place in self.environments)


NOTHING_FROZEN = Freeze()


def broken_freeze(edit: Edit, freeze: Freeze) -> str | None:
    """The rule that an edit of the proven tree breaks after RED. A new file is allowed unless it steers.

    In a source with tests inside only the tests are frozen; in a file shared with other tools only the steering part.
    """
    if not edit.keeps_own_settings():
        return FROZEN
    if freeze.patterns.allows(edit.path) or edit.path in freeze.rewriting:
        return None
    if _is_source_with_tests(edit, freeze):
        return _broken_by(_growth_of_regions(edit))
    is_guarded = freeze.holds(edit.path) or freeze.patterns.freezes(edit.path) or edit.begins_to_load_plugins()
    if (not is_guarded and not _is_of_tests(edit, freeze)) or _keeps_steering(edit, freeze):
        return None
    return _broken_by(_extension(edit, freeze))


def _broken_by(extension: Extension | None) -> str | None:
    """The rule that a change of frozen tests breaks; None if it only adds. The reason helps whoever adds something."""
    if extension is None or (extension.reason and not extension.adds):
        return FROZEN
    return f"{FROZEN}: {extension.reason}; {ADD_ELSEWHERE}" if extension.reason else None


def extends(edit: Edit, freeze: Freeze) -> bool:
    """Whether an edit adds something to a frozen file of tests that may be added there."""
    if _is_source_with_tests(edit, freeze):
        growth = _growth_of_regions(edit)
        return growth.adds and not growth.reason
    is_frozen = freeze.holds(edit.path) or _is_of_tests(edit, freeze)
    if not is_frozen or _keeps_steering(edit, freeze):
        return False
    extension = _extension(edit, freeze)
    return extension is not None and extension.adds and not extension.reason


def _keeps_steering(edit: Edit, freeze: Freeze) -> bool:
    return edit.keeps(lambda path, content: steering_part(path, content, freeze.called.words))


def _extension(edit: Edit, freeze: Freeze) -> Extension | None:
    """The additions of an edit to a file of tests; None if nothing may be added to the file."""
    is_strict = edit.path in freeze.called.files or freeze.patterns.freezes(edit.path) or is_data(edit.path)
    is_test = is_fixture(edit.path) or (is_of_tests(edit.path) and not is_steering(edit.path))
    before, after = edit.contents if edit.has_parts else (None, None)
    if is_strict or not (is_test or edit.path in freeze.files) or before is None or after is None:
        return None
    return growth_of(edit.path, before, after)


def reach_of_edit(edit: Edit, freeze: Freeze) -> Reached | None:
    """How far an edit of the test configuration reaches; None if it is no configuration, or a person's to allow."""
    is_persons = freeze.patterns.freezes(edit.path) or edit.path in freeze.files or not edit.keeps_own_settings()
    if is_persons or not edit.has_parts:
        return None
    if freeze.has_installed(edit.path):
        return _reach_of_install(edit, freeze)
    return reach_of(edit.path, *edit.contents, freeze.called)


def _reach_of_install(edit: Edit, freeze: Freeze) -> Reached | None:
    """The reach of a new file in an environment: of a plug-in, or of the project itself (`pip install -e`)."""
    before, after = edit.contents
    _, _, installed = edit.path.partition("/site-packages/")
    runs_tests = installed.partition("/")[0].removesuffix(".py") in _RUNNING
    if before is not None or after is None or not installed or runs_tests:
        return None
    if not edit.path.endswith(".pth"):
        return Reached(settings=(), reach=Reach.COMPARED)
    return Reached(settings=(IMPORT_PATH,), reach=Reach.REPORTED) if names_folders_below(after, freeze.root) else None


def breaks_check(edit: Edit, freeze: Freeze) -> bool:
    """Whether an edit changes what the command of a check runs.

    Of a file shared with the tests, RED may change what steers the tests: other edits count alone.
    """
    words = freeze.checked.words
    if freeze.patterns.allows(edit.path) or not (words or freeze.checked.files):
        return False
    if edit.path in freeze.checked.files:
        return not edit.keeps(lambda path, content: steering_part(path, content, words))
    before, after = edit.contents if edit.has_parts else (None, None)
    if before is None or after is None or not names_scripts(edit.path):
        return False
    others = with_proven_part(edit.path, before, after)
    return steering_part(edit.path, others, words) != steering_part(edit.path, before, words)


def reconfigured(edit: Edit, freeze: Freeze) -> tuple[Tool, ...]:
    """The tools that checks run and whose configuration an edit changes."""
    if not freeze.tools or freeze.patterns.allows(edit.path) or not configures(edit.path, freeze.tools):
        return ()
    if not edit.has_parts:
        return freeze.tools if edit.before != edit.after else ()
    before, after = edit.contents
    return tuple(
        tool for tool in freeze.tools if tool_part(edit.path, before, [tool]) != tool_part(edit.path, after, [tool])
    )


def with_configuration(edit: Edit, tools: Collection[Tool]) -> bytes | None:
    """The edited file with the configuration of these tools restored; None if the whole file must be restored."""
    before, after = edit.contents if edit.has_parts else (None, None)
    if before is None or after is None or not is_shared(edit.path):
        return None
    wanted = tool_part(edit.path, before, tools)
    return merge(before, after, lambda content: tool_part(edit.path, content, tools) == wanted)


def disturbs(edit: Edit, freeze: Freeze, tests: Collection[str]) -> bool:
    """Whether an edit changes what proven tests depend on; `tests` are the files of all tests.

    For a RED that is entered again: other tests may change, and new code may be added.
    """
    is_of_kept = edit.path in freeze.files
    if broken_freeze(edit, freeze) is None or (not is_of_kept and (edit.path in tests or is_test_file(edit.path))):
        return False
    if not edit.path.endswith(".py"):
        return not is_of_kept
    before, after = edit.contents
    is_new = before is None and not is_fixture(edit.path)
    return is_new or after is None or not edit.has_parts or not only_adds(before or b"", after)


def with_own_settings(edit: Edit) -> bytes | None:
    """The edited file with the settings of dualgate restored; None if the whole file must be restored."""
    before, after = edit.contents if edit.has_parts else (None, None)
    if after is None or edit.path == OWN_FILE:
        return None
    wanted = own_part(edit.path, before)
    right = merge(before or b"", after, lambda content: own_part(edit.path, content) == wanted)
    return right if right.strip() else None


def with_frozen_part(edit: Edit, called: Called = NOTHING_CALLED) -> bytes | None:
    """The edited file with its frozen part restored; None if the whole file must be restored."""
    before, after = edit.contents
    if before is None or after is None or not edit.has_parts:
        return None
    if edit.path not in called.files and has_regions(edit.path, before):
        return with_proven_tests(edit.path, before, after)
    return with_proven_part(edit.path, before, after, called.words)


def _is_source_with_tests(edit: Edit, freeze: Freeze) -> bool:
    before, _ = edit.contents
    is_example = freeze.all_examples and edit.path.endswith(".py")
    is_run = is_example or edit.path in freeze.files or is_always_run(edit.path)
    if before is None or not is_run or edit.path in freeze.called.files or is_steering(edit.path):
        return False
    return has_regions(edit.path, before)


def _growth_of_regions(edit: Edit) -> Extension:
    """The additions of an edit to the tests inside a source. A link has no tests inside, and counts as a whole."""
    before, after = edit.contents
    if not edit.has_parts:
        return Extension(reason="it is a link or too large" if edit.before != edit.after else "")
    return growth_of_regions(edit.path, before or b"", after or b"")


def _is_of_tests(edit: Edit, freeze: Freeze) -> bool:
    """Whether a file belongs to the tests and is frozen with them, unless test runs write it.

    A new file is allowed there, unless it would be imported instead of an existing module.
    """
    is_own = not is_output(shown(edit.path), freeze.outputs)
    is_with_tests = is_in_test_folder(edit.path) and is_own
    if edit.before is None:
        return (is_with_tests and _replaces_module(edit.path, freeze)) or _replaces_library(edit.path, freeze)
    return is_with_tests or (is_test_file(edit.path) and is_own)


def _replaces_module(path: str, freeze: Freeze) -> bool:
    """Whether a new file beside the tests would be imported instead of an existing module.

    Turning a folder into a package changes how its tests are imported; a new folder does not.
    """
    pure = PurePosixPath(path)
    if pure.suffix not in MODULE_ENDINGS:
        return False
    if not freeze.modules.isdisjoint(pure.parts[1:-1]):
        return True
    # an extension module goes before a source; its name ends at the first dot
    name = pure.stem if pure.suffix == ".py" else pure.name.partition(".")[0]
    if name != "__init__":
        return name in freeze.modules
    known = {PurePosixPath(folder).name for folder in freeze.folders}
    return pure.parent.as_posix() in freeze.folders or pure.parent.name in known


def _replaces_library(path: str, freeze: Freeze) -> bool:
    """Whether a new file would be imported instead of the runner or the library, seen from each folder of tests."""
    inner = (path.removeprefix(f"{folder}/") for folder in freeze.searched if path.startswith(f"{folder}/"))
    return any(map(shadows, (path, *inner)))


def only_ticks(edit: Edit) -> bool:
    """Whether an edit ticks boxes and trims lines at most."""
    before, after = edit.contents
    if before is None or after is None or not edit.has_parts:
        return edit.before == edit.after
    return is_same_text(before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))


def with_own_ticks(edit: Edit) -> bytes | None:
    """A task list without the boxes that an agent ticked; None if it ticked none."""
    before, after = edit.contents
    if after is None or not edit.has_parts:
        return None
    texts = [(content or b"").decode("utf-8", "surrogateescape") for content in (before, after)]
    right = without_new_ticks(*texts).encode("utf-8", "surrogateescape")
    return right if right != after else None


def broken_rule(phase: Phase, edit: Edit, freeze: Freeze = NOTHING_FROZEN) -> str | None:
    """The rule of the specification or of the phase that an edit breaks; `before` is the entry before the call."""
    forbidden = (each.rule for each in freeze.forbidden if each.holds(shown(edit.path)))
    return next(forbidden, None) or _broken_by_phase(phase, edit, freeze)


def _broken_by_phase(phase: Phase, edit: Edit, freeze: Freeze) -> str | None:
    match phase:
        case Phase.QA:
            return READ_ONLY
        case Phase.DOCUMENT:
            is_free = is_document(edit.path) or _is_beside_documents(edit.path, freeze)
            allowed = is_free or (edit.before is not None and edit.keeps(code_part))
            return None if allowed else DOCUMENTS_ONLY
        case Phase.RED if freeze.only_tests:
            return None if edit.path in freeze.rewriting or belongs_to_tests(edit.path) else TESTS_ONLY
        case Phase.RED | Phase.GREEN | Phase.REFACTOR | Phase.BUILD:
            return None


def _is_beside_documents(path: str, freeze: Freeze) -> bool:
    """Whether a file in a folder of documents is a setting of their build or an example, and not part of a package."""
    folder, _, name = path.rpartition("/")
    return is_in_document_folder(path) and name != "__init__.py" and folder not in freeze.packages
