"""Tick the boxes of finished tasks, as dualgate's own change of the work tree."""

from dualgate.core.gates.ticking import tasks_to_tick
from dualgate.core.values.changes import Ticked
from dualgate.core.values.facts import Facts
from dualgate.core.values.notation import counted
from dualgate.core.values.state import LoopState
from dualgate.session.rooms import Rooms


def tick_boxes(state: LoopState, facts: Facts, rooms: Rooms) -> Ticked | None:
    """Write the task list with the boxes ticked for which this iteration shows work; None if there are none."""
    plan = facts.observed.plan
    tasks = tasks_to_tick(facts, state) if rooms.ticked else ()
    content = rooms.ticked(plan.file, tasks) if rooms.ticked and plan and tasks else None
    if plan is None or content is None:
        return None
    tree = rooms.worktree.rewritten(rooms.worktree.present, plan.file, content)
    rooms.worktree.become(tree, f"before dualgate ticked {counted(len(tasks), 'task', 'tasks')}")
    return Ticked(tasks=tasks, tree=rooms.worktree.present)
