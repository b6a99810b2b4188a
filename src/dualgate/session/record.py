"""The rooms of a turn, wrapped so that each step is journaled as it starts and as it ends."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.agents.base import Agent
from dualgate.core.machine.history import apply
from dualgate.core.machine.refusals import violation_of
from dualgate.core.secrets.redaction import Redactor, marks_in
from dualgate.core.values.answer import AgentCall, AgentReply
from dualgate.core.values.changes import Changes, Edits, RolledBack, Violation
from dualgate.core.values.checks import CheckRun, CheckStarted
from dualgate.core.values.control import Control, RequestRefused
from dualgate.core.values.events import CallEnded, CallStarted, Event, QuestionAsked, SuiteStarted, TreeSettled
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import SuiteReport
from dualgate.runners.base import Runner
from dualgate.runners.check import Checker
from dualgate.session.unfinished import UnfinishedTurn, call_file
from dualgate.store.call_files import LOOK_EVERY, CallFiles
from dualgate.store.codec import encode_json
from dualgate.store.folder_check import FolderCheck
from dualgate.store.journal import Journal
from dualgate.workspace.base import Workspace
from dualgate.workspace.trees import Entry

if TYPE_CHECKING:  # only for its type: recording does not read sessions
    from dualgate.store.projections import Projections

PROMPT = "prompt.md"
_RECORD = "the record of this run was changed during the call; the change is ignored"
Watcher = Callable[[Event, LoopState], None]


class Recorder:
    """Records an event: first in the journal, then in the state, then in the projections, then for the watcher."""

    def __init__(self, state: LoopState, journal: Journal, projections: "Projections", watch: Watcher) -> None:
        self._state = state
        self._journal = journal
        self._projections = projections
        self._watch = watch

    @property
    def state(self) -> LoopState:
        return self._state

    @property
    def mark(self) -> str:
        """The number of the journal's last line, and its digest."""
        return f"{self._journal.seq} {self._journal.digest}"

    def check_of(self, folder: Path, calls: CallFiles) -> FolderCheck:
        return FolderCheck(folder, self._journal.restore, calls)

    def __call__(self, event: Event) -> LoopState:
        record = self._journal.append(event)
        event = record.event  # as journaled, so that a reader of the journal gets the same state
        before, self._state = self._state, apply(self._state, event)
        self._projections.enter(event, before, self._state, record.seq)
        if checkpoint := self._projections.due_checkpoint(self._journal.digest):
            self._journal.keep_checkpoint(checkpoint)
        self._watch(event, self._state)
        return self._state


def _no_refusals() -> tuple[RequestRefused, ...]:
    """The default of `Recording.refusals`: nobody can send requests."""
    return ()


