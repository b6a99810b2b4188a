"""The guard: find the changes between two trees that break a rule, and revert them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from dualgate.core.values.changes import Violation, is_output
from dualgate.core.values.notation import shown
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.tools import Tool
from dualgate.workspace.catalog import Snapshot
from dualgate.workspace.differences import diff_of, mode_diff
from dualgate.workspace.phase_rules import (
    CHECKED,
    CONFIGURED,
    READ_ONLY,
    SETTINGS,
    SPEC,
    TICKED,
    Edit,
    Freeze,
    breaks_check,
    broken_freeze,
    broken_rule,
    disturbs,
    extends,
    only_ticks,
    reach_of_edit,
    reconfigured,
    with_configuration,
    with_frozen_part,
    with_own_settings,
    with_own_ticks,
)
from dualgate.workspace.restore import restore
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.configured import configures, tool_part
from dualgate.workspace.steering.paths import is_fixture, is_in_document_folder, is_steering, is_test_file
from dualgate.workspace.steering.reconfiguring import Reached
from dualgate.workspace.trees import Change, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An edit that breaks a rule, and the entry that replaces it."""

    edit: Edit
    rule: str
    right: Entry | None
    reached: Reached | None = None
    """How far an edit of the test configuration reaches; None if only a person may allow it."""


