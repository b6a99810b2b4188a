"""Commit what a gate proved: run the hooks, prove again what they rewrite, write the commit, journal each step."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.core.machine.committing import DueCommit, due_commit
from dualgate.core.values.changes import is_output
from dualgate.core.values.commits import (
    CommitFailed,
    CommitMade,
    CommitPlan,
    CommitRefusal,
    CommitStarted,
    HooksTried,
)
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.notation import listed, shown
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import AgentCommits
from dualgate.errors import GitFailed, RevisionMissing
from dualgate.processes.supervisor import Supervisor
from dualgate.workspace.commit_hooks import HookPlace, find_hooks, hook_place, hooks_digest, taken_content
from dualgate.workspace.commits import (
    EVIDENCE,
    CommitRepository,
    carries,
    changed_between,
    commit_of,
    find_evidence,
    follow_branch,
    is_ancestor,
    make_commit,
    move_branch,
    present_branch,
    tip_of,
    tree_of,
    write_tree,
)
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.trees import Entry

Prove = Callable[[LoopState, str, Control], tuple[str, ...]]
"""Runs the tests on another tree; returns why the results are not those that were proven."""
LOOK_AT_HOOKS = "Look at .git/hooks and 'git config --list'. If you changed them yourself, accept them: "


class _Refused(Exception):
    def __init__(self, refusal: CommitRefusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRooms:
    """Everything that a commit is made with."""

    repository: CommitRepository
    snapshots: Snapshots
    supervisor: Supervisor
    record: Callable[[Event], LoopState]
    now: Callable[[], datetime]
    messages: Callable[[DueCommit, tuple[tuple[str, str], ...]], Sequence[str]]
    """Writes the message with these trailers, in the forms that hooks may accept; the first is the usual one."""
    mark: Callable[[], str]
    """Names the last line of the journal, with its digest."""
    prove: Prove | None = None
    """None if no tests can be run any more."""
    timeout: float = 600.0

    def commit(self, state: LoopState, control: Control) -> LoopState:
        """Make the commit that is due, if there is one. A refusal is recorded; it does not end the run."""
        due = due_commit(state)
        return state if due is None else _Commit(rooms=self, state=state, due=due, control=control).carry_out()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Staged:
    """A tree that is ready to be committed, and the commit that it comes after."""

    tree: str
    parent: str
    tip: str
    """The commit that the branch names now; empty if there is no branch yet."""
    left_out: tuple[str, ...] = ()
    changes: Mapping[str, Entry | None]
    snapshot: str
    """The snapshot that it was made of."""
    rewritten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    rooms: CommitRooms
    state: LoopState
    due: DueCommit
    control: Control

    @property
    def plan(self) -> CommitPlan:
        return self.state.commits.plan

    def carry_out(self) -> LoopState:
        rooms, proven = self.rooms, self.due.proven
        try:
            if known := self._made_before_a_kill():
                return rooms.record(known)
            if hooks_digest(rooms.repository) != self.plan.hooks:
                accept = f"dualgate resume --commit {self.plan.use}"
                step = f"{LOOK_AT_HOOKS}{accept}"
                raise _Refused(CommitRefusal(reason=CHANGED_HOOKS, next_step=step, command=accept))
            staged = self._staged(proven.tree)
            if self.due.is_trial:
                return rooms.record(self._tried(staged))
            if staged.tree == tree_of(rooms.repository, staged.parent):
                return rooms.record(self._made("", staged, "", ()))
            return self._committed(staged)
        except _Refused as error:
            refusal = error.refusal
        except (GitFailed, RevisionMissing) as error:
            refusal = CommitRefusal(reason=error.message, next_step=error.next_step)
        return rooms.record(CommitFailed(at=rooms.now(), phase=proven.phase, tree=proven.tree, refusal=refusal))

    def _made_before_a_kill(self) -> CommitMade | None:
        """The commit that a killed run made and did not record."""
        started = self.state.commits.started
        if started is None or started.tree != self.due.proven.tree:
            return None
        repository = self.rooms.repository
        commit = find_evidence(repository, self.plan.branch, started.evidence)
        if not commit:
            return None
        before = commit_of(repository, f"{commit}^")
        follow_branch(repository, self.plan.branch, before, commit)
        files = len(changed_between(repository, before, commit))
        return CommitMade(
            at=self.rooms.now(),
            phase=started.phase,
            tree=started.tree,
            branch=self.plan.branch,
            commit=commit,
            files=files,
            notes=("found after a kill",),
        )

    def _staged(self, tree: str, rewritten: tuple[str, ...] = ()) -> _Staged:
        repository, snapshots = self.rooms.repository, self.rooms.snapshots
        parent, tip = self._parent()
        outputs = self.state.proof.outputs
        every = snapshots.changes(self.due.proven.start, tree)
        changes = {path: now for path, _, now in every if not is_output(shown(path), outputs)}
        written = write_tree(repository, parent, changes, snapshots)
        return _Staged(
            tree=written.id,
            parent=parent,
            tip=tip,
            left_out=written.left_out,
            changes=changes,
            snapshot=tree,
            rewritten=rewritten,
        )

    def _parent(self) -> tuple[str, str]:
        """The commit to come after, and the one that the branch names now. Refuses a branch that others moved."""
        repository, plan = self.rooms.repository, self.plan
        own = [made.commit for made in self.state.commits.made if made.commit]
        last = own[-1] if own else plan.base
        tip = tip_of(repository, plan.branch)
        is_here = present_branch(repository) == plan.branch and is_ancestor(repository, last, tip)
        if tip and tip != last and not is_here:
            reason = f"the branch {plan.branch} is at {tip[:12]}, and this run left it at {last[:12]}"
            step = f"Look at it: git log {plan.branch}. 'dualgate resume --branch NAME' commits to another branch."
            raise _Refused(CommitRefusal(reason=reason, next_step=step, command="dualgate resume --branch NAME"))
        parent = tip or last
        head = commit_of(repository, "HEAD") if plan.agent is AgentCommits.KEEP else ""
        return (head if head and is_ancestor(repository, parent, head) else parent), tip

    def _tried(self, staged: _Staged) -> HooksTried:
        """Show the tree to the hook that looks at files; what it rewrites is proven at the commit.

        Before an approval it is proven now: the commit comes when no tests can be run any more.
        """
        proven, refusal = self.due.proven, None
        rewritten = staged.snapshot if self.due.is_approved_next else ""
        if "pre-commit" in find_hooks(self.rooms.repository).names:
            try:
                with self._place(staged) as place:
                    if self.due.is_approved_next:
                        rewritten = self._accepted(place, staged).snapshot
                    else:
                        self._pre_commit(place, staged.tree)
            except _Refused as error:
                refusal, rewritten = error.refusal, ""
        return HooksTried(
            at=self.rooms.now(), phase=proven.phase, tree=proven.tree, refusal=refusal, rewritten=rewritten
        )

    def _committed(self, staged: _Staged) -> LoopState:
        rooms, proven = self.rooms, self.due.proven
        evidence = f"{proven.phase} tree {proven.tree} journal {rooms.mark()}"
        rooms.record(CommitStarted(at=rooms.now(), phase=proven.phase, tree=proven.tree, evidence=evidence))
        coauthor = (("Co-authored-by", self.plan.coauthor),) if self.plan.coauthor else ()
        texts = rooms.messages(self.due, ((EVIDENCE, evidence), *coauthor))
        found = find_hooks(rooms.repository)
        idle = tuple(f"the hook {name} is ignored: it is not executable" for name in found.not_executable)
        if not found.names:
            return rooms.record(self._written(staged, texts[0], None, idle))
        with self._place(staged) as place:
            staged = self._accepted(place, staged)
            text = self._accepted_message(place, texts, evidence)
            made = self._written(staged, text, place, idle)
        return rooms.record(made)

    def _place(self, staged: _Staged) -> AbstractContextManager[HookPlace]:
        rooms = self.rooms
        return hook_place(
            rooms.repository, staged.tree, staged.parent, self.plan.branch, rooms.supervisor, rooms.timeout
        )

    def _pre_commit(self, place: HookPlace, tree: str) -> str:
        """The tree as the hook leaves it staged. As a person would, stage what it fixed, and run it once more."""
        ended = place.run("pre-commit", self.control)
        after = place.staged_tree(everything=bool(ended.problem))
        if ended.problem and after != tree:
            ended = place.run("pre-commit", self.control)
            after = place.staged_tree()
        if ended.problem:
            reason = f"the hook pre-commit {ended.problem}"
            raise _Refused(CommitRefusal(reason=reason, hook="pre-commit", output=ended.output, next_step=FIX_HOOK))
        return after

    def _accepted(self, place: HookPlace, staged: _Staged) -> _Staged:
        """The tree that the hook accepts; if it rewrote files, after the tests had the same results with them."""
        after = self._pre_commit(place, staged.tree)
        if after == staged.tree:
            return staged
        files = place.rewritten(staged.tree, after)
        names = listed(map(shown, files))
        contents = taken_content(files, self.rooms.repository.prefix)
        if contents is None:
            raise _refused_rewriting(names, "it removes files, or files outside of the project")
        tree = self.due.proven.tree
        for path, content in contents.items():
            tree = self._rewritten(tree, path, content)
        again = self._staged(tree, tuple(map(shown, files)))
        if again.tree != after:
            raise _refused_rewriting(names, "the files that it stages are not those in its folder")
        if tree == self.state.commits.rewritten:
            return again
        if self.rooms.prove is None:
            raise _refused_rewriting(names, "the run is over, so its tests cannot be run again")
        if reasons := self.rooms.prove(self.state, tree, self.control):
            raise _refused_rewriting(names, f"with these files the tests differ: {'; '.join(reasons)}")
        return again

    def _rewritten(self, tree: str, path: str, content: bytes) -> str:
        snapshots = self.rooms.snapshots
        entry = snapshots.entry(tree, path)
        mode = entry.mode if entry else 0o100644
        return snapshots.overlaid(tree, {path: Entry(mode, snapshots.put(content))})

    def _accepted_message(self, place: HookPlace, texts: Sequence[str], evidence: str) -> str:
        """The first message that the hooks accept. If they accept none, the usual one is refused."""
        refusals = []
        for text in texts:
            try:
                return self._message_hooks(place, text, evidence)
            except _Refused as error:
                refusals.append(error)
        raise refusals[0]

    def _message_hooks(self, place: HookPlace, text: str, evidence: str) -> str:
        file = place.scratch / "COMMIT_EDITMSG"
        file.write_text(text, encoding="utf-8")
        for name, words in (("prepare-commit-msg", (str(file), "message")), ("commit-msg", (str(file),))):
            ended = place.run(name, self.control, *words)
            if ended.problem:
                reason = f"the hook {name} {ended.problem}"
                raise _Refused(CommitRefusal(reason=reason, hook=name, output=ended.output, next_step=FIX_HOOK))
        text = _read_message(file)
        if not text:
            raise _Refused(CommitRefusal(reason="a hook left the message empty", hook="commit-msg", next_step=FIX_HOOK))
        return text if carries(text, evidence) else f"{text}\n\n{EVIDENCE}: {evidence}\n"

    def _written(self, staged: _Staged, text: str, place: HookPlace | None, notes: tuple[str, ...]) -> CommitMade:
        """Write the commit and move the branch; then the last hook runs, which can refuse nothing."""
        repository, branch = self.rooms.repository, self.plan.branch
        commit = make_commit(repository, staged.tree, staged.parent, text.encode("utf-8", "surrogateescape"))
        move_branch(repository, branch, commit, staged.tip)
        follow_branch(repository, branch, staged.tip, commit)
        if place is not None and "post-commit" in place.hooks.names:
            place.move_on(commit)
            ended = place.run("post-commit", self.control)
            notes += (f"the hook post-commit {ended.problem}, after the commit",) if ended.problem else ()
        return self._made(commit, staged, text.partition("\n")[0], notes)

    def _made(self, commit: str, staged: _Staged, subject: str, notes: tuple[str, ...]) -> CommitMade:
        repository, proven = self.rooms.repository, self.due.proven
        edited = {*self.plan.edited, *(f"{repository.prefix}{path}" for path in self.state.touched.person)}
        committed = [f"{repository.prefix}{shown(path)}" for path in staged.changes]
        return CommitMade(
            at=self.rooms.now(),
            phase=proven.phase,
            tree=proven.tree,
            branch=self.plan.branch,
            commit=commit,
            subject=subject,
            files=len(changed_between(repository, staged.parent, commit)) if commit else 0,
            mixed=tuple(sorted(edited.intersection(committed))),
            left_out=tuple(map(shown, staged.left_out)),
            rewritten=staged.rewritten,
            notes=notes,
        )


CHANGED_HOOKS = "the hooks or the configuration of the repository changed since the run began"
FIX_HOOK = "Fix what the hook finds, then: dualgate resume. Or commit yourself."


def _refused_rewriting(names: str, why: str) -> _Refused:
    reason = f"the hook pre-commit rewrites {names}, and what it makes of them is not proven: {why}"
    return _Refused(CommitRefusal(reason=reason, hook="pre-commit", next_step=FIX_HOOK))


def _read_message(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""
