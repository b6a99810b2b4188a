"""Event, LoopState -> lines for people: the claim, the evidence and the next step."""

import re
from collections.abc import Callable, Iterator, Mapping
from shlex import join
from typing import Any

from dualgate.core.evidence.criteria import counts_as_new, holds_already
from dualgate.core.evidence.sandboxed import closed_packages
from dualgate.core.machine.approving import why_paused
from dualgate.core.machine.controls import ways_on
from dualgate.core.machine.reviewing import is_self_reviewed, review_note, reviewer_of
from dualgate.core.money.allowances import tell_cost, tell_tokens
from dualgate.core.money.spending import answer_used
from dualgate.core.money.usage import unwatched_by
from dualgate.core.team.fallover import has_next
from dualgate.core.values import events
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.changes import REQUEST, Violation
from dualgate.core.values.checks import CheckState
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.notation import listed, show_duration
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.vocabulary import Decision, Phase, SandboxKind, Status, Workflow
from dualgate.display.commits import COMMIT_WRITERS
from dualgate.display.controls import CONTROL_WRITERS
from dualgate.display.findings import review_lines
from dualgate.display.lines import Line, Tone, place_in_run, shown
from dualgate.display.measuring import MEASURING_WRITERS, here, nothing

FIRST_WORD = re.compile(r"\A\w+")


def lines(event: Event, state: LoopState) -> list[Line]:
    """The lines for an event; `state` is the state after it."""
    return WRITERS[type(event)](event, state)


def _started(event: events.SessionStarted, state: LoopState) -> list[Line]:
    return [
        Line(text=f"session {state.session_id[:8]}: {event.prp_file} with {_who_works(event)}"),
        *(Line(text=text, tone=Tone.QUIET, hang=4) for text in (*_which_tasks(event), *_how_tests_run(event))),
        *_who_reviews(state),
    ]


def _who_works(event: events.SessionStarted) -> str:
    """The agent and its fallbacks; sessions older than line-ups name only the agent."""
    return ", then ".join(map(shown, event.lineup.every)) or event.agent


def _who_reviews(state: LoopState) -> list[Line]:
    if state.workflow is not Workflow.TDD:
        return []
    note = review_note(state)
    if note:
        return [
            Line(
                text=f"review: {note} (name another with --qa-agent NAME or --qa-agent-command CMD)",
                tone=Tone.BAD,
                hang=4,
            )
        ]
    return [Line(text=f"review: by {shown(reviewer_of(state) or '')}", tone=Tone.QUIET)]


def _which_tasks(event: events.SessionStarted) -> list[str]:
    if event.workflow is not Workflow.RALPH:
        return []
    return [
        f"task list: {event.plan.summary if event.plan else 'none yet'}",
        *(f"not used: {text}" for text in event.unused),
    ]


def _how_tests_run(event: events.SessionStarted) -> list[str]:
    if not event.test_command:
        told = ["no tests yet: none are configured, none were found; dualgate runs those that the agent writes"]
    elif len(event.suites) < 2:
        told = [f"test command: {join(event.test_command)}"]
    else:
        told = [f"test command of {suite.name}: {join(suite.command)}" for suite in event.suites]
    own = [f"prompts of this project: {', '.join(sorted(event.templates))}"] if event.templates else []
    return [*told, *(f"not run: {note}" for note in event.notes), *own, *_where_they_run(event)]


def _where_they_run(event: events.SessionStarted) -> list[str]:
    kept = event.settings.get("sandbox")
    if not isinstance(kept, Mapping) or kept.get("kind") != SandboxKind.BWRAP:
        return []
    closed = closed_packages(event.suites, event.project, kept.get("writable", ()))
    return ["agent and tests run in the sandbox (bwrap)", *closed]


def _baseline(event: events.BaselineTaken, state: LoopState) -> list[Line]:
    told = [Line(text=result.sentence) for result in state.check_results if result.state is not CheckState.PASSES]
    if state.workflow is Workflow.RALPH and not event.suites:
        return told
    passed = sum(not result.failed for result in event.results)
    flaky = f", {len(event.unstable)} of them flaky" if event.unstable else ""
    failed = len(event.results) - passed
    tests = f"{len(event.results)} {'test' if len(event.results) == 1 else 'tests'}"
    blame = "must pass in the end" if state.workflow is Workflow.RALPH else "not counted against the agent"
    own = f"; already failing: {failed}, {blame}" if failed else ""
    refused = [Line(text=f"failing tests may need more than the sandbox allows: {each}") for each in event.refused]
    return [Line(text=f"baseline: {tests} before any work{flaky}{own}"), *refused, *told]


