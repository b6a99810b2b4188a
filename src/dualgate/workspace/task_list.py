"""The task list of BUILD in the work tree: found by its usual names, and read again each time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.spec.plan import read_plan
from dualgate.core.values.specification import Plan

# the first existing file is used
NAMES = ("IMPLEMENTATION_PLAN.md", "fix_plan.md", ".ralph/fix_plan.md", "@fix_plan.md", "prd.json")
LONGEST = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskList:
    project: Path
    given: str | None = None
    """The file that a person named; None searches for one, which may be created later."""

    def read(self, before: Plan | None = None) -> Plan | None:
        """The present tasks. A deleted or emptied list keeps its tasks from `before`.

        Otherwise an agent could finish work by deleting the list.
        """
        name = before.file if before else next(self.found(), None)
        if name is None:
            return None
        try:
            with (self.project / name).open("rb") as file:
                text = file.read(LONGEST).decode("utf-8-sig", "replace")
        except OSError:
            return replace(before, is_gone=True) if before else None
        plan = read_plan(text)
        if before and before.open and not plan.is_known:
            return replace(before, is_gone=True)
        return replace(plan, file=name)

    def found(self) -> Iterator[str]:
        """The existing task lists; the first one is read."""
        names = NAMES if self.given is None else (self.given,)
        return (name for name in names if (self.project / name).is_file())