class Guard:
    def __init__(self, root: Path, snapshots: Snapshots) -> None:
        self._root = root
        self._snapshots = snapshots

    def check(
        self, phase: Phase, before: str, after: str, proven: str | None, freeze: Freeze, known: str = ""
    ) -> list[Refused]:
        """Edits since `before` that the phase forbids, and edits of frozen files since `proven`, if given.

        Edits of the specification count since the tree `known`, by default `before`.
        """
        refused = {each.edit.path: each for each in self._forbidden(phase, before, after, freeze)}
        refused |= {each.edit.path: each for each in self._rechecked(before, after, freeze)}
        refused |= {each.edit.path: each for each in self._reconfigured(before, after, freeze)}
        for each in self._with_other_settings(before, after):
            # what breaks another rule too is restored as a whole
            other = refused.get(each.edit.path)
            refused[each.edit.path] = replace(other, right=other.edit.before) if other else each
        if proven is not None:
            rules = self._snapshots.rules
            beside = self._beside(freeze, proven)
            whole = replace(beside, environments=rules.environments, root=str(self._root))
            for each in self._unfrozen(proven, after, whole):
                # what breaks another rule too is not for a test run to allow
                is_other = each.edit.path in refused
                refused[each.edit.path] = replace(each, reached=None) if is_other else each
        if phase is not Phase.QA:
            refused = {path: each for path, each in refused.items() if path not in freeze.spec}
        refused |= {each.edit.path: each for each in self._edited_spec(known or before, after, freeze.spec)}
        ticked = self._ticked(known or before, after, freeze.boxes.difference(refused))
        refused |= {each.edit.path: each for each in ticked}
        return [refused[path] for path in sorted(refused)]

    def disturbed(self, kept: str, after: str, freeze: Freeze, tests: Collection[str]) -> list[str]:
        """Changed paths that the proven tests of an earlier RED depend on."""
        whole = self._beside(freeze, kept)
        edits = map(self._edit, self._snapshots.changes(kept, after))
        return [edit.path for edit in edits if disturbs(edit, whole, tests)]

    def extended(self, proven: str, after: str, freeze: Freeze) -> list[str]:
        """Frozen files of tests to which something was added that may be added."""
        edits = map(self._edit, self._snapshots.changes(proven, after))
        return [edit.path for edit in edits if extends(edit, freeze)]

    def first_configurations(self, before: str, after: str, freeze: Freeze) -> list[tuple[str, str]]:
        """Tools of checks that were not configured at all before, each with the file that configures it now."""
        changed = self._tools_changed(before, after, freeze)
        return [(tool.name, edit.path) for edit, tools in changed for tool in tools if not self._has(before, tool)]

    def undo(self, phase: Phase, refused: Iterable[Refused]) -> dict[str, Violation]:
        """Revert the refused edits, and return the violations by path."""
        refused = list(refused)
        restored = restore(
            self._root, {each.edit.path: each.right for each in refused}, self._snapshots, clear_folders=True
        )
        return {
            each.edit.path: replace(violation(phase, each), reverted=each.edit.path in restored.done)
            for each in refused
        }

    def _forbidden(self, phase: Phase, before: str, after: str, freeze: Freeze) -> Iterator[Refused]:
        """Outputs of test runs are allowed: an agent may run the tests in any phase."""
        if phase is Phase.DOCUMENT:
            freeze = replace(freeze, packages=frozenset(self._packages_of_documents(before)))
        for change in self._snapshots.changes(before, after):
            edit = self._edit(change)
            is_of_tests = is_output(shown(edit.path), freeze.outputs) and not is_steering(edit.path)
            if not is_of_tests and (rule := broken_rule(phase, edit, freeze)):
                yield Refused(edit=edit, rule=rule, right=edit.before)

    def _with_other_settings(self, before: str, after: str) -> Iterator[Refused]:
        for change in self._snapshots.changes(before, after):
            edit = self._edit(change)
            if not edit.keeps_own_settings():
                yield Refused(edit=edit, rule=SETTINGS, right=self._with(edit, with_own_settings(edit)))

    def _packages_of_documents(self, tree: str) -> Iterator[str]:
        for path, _ in self._snapshots.entries(tree):
            if path.endswith("/__init__.py") and is_in_document_folder(path):
                yield path.rpartition("/")[0]

    def _rechecked(self, before: str, after: str, freeze: Freeze) -> Iterator[Refused]:
        called = replace(freeze, called=freeze.checked)
        for change in self._snapshots.changes(before, after):
            edit = self._edit(change)
            if breaks_check(edit, freeze):
                yield Refused(edit=edit, rule=CHECKED, right=self._right(edit, called))

    def _reconfigured(self, before: str, after: str, freeze: Freeze) -> Iterator[Refused]:
        """Changed configurations of tools that checks run; the first configuration of a tool is allowed."""
        for edit, tools in self._tools_changed(before, after, freeze):
            frozen = [tool for tool in tools if self._has(before, tool)]
            if frozen:
                right = self._with(edit, with_configuration(edit, frozen))
                yield Refused(edit=edit, rule=CONFIGURED, right=right)

    def _tools_changed(self, before: str, after: str, freeze: Freeze) -> Iterator[tuple[Edit, tuple[Tool, ...]]]:
        for change in self._snapshots.changes(before, after) if freeze.tools else ():
            edit = self._edit(change)
            if tools := reconfigured(edit, freeze):
                yield edit, tools

    def _has(self, tree: str, tool: Tool) -> bool:
        """Whether any file of a tree configures a tool."""
        named = [(path, entry) for path, entry in self._snapshots.entries(tree) if configures(path, [tool])]
        readable = ((path, entry) for path, entry in named if entry.is_kept and not entry.is_link)
        return any(tool_part(path, self._snapshots.content(entry), [tool]) for path, entry in readable)

    def _edited_spec(self, known: str, after: str, paths: Iterable[str]) -> Iterator[Refused]:
        for path in paths:
            edit = self._edit((path, self._snapshots.entry(known, path), self._snapshots.entry(after, path)))
            if edit.before is not None and not only_ticks(edit):
                yield Refused(edit=edit, rule=SPEC, right=edit.before)

    def _ticked(self, known: str, after: str, paths: Iterable[str]) -> Iterator[Refused]:
        for path in paths:
            edit = self._edit((path, self._snapshots.entry(known, path), self._snapshots.entry(after, path)))
            content = with_own_ticks(edit)
            if content is not None:
                yield Refused(edit=edit, rule=TICKED, right=self._with(edit, content))

    def _unfrozen(self, proven: str, after: str, freeze: Freeze) -> Iterator[Refused]:
        for change in self._snapshots.changes(proven, after):
            edit = self._edit(change)
            if rule := broken_freeze(edit, freeze):
                right, reached = self._right(edit, freeze), reach_of_edit(edit, freeze)
                yield Refused(edit=edit, rule=rule, right=right, reached=reached)

    def _right(self, edit: Edit, freeze: Freeze) -> Entry | None:
        """The proven file, or the new one with its frozen part restored."""
        return self._with(edit, with_frozen_part(edit, freeze.called))

    def _with(self, edit: Edit, content: bytes | None) -> Entry | None:
        """The entry with this content; without one, the entry before the edit."""
        if content is None or edit.after is None:
            return edit.before
        return Entry(edit.after.mode, self._snapshots.put(content))

    def _beside(self, freeze: Freeze, tree: str) -> Freeze:
        """Add the modules and folders that a new file could shadow."""
        paths = [path for path, _ in self._snapshots.entries(tree)]
        packages = {path.rpartition("/")[0] for path in paths if path.endswith("/__init__.py")}
        of_tests = {
            path.rpartition("/")[0]
            for path in paths
            if path.endswith(".py") and (is_test_file(path) or is_fixture(path))
        }
        return replace(
            freeze,
            modules=frozenset(PurePosixPath(path).stem for path in paths if path.endswith(".py")),
            folders=frozenset(path.rpartition("/")[0] for path in paths),
            searched=frozenset(of_tests - packages),
        )

    def _edit(self, change: Change) -> Edit:
        path, before, after = change
        return Edit(path=path, before=before, after=after, content=self._snapshots.content)


def violation(phase: Phase, refused: Refused) -> Violation:
    path = shown(refused.edit.path)
    diff = diff_of(path, *refused.edit.contents) or mode_diff(refused.edit.before, refused.edit.after)
    return Violation(path=path, rule=refused.rule, phase=phase, diff=diff, reverted=False)


def with_way_back(violations: Mapping[str, Violation], kept: Snapshot | None) -> dict[str, Violation]:
    """Name the snapshot with a reverted edit that a person may have made during the call.

    That is an edit of the specification or the settings, and any edit while the agent was to read only.
    """
    return {
        path: replace(each, kept=kept.id) if kept and each.rule in (SPEC, SETTINGS, READ_ONLY) else each
        for path, each in violations.items()
    }