def _call_started(event: events.CallStarted, state: LoopState) -> list[Line]:
    if event.follows:
        asked = f"the answer has no status block; asking for it (call {event.number})"
        return [Line(text=f"{place_in_run(event.phase, event.iteration)} {asked}", tone=Tone.QUIET)]
    who = shown(event.agent) if len(state.lineup.everybody) > 1 else "the agent"
    recalled = f", notes from earlier runs: {len(event.recalled)}" if event.recalled else ""
    text = f"{place_in_run(event.phase, event.iteration)} asking {who} (call {event.number}{recalled})"
    return [Line(text=text, tone=Tone.QUIET)]


def _delayed(event: events.CallDelayed, state: LoopState) -> list[Line]:
    wait = event.wait
    left = show_duration(max(1, round((wait.until - event.at).total_seconds())))
    text = f"{here(state)} waiting {left}, until {wait.until:%H:%M}: {wait.reason}"
    return [Line(text=text, tone=Tone.BAD)]


def _call_ended(event: events.CallEnded, state: LoopState) -> list[Line]:
    failure = event.answer.failure
    return [
        *(Line(text=f"{here(state)} the call used {text}", tone=Tone.QUIET) for text in _used(event, state)),
        *(Line(text=f"{here(state)} {text}", tone=Tone.BAD) for text in unwatched_by(event.answer, state)),
        *(
            [Line(text=f"{here(state)} the call failed: {_plain_kind(failure.sentence)}", tone=Tone.BAD)]
            if failure
            else []
        ),
    ]


def _used(event: events.CallEnded, state: LoopState) -> Iterator[str]:
    """The tokens and the cost of the call, as far as it reports them."""
    used = answer_used(event.answer, state.limits.prices)
    told = [tell_tokens(used)] if used.tells_tokens else []
    told += [tell_cost(used)] if used.tells_cost else []
    if told:
        yield " and ".join(told)


def _plain_kind(sentence: str) -> str:
    """Write the first word, the kind of a failure, without underscores."""
    return FIRST_WORD.sub(lambda kind: kind[0].replace("_", " "), sentence, count=1)


def _self_review(state: LoopState) -> list[Line]:
    is_over = state.status is Status.COMPLETED and is_self_reviewed(state)
    return [Line(text=f"SELF-REVIEWED: {review_note(state)}", tone=Tone.BAD)] if is_over else []


def _turned(event: TurnEnded, state: LoopState) -> list[Line]:
    place = place_in_run(event.facts.phase, event.facts.iteration)
    seen = event.facts.observed.changes
    reverted = [Line(text=f"{place} {violation_text(v)}{_way_back(v)}", tone=Tone.BAD) for v in seen.violations]
    unproven = [Line(text=f"not proven: {_why(state.unproven)}", tone=Tone.BAD)] if state.unproven else []
    outcome = [*_other_kinds(event), *_outcome(event, state), *unproven, *_self_review(state), *_rolled_back(event)]
    ticked = [Line(text=f"ticked: {task}") for task in event.ticked.tasks] if event.ticked else []
    judged = [Line(text=f"{place} {line.text}", tone=line.tone) for line in (*ticked, *outcome)]
    return [*reverted, *judged, *review_lines(event, state.reviews, place)]


def _other_kinds(event: TurnEnded) -> list[Line]:
    """The criteria that RED proved by another kind than the specification says."""
    seen = event.facts.observed
    if event.facts.phase is not Phase.RED or event.move.decision is not Decision.NEXT_PHASE:
        return []
    return [Line(text=text) for text in (*map(holds_already, seen.held), *map(counts_as_new, seen.reread))]


def _rolled_back(event: TurnEnded) -> list[Line]:
    back = event.rolled_back
    if back is None:
        return []
    left = f"; not rolled back: {', '.join(back.left)}" if back.left else ""
    text = f"rolled back to the last green state: {', '.join(back.paths)}; saved before as snapshot {back.kept}{left}"
    return [Line(text=text, tone=Tone.BAD)]


def _proven_again(event: events.ProvenAgain, _: LoopState) -> list[Line]:
    place = place_in_run(event.turn.facts.phase, event.turn.facts.iteration)
    text = f"{place} proven again without a call ({event.reason}) → {event.turn.move.phase}"
    return [Line(text=text, tone=Tone.GOOD)]


