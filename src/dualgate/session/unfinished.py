"""CutOff -> the finished steps of an unfinished turn, so that no finished step is repeated."""

from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.machine.resuming import CutOff
from dualgate.core.values.amendments import AmendmentDecided
from dualgate.core.values.answer import AgentCall, AgentReply, Recalled
from dualgate.core.values.changes import Changes, Violation
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.probes import ProbeReport
from dualgate.core.values.suite import SuiteReport
from dualgate.store.call_files import CALLS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """The steps of a turn that count only for the tree on which they were made."""

    configured: ConfigurationDecided | None = None
    runs: tuple[SuiteReport, ...] = ()
    checks: tuple[CheckRun, ...] = ()
    probes: ProbeReport | None = None


class UnfinishedTurn:
    """Returns each finished step once, to the wrapper that would repeat it; empty if no turn was cut off."""

    def __init__(self, found: CutOff | None = None, folder: Path | None = None) -> None:
        ended = (found.answered, found.reviewed, found.followed) if found else ()
        self._answers = {each.number: each for each in ended if each is not None}
        started = (found.call, found.follow_up) if found else ()
        self._follows = {each.number: each.follows for each in started if each is not None}
        self._recalled = _recalled(found) if found else None
        self._decided = found.decided if found else None
        self._settled = _settled(found) if found else []
        measured = found if found and self._settled else _Measured()
        self._configured = measured.configured
        self._runs = list(measured.runs)
        self._checks = list(measured.checks)
        self._probes = measured.probes
        self._folder = folder
        self._asked = found.asked if found else False
        self._violations = tuple(each for changes, _ in self._settled for each in changes.violations)
        self.calls = _calls(found) if found else 0
        """The number of calls before the next one; a finished review or follow-up is not counted."""

    def reply(self, call: AgentCall) -> AgentReply | None:
        """The finished answer to a call, with the agent that gave it: the lineup may have changed since."""
        ended = self._answers.pop(call.number, None)
        if ended is None or self._folder is None:
            return None
        text, stderr = (_kept(self._folder, call, name) for name in ("answer.txt", "stderr.txt"))
        return AgentReply(
            answer=replace(ended.answer, text=text),
            exit_code=ended.exit_code,
            ending=ended.ending,
            stderr=stderr,
            seconds=ended.seconds,
            agent=ended.agent,
            follows=self._follows.get(call.number, 0),
            reads_only=ended.reads_only,
        )

    def is_answered(self, number: int) -> bool:
        """Whether the answer to a call is here, so that asking for it costs nothing."""
        return number in self._answers

    def recalled(self) -> tuple[Recalled, ...] | None:
        """The entries of earlier sessions in the prompt of that call; None if no call was answered."""
        recalled, self._recalled = self._recalled, None
        return recalled

    def asked(self) -> bool:
        """Whether the journal holds the questions of that answer."""
        asked, self._asked = self._asked, False
        return asked

    def decision(self) -> AmendmentDecided | None:
        """The decision on the amendment that the call asked for, if it was recorded."""
        decided, self._decided = self._decided, None
        return decided

    def configured(self) -> ConfigurationDecided | None:
        """The decision on the configuration that the call changed, if it was recorded."""
        decided, self._configured = self._configured, None
        return decided

    def settled(self) -> tuple[Changes, str] | None:
        """The changes of the call, then those of its follow-up, each with the last recorded tree of that time."""
        if not self._settled:
            return None
        self._violations = ()
        return self._settled.pop(0)

    def suite(self) -> SuiteReport | None:
        return self._runs.pop(0) if self._runs else None

    def check(self, command: str) -> CheckRun | None:
        """The finished run of a check's command."""
        found = next((run for run in self._checks if run.command == command), None)
        self._checks = [run for run in self._checks if run is not found]
        return found

    def probes(self) -> ProbeReport | None:
        """The finished probes of that turn."""
        report, self._probes = self._probes, None
        return report

    def forget_tree(self) -> None:
        """Check and test the tree again, since it changed. Violations found before stay reported."""
        self._settled = []
        self._configured = None
        self._runs = []
        self._checks = []
        self._probes = None

    def violations(self) -> tuple[Violation, ...]:
        violations, self._violations = self._violations, ()
        return violations


def _recalled(found: CutOff) -> tuple[Recalled, ...] | None:
    return found.call.recalled if found.call and found.answered else None


def _settled(found: CutOff) -> list[tuple[Changes, str]]:
    if found.answered is None or found.changes is None:
        return []
    first = (found.changes, found.before_follow_up)
    return [first] if found.follow_up_changes is None else [first, (found.follow_up_changes, found.tree)]


def _calls(found: CutOff) -> int:
    """Finished calls within the turn are taken from here, so they are not counted yet."""
    ended = found.reviewed or found.followed
    return found.state.total_agent_calls if ended is None else ended.number - 1


def call_file(call: AgentCall, name: str) -> str:
    """The name of the file with a call's prompt, answer or standard error."""
    return f"{call.number:04}-{call.phase}-{name}"


def _kept(folder: Path, call: AgentCall, name: str) -> str:
    try:
        return (folder / CALLS / call_file(call, name)).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
