"""The rooms of a turn, wrapped so that each step is journaled as it starts and as it ends."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dualgate.agents.base import Agent
from dualgate.core.answer import AgentReply
from dualgate.core.control import Control
from dualgate.core.history import CallEnded, CallStarted, Event, SuiteEnded, SuiteStarted, TreeSettled, apply
from dualgate.core.state import LoopState
from dualgate.core.suite import SuiteReport
from dualgate.core.vocabulary import AgentCall, Changes
from dualgate.runners.base import Runner
from dualgate.store.atomic import write_whole
from dualgate.store.journal import Journal
from dualgate.store.projections import write_loop_state
from dualgate.workspace.base import Workspace

Watcher = Callable[[Event, LoopState], None]


class Recorder:
    """Event by event: journal first, then the state, then the files made from it, then those who watch."""

    def __init__(self, state: LoopState, journal: Journal, folder: Path, watch: Watcher) -> None:
        self._state = state
        self._journal = journal
        self._folder = folder
        self._watch = watch

    def __call__(self, event: Event) -> LoopState:
        record = self._journal.append(event)
        self._state = apply(self._state, event)
        write_loop_state(self._folder, self._state, record.seq)
        self._watch(event, self._state)
        return self._state


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAgent:
    agent: Agent
    record: Callable[[Event], object]
    now: Callable[[], datetime]
    folder: Path

    @property
    def name(self) -> str:
        return self.agent.name

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        self._keep(call, "prompt.md", call.prompt)
        self.record(CallStarted(at=self.now(), number=call.number, phase=call.phase, iteration=call.iteration))
        reply = self.agent.ask(call, control)
        self._keep(call, "answer.txt", reply.answer.text)
        self._keep(call, "stderr.txt", reply.stderr)
        self.record(
            CallEnded(
                at=self.now(),
                number=call.number,
                exit_code=reply.exit_code,
                ending=reply.ending,
                seconds=round(reply.seconds, 3),
                answer=replace(reply.answer, text=""),
            )
        )
        return reply

    def _keep(self, call: AgentCall, name: str, text: str) -> None:
        if text:
            path = self.folder / "calls" / f"{call.number:04}-{call.phase}-{name}"
            write_whole(path, text.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRunner:
    runner: Runner
    record: Callable[[Event], object]
    now: Callable[[], datetime]

    @property
    def command(self) -> tuple[str, ...]:
        return self.runner.command

    def run(self, control: Control) -> SuiteReport:
        self.record(SuiteStarted(at=self.now(), command=self.command))
        report = self.runner.run(control)
        self.record(SuiteEnded(at=self.now(), report=report))
        return report


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedWorkspace:
    worktree: Workspace
    record: Callable[[Event], object]
    now: Callable[[], datetime]

    @property
    def present(self) -> str:
        return self.worktree.present

    def settle(self, state: LoopState) -> Changes:
        changes = self.worktree.settle(state)
        self.record(TreeSettled(at=self.now(), changes=changes))
        return changes

    def written_since(self) -> tuple[str, ...]:
        return self.worktree.written_since()

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]:
        return self.worktree.after_run(outputs)
