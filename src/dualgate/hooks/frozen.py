"""A run and a proposed edit -> the rule of the present phase that the edit breaks."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from dualgate.core.values.changes import is_output
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.notation import in_line
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import AFTER_RED, Phase
from dualgate.errors import DualgateError
from dualgate.hooks.origin import Payload
from dualgate.hooks.tool_edits import Proposed, proposed_edits
from dualgate.session.furnish import guard_patterns
from dualgate.session.spec_file import spec_paths
from dualgate.settings.keeping import restored_settings
from dualgate.store.account import read_account
from dualgate.store.sessions import session_folder, snapshot_store
from dualgate.workspace.phase_rules import SPEC, Edit, Freeze, broken_freeze, broken_rule, only_ticks
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.commands import read_called
from dualgate.workspace.trees import Entry

_FILE = stat.S_IFREG | 0o644
_BEFORE, _AFTER = Entry(_FILE, "before"), Entry(_FILE, "after")


def refusal_of(project: Path, payload: Payload, folder: Path, environment: Mapping[str, str]) -> str:
    """Why the run in a project does not allow an edit; empty if it does, or if that cannot be found out."""
    edits = [each for each in proposed_edits(payload, folder) if _inside(project, each.path)]
    if not edits:
        return ""
    session = session_folder(project, environment)
    try:
        account = read_account(session)
        started, state = account.cut_off.started, account.state
        freeze = _freeze(started, state)
        with SavedSnapshots(project, snapshot_store(project, environment), session) as saved:
            rules = [(each, broken_by(each, project, state, freeze, saved)) for each in edits]
    except DualgateError:
        return ""
    return next((_refusal(each, project, rule, state.phase) for each, rule in rules if rule), "")


def broken_by(proposed: Proposed, project: Path, state: LoopState, freeze: Freeze, saved: SavedSnapshots) -> str | None:
    """The rule that an edit breaks. Frozen files are compared with the proven tree, others with what is there now."""
    path = _inside(project, proposed.path)
    edit = _edit(path, proposed.before, proposed.after)
    if is_output(path, freeze.outputs):
        return None
    if path in freeze.spec:
        return None if only_ticks(edit) else SPEC
    if rule := broken_rule(state.phase, edit, freeze):
        return rule
    tree = state.proof.proven_tree
    if state.phase not in AFTER_RED or not tree:
        return None
    newest = saved.catalog.newest()
    proven = _proven(saved.seen_as(newest), tree, path) if newest else proposed.before
    return broken_freeze(_edit(path, proven, proposed.after), freeze)


def _proven(snapshots: Snapshots, tree: str, path: str) -> bytes | None:
    entry = snapshots.entry(tree, path)
    return snapshots.content(entry) if entry is not None else None


def _freeze(started: SessionStarted, state: LoopState) -> Freeze:
    project, settings = Path(started.project), restored_settings(started.settings, state.limits, {})
    called = [word for suite in started.suites for word in (suite.folder, *suite.command, *suite.setup)]
    return Freeze(
        files=frozenset(result.file for result in state.proof.proven or ()),
        outputs=state.proof.outputs,
        called=read_called(project, called),
        patterns=guard_patterns(settings),
        spec=spec_paths(project, started.prp_file, started.plan),
    )


def _edit(path: str, before: bytes | None, after: bytes | None) -> Edit:
    contents = {_BEFORE: before or b"", _AFTER: after or b""}
    return Edit(
        path=path,
        before=None if before is None else _BEFORE,
        after=None if after is None else _AFTER,
        content=contents.__getitem__,
    )


def _inside(project: Path, path: Path) -> str:
    """The path inside the project; empty for one outside of it."""
    real, root = Path(os.path.realpath(path)), Path(os.path.realpath(project))
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else ""


def _refusal(proposed: Proposed, project: Path, rule: str, phase: Phase) -> str:
    return f"dualgate: {in_line(_inside(project, proposed.path))} cannot be changed in {phase}: {rule}."
