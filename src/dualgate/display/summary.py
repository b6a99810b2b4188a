"""LoopState -> the summary of a run: status, calls, tokens, cost, budgets and the next steps."""

from collections.abc import Iterator

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
from dualgate.core.team.failures import failures_of
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.amendments import Amendment, accepted
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Decision, Phase, Status, WayOn, Workflow
from dualgate.display.lines import Line, shown

HANG = 9
WHAT_HELPS = {
    Decision.BLOCKED: "It needs what is named there: give it, or mend it, and go on.",
    Decision.STUCK: "Look at 'dualgate log'; mend the specification or the code, or tell the agent what to change.",
    Decision.MAX_ITERATIONS: "A reset gives as many iterations again; a smaller specification needs fewer.",
    Decision.BUDGET_EXHAUSTED: "More of it lets the run go on from here; a smaller specification needs less.",
    Decision.RATE_LIMITED: "Go on when the limit has ended.",
}
GO_ON = "Go on with: dualgate resume. What you edit meanwhile is yours."
RESET_THEN = "let it go on (with dualgate resume --respec or --keep-spec)"
WHICH_SPEC = "The specification was changed. Say which one counts:"
WAYS = {
    WayOn.RESPEC: "go on with the specification as it is now",
    WayOn.KEEP_SPEC: "go on with the specification as it was",
    WayOn.START: "start over; this session goes to the archive",
    WayOn.RAISE: "go on with more",
    WayOn.RESUME: "go on, once that is mended",
    WayOn.RESET: "let it go on (with dualgate resume)",
    WayOn.GUIDE: "the same, and tell the agent TEXT",
    WayOn.SKIP: "let the phase through, not proven",
    WayOn.ABORT: "give it up",
}


def status_line(state: LoopState, tests: CaseCounts) -> str:
    """The one line of document 001: `[GREEN] Iteration 5/10 | 6/10 tests passing | Status: running`."""
    place = f"[{state.phase}] Iteration {state.iteration}/{state.max_iterations}"
    return f"{place} | {tests.passing}/{tests.total} tests passing | Status: {as_documented(state).status}"


def summary(state: LoopState, spec_changed: bool = False) -> str:
    rows = [
        ("Session", f"{state.session_id[:8]}, begun {state.started_at:%Y-%m-%d %H:%M}"),
        ("Spec", state.prp_file),
        ("Phases", " → ".join(_phase(state, phase) for phase in PHASES[state.workflow])),
        *([("Tasks", _tasks(state.plan))] if state.plan else []),
        ("Calls", _calls(state)),
        *usage_rows(state),
        *budget_rows(allowances(state)),
        *document_rows(state),
        ("Status", _status(state)),
    ]
    if state.workflow is Workflow.TDD and Phase.QA in state.phases_completed and (note := review_note(state)):
        rows.append(("Review", note))
    rows += [("Amended", _amended(amendment)) for amendment in accepted(state.amendments)]
    rows += [("Note", holds_already(criterion)) for criterion in state.proof.held]
    if state.status is Status.HALTED or (state.status is Status.PAUSED and spec_changed):
        rows += _ways_on(state, spec_changed)
    elif state.status is Status.PAUSED:
        rows.append(("Next", GO_ON))
    return "\n".join(f"{name:<8} {text}" for name, text in rows)


def document_rows(state: LoopState) -> list[tuple[str, str]]:
    """The documents that count, from DOCUMENT on; while they are written, why others do not."""
    if Phase.DOCUMENT not in (state.phase, *state.phases_completed):
        return []
    rows = [counted_documents(state.documents, state.limits)]
    if state.phase is Phase.DOCUMENT:
        rows += [f"{each.path} does not count: {each.reason}" for each in state.documents.others]
    return [("" if number else "Docs", text) for number, text in enumerate(rows)]


def summary_lines(state: LoopState, record: object, note: str = "") -> list[Line]:
    """The summary and the path of the record, after an empty line. `note` says how the specification changed."""
    about = [f"Note     {note}"] if note else []
    rows = ["", *summary(state, bool(note)).split("\n"), f"Record   {record}", *about]
    return [Line(text=row, hang=HANG) for row in rows]


def _calls(state: LoopState) -> str:
    """The number of calls, by agent if there were several."""
    if len(state.calls_by) < 2:
        return str(state.total_agent_calls)
    each = ", ".join(f"{shown(name)} {count}" for name, count in state.calls_by.items())
    switch = state.last_switch
    since = f"; {shown(switch.agent)} since {switch.at:%H:%M} in {switch.phase}: {switch.reason}" if switch else ""
    return f"{state.total_agent_calls} ({each}{since})"


def _amended(amendment: Amendment) -> str:
    who = "; ".join(amendment.notes) or f"approved by {amendment.approved_by}"
    return f"{amendment.request.test_id}: {amendment.request.reason} ({who})"


def _tasks(plan: Plan) -> str:
    gone = ", which is gone" if plan.is_gone else ""
    return f"{plan.counted}, in {plan.file}{gone}"


def _ways_on(state: LoopState, spec_changed: bool) -> list[tuple[str, str]]:
    """Advice, and the commands by which a person decides."""
    words = WAYS | ({WayOn.RESET: RESET_THEN} if spec_changed else {})
    ways = [f"{command:<34} {words[way]}" for way, command in ways_on(state, spec_changed)]
    texts = [WHAT_HELPS[state.ended_by]] if state.ended_by in WHAT_HELPS else []
    texts += [WHICH_SPEC] if state.status is Status.PAUSED else []
    return [("" if number else "Next", text) for number, text in enumerate((*texts, *ways))]


def _phase(state: LoopState, phase: Phase) -> str:
    if phase in state.phases_completed:
        return f"{phase} ✓"
    if phase in state.phases_forced and phase is not state.phase:
        return f"{phase} (skipped)"
    return f"{phase} …" if phase is state.phase and state.status is not Status.COMPLETED else phase.value


def _status(state: LoopState) -> str:
    match state.status:
        case Status.COMPLETED:
            why = f": {'; '.join(state.unproven)}" if state.unproven else ""
            return f"{'completed and proven' if state.proven else 'completed, not proven'}{_self_reviewed(state)}{why}"
        case Status.HALTED:
            return f"halted. {state.halt_reason}"
        case Status.PAUSED:
            return f"paused ({(state.pause_reason or '').replace('_', ' ')})"
        case Status.RUNNING:
            return f"{as_documented(state).status}, {state.phase} iteration {state.iteration + 1}{_waits(state)}"


def _self_reviewed(state: LoopState) -> str:
    return ", SELF-REVIEWED" if is_self_reviewed(state) else ""


def _waits(state: LoopState) -> str:
    """The wait for an hourly budget, or for a provider's limit that has not ended by the last event."""
    if waiting := state.waiting:
        return f"; the next call waits until {waiting.until:%H:%M}: {waiting.reason}"
    agent = asked_agent(state)
    until = failures_of(state, agent).limited_until
    whose = "a limit" if agent in ("", state.agent) else f"a limit of {shown(agent)}"
    return f"; {whose} is waited for, until {until:%Y-%m-%d %H:%M %Z}" if until and until > state.last_activity else ""


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
