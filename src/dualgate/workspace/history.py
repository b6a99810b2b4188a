"""The commits of a repository before and after each call: those that an agent did not make are the user's."""

from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.changes import Violation
from dualgate.core.values.state import LoopState
from dualgate.workspace.repository import commits_made, losses, read_again, read_repository, repository_root

HISTORY = "commits, branches and the stash that were there before are the user's"
BETWEEN = "no call was at work then: the tests did it, or a person"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryOfCall:
    made: tuple[str, ...]
    """The commits that the call made."""
    lost: tuple[Violation, ...]
    """The commits of others that it lost."""
    notes: tuple[str, ...]
    """The commits that were lost between the call before and this one."""


class History:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._place = repository_root(root)
        self._seen = read_repository(self._place)
        self._made: set[str] = set()
        self._between: tuple[str, ...] = ()

    def look_between_calls(self, state: LoopState) -> None:
        """Take the repository as tests and people left it; the next call is not blamed for that."""
        before, self._seen = self._seen, read_again(self._seen, self._place, is_persons=True)
        lost = losses(self._root, before, self._seen, self._made.union(state.touched.commits))
        self._between = (*self._between, *(f"{each} ({BETWEEN})" for each in lost))

    def of_call(self, state: LoopState) -> HistoryOfCall:
        before, self._seen = self._seen, read_again(self._seen, self._place)
        lost = losses(self._root, before, self._seen, self._made.union(state.touched.commits))
        found = (Violation(path=".git", rule=f"{HISTORY}: {each}", phase=state.phase, reverted=False) for each in lost)
        made = commits_made(self._root, before, self._seen)
        self._made |= {*made}
        notes, self._between = self._between, ()
        return HistoryOfCall(made=made, lost=tuple(found), notes=notes)