def _outcome(event: TurnEnded, state: LoopState) -> list[Line]:
    verdict, move = event.verdict, event.move
    match move.decision:
        case Decision.NEXT_PHASE:
            return [Line(text=f"both gates open → {move.phase}", tone=Tone.GOOD)]
        case Decision.PROJECT_COMPLETE:
            return [Line(text="both gates open → completed", tone=Tone.GOOD)]
        case Decision.AWAIT_APPROVAL:
            return [Line(text=f"both gates open; {why_paused(state)}", tone=Tone.GOOD)]
        case Decision.REJECTED:
            return [Line(text=f"the review rejects the work → {move.phase}: {_why(verdict.reasons)}", tone=Tone.BAD)]
        case Decision.REWRITE_TESTS:
            weak = (f"{each.id} ({each.reason})" for each in event.facts.observed.weak)
            return [Line(text=f"no test proves {listed(weak)} → RED, to rewrite its tests", tone=Tone.BAD)]
        case Decision.KEEP_TESTS:
            text = f"the agent did not rewrite the tests as asked → {move.phase} with the old tests"
            return [Line(text=f"{text}: {_why(verdict.reasons)}", tone=Tone.BAD)]
        case Decision.CONTINUE | Decision.RETRY:
            return [_not_yet(event)]
        case Decision.ESCALATE:
            text = f"{move.why_escalated} → {shown(move.escalates_to)} takes over"
            return [_not_yet(event), Line(text=text, tone=Tone.BAD)]
        case Decision.RATE_LIMITED if move.status is not Status.HALTED:
            return [Line(text=_limited(event, state), tone=Tone.BAD)]
        case _:
            told = [] if all(reason in (move.halt_reason or "") for reason in verdict.reasons) else [_not_yet(event)]
            return [*told, Line(text=f"halted: {move.halt_reason}", tone=Tone.BAD)]


def _limited(event: TurnEnded, state: LoopState) -> str:
    """The limit and the wait for it, unless a fallback is asked next."""
    failure = event.facts.claimed.failure
    until = failure.resets_at if failure else None
    if has_next(state):
        return f"limit reached, until {until:%Y-%m-%d %H:%M %Z}" if until else "limit reached"
    return f"limit reached; waiting {f'until {until:%Y-%m-%d %H:%M %Z}' if until else 'for it to end'}"


def _not_yet(event: TurnEnded) -> Line:
    verdict = event.verdict
    if verdict.gate_2 and not verdict.gate_1:
        return Line(text=f'the agent says "done"; the evidence says no: {_why(verdict.reasons)}', tone=Tone.BAD)
    return Line(text=f"not yet: {_why(verdict.reasons)}")


def _interrupted(event: events.CallInterrupted, state: LoopState) -> list[Line]:
    kept = f"; its changes are kept: {', '.join(event.paths[:5])}" if event.paths else ""
    return [Line(text=f"{here(state)} call {event.number} was interrupted and counts as no iteration{kept}")]


def _resumed(event: events.SessionResumed, state: LoopState) -> list[Line]:
    spec = ", with the changed specification" if event.prp_text else ""
    spec = spec or (", with the specification as it was" if event.declined else "")
    added = [Line(text=f"{event.by} added to guard.outputs: {', '.join(event.outputs)}")] if event.outputs else []
    return [Line(text=f"resumed in {state.phase} by {event.by}{spec}"), *added, *_respecified(event)]


def _respecified(event: events.SessionResumed) -> list[Line]:
    found = event.respec
    if found is None:
        return []
    kept = f"; the tests of {', '.join(found.kept)} stay frozen" if found.kept else ""
    told = (
        (found.reopened, f"back to RED: a failing test is needed for {', '.join(found.reopened)}{kept}"),
        (found.dropped, f"removed from the specification: {', '.join(found.dropped)}; its tests stay"),
    )
    return [Line(text=text) for which, text in told if which]


def violation_text(violation: Violation) -> str:
    return f"{_reverted(violation)}: {violation.path} ({violation.rule})"


def _reverted(violation: Violation) -> str:
    if violation.path.startswith(REQUEST):
        return "refused"
    return "reverted" if violation.reverted else "not allowed, and could not be reverted"


def _way_back(violation: Violation) -> str:
    """How to get a reverted version that may be a person's own."""
    if not violation.kept:
        return ""
    return f"; if this change is yours: dualgate snapshot restore {violation.kept} {violation.path}"


