"""The task list of BUILD in the work tree: found by its usual names, and read again each time."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.spec.plan import read_plan, ticked
from dualgate.core.values.specification import Plan

# the first existing file is used
NAMES = ("IMPLEMENTATION_PLAN.md", "fix_plan.md", ".ralph/fix_plan.md", "@fix_plan.md", "prd.json")
LONGEST = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskList:
    project: Path
    given: str | None = None
    """The file that a person named; None searches for one, which may be created later."""
    unmarked: tuple[str, ...] = ()
    """Tasks of the file that have no tick box."""

    def read(self, before: Plan | None = None) -> Plan | None:
        """The present tasks. A deleted or emptied list keeps its tasks from `before`.

        Otherwise an agent could finish work by deleting the list.
        """
        name = before.file if before else next(self.found(), None)
        if name is None:
            return None
        try:
            text = self._text(name)
        except OSError:
            return replace(before, is_gone=True) if before else None
        plan = read_plan(text)
        if before and before.open and not plan.is_known:
            return replace(before, is_gone=True)
        known = {*plan.open, *plan.done}
        unmarked = before.unmarked if before else self.unmarked
        return replace(plan, file=name, unmarked=tuple(task for task in unmarked if task not in known))

    def ticked(self, name: str, tasks: Collection[str]) -> bytes | None:
        """The content of the list with the boxes of these tasks ticked; None if it cannot be read."""
        try:
            content = (self.project / name).read_bytes()
        except OSError:
            return None
        return ticked(content.decode("utf-8", "surrogateescape"), tasks).encode("utf-8", "surrogateescape")

    def text(self) -> tuple[str, str]:
        """The name and the text of the list; both are empty if there is none."""
        name = next(self.found(), "")
        try:
            return name, self._text(name) if name else ""
        except OSError:
            return name, ""

    def _text(self, name: str) -> str:
        with (self.project / name).open("rb") as file:
            return file.read(LONGEST).decode("utf-8-sig", "replace")

    def found(self) -> Iterator[str]:
        """The existing task lists; the first one is read."""
        names = NAMES if self.given is None else (self.given,)
        return (name for name in names if (self.project / name).is_file())
