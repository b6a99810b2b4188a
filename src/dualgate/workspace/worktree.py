"""The work tree of a session: the changes of each call, what the guard reverted, and the tree to judge."""

import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from dualgate.core.evidence.run_outputs import with_outputs
from dualgate.core.values.case_names import function_of
from dualgate.core.values.changes import Changes, Edits, FileDiff, RolledBack, Violation, is_output
from dualgate.core.values.notation import shown
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import AFTER_RED, Phase
from dualgate.workspace.catalog import Snapshot
from dualgate.workspace.code_changes import worked_on
from dualgate.workspace.documents import documents_in
from dualgate.workspace.guard import Guard, Refused, violation, with_way_back
from dualgate.workspace.history import History
from dualgate.workspace.made_trees import tree_with_tests, unmentioned_in
from dualgate.workspace.others import OtherTrees
from dualgate.workspace.outputs import RunOutputs, output_patterns, sources_in
from dualgate.workspace.phase_rules import DOCUMENTS_ONLY, NOTHING_FROZEN, READ_ONLY, Freeze
from dualgate.workspace.proposing import proposed_by
from dualgate.workspace.restore import clear_abandoned, let_write, make_folders, restore
from dualgate.workspace.run_diff import diffs_between, lines_since_review
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.paths import is_fixture, is_steering, is_support, names_dependencies
from dualgate.workspace.trees import Change, Entry, difference

UNDOINGS = 3
"""How often violations are looked for: a folder that becomes readable may contain more of them."""
LAST_LOOK = "last look"
SOURCES_IN = frozenset({Phase.RED, Phase.GREEN, Phase.BUILD})
"""Phases in which it counts which sources changed since the start."""
ONLY_DOCUMENTS = frozenset({Phase.DOCUMENT, Phase.QA})
"""Phases in which a new file is a violation, unless it is an output or a document."""
NO_NEW_FILES = frozenset({DOCUMENTS_ONLY, READ_ONLY})
"""Rules of these phases, which any new file can break."""
GUARDED = "before the guard"
WITH_OUTPUTS = "with outputs of test runs, before they are removed for one"
CHANGED_MEANWHILE = "changed while the tests ran, before it was restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoesOn:
    """The last known state of a work tree: the tree before the agent's changes, and the one after them, if known."""

    measured_from: str
    reached: str | None