def _amended(event: AmendmentDecided, state: LoopState) -> list[Line]:
    amendment = event.amendment
    named = f"{here(state)} amendment of {amendment.request.test_id or 'a test'}"
    match amendment.outcome:
        case AmendmentOutcome.ACCEPTED:
            notes = "".join(f"; {note}" for note in amendment.notes)
            told = f"accepted, approved by {amendment.approved_by} and proven on the tree of RED{notes}"
            return [Line(text=f"{named} {told}", tone=Tone.GOOD)]
        case AmendmentOutcome.REFUSED:
            return [Line(text=f"{named} refused: {_why(amendment.reasons)}", tone=Tone.BAD)]
        case AmendmentOutcome.WAITING | AmendmentOutcome.APPROVED:
            diff = [Line(text=f"    {line}", tone=Tone.QUIET) for line in amendment.request.change.splitlines()]
            return [Line(text=f"{named} waits for a person: {_waits(amendment)}", tone=Tone.BAD), *diff]


def _waits(amendment: Amendment) -> str:
    return "; ".join((amendment.request.reason, *amendment.reasons))


def _edited(event: events.PersonEdited, state: LoopState) -> list[Line]:
    named = ", ".join(event.edits.paths[:5]) + (", …" if len(event.edits.paths) > 5 else "")
    told = [Line(text=f"you changed: {named}")]
    if {result.file for result in state.proof.red}.isdisjoint(event.edits.deleted):
        return told
    gone = "you deleted proven tests; a criterion without a test is not proven in the end"
    return [*told, Line(text=gone, tone=Tone.BAD)]


def _paused(event: events.SessionPaused, state: LoopState) -> list[Line]:
    if event.spec_changes:
        new, old = (command for _, command in ways_on(state, spec_changed=True))
        changed = f"{state.prp_file} was changed: {'; '.join(event.spec_changes)}"
        return [
            Line(
                text=f"paused: {changed}. Go on with the new version: {new}. With the old version: {old}", tone=Tone.BAD
            )
        ]
    by = f" by {event.by}" if event.by else ""
    text = f"paused{by} ({event.reason.replace('_', ' ')}); all processes are stopped, all edits are kept"
    return [Line(text=text, tone=Tone.BAD)]


def _halted(event: events.SessionFailed | events.SessionHalted, _: LoopState) -> list[Line]:
    return [Line(text=f"halted: {event.reason}", tone=Tone.BAD)]


def _asked(event: events.QuestionAsked, state: LoopState) -> list[Line]:
    follows = "the run halts" if state.limits.halt_on_question else "dualgate asks it to decide and to write that down"
    return [Line(text=f"{here(state)} the agent asks: {' / '.join(event.questions)}; {follows}")]


def _leftovers(event: events.LeftoversEnded, _: LoopState) -> list[Line]:
    return [Line(text=f"stopped a process that a killed run left: {text}", tone=Tone.BAD) for text in event.processes]


def _switched(event: AgentSwitched, state: LoopState) -> list[Line]:
    is_known = state.iteration == 0 and event.agent in state.calls_by  # it worked in an earlier phase already
    back, tone = (" back", Tone.QUIET) if is_known else ("", Tone.BAD)
    text = f"switching{back} from {shown(event.before)} to {shown(event.agent)}: {_plain_kind(event.reason)}"
    return [Line(text=f"{here(state)} {text}", tone=tone)]


def _why(reasons: tuple[str, ...]) -> str:
    return "; ".join(reasons)


WRITERS: dict[type, Callable[[Any, LoopState], list[Line]]] = {
    events.SessionStarted: _started,
    events.BaselineTaken: _baseline,
    events.CallDelayed: _delayed,
    events.CallStarted: _call_started,
    events.CallEnded: _call_ended,
    events.TreeSettled: nothing,
    AmendmentDecided: _amended,
    TurnEnded: _turned,
    events.ProvenAgain: _proven_again,
    events.PersonEdited: _edited,
    events.CallInterrupted: _interrupted,
    AgentSwitched: _switched,
    events.SessionPaused: _paused,
    events.SessionResumed: _resumed,
    events.SessionFailed: _halted,
    events.SessionHalted: _halted,
    events.QuestionAsked: _asked,
    events.LeftoversEnded: _leftovers,
    **CONTROL_WRITERS,
    **MEASURING_WRITERS,
    **COMMIT_WRITERS,
}
