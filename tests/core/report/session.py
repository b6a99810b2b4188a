"""A session event by event, folded as a report folds it."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from dualgate.core.machine.history import apply, begin
from dualgate.core.record.metrics import first_metrics, metrics_after
from dualgate.core.report.gathering import begin_gathering, gathered_after
from dualgate.core.report.making import ReportInput, make_report
from dualgate.core.report.values import Report
from dualgate.core.secrets.redaction import Redactor, redactor_of
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.claim import Claim
from dualgate.core.values.events import (
    BaselineTaken,
    CallEnded,
    CallStarted,
    Event,
    SessionStarted,
    SuiteEnded,
    TurnEnded,
)
from dualgate.core.values.specification import CriterionResult, CriterionState, CriterionStatus, Kind
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status, Workflow
from dualgate.testing import NOW, a_report, a_start, done, facts, passed

SPEC = "# Parking fees\n\n## Acceptance Criteria\n\n- AC-1: The first half hour is free.\n"
A_CRITERION = CriterionState(id="AC-1", text="The first half hour is free.", kind=Kind.NEW)
OUTCOMES = {
    Decision.NEXT_PHASE: Outcome.PASS,
    Decision.PROJECT_COMPLETE: Outcome.PASS,
    Decision.REJECTED: Outcome.REJECT,
    Decision.REWRITE_TESTS: Outcome.WEAK,
    Decision.KEEP_TESTS: Outcome.UNREWRITTEN,
    Decision.RETRY: Outcome.RETRY,
}


class Session:
    """Each event comes a second after the one before it."""

    def __init__(self, **started: Any) -> None:
        self.started: SessionStarted = a_start(**{"prp_text": SPEC, "criteria": (A_CRITERION,), **started})
        self.state = begin(self.started)
        self.metrics, _ = first_metrics(self.started, self.state)
        self.gathered = begin_gathering(self.started, self.state)
        self.seq = 1

    @property
    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.seq)

    def add(self, event: Event) -> "Session":
        before, self.state = self.state, apply(self.state, event)
        self.gathered = gathered_after(self.gathered, event, before, self.state)
        self.metrics, _ = metrics_after(self.metrics, event, before, self.state)
        self.seq += 1
        return self

    def baseline(self, *results: CaseResult, commit: str = "c" * 40) -> "Session":
        self.add(SuiteEnded(at=self.now, report=a_report(*(results or (passed("old"),)), commit=commit)))
        return self.add(BaselineTaken(at=self.now, tree="start", results=results or (passed("old"),), suites=("s",)))

    def call(self, agent: str = "claude", seconds: float = 2.0, **answer: Any) -> "Session":
        number = self.state.total_agent_calls + 1
        self.add(CallStarted(at=self.now, number=number, phase=self.state.phase, iteration=1, agent=agent))
        ended = CallEnded(
            at=self.now,
            number=number,
            exit_code=0,
            ending=Ending.EXITED,
            seconds=seconds,
            answer=Answer(**answer),
            agent=agent,
        )
        return self.add(ended)

    def turn(
        self,
        decision: Decision = Decision.CONTINUE,
        to: Phase | None = None,
        *,
        claim: Claim | None = None,
        gates: tuple[bool, bool] | None = None,
        reasons: tuple[str, ...] = (),
        status: Status = Status.RUNNING,
        halt: str | None = None,
        checked: tuple[Any, ...] = (),
        event: dict[str, Any] | None = None,
        **observed: Any,
    ) -> "Session":
        phase = self.state.phase
        passes = decision in (Decision.NEXT_PHASE, Decision.PROJECT_COMPLETE)
        seen = replace(
            facts(phase, claim or done(phase), **observed), iteration=self.state.iteration + 1, checked=checked
        )
        gate_1, gate_2 = gates or (passes, passes)
        verdict = Verdict(outcome=OUTCOMES.get(decision, Outcome.STAY), gate_1=gate_1, gate_2=gate_2, reasons=reasons)
        move = Move(decision=decision, phase=to or phase, status=status, halt_reason=halt)
        return self.add(
            TurnEnded(at=self.now, facts=seen, verdict=verdict, breaker=Breaker(), move=move, **(event or {}))
        )

    def report(self, hide: Redactor | None = None, **around: Any) -> Report:
        given = {"made_at": self.now, "seq": self.seq, "specification": self.started.prp_text, **around}
        return make_report(self.gathered, self.state, self.metrics, ReportInput(**given), hide or redactor_of({}))


def result(state: CriterionStatus, *proof: str, kind: Kind = Kind.NEW) -> CriterionResult:
    return CriterionResult(id="AC-1", kind=kind, state=state, proof=proof)


def in_green(**started: Any) -> Session:
    """A session whose RED is proven."""
    red = (result(CriterionStatus.RED, "test_free"),)
    return Session(**started).baseline().call().turn(Decision.NEXT_PHASE, Phase.GREEN, criteria=red)


def proven(**started: Any) -> Session:
    """A session that completed and is proven."""
    session = in_green(**started)
    green = (result(CriterionStatus.GREEN, "test_free"),)
    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.call().turn(Decision.NEXT_PHASE, after, criteria=green)
    return session.call("codex").turn(Decision.PROJECT_COMPLETE, status=Status.COMPLETED, criteria=green)


def of_ralph(**started: Any) -> Session:
    return Session(workflow=Workflow.RALPH, criteria=(), **started)
