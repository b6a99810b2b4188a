"""LoopState -> the summary of a run: status, calls, tokens, cost, budgets and the next steps."""

from collections.abc import Iterable, Iterator

from dualgate.core.evidence.criteria import holds_already
from dualgate.core.gates.document import counted_documents
from dualgate.core.machine.controls import as_documented, ways_on
from dualgate.core.machine.reviewing import is_self_reviewed, review_note
from dualgate.core.money.allowances import (
    SHOWN,
    Allowance,
    allowances,
    show_calls,
    show_cost,
    show_tokens,
    tell_cost,
    tell_tokens,
)
from dualgate.core.money.usage import Share, per_iteration, per_proven
from dualgate.core.said.amendment_requests import waiting
from dualgate.core.team.failures import failures_of
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.amendments import Amendment, accepted
from dualgate.core.values.checks import CheckState
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Decision, Phase, Status, WayOn, Workflow
from dualgate.display.findings import counted_findings, finding_lines
from dualgate.display.lines import Line, shown

_HANG = 9
_MOST_WARNINGS = 10
_WHAT_HELPS = {
    Decision.BLOCKED: "It needs what is named there: give it, or mend it, and go on.",
    Decision.STUCK: "Look at 'dualgate log'; mend the specification or the code, or tell the agent what to change.",
    Decision.MAX_ITERATIONS: "A reset gives as many iterations again; a smaller specification needs fewer.",
    Decision.BUDGET_EXHAUSTED: "More of it lets the run go on from here; a smaller specification needs less.",
    Decision.RATE_LIMITED: "Go on when the limit has ended.",
}
_GO_ON = "Go on with: dualgate resume. What you edit meanwhile is yours."
_RESET_THEN = "begin the counts again and go on (or with --keep-spec)"
_WHICH_SPEC = "The specification was changed. Say which one counts:"
_WAYS = {
    WayOn.RESPEC: "go on with the specification as it is now",
    WayOn.KEEP_SPEC: "go on with the specification as it was",
    WayOn.START: "start over; this session goes to the archive",
    WayOn.RAISE: "go on with more",
    WayOn.RESUME: "go on, once that is mended",
    WayOn.RESET: "begin the counts again and go on",
    WayOn.GUIDE: "the same, and tell the agent TEXT",
    WayOn.SKIP: "let the phase through, not proven",
    WayOn.ABORT: "give it up",
}


def status_line(state: LoopState, tests: CaseCounts) -> str:
    """The one line of document 001: `[GREEN] Iteration 5/10 | 6/10 tests passing | Status: running`."""
    place = f"[{state.phase}] Iteration {current_iteration(state)}/{state.max_iterations}"
    return f"{place} | {tests.passing}/{tests.total} tests passing | Status: {as_documented(state).status}"


def current_iteration(state: LoopState) -> int:
    """The iteration that is worked on, or the last one if the session has ended."""
    return state.iteration + (state.status in (Status.RUNNING, Status.PAUSED))


def summary(state: LoopState, spec_changed: bool = False) -> str:
    return "\n".join(line.text for line in _lines(state, spec_changed, whole=True))


def document_rows(state: LoopState) -> list[tuple[str, str]]:
    """The documents that count, from DOCUMENT on; while they are written, why others do not."""
    if Phase.DOCUMENT not in (state.phase, *state.phases_completed):
        return []
    rows = [counted_documents(state.documents, state.limits)]
    if state.phase is Phase.DOCUMENT:
        rows += [each.sentence for each in state.documents.others]
    return [("" if number else "Docs", text) for number, text in enumerate(rows)]


def summary_lines(state: LoopState, record: object, note: str = "", report: object = None) -> list[Line]:
    """The summary and the path of the record, after an empty line. `note` says how the specification changed."""
    return _ended(_lines(state, bool(note), whole=True), record, note, report)


def detail_lines(state: LoopState, record: object, note: str = "", report: object = None) -> list[Line]:
    """The summary without the facts that the box of the session shows."""
    return _ended(_lines(state, bool(note), whole=False), record, note, report)


