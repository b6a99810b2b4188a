"""The variables of a build -> the ref that it is compared with, and who may be answered. Nothing is read here."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_COMMIT = re.compile(r"0+")
PULL_REQUEST = "pull_request"
WITH_RIGHTS = "pull_request_target"
"""The event in which a build has the rights of the repository, whoever wrote the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    event: str = ""
    base_ref: str = ""
    """The branch that a pull request goes to."""
    branch: str = ""
    """The branch that was pushed."""
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pull_request(self) -> int | None:
        number = self._at("pull_request", "number")
        return number if isinstance(number, int) else None

    @property
    def is_from_fork(self) -> bool:
        """Whether a pull request comes from another repository; one whose repository is gone does too."""
        theirs, ours = (self._at("pull_request", side, "repo", "full_name") for side in ("head", "base"))
        return self.pull_request is not None and (not theirs or theirs != ours)

    @property
    def runs_foreign_code_with_rights(self) -> bool:
        return self.event == WITH_RIGHTS and self.is_from_fork

    @property
    def main_branch(self) -> str:
        return str(self._at("repository", "default_branch") or "")

    def base(self, is_there: Callable[[str], bool]) -> str:
        """The ref to compare with; empty if the event names none. `is_there` tells whether the clone has a commit."""
        if self.base_ref:
            return f"origin/{self.base_ref}"
        if commit := self._commit("merge_group", "base_sha"):
            return commit
        before = self._commit("before")
        # commits that were replaced are in no clone; on the main branch there is nothing else to compare with
        is_replaced = bool(self._at("forced")) and self.branch != self.main_branch
        if before and not (is_replaced and not is_there(before)):
            return before
        return f"origin/{self.main_branch}" if self.main_branch else ""

    def _commit(self, *names: str) -> str:
        found = str(self._at(*names) or "")
        return found if _COMMIT.fullmatch(found) and not _NO_COMMIT.fullmatch(found) else ""

    def _at(self, *names: str) -> Any:
        found: Any = self.payload
        for name in names:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found