def no_commit() -> str:
    """The default of `Recording.commit`: there is no repository."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Everything a wrapper needs to journal its steps, and to skip steps that the journal already holds."""

    record: Callable[[Event], object]
    now: Callable[[], datetime]
    unfinished: UnfinishedTurn = field(default_factory=UnfinishedTurn)
    redactor: Redactor = field(default_factory=Redactor)
    folder_check: FolderCheck = field(default_factory=FolderCheck)
    commit: Callable[[], str] = no_commit
    """The git commit that is checked out now."""
    learned: list[str] = field(default_factory=list)
    """Patterns of new outputs that runs showed: the state of a turn that is under way does not have them yet."""
    refusals: Callable[[], tuple[RequestRefused, ...]] = _no_refusals
    """Requests that a program inside a call or a test run sent, since the last call of this function."""

    real_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Redacted names of tests that ran in this process -> their real names, several if their marks are the same."""

    def named(self, tests: Iterable[str]) -> tuple[str, ...]:
        """The real names of tests, as their runner knows them; a mark stays if its secret is unknown now."""
        return tuple(
            real for test in tests for real in self.real_names.get(test, ()) or (self.redactor.restored(test),)
        )

    def redacted(self, report: SuiteReport) -> SuiteReport:
        """The report without secrets; the real names of its tests stay in memory."""
        # checking the whole report at once is far faster than checking thousands of results one by one
        if not self.redactor.suspects(encode_json(report).decode()):
            return report
        shown = self.redactor.value(report)
        for real, mark in zip(report.results, shown.results, strict=True):
            if real.id != mark.id and real.id not in (known := self.real_names.get(mark.id, ())):
                self.real_names[mark.id] = (*known, real.id)
        return shown

    def refused(self) -> tuple[RequestRefused, ...]:
        """Journal these requests, and return them."""
        found = self.refusals()
        for event in found:
            self.record(event)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAgent:
    agent: Agent
    to: Recording
    calls: CallFiles
    worktree: Workspace
    label: str = ""
    """Its name in the lineup."""

    @property
    def name(self) -> str:
        return self.agent.name

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        if finished := self.to.unfinished.reply(call):
            return finished
        self._keep(call, PROMPT, call.prompt)
        if call.number % LOOK_EVERY == 0:
            self.calls.trim()
        self.to.record(
            CallStarted(
                at=self.to.now(),
                number=call.number,
                phase=call.phase,
                iteration=call.iteration,
                tree=self.worktree.present,
                agent=self.label,
                recalled=call.recalled,
                follows=call.follows,
            )
        )
        with self.to.folder_check.during():
            reply = self.agent.ask(call, control)
        self._keep(call, "answer.txt", reply.answer.text)
        self._keep(call, "stderr.txt", reply.stderr)
        self.to.record(
            CallEnded(
                at=self.to.now(),
                number=call.number,
                exit_code=reply.exit_code,
                ending=reply.ending,
                seconds=round(reply.seconds, 3),
                answer=replace(reply.answer, text=""),
                phase=call.phase,
                agent=self.label,
                reads_only=reply.reads_only,
            )
        )
        return replace(reply, agent=self.label, follows=call.follows)

    def _keep(self, call: AgentCall, name: str, text: str) -> None:
        """Keep a text of a call. An answer is on disk before the call is journaled as ended and so never repeated."""
        if text:
            kept = self.to.redactor.text(text).encode("utf-8", "replace")
            self.calls.write(call_file(call, name), kept, synced=name != PROMPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRunner:
    """Redacts reports at once, so that runs before and after a resume are compared by the same test names."""

    runner: Runner
    to: Recording

    @property
    def command(self) -> tuple[str, ...]:
        return self.runner.command

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        self.to.record(SuiteStarted(at=self.to.now(), command=self.command))
        named = self.to.named(only)
        if marks_in(named):
            named = ()  # the secret in a test's name is unknown now: run all tests
        with self.to.folder_check.during():
            commit = self.to.commit()
            report = replace(self.runner.run(control, named), commit=commit)
        self.to.refused()
        if touched := self.to.folder_check.changed():
            problem = f"the record of this run was changed while the tests ran, and was restored: {', '.join(touched)}"
            report = replace(report, problems=(*report.problems, problem))
        return self.to.redacted(report)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChecker:
    checker: Checker
    to: Recording

    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        self.to.record(CheckStarted(at=self.to.now(), command=command))
        with self.to.folder_check.during():
            commit = self.to.commit()
            run = replace(self.checker.run(command, prints, control), commit=commit)
        self.to.refused()
        if touched := self.to.folder_check.changed():
            problem = f"changed the record of this run, which was restored: {', '.join(touched)}"
            run = replace(run, problem=problem)
        # the command stays as it is: it is compared with those of the criteria
        return replace(self.to.redactor.value(run), command=command)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedWorkspace:
    worktree: Workspace
    to: Recording

    @property
    def present(self) -> str:
        return self.worktree.present

    def settle(self, state: LoopState) -> Changes:
        if finished := self.to.unfinished.settled():
            changes, tree = finished
            self.worktree.adopt(tree)
            self.to.learned.extend(changes.learned)
            return changes
        touched = tuple(
            Violation(path=f"session:{name}", rule=_RECORD, phase=state.phase)
            for name in self.to.folder_check.changed()
        )
        touched += tuple(violation_of(event, state.phase) for event in self.to.refused())
        changes = self.worktree.settle(state)
        told = {each.path: each for each in (*self.to.unfinished.violations(), *touched, *changes.violations)}
        changes = replace(changes, violations=tuple(told.values()))
        self.to.learned.extend(changes.learned)
        self.to.record(TreeSettled(at=self.to.now(), changes=changes))
        return changes

    def edited(self, state: LoopState) -> Edits | None:
        edits = self.worktree.edited(state)
        if edits is not None:
            self.to.unfinished.forget_tree()
        return edits

    def adopt(self, tree: str) -> None:
        self.worktree.adopt(tree)

    def leave(self) -> str:
        return self.worktree.leave()

    def become(self, tree: str, label: str) -> RolledBack:
        return self.worktree.become(tree, label)

    def read(self, tree: str, path: str) -> bytes | None:
        return self.worktree.read(tree, path)

    def rewritten(self, tree: str, path: str, content: bytes) -> str:
        return self.worktree.rewritten(tree, path, content)

    def with_changes(self, tree: str, since: str) -> str:
        return self.worktree.with_changes(tree, since)

    def unmentioned(self, names: Collection[str]) -> frozenset[str]:
        return self.worktree.unmentioned(names)

    def with_tests(self, tree: str, tests: str, *, lone_imports: bool = False) -> str:
        return self.worktree.with_tests(tree, tests, lone_imports=lone_imports)

    def written_since(self) -> tuple[str, ...]:
        return self.worktree.written_since()

    def learned(self, first: Collection[str], second: Collection[str]) -> tuple[str, ...]:
        return self.worktree.learned(first, second)

    def recurring(self, first: Collection[str], second: Collection[str], proof: Proof) -> tuple[str, ...]:
        return self.worktree.recurring(first, second, proof)

    def possible_outputs(self, written: Collection[str], proof: Proof) -> tuple[str, ...]:
        return self.worktree.possible_outputs(written, proof)

    def with_paths(self, tree: str, other: str, paths: Iterable[str]) -> str:
        return self.worktree.with_paths(tree, other, paths)

    def clear_outputs(self, proof: Proof) -> Mapping[str, Entry]:
        return self.worktree.clear_outputs(proof)

    def restore_entries(self, entries: Mapping[str, Entry]) -> None:
        self.worktree.restore_entries(entries)

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]:
        return self.worktree.after_run(outputs)


def recording(recorder: Recorder, unfinished: UnfinishedTurn) -> Callable[[Event], LoopState]:
    """Returns a recorder that skips the questions that the journal already holds of an unfinished turn."""

    def record(event: Event) -> LoopState:
        is_held = isinstance(event, QuestionAsked) and unfinished.asked()
        return recorder.state if is_held else recorder(event)

    return record


def counting(recorder: Recorder, unfinished: UnfinishedTurn) -> Callable[[LoopState], LoopState]:
    """Returns a function that adds one call to a state, and the spending so far, calls within a turn included."""

    def counted(state: LoopState) -> LoopState:
        calls = max(state.total_agent_calls + 1, unfinished.calls)
        return replace(state, total_agent_calls=calls, spending=recorder.state.spending)

    return counted