def _about(state: LoopState) -> list[tuple[str, str]]:
    return [
        ("Session", f"{state.session_id[:8]}, begun {state.started_at:%Y-%m-%d %H:%M}"),
        ("Spec", state.prp_file),
        ("Phases", " → ".join(_phase(state, phase) for phase in PHASES[state.workflow])),
    ]


def _lines(state: LoopState, spec_changed: bool, *, whole: bool) -> list[Line]:
    rows = [
        *(_about(state) if whole else []),
        *([("Tasks", _tasks(state.plan))] if state.plan else []),
        ("Calls", _calls(state)),
        *usage_rows(state),
        *budget_rows(allowances(state)),
        *document_rows(state),
        *([("Status", _status(state))] if whole else []),
    ]
    if state.workflow is Workflow.TDD and Phase.QA in state.phases_completed and (note := review_note(state)):
        rows.append(("Review", note))
    rows += [("Amended", _amended(amendment)) for amendment in accepted(state.amendments)]
    rows += [("Waiting", _asked(amendment)) for amendment in waiting(state)]
    rows += [("" if number else "Checks", text) for number, text in enumerate(check_rows(state))]
    rows += [("Note", holds_already(criterion)) for criterion in state.proof.held]
    ways = _next_rows(state, spec_changed)
    return [*_rows(rows), *_findings(state), *_warnings(state), *_guidance(state), *_rows(ways)]


def _next_rows(state: LoopState, spec_changed: bool) -> list[tuple[str, str]]:
    if state.status is Status.HALTED or (state.status is Status.PAUSED and spec_changed):
        return _ways_on(state, spec_changed)
    return [("Next", _GO_ON)] if state.status is Status.PAUSED else []


def _rows(rows: Iterable[tuple[str, str]]) -> list[Line]:
    return [Line(text=f"{name:<8} {text}", hang=_HANG) for name, text in rows]


def _ended(told: list[Line], record: object, note: str, report: object) -> list[Line]:
    named = [("Report", str(report))] if report else []
    about = [("Record", str(record)), *named, *([("Note", note)] if note else [])]
    return [Line(text="", hang=_HANG), *told, *_rows(about)]


def _findings(state: LoopState) -> list[Line]:
    found = state.reviews.findings
    if not found:
        return []
    return [*_rows([("Findings", counted_findings(found))]), *finding_lines(found, " " * _HANG)]


def _warnings(state: LoopState) -> list[Line]:
    """The last warnings, each once, and how many more there are."""
    last = state.warnings[-_MOST_WARNINGS:]
    more = len(state.warnings) - len(last)
    texts = [f"{each.phase} {each.iteration}: {each.text}" if each.iteration else each.text for each in last]
    texts += [f"and {more} more: dualgate log"] if more else []
    return _rows(("" if number else "Warnings", text) for number, text in enumerate(texts))


def _guidance(state: LoopState) -> list[Line]:
    texts = guidance_lines(state.guidance)
    return _rows(("" if number else "Guidance", text) for number, text in enumerate(texts))


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


def _calls(state: LoopState) -> str:
    """The number of calls, by agent if there were several."""
    if len(state.calls_by) < 2:
        return str(state.total_agent_calls)
    each = ", ".join(f"{shown(name)} {count}" for name, count in state.calls_by.items())
    switch = state.last_switch
    since = f"; {shown(switch.agent)} since {switch.at:%H:%M} in {switch.phase}: {switch.reason}" if switch else ""
    return f"{state.total_agent_calls} ({each}{since})"


def _amended(amendment: Amendment) -> str:
    who = "; ".join(filter(None, (amendment.approved_by and f"approved by {amendment.approved_by}", *amendment.notes)))
    return f"{amendment.request.test_id}: {amendment.request.reason} ({who})"


def _asked(amendment: Amendment) -> str:
    request = amendment.request
    return f"a person must say whether {request.test_id} is wrong: {request.reason}; change the test, or leave it"


def _tasks(plan: Plan) -> str:
    gone = ", which is gone" if plan.is_gone else ""
    return f"{plan.counted}, in {plan.file}{gone}"


