"""LoopState, tree, Plan -> whether the loop judged this work before: going back to it is no progress."""

from hashlib import sha256

from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState

JUDGED_KEPT = 200


def is_judged_before(state: LoopState, tree: str, plan: Plan | None) -> bool:
    return _work(tree, plan) in state.judged


def judged_after(state: LoopState, tree: str, plan: Plan | None) -> tuple[str, ...]:
    """The work that was judged in this session, the last of it last."""
    work = _work(tree, plan)
    return (*(each for each in state.judged if each != work), work)[-JUDGED_KEPT:]


def _work(tree: str, plan: Plan | None) -> str:
    """A short hash of a work tree and its task list, which may lie in an ignored folder."""
    tasks = (*plan.open, "", *plan.done) if plan else ()
    return sha256("\n".join((tree, *tasks)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
