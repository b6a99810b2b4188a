"""Valid values with overrides, for tests of dualgate and of programs built on it."""

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dualgate.core.machine.history import begin
from dualgate.core.said.blocks import fitting_tests_status
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.answer import AgentCall
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.fix_request import FixCategory, FixConfidence, FixRequest, FixSeverity, RouteTo
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Weighed
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseOutcome, CaseResult, Counts, FailureKind, SuiteReport
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.verification import (
    CaseChange,
    CaseState,
    Finding,
    Rule,
    Side,
    Verification,
    Weight,
    standing_of,
)
from dualgate.core.values.vocabulary import Phase, SuiteStatus, Workflow, WorkStatus

if TYPE_CHECKING:
    from dualgate.session.host import Host

NOW = datetime(2026, 1, 16, 10, 0, tzinfo=UTC)


def a_state(**values: Any) -> LoopState:
    """Return a new session's state; `values` override fields of LoopState, its failures or its limits."""
    counted = {field.name for field in fields(FailuresInARow)}
    failures = FailuresInARow(**{name: values.pop(name) for name in sorted(values.keys() & counted)})
    known = {field.name for field in fields(LoopState)}
    limits = Limits(**{name: values.pop(name) for name in sorted(values.keys() - known)})
    return replace(begin(a_start(limits=limits)), **{"failures": failures, **values})


def a_start(**values: Any) -> SessionStarted:
    return SessionStarted(
        **{
            "at": NOW,
            "session_id": "a1b2c3d4-e5f6-4890-abcd-ef1234567890",
            "project": "/project",
            "prp_file": "PRP.md",
            "prp_text": "",
            "agent": "rehearsal",
            "test_command": ("pytest",),
            "workflow": Workflow.TDD,
            **values,
        }
    )


def a_spec(criteria: int = 2) -> Specification:
    bullets = "\n".join(f"- AC-{number}: thing {number} works" for number in range(1, criteria + 1))
    return read_specification(f"# A feature\n\n## Goal\n\nDo it.\n\n## Acceptance Criteria\n\n{bullets}\n")


def a_call(**values: Any) -> AgentCall:
    defaults = {"number": 1, "ordinal": 1, "phase": Phase.RED, "iteration": 1, "session_id": "s", "prompt": "Do it."}
    return AgentCall(**{**defaults, **values})


def done(phase: Phase, **values: Any) -> Claim:
    """Return the claim that a phase is done."""
    fitting = fitting_tests_status(phase)
    return Claim(**{"status": WorkStatus.COMPLETE, "exit_signal": True, "tests_status": fitting, **values})


def not_done(**values: Any) -> Claim:
    return Claim(**{"status": WorkStatus.IN_PROGRESS, "tests_status": SuiteStatus.NOT_RUN, **values})


def a_fix(number: int = 1, **values: Any) -> FixRequest:
    """Return a valid FixRequest."""
    return FixRequest(
        **{
            "id": f"FR-{number}",
            "file": "src/a.py",
            "location": "line 10",
            "severity": FixSeverity.MAJOR,
            "category": FixCategory.ERROR_HANDLING,
            "description": "an error is lost",
            "proposed_fix": "raise it",
            "verification_command": "pytest -q",
            "route_to": RouteTo.IMPLEMENTER,
            "confidence": FixConfidence.HIGH,
            "rationale": "Callers see it.",
            **values,
        }
    )


def passed(name: str, **values: Any) -> CaseResult:
    return _case(name, CaseOutcome.PASSED, **values)


def failed(name: str, **values: Any) -> CaseResult:
    return _case(name, CaseOutcome.FAILED, **{"kind": FailureKind.ASSERTION, "message": "assert 1 == 2", **values})


def skipped(name: str, **values: Any) -> CaseResult:
    return _case(name, CaseOutcome.SKIPPED, **values)


def a_report(*results: CaseResult, **values: Any) -> SuiteReport:
    exit_code = int(any(result.failed for result in results))
    return SuiteReport(**{"command": ("pytest",), "exit_code": exit_code, "results": results, **values})


def facts(phase: Phase, claimed: Claim | None = None, **observed: Any) -> Facts:
    """Return facts of a good iteration; `observed` overrides fields of Observed."""
    defaults: dict[str, Any] = {"counts": Counts(passed=3), "green_runs": 2, "changes": Changes(tree="t")}
    if phase is Phase.RED:
        defaults |= {"red": ("test_ac1", "test_ac2")}
    if phase is Phase.DOCUMENT:
        defaults["changes"] = Changes(tree="t", documents=("README.md", "docs/a.md", "docs/adr/0001-x.md"))
    return Facts(
        phase=phase,
        iteration=1,
        criteria=2,
        claimed=claimed or done(phase),
        observed=Observed(**{**defaults, **observed}),
        weighed=Weighed(counting=claimed.report.findings if claimed else ()),
    )


def a_finding(rule: Rule = Rule.REGRESSED, weight: Weight = Weight.REFUSED, **values: Any) -> Finding:
    text = "passes on the base and fails on the head"
    return Finding(**{"rule": rule, "weight": weight, "text": text, "test": "tests/test_x.py::test_vat", **values})


def a_verification(*findings: Finding, **values: Any) -> Verification:
    """Return a change with a fixed, a new and an unchanged test; the findings decide how it stands."""
    command, passes = ("pytest", "-q"), CaseOutcome.PASSED
    fixed, new = (CaseState.FIXED,), (CaseState.NEW,)
    cases = (
        CaseChange(id="tests/test_x.py::test_fee", file="tests/test_x.py", line=3, base=passes, head=passes),
        CaseChange(id="tests/test_x.py::test_tax", states=fixed, base=CaseOutcome.FAILED, head=passes),
        CaseChange(id="tests/test_x.py::test_sum", states=new, head=passes, on_base=CaseOutcome.FAILED),
    )
    return Verification(
        **{
            "standing": standing_of(findings),
            "base": Side(
                ref="main", commit="b" * 40, tree="a" * 40, command=command, counts=Counts(passed=1, failed=1)
            ),
            "head": Side(ref="work tree", tree="c" * 40, command=command, counts=Counts(passed=3), seconds=1.5),
            "changed": ("src/fee.py",),
            "cases": cases,
            "findings": findings,
            "seconds": 4.0,
            **values,
        }
    )


def a_control(**values: Any) -> Control:
    return Control(**{"cancel": threading.Event(), "clock": time.monotonic, **values})


def a_host(project: Path, environment: Mapping[str, str] = os.environ, **values: Any) -> "Host":
    from dualgate.agents.command import local_now
    from dualgate.core.secrets.redaction import redactor_of
    from dualgate.processes.supervisor import Supervisor
    from dualgate.session.host import Host

    supervisor, redactor = Supervisor(environment), redactor_of(environment)
    host = Host(project=project, supervisor=supervisor, redactor=redactor, now=local_now, tell=lambda _: None)
    return replace(host, **values)


def _case(name: str, outcome: CaseOutcome, **values: Any) -> CaseResult:
    return CaseResult(
        **{"id": f"tests/test_x.py::{name}", "file": "tests/test_x.py", "digest": "d1", "outcome": outcome, **values}
    )
