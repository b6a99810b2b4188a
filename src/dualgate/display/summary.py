"""LoopState -> the summary of a run: its state, the explanation of a halt, usage, findings, warnings, next commands."""

from collections.abc import Sequence

from dualgate.core.evidence.criteria import holds_already
from dualgate.core.gates.document import counted_documents
from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.approving import is_approved, waits_for_approval, why_paused
from dualgate.core.machine.committing import not_made
from dualgate.core.machine.controls import as_documented
from dualgate.core.machine.reviewing import is_self_reviewed, review_note
from dualgate.core.money.allowances import allowances
from dualgate.core.record.halting import Way, halt_report, next_ways
from dualgate.core.record.metrics import Metrics
from dualgate.core.record.session_state import current_iteration
from dualgate.core.said.amendment_requests import waiting
from dualgate.core.team.failures import failures_of
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.amendments import Amendment, accepted
from dualgate.core.values.checks import CheckState
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Phase, Status, Workflow
from dualgate.display.commits import commit_rows, missing_word
from dualgate.display.findings import counted_findings, finding_lines
from dualgate.display.halts import INDENT, Row, halt_rows, in_short, labelled, way_rows
from dualgate.display.lines import Line, Tone, printable, shown
from dualgate.display.usage import budget_rows, escalation_rows, usage_rows

_MOST_WARNINGS = 10
_APPROVAL = "The work is finished. Read it, then approve or reject it."
_YOURS = "Files that you edit meanwhile count as your work."
_WHICH_SPEC = "The specification changed. Choose the one that counts:"
_COLUMNS = 80


def status_line(state: LoopState, tests: CaseCounts) -> str:
    """The one line of document 001: `[GREEN] Iteration 5/10 | 6/10 tests passing | Status: running`."""
    place = f"[{state.phase}] Iteration {current_iteration(state)}/{state.max_iterations}"
    return f"{place} | {tests.passing}/{tests.total} tests passing | Status: {as_documented(state).status}"


def summary(state: LoopState, spec_changed: bool = False) -> str:
    told = [*_head(state), *fact_lines(state), *next_lines(state, next_ways(state, spec_changed), spec_changed)]
    return "\n".join(line.text for line in told)


def summary_lines(
    state: LoopState, record: object, note: str = "", columns: int = _COLUMNS, report: object = None
) -> list[Line]:
    """The end of a run, after an empty line. `note` says how the specification changed."""
    spec_changed = bool(note)
    return [
        Line(text=""),
        *_head(state),
        *fact_lines(state),
        *record_lines(record, note, report),
        *next_lines(state, next_ways(state, spec_changed), spec_changed, columns),
    ]


def session_story(
    state: LoopState, record: str, where: str | None, is_alive: bool, columns: int = _COLUMNS
) -> list[Line]:
    """A kept session in full. `where` is the folder for its next commands, empty for this one, None without any."""
    ways = () if where is None else next_ways(state, is_alive=is_alive)
    place = rows_as_lines([("In", where)]) if where else []
    return [
        *_head(state),
        *fact_lines(state),
        *record_lines(record, ""),
        *place,
        *next_lines(state, ways, columns=columns),
    ]


def rows_as_lines(rows: Sequence[Row], tone: Tone = Tone.PLAIN) -> list[Line]:
    return [Line(text=printable(f"{name:<{INDENT - 1}} {text}"), tone=tone, hang=INDENT) for name, text in rows]


def halt_lines(state: LoopState) -> list[Line]:
    """The evidence and the attempts of a halted session; empty for others."""
    report = halt_report(state)
    return rows_as_lines(halt_rows(report)) if report else []