def _ways_on(state: LoopState, spec_changed: bool) -> list[tuple[str, str]]:
    """Advice, and the commands by which a person decides."""
    words = _WAYS | ({WayOn.RESET: _RESET_THEN} if spec_changed else {})
    possible = ways_on(state, spec_changed)
    widest = max((len(command) for _, command in possible), default=0)
    ways = [f"{command:<{widest}}  {words[way]}" for way, command in possible]
    texts = [_WHAT_HELPS[state.ended_by]] if state.ended_by in _WHAT_HELPS else []
    texts += [_WHICH_SPEC] if state.status is Status.PAUSED else []
    return [("" if number else "Next", text) for number, text in enumerate((*texts, *ways))]


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
            return f"{'completed and proven' if state.proven else 'completed, not proven'}{self_reviewed(state)}{why}"
        case Status.HALTED:
            return f"halted. {reason}"
        case Status.PAUSED:
            return f"paused ({reason})"
        case Status.RUNNING:
            waits = f"; {reason}" if reason else ""
            return f"{as_documented(state).status}, {state.phase} iteration {current_iteration(state)}{waits}"


def standing_reason(state: LoopState) -> str:
    """Why the session is halted, paused, not proven, or waiting; empty if it runs or is proven."""
    match state.status:
        case Status.COMPLETED:
            return "; ".join(state.unproven)
        case Status.HALTED:
            return state.halt_reason or ""
        case Status.PAUSED:
            return (state.pause_reason or "").replace("_", " ")
        case Status.RUNNING:
            return _waits(state)


def self_reviewed(state: LoopState) -> str:
    """The word behind the status where the author of the work reviewed it."""
    return ", SELF-REVIEWED" if is_self_reviewed(state) else ""


def _waits(state: LoopState) -> str:
    """The wait for an hourly budget, or for a provider's limit that has not ended by the last event."""
    if waiting := state.waiting:
        return f"the next call waits until {waiting.until:%H:%M}: {waiting.reason}"
    agent = asked_agent(state)
    until = failures_of(state, agent).limited_until
    whose = "a limit" if agent in ("", state.agent) else f"a limit of {shown(agent)}"
    return f"{whose} is waited for, until {until:%Y-%m-%d %H:%M %Z}" if until and until > state.last_activity else ""


def usage_rows(state: LoopState) -> Iterator[tuple[str, str]]:
    used = state.spending.total
    if not used.calls:
        return
    shares = [(per_iteration(state), "an iteration"), (per_proven(state), _for_each(state))]
    tokens = [_share(share, words, "tokens", used.without_tokens) for share, words in shares]
    cost = [_share(share, words, "cost_usd", used.without_cost) for share, words in shares]
    yield "Tokens", "; ".join(filter(None, [tell_tokens(used).removeprefix("tokens "), *tokens]))
    yield "Cost", "; ".join(filter(None, [tell_cost(used).removeprefix("cost "), *cost]))


def budget_rows(allowances: Iterator[Allowance]) -> list[tuple[str, str]]:
    """The used part of each budget, and whether dualgate can watch it."""
    return [("" if number else "Budget", _budget(each)) for number, each in enumerate(allowances)]


def _budget(allowance: Allowance) -> str:
    show = SHOWN[allowance.measure]
    used = f"{allowance.setting}: {show(allowance.amount)} of {show(allowance.most)}"
    unwatched = f"; cannot be watched: {show_calls(allowance.unreported)} told no {allowance.measure}"
    return f"{used}{unwatched}" if allowance.unreported else used


def _share(share: Share | None, words: str, measure: str, unreported: int) -> str:
    amount = getattr(share, measure) if share else None
    if amount is None:
        return ""
    text = show_tokens(amount) if measure == "tokens" else show_cost(amount)
    return f"{'at least ' if unreported else ''}{text} {words}"


def _for_each(state: LoopState) -> str:
    share = per_proven(state)
    one, more = ("criterion", "criteria") if state.workflow is Workflow.TDD else ("task", "tasks")
    count = share.count if share else 0
    return f"for the proven {one}" if count == 1 else f"for each of {count} proven {more}"
