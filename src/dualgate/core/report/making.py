"""Gathered, LoopState, differences -> Report. Its size is bounded, whatever the session was like."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from shlex import join, quote
from typing import Any

from dualgate.core.machine.committing import COMMIT, PULL_REQUEST, not_made
from dualgate.core.machine.reviewing import review_note, reviewer_of
from dualgate.core.record.metrics import Metrics
from dualgate.core.report.bounding import (
    LONGEST_SPECIFICATION,
    MOST_ITERATIONS,
    MOST_ROWS,
    cut_text,
    ends_of,
    left_out,
    shortened,
    shown_moments,
)
from dualgate.core.report.conclusion import conclude_session
from dualgate.core.report.criteria import probe_totals, reported_criteria
from dualgate.core.report.gathering import Gathered
from dualgate.core.report.values import (
    Catch,
    Command,
    PhaseDiff,
    PhaseStay,
    Report,
    ReportedCommit,
    RunPoint,
    StayEnd,
    UsageRow,
)
from dualgate.core.secrets.redaction import Redactor, mapped_texts
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.notation import harmless
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, Workflow

_SHORT = 8
_SHORT_COMMIT = 12
_PASSED = frozenset({StayEnd.PASSED, StayEnd.PROVEN_AGAIN})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput:
    """The facts of a report that are not in the events of the session."""

    made_at: datetime
    seq: int
    specification: str
    """The text in force."""
    archived: bool = False
    session_dir: str = ""
    """PRP_SESSION_DIR, if it was set: commands need it to find the session."""
    diffs: tuple[PhaseDiff, ...] = ()
    diff_note: str = ""


def make_report(gathered: Gathered, state: LoopState, metrics: Metrics, around: ReportInput, hide: Redactor) -> Report:
    """The report; no text in it holds a secret that is known, or a character that steers a terminal."""
    made = _bounded(_whole(gathered, state, metrics, around), _program(around))
    harmless_report: Report = mapped_texts(hide.value(made), harmless)
    return harmless_report


def _whole(gathered: Gathered, state: LoopState, metrics: Metrics, around: ReportInput) -> Report:
    started, tests = gathered.started, metrics.view.tests
    is_reviewed = state.workflow is Workflow.TDD and Phase.QA in (state.phase, *state.phases_completed)
    return Report(
        made_at=around.made_at,
        seq=around.seq,
        conclusion=conclude_session(state, tests),
        session_id=state.session_id,
        project=started.project,
        title=_title(around.specification, started.prp_file),
        spec_file=started.prp_file,
        workflow=state.workflow,
        started=state.started_at,
        ended=state.last_activity,
        seconds_worked=round(state.seconds_worked, 3),
        agents=tuple(state.calls_by),
        reviewer=(reviewer_of(state) or "") if is_reviewed else "",
        review_note=review_note(state) if is_reviewed else "",
        tests=tests,
        criteria=reported_criteria(gathered, state),
        tasks=state.plan,
        probes=probe_totals(gathered.probes),
        catches=tuple(_with_pass(each, gathered.stays) for each in gathered.catches),
        stays=gathered.stays,
        timeline=gathered.moments,
        iterations=metrics.rows,
        usage=tuple(
            UsageRow(phase=phase, agent=agent, used=use.used, seconds=use.seconds)
            for (phase, agent), use in gathered.usage.items()
        ),
        used=state.spending.total,
        escalations=state.escalations,
        escalated=state.spending.escalated,
        findings=state.reviews.findings,
        amendments=state.amendments,
        checks=state.check_results,
        documents=state.documents,
        documents_needed=state.limits.documents if state.workflow is Workflow.TDD else 0,
        diffs=around.diffs,
        diff_note=around.diff_note,
        by_person=state.touched.person,
        **_committed(state),
        specification=around.specification,
        guidance=state.guidance,
        warnings=state.warnings,
        commands=_commands(gathered, state, around),
    )


def _committed(state: LoopState) -> dict[str, Any]:
    """The commits of the run as fields of its report."""
    log = state.commits
    commits = tuple(
        ReportedCommit(
            phase=made.phase,
            commit=made.commit,
            subject=made.subject,
            files=made.files,
            mixed=made.mixed,
            rewritten=made.rewritten,
        )
        for made in log.made
        if made.commit
    )
    return {
        "branch": log.plan.branch if commits else "",
        "commits": commits,
        "not_committed": _without(state, COMMIT) or (log.refusal.reason if log.refusal else ""),
        "no_request": _without(state, PULL_REQUEST),
        "pull_request": log.request.url if log.request else "",
    }


def _without(state: LoopState, what: str) -> str:
    """Why a proven run has no commit or no pull request, with the next step."""
    missing = not_made(state)
    return f"{missing.reason}. {missing.next_step}".strip() if missing and missing.what == what else ""


def _title(specification: str, name: str) -> str:
    return " ".join(read_specification(specification, name).title.split()) or name


def _with_pass(caught: Catch, stays: Sequence[PhaseStay]) -> Catch:
    """When the phase passed after the catch. After a rejection that is the next review."""
    later = (stay for stay in stays if stay.phase is caught.point.phase and stay.end in _PASSED)
    stay = next((each for each in later if each.ended and each.ended >= caught.point.at), None)
    if stay is None or stay.ended is None:
        return caught
    return replace(caught, passed=RunPoint(at=stay.ended, phase=stay.phase, iteration=stay.iterations))


def _bounded(report: Report, program: str) -> Report:
    """Long lists and texts are cut. Differences and the specification have bounds of their own."""
    log = f"{program} log {report.session_id[:_SHORT]}"
    metrics = f"{program} sessions metrics {report.session_id[:_SHORT]}"
    moments, rows = shown_moments(report.timeline), ends_of(report.iterations, MOST_ITERATIONS)
    catches, findings = ends_of(report.catches, MOST_ROWS), ends_of(report.findings, MOST_ROWS)
    small = shortened(
        replace(
            report,
            diffs=(),
            specification="",
            timeline=moments,
            iterations=rows,
            catches=catches,
            findings=findings,
            stays=ends_of(report.stays, MOST_ROWS),
            criteria=report.criteria[: 5 * MOST_ROWS],
            warnings=report.warnings[-MOST_ROWS:],
            by_person=report.by_person[:MOST_ROWS],
            left_out=(
                *left_out("timeline", report.timeline, moments, log),
                *left_out("iterations", report.iterations, rows, metrics),
                *left_out("catches", report.catches, catches, log),
                *left_out("findings", report.findings, findings, f"{program} status --json"),
            ),
        )
    )
    return replace(small, diffs=report.diffs, specification=cut_text(report.specification, LONGEST_SPECIFICATION))


def _program(around: ReportInput) -> str:
    return f"PRP_SESSION_DIR={quote(around.session_dir)} dualgate" if around.session_dir else "dualgate"


def _commands(gathered: Gathered, state: LoopState, around: ReportInput) -> tuple[Command, ...]:
    """Commands that work in the project's folder."""
    program, session = _program(around), state.session_id[:_SHORT]
    suites = gathered.started.suites
    tests = join(suites[0].command if len(suites) == 1 else gathered.started.test_command)
    spec = f" --spec {quote(state.prp_file)}" if state.workflow is Workflow.TDD else ""
    how = f" --test-command {quote(tests)}" if len(suites) == 1 else ""
    verify = f"dualgate verify --base {gathered.commit[:_SHORT_COMMIT]}{spec}{how}"
    possible = (
        (True, f"cd {quote(gathered.started.project)}", "the project", True),
        (tests, tests, "the tests, as the project runs them", False),
        (gathered.commit and tests, verify, "the change against the commit before the run, without an agent", False),
        (not around.archived, f"{program} replay", "each decision again, from the recorded evidence", True),
        (True, f"{program} log {session} --evidence", "each test run: command, tree, result", True),
    )
    return tuple(
        Command(command=command, shows=shows, is_local=is_local)
        for works, command, shows, is_local in possible
        if works
    )