def fact_lines(state: LoopState) -> list[Line]:
    """Tasks, usage, budgets, documents, review, amendments, checks, findings, warnings and guidance."""
    rows = [
        *([("Tasks", _tasks(state.plan))] if state.plan else []),
        *usage_rows(state),
        *escalation_rows(state),
        *budget_rows(allowances(state)),
        *document_rows(state),
    ]
    if state.workflow is Workflow.TDD and Phase.QA in state.phases_completed and (note := review_note(state)):
        rows.append(("Review", note))
    rows += [("Approved", f"the finished work, by {state.approved_by}")] if state.approved_by else []
    rows += [("Amended", _amended(amendment)) for amendment in accepted(state.amendments)]
    rows += [("Waiting", _asked(amendment)) for amendment in waiting(state)]
    rows += [("Approved", _not_proven_yet(each)) for each in state.amendments if is_approved(each)]
    rows += labelled("Checks", check_rows(state))
    rows += [("Note", holds_already(criterion)) for criterion in state.proof.held]
    rows += commit_rows(state)
    return [*rows_as_lines(rows), *_findings(state), *_warnings(state), *_guidance(state)]


def record_lines(record: object, note: str, report: object = None) -> list[Line]:
    named = [("Report", str(report))] if report else []
    changed = [("Note", note)] if note else []
    return rows_as_lines([("Record", str(record)), *named, *changed], Tone.QUIET)


def next_lines(
    state: LoopState, ways: Sequence[Way], spec_changed: bool = False, columns: int = _COLUMNS
) -> list[Line]:
    """The advice and the commands that work now."""
    report = halt_report(state)
    advice = report.advice if report else ""
    if waits_for_approval(state):
        advice = _APPROVAL
    elif state.status is Status.PAUSED:
        advice = _WHICH_SPEC if spec_changed else _YOURS
    return rows_as_lines(way_rows(ways, advice, columns)) if ways else []


def document_rows(state: LoopState) -> list[Row]:
    """The documents that count, from DOCUMENT on; while they are written, why others do not."""
    if Phase.DOCUMENT not in (state.phase, *state.phases_completed):
        return []
    rows = [counted_documents(state.documents, state.limits)]
    if state.phase is Phase.DOCUMENT:
        rows += [each.sentence for each in state.documents.others]
    return labelled("Docs", rows)


def _head(state: LoopState) -> list[Line]:
    return [*_about(state), _status_line(state), *halt_lines(state)]


def _status_line(state: LoopState) -> Line:
    tone = {Status.HALTED: Tone.BAD, Status.COMPLETED: Tone.GOOD if state.proven and not not_made(state) else Tone.BAD}
    return rows_as_lines([("Status", _status(state))], tone.get(state.status, Tone.PLAIN))[0]


def _about(state: LoopState) -> list[Line]:
    rows = [
        ("Session", f"{state.session_id[:8]}, started {state.started_at.astimezone():%Y-%m-%d %H:%M}"),
        ("Spec", state.prp_file),
        ("Phases", " → ".join(_phase(state, phase) for phase in PHASES[state.workflow])),
    ]
    return rows_as_lines(rows)


def brief_lines(state: LoopState, metrics: Metrics) -> list[Line]:
    """The facts of the box in a few rows, for a terminal that is too small for it."""
    tests = metrics.view.tests
    percent = overall_progress(state)
    rows = [("Tests", f"{tests.passing} of {tests.total} pass; {percent}% of the run")]
    # the explanation of a halt follows, with its reason
    status = [] if state.status is Status.HALTED else [_status_line(state)]
    return [*_about(state), *status, *rows_as_lines(rows)]


def _findings(state: LoopState) -> list[Line]:
    found = state.reviews.findings
    if not found:
        return []
    return [*rows_as_lines([("Findings", counted_findings(found))]), *finding_lines(found, " " * INDENT)]


def _warnings(state: LoopState) -> list[Line]:
    """The last warnings, each once, and how many more there are."""
    claimed = state.memory.false_claims if state.status is Status.HALTED else ()  # the halt's own rows have these
    others = [warned for warned in state.warnings if warned.text not in claimed]
    last = others[-_MOST_WARNINGS:]
    more = len(others) - len(last)
    texts = [f"{each.phase} {each.iteration}: {each.text}" if each.iteration else each.text for each in last]
    texts += [f"and {more} more: dualgate log"] if more else []
    return rows_as_lines(labelled("Warnings", texts))