class WorkTree:
    """`snapshots` uses the ignore rules from the start of the session; `session` owns the saved snapshots.

    `frozen` is the freeze before there are results: the files that the test command calls, and the settings.
    `title` is that of the specification, by which documents may name the work.
    """

    def __init__(
        self,
        saved: SavedSnapshots,
        snapshots: Snapshots,
        now: Callable[[], datetime],
        session: str = "",
        frozen: Freeze = NOTHING_FROZEN,
        goes_on: GoesOn | None = None,
        title: str = "",
        others: OtherTrees | None = None,
    ) -> None:
        self._saved = saved
        self._root = saved.root
        self._snapshots = snapshots
        self._now = now
        self._session = session
        self._frozen = frozen
        self._title = title
        self._others = others or OtherTrees(saved.root)
        self._guard = Guard(self._root, snapshots)
        self._history = History(self._root)
        self._seen: str | None = LAST_LOOK
        self._left: dict[str, Entry | None] = {}
        self._by_runs: dict[str, Entry | None] = {}
        self._was_cut_off = goes_on is not None
        clear_abandoned(self._root)
        if goes_on is None:
            self._before = saved.keep(snapshots, "before the run", now(), session).tree
        else:
            self._before, self._seen = goes_on.measured_from, goes_on.reached
        self._before_call = self._before

    @property
    def present(self) -> str:
        return self._before

    def edited(self, state: LoopState) -> Edits | None:
        # no agent and no test ran since the last look, so a person changed it
        seen, self._seen = self._seen, LAST_LOOK
        present = self._before_call = self._snapshots.take()
        if seen is None:
            return None  # the end of the interrupted call is unknown: all changes count as the agent's
        self._history.look_between_calls(state)
        since = self._before if seen == LAST_LOOK else seen
        outputs = state.proof.outputs
        changed = [each for each in self._snapshots.changes(since, present) if not is_output(shown(each[0]), outputs)]
        theirs = {path: now for path, _, now in changed}
        self._before = present if since == self._before else self._snapshots.overlaid(self._before, theirs)
        return self._edits(state, changed, theirs) if changed else None

    def _edits(self, state: LoopState, changed: list[Change], theirs: Mapping[str, Entry | None]) -> Edits:
        found, proof = difference(changed), state.proof
        start, proven, green, kept = (
            self._snapshots.overlaid(tree, theirs) if tree else ""
            for tree in (proof.start_tree, proof.proven_tree, proof.green_tree, proof.kept_tree)
        )
        return Edits(
            created=_shown(found.created),
            modified=_shown(found.modified),
            deleted=_shown(found.deleted),
            tree=self._before,
            start_tree=start,
            proven_tree=proven,
            green_tree=green,
            kept_tree=kept,
        )

    def adopt(self, tree: str) -> None:
        self._before = tree

    def changed_since(self, tree: str, until: str = "") -> tuple[str, ...]:
        """Paths that changed between a tree and a later one, by default the present one."""
        return _shown(difference(self._snapshots.changes(tree, until or self._snapshots.take())).paths)

    def diffs(self, state: LoopState) -> tuple[FileDiff, ...]:
        """The changes of the run so far, by file, without the outputs of test runs."""
        before = state.proof.start_tree or self._before
        return tuple(diffs_between(self._snapshots, before, self._before, state.proof.outputs))

    def saved_as(self, tree: str, label: str) -> str:
        """The id of the snapshot that holds a tree; one is saved if there is none."""
        if known := self._saved.catalog.holding(tree):
            return known
        rest, rules = self._snapshots.rest(), self._snapshots.rules
        return self._saved.catalog.add(tree, rest, rules, label, self._now(), self._session).id

    def is_between(self, tree: str, other: str) -> bool:
        """Whether the work tree is on the way from `tree` to `other`: each changed path is already as in `other`."""
        changed = list(self._snapshots.changes(tree, self._snapshots.take()))
        return bool(changed) and all(self._snapshots.entry(other, path) == now for path, _, now in changed)

    def leave(self) -> str:
        return self._saved.keep(self._snapshots, "paused", self._now(), self._session).tree

    def settle(self, state: LoopState) -> Changes:
        let_write(self._root, "any")
        self._others.look()
        before, name = self._before, self._snapshots.take()
        ignored = self._outputs(state.proof).ignored_since(before, name) if state.phase in ONLY_DOCUMENTS else ()
        state = replace(state, proof=with_outputs(state.proof, ignored))
        call = f"call {state.total_agent_calls} ({state.phase})"
        begun = self._begun(state, before, f"{call} {GUARDED}")
        reverted: dict[str, tuple[Refused, Violation]] = {}
        for _ in range(UNDOINGS):
            refused = [r for r in self._refused(state, before, name) if r.edit.path not in reverted]
            if not refused:
                break
            kept = self._keep(name, f"{call} {GUARDED}")  # first: what a killed guard reverted is found in it
            told = with_way_back(self._guard.undo(state.phase, refused), kept)
            reverted |= {each.edit.path: (each, told[each.edit.path]) for each in refused}
            name = self._snapshots.take()
        self._keep(name, f"after {call}")
        self._before, found = name, (begun | reverted).values()
        history = self._history.of_call(state)
        changes = self._changes(state, before, name, (*(each for _, each in found), *history.lost))
        proposed = proposed_by(state.phase, [each for each, _ in found], name, self._snapshots)
        extended = _shown(self._extended(state, name))
        notes = (*changes.notes, *history.notes)
        return replace(
            changes, commits=history.made, notes=notes, extended=extended, proposed=proposed, learned=ignored
        )

    def _begun(self, state: LoopState, before: str, label: str) -> dict[str, tuple[Refused, Violation]]:
        """Edits that a killed guard reverted without reporting them, from the snapshot that it saved."""
        if not self._was_cut_off:
            return {}
        self._was_cut_off = False
        kept = [each for each in self._saved.catalog.all() if (each.session, each.label) == (self._session, label)]
        refused = [(each, snapshot) for snapshot in kept for each in self._refused(state, before, snapshot.tree)]
        told = {
            each.edit.path: (each, replace(violation(state.phase, each), reverted=True), of) for each, of in refused
        }
        return {path: (each, with_way_back({path: of}, kept)[path]) for path, (each, of, kept) in told.items()}

    def become(self, tree: str, label: str) -> RolledBack:
        kept = self._saved.keep(self._snapshots, label, self._now(), self._session)
        self._others.look()
        changed = self._snapshots.changes(kept.tree, tree)
        wanted = {path: now for path, _, now in changed if not self._others.own(path)}
        with self._keeping_folders():
            restored = restore(self._root, wanted, self._snapshots, clear_folders=True)
        self._before = self._snapshots.take()
        return RolledBack(tree=tree, paths=_shown(restored.done), left=_shown(restored.failed), kept=kept.id)

    def read(self, tree: str, path: str) -> bytes | None:
        entry = self._snapshots.entry(tree, path)
        return None if entry is None or entry.is_link or not entry.is_kept else self._snapshots.content(entry)

    def rewritten(self, tree: str, path: str, content: bytes) -> str:
        entry = self._snapshots.entry(tree, path)
        mode = entry.mode if entry else stat.S_IFREG | 0o644
        return self._snapshots.overlaid(tree, {path: Entry(mode, self._snapshots.put(content))})

    def with_changes(self, tree: str, since: str) -> str:
        return self._snapshots.overlaid(
            tree, {path: now for path, _, now in self._snapshots.changes(since, self._before)}
        )

    def unmentioned(self, names: Collection[str]) -> frozenset[str]:
        return unmentioned_in(self._snapshots, self._before, names)

    def with_tests(self, tree: str, tests: str, *, lone_imports: bool = False) -> str:
        return tree_with_tests(self._snapshots, tree, tests, lone_imports=lone_imports)

    def written_since(self) -> tuple[str, ...]:
        return _shown(difference(self._look()).paths)

    def learned(self, first: Collection[str], second: Collection[str]) -> tuple[str, ...]:
        present = [shown(path) for path, _ in self._snapshots.entries(self._before)]
        return (*output_patterns(first, second, present), *self._frozen.outputs)

    def add_outputs(self, patterns: Collection[str]) -> None:
        self._frozen = replace(self._frozen, outputs=(*self._frozen.outputs, *patterns))

    def recurring(self, first: Collection[str], second: Collection[str], proof: Proof) -> tuple[str, ...]:
        return self._outputs(proof).recurring(first, second)

    def possible_outputs(self, written: Collection[str], proof: Proof) -> tuple[str, ...]:
        return self._outputs(proof).possible(written, self._before)

    def with_paths(self, tree: str, other: str, paths: Iterable[str]) -> str:
        return self._snapshots.overlaid(tree, {path: self._snapshots.entry(other, path) for path in paths})

    def clear_outputs(self, proof: Proof) -> dict[str, Entry]:
        entries = self._outputs(proof).in_tree(self._before)
        if any(self._by_runs.get(path) != entry for path, entry in entries.items()):
            self._saved.keep(self._snapshots, WITH_OUTPUTS, self._now(), self._session)
        if entries:
            with self._keeping_folders():
                restore(self._root, dict.fromkeys(entries), self._snapshots)
            self._before = self._snapshots.take()
        return entries

    def _outputs(self, proof: Proof) -> RunOutputs:
        return RunOutputs(snapshots=self._snapshots, freeze=self._frozen, proof=proof)

    def restore_entries(self, entries: Mapping[str, Entry]) -> None:
        missing = {path: each for path, each in entries.items() if self._snapshots.entry(self._before, path) is None}
        if missing:
            restore(self._root, missing, self._snapshots)
            self._before = self._snapshots.take()

    @contextmanager
    def _keeping_folders(self) -> Iterator[None]:
        """Keep folders that were empty when the session began: no tree holds them."""
        first = self._saved.catalog.first_of(self._session)
        folders = list(self._saved.catalog.rest(first).folders) if first else []
        present = [path for path in folders if (self._root / path).is_dir()]
        yield
        make_folders(self._root, present)

    def expect_leftovers(self, tree: str) -> None:
        """Let files that were created since a tree stay in every phase, and let tests remove them.

        A test run that was killed may have left them: all processes of the agent had ended before it.
        """
        since = self._snapshots.changes(tree, self._snapshots.take())
        self._left = {path: now for path, was, now in since if was is None and not is_steering(path)}

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]:
        """Restore existing and steering files that a test run wrote, and return all that it wrote beside its outputs.

        A person may have written them at the same time, so the tree is saved first.
        """
        outputs = (*outputs, *self._frozen.outputs)
        looked = list(self._look())
        self._by_runs |= {path: now for path, _, now in looked if is_output(shown(path), outputs)}
        changed = {
            path: was
            for path, was, now in looked
            if (not is_output(shown(path), outputs) or is_steering(path)) and not (now is None and path in self._left)
        }
        self._others.look()
        changed = {path: was for path, was in changed.items() if not self._others.own(path)}
        spoilt = {path: was for path, was in changed.items() if was is not None or is_steering(path)}
        if spoilt:
            self._saved.keep(self._snapshots, CHANGED_MEANWHILE, self._now(), self._session)
            restore(self._root, spoilt, self._snapshots, clear_folders=True)
            self._before = self._snapshots.take()
        return _shown(changed)

    def _look(self) -> Iterator[Change]:
        """Look at the work tree again, and return what changed since the last look."""
        before, self._before = self._before, self._snapshots.take()
        return self._snapshots.changes(before, self._before)

    def _keep(self, tree: str, label: str) -> Snapshot | None:
        """Save the tree that was just looked at, if it changed."""
        if tree == self._before:
            return None
        rest, rules = self._snapshots.rest(), self._snapshots.rules
        return self._saved.catalog.add(tree, rest, rules, label, self._now(), self._session)

    def _changes(self, state: LoopState, before: str, after: str, violations: Iterable[Violation]) -> Changes:
        outputs = state.proof.outputs
        changed = list(self._snapshots.changes(before, after))
        by_tests = [path for path, _, _ in changed if is_output(shown(path), outputs)]
        found = difference(change for change in changed if change[0] not in by_tests)
        from_start = list(self._snapshots.changes(state.proof.start_tree or before, after))
        since_start = difference(from_start)
        count = documents_in(from_start, self._snapshots.content, state, self._title, self._frozen.spec)
        added, rewritten = _shown(since_start.created), _shown((*since_start.modified, *since_start.deleted))
        code, tests = worked_on(state, before, after, (*added, *rewritten), self._frozen.spec, self._snapshots)
        return Changes(
            tree=after,
            created=_shown(found.created),
            modified=_shown(found.modified),
            deleted=_shown(found.deleted),
            renamed=tuple((shown(old), shown(new)) for old, new in found.renamed),
            outputs=_shown(by_tests),
            added=added,
            rewritten=rewritten,
            removed=_shown(since_start.deleted),
            fixtures=tuple(filter(is_fixture, (*added, *rewritten))),
            support=tuple(filter(is_support, (*added, *rewritten))),
            dependencies=tuple(filter(names_dependencies, (*added, *rewritten))),
            code=code,
            tests=tests,
            sources=sources_in(since_start, outputs) if state.phase in SOURCES_IN else (),
            violations=tuple(violations),
            documents=count.counting,
            decision_records=count.records,
            uncounted=count.others,
            since_review=tuple(lines_since_review(state, after, self._snapshots)),
            disturbed=_shown(self._disturbed(state, after)),
            notes=tuple(
                f"{shown(path)} is the first configuration of {tool}, which a check runs"
                for tool, path in self._guard.first_configurations(before, after, self._frozen)
            ),
        )

    def _disturbed(self, state: LoopState, after: str) -> list[str]:
        proof = state.proof
        if state.phase is not Phase.RED or not proof.kept or not proof.kept_tree:
            return []
        freeze = replace(self._frozen, files=frozenset(r.file for r in proof.kept), outputs=proof.outputs)
        return self._guard.disturbed(proof.kept_tree, after, freeze, {r.file for r in (*proof.red, *proof.baseline)})

    def _extended(self, state: LoopState, after: str) -> list[str]:
        proven = state.proof.proven_tree
        return self._guard.extended(proven, after, self._freeze(state)) if proven and state.phase in AFTER_RED else []

    def _refused(self, state: LoopState, before: str, after: str) -> list[Refused]:
        is_frozen = state.phase in AFTER_RED or state.proof.rewriting
        proven = (state.proof.proven_tree or None) if is_frozen else None
        found = self._guard.check(state.phase, before, after, proven, self._freeze(state), self._before_call)
        return [each for each in found if not self._others.own(each.edit.path) and not self._is_left(each)]

    def _is_left(self, refused: Refused) -> bool:
        """Whether a killed test run may have left a new file, where a phase allows an agent none."""
        edit = refused.edit
        return refused.rule in NO_NEW_FILES and edit.path in self._left and edit.after == self._left[edit.path]

    def _freeze(self, state: LoopState) -> Freeze:
        proven = state.proof.proven or ()
        functions = {function_of(name) for weak in state.proof.rewriting for name in weak.tests}
        return replace(
            self._frozen,
            files=frozenset(result.file for result in proven),
            outputs=state.proof.outputs,
            rewriting=frozenset(result.file for result in proven if function_of(result.id) in functions),
            only_tests=bool(state.proof.rewriting),
        )


def _shown(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(shown(path) for path in paths)
