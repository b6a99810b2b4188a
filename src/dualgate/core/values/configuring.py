"""Changed test configuration: the edits that the guard reverted, and the decision that test runs lead to."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

IMPORT_PATH = "sys.path"
"""The setting of a `conftest.py` that only adds folders to the import path."""
HIDING_PATH = "sys.path with modules of other folders"
"""The same, if a module in these folders has the name of one elsewhere: tests may import the other one."""


class Reach(StrEnum):
    """How far changed configuration reaches into a test run, the least first."""

    UNREAD = "unread"
    """No test run reads it."""
    REPORTED = "reported"
    """The runner reports every setting that is in force, so each can be weighed by its name."""
    COMPARED = "compared"
    """Only results with it and without it show what it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconfiguration:
    """Edits of the test configuration that the guard reverted, and that may be accepted after test runs."""

    tree: str
    """The judged tree with these edits."""
    paths: tuple[str, ...]
    created: tuple[str, ...] = ()
    """Those of `paths` that are new."""
    deleted: tuple[str, ...] = ()
    """Those of `paths` that are deleted."""
    settings: tuple[str, ...] = ()
    """The changed settings, each with its file."""
    reach: Reach = Reach.COMPARED

    @property
    def importing(self) -> frozenset[str]:
        """Those of `paths` that only add folders to the import path."""
        return frozenset(path for path in self.paths if f"{path}: {IMPORT_PATH}" in self.settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationDecided:
    """Whether changed configuration is accepted; if so, the trees of the proof that contain it."""

    kind: ClassVar[str] = "configuration.decided"
    at: datetime
    proposed: Reconfiguration
    reasons: tuple[str, ...] = ()
    """Why it stays reverted; empty if it is accepted."""
    note: str = ""
    """Why it is accepted, for the person and the reviewer."""
    configuration: tuple[tuple[str, str], ...] = ()
    """The effective configuration with it; empty if no test run reads it."""
    tree: str = ""
    """The work tree after the decision."""
    without: str = ""
    """The work tree without it, if its results had to be the same."""
    red_tree: str = ""
    proven_tree: str = ""
    green_tree: str = ""
    kept_tree: str = ""

    @property
    def is_accepted(self) -> bool:
        return not self.reasons