def _guidance(state: LoopState) -> list[Line]:
    return rows_as_lines(labelled("Guidance", guidance_lines(state.guidance)))


def guidance_lines(guidance: tuple[str, ...]) -> list[str]:
    """The guidance in force, with the numbers by which it is withdrawn."""
    return [f"{number}  {text}" for number, text in enumerate(guidance, 1)]


def check_rows(state: LoopState) -> list[str]:
    """The last results of the checks: those that pass in one row."""
    plain = [result for result in state.check_results if result.state is CheckState.PASSES and not result.reason]
    passing = [result.name for result in plain]
    others = [result.sentence for result in state.check_results if result not in plain]
    told = f"{', '.join(passing)} {'passes' if len(passing) == 1 else 'pass'}"
    return [*([told] if passing else []), *others]


def _amended(amendment: Amendment) -> str:
    who = "; ".join(filter(None, (amendment.approved_by and f"approved by {amendment.approved_by}", *amendment.notes)))
    return f"{amendment.request.test_id}: {amendment.request.reason} ({who})"


def _asked(amendment: Amendment) -> str:
    request = amendment.request
    return f"decide whether {request.test_id} is wrong: {request.reason}; change: dualgate approve --list"


def _not_proven_yet(amendment: Amendment) -> str:
    return f"{amendment.request.test_id}, by {amendment.approved_by}; the run proves it before its next call"


def _tasks(plan: Plan) -> str:
    gone = " (file missing)" if plan.is_gone else ""
    return f"{plan.counted}, in {plan.file}{gone}"


def _phase(state: LoopState, phase: Phase) -> str:
    if phase in state.phases_completed:
        return f"{phase} ✓"
    if phase in state.phases_forced and phase is not state.phase:
        return f"{phase} (skipped)"
    return f"{phase} …" if phase is state.phase and state.status is not Status.COMPLETED else phase.value


def _status(state: LoopState) -> str:
    reason = standing_reason(state)
    match state.status:
        case Status.COMPLETED:
            why = f": {reason}" if reason else ""
            word = "completed and proven" if state.proven else "completed, not proven"
            return f"{word}{self_reviewed(state)}{missing_word(state)}{why}"
        case Status.HALTED:
            report = halt_report(state)
            return f"halted in {in_short(report)}" if report else ""
        case Status.PAUSED:
            return f"paused in {state.phase}, iteration {current_iteration(state)} ({reason})"
        case Status.RUNNING:
            waits = f"; {reason}" if reason else ""
            return f"{as_documented(state).status}, {state.phase} iteration {current_iteration(state)}{waits}"


def standing_reason(state: LoopState) -> str:
    """Why the session is halted, paused, not proven, not committed, or waiting; empty otherwise."""
    match state.status:
        case Status.COMPLETED:
            missing = not_made(state)
            return missing.reason.splitlines()[0] if missing else "; ".join(state.unproven)
        case Status.HALTED:
            report = halt_report(state)
            return report.why if report else ""
        case Status.PAUSED:
            return why_paused(state)
        case Status.RUNNING:
            return _waits(state)


def self_reviewed(state: LoopState) -> str:
    """The word behind the status where the author of the work reviewed it."""
    return ", SELF-REVIEWED" if is_self_reviewed(state) else ""


def _waits(state: LoopState) -> str:
    """The wait for an hourly budget, or for a provider's limit that has not ended by the last event."""
    if wait := state.waiting:
        return f"waiting until {wait.until.astimezone():%H:%M}: {wait.reason}"
    agent = asked_agent(state)
    until = failures_of(state, agent).limited_until
    if not until or until <= state.last_activity:
        return ""
    whose = "a limit" if agent in ("", state.agent) else f"a limit of {shown(agent)}"
    return f"waiting for {whose} until {until.astimezone():%Y-%m-%d %H:%M}"
