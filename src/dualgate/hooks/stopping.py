"""A stop whose tree changed: verify it, once for each session and tree, and answer in the host's protocol."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from dualgate.core.values.verification import Verification
from dualgate.hooks import answers
from dualgate.hooks.deciding import Act, Answer, Seen, answer_unchanged, answer_verified, may_stop_unseen
from dualgate.hooks.engine import verify_tree
from dualgate.hooks.opting import has_opted_in
from dualgate.hooks.origin import project_of, session_of
from dualgate.hooks.payload import read_stop
from dualgate.hooks.time_limit import OutOfTime
from dualgate.processes.worktrees import nearest_repository
from dualgate.store.hook_records import held, read_record, record_of, write_record
from dualgate.workspace.tree_key import tree_key

BUDGETS = {"claude": 300.0, "codex": 300.0, "gemini": 50.0, "copilot": 22.0}
"""Seconds, below the time after which each host ends a hook: 600, 600, 60 and 30."""
_NO_SESSION = "dualgate: the host names no session; the work was not verified."
_NO_TREE = "dualgate: git cannot read this repository; the work was not verified."
_WRITTEN = {each.name for each in fields(Seen)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """How trees are told apart and verified. `verify` gets the project, the base commit or "", and seconds."""

    tree_key: Callable[[Path], str] = tree_key
    verify: Callable[[Path, str, float], Verification] = verify_tree


ENGINE = Engine()


def answer_stop(
    host: str,
    payload: Mapping[str, Any],
    environment: Mapping[str, str],
    engine: Engine = ENGINE,
    budget: float | None = None,
) -> str:
    """The answer to a stop. Nothing is written and nothing runs outside of repositories that opted in."""
    session = session_of(payload)
    root = nearest_repository(project_of(payload, environment))
    if not session:
        return answers.noted(host, _NO_SESSION) if root and has_opted_in(root) else answers.SILENT[host]
    path = record_of(session, environment)
    seen = _read(path)
    if not seen.root:
        if root is None or not has_opted_in(root):
            return answers.SILENT[host]
        seen = Seen(root=str(root))
    if may_stop_unseen(read_stop(payload)):
        return answers.SILENT[host]
    with held(path) as is_ours:
        if not is_ours:  # another hook of the same stop is at it
            return answers.SILENT[host]
        answer, after = _judged(payload, _read(path) if path.exists() else seen, engine, budget or BUDGETS[host])
        if after is not None:
            _write(path, after)
    return _said(host, answer)


def _judged(payload: Mapping[str, Any], seen: Seen, engine: Engine, budget: float) -> tuple[Answer, Seen | None]:
    stop, root = read_stop(payload), Path(seen.root)
    tree = engine.tree_key(root)
    if not tree:
        return Answer(act=Act.NOTE, text=_NO_TREE), None
    if tree == seen.tree:
        return answer_unchanged(stop, seen)
    try:
        found = engine.verify(root, seen.base, budget)
    except OutOfTime:
        text = f"dualgate: not proven. Verifying took longer than {budget:.0f} s; run: dualgate verify"
        return Answer(act=Act.NOTE, text=text), None
    return answer_verified(stop, seen, tree, found)


def _said(host: str, answer: Answer) -> str:
    match answer.act:
        case Act.SILENT:
            return answers.SILENT[host]
        case Act.NOTE:
            return answers.noted(host, answer.text)
        case Act.BLOCK:
            return answers.blocked(host, answer.text)


def _read(path: Path) -> Seen:
    """The record of a session; a field of another type is as good as none."""
    said = {name: value for name, value in read_record(path).items() if name in _WRITTEN}
    plain = Seen()
    told = said.pop("told", ())
    kept = {name: value for name, value in said.items() if type(value) is type(getattr(plain, name))}
    return Seen(**kept, told=tuple(str(each) for each in told) if isinstance(told, list) else ())


def _write(path: Path, seen: Seen) -> None:
    write_record(path, asdict(seen))
