"""LoopState -> HaltReport: why a run halted, what was measured, what was tried, and the ways to continue."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.core.machine.committing import COMMIT, not_made
from dualgate.core.machine.controls import halt_of, ways_on
from dualgate.core.values.shapes import ANY_TEXT, SOME_TEXT, Schema, integer, list_of, or_null, record, words
from dualgate.core.values.state import Attempt, LoopState
from dualgate.core.values.suite import short_id
from dualgate.core.values.vocabulary import HaltCause, Phase, Status, WayOn
from dualgate.core.verification.results import first_line

_FAILING_NAMED = re.compile(r"\d+ failing: ")
_FAILING_SHOWN = 5
_CONTINUES = (". Continue with: ", ". Go on with: ")
"""Words before the command in the reason of a halt, now and in old journals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to continue or end a session: a command that works now, and its effect."""

    way: WayOn
    command: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingTest:
    id: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltReport:
    cause: HaltCause | None
    """None in sessions from before causes were recorded."""
    phase: Phase
    iteration: int
    """Iterations finished in this visit of the phase."""
    why: str
    when: str
    """When a run halts for this cause, in general."""
    evidence: tuple[str, ...] = ()
    """The reasons that keep the gate shut, as last measured, without the names of failing tests."""
    failing: tuple[FailingTest, ...] = ()
    more_failing: int = 0
    """Number of failing tests that are not in `failing`."""
    violations: tuple[str, ...] = ()
    false_claims: tuple[str, ...] = ()
    agents_out: tuple[str, ...] = ()
    """Agents that cannot be asked, each with the reason."""
    tried: tuple[Attempt, ...] = ()
    """The last iterations of the phase."""
    advice: str = ""


def halt_report(state: LoopState) -> HaltReport | None:
    """Explain a halt; None if the session is not halted."""
    if state.status is not Status.HALTED:
        return None
    memory, halt = state.memory, halt_of(state)
    failing = tuple(
        FailingTest(id=short_id(result.id, state.proof.suites), message=first_line(result))
        for result in memory.failing[:_FAILING_SHOWN]
    )
    return HaltReport(
        cause=state.halted_by,
        phase=state.phase,
        iteration=state.iteration,
        why=_why(state),
        when=halt.when,
        evidence=tuple(text for text in memory.reasons if not (failing and _FAILING_NAMED.match(text))),
        failing=failing,
        more_failing=max(0, len(memory.failing) - _FAILING_SHOWN),
        violations=tuple(f"{violation.path}: {violation.rule}" for violation in memory.violations),
        false_claims=memory.false_claims,
        agents_out=tuple(f"{name}: {out.reason}" for name, out in state.outs.items()),
        tried=state.attempts,
        advice=_ADVICE.get(state.halted_by, "") if state.halted_by else "",
    )


def _why(state: LoopState) -> str:
    """The reason of the halt, without the phase, the evidence and the command, which are reported on their own."""
    text = (state.halt_reason or "").removeprefix(f"{state.phase}: ")
    for before in _CONTINUES if state.way_on else ():
        text = text.replace(f"{before}{state.way_on}", "")
    for count in range(len(state.memory.reasons), 0, -1):
        details = f": {'; '.join(state.memory.reasons[:count])}"
        if details in text:
            return text.replace(details, "", 1)
    return text


def next_ways(state: LoopState, spec_changed: bool = False, is_alive: bool = True) -> tuple[Way, ...]:
    """The commands that a person can use now: to watch and steer a run, to continue or end it, to read what it did."""
    if state.status is Status.RUNNING and is_alive:
        return _AT_WORK
    if state.status is Status.COMPLETED:
        return (*_to_make(state), *_AFTER)
    special = _SPECIAL_EFFECTS.get(state.halted_by if state.status is Status.HALTED else None, {})
    return tuple(
        Way(way=way, command=command, effect=special.get(way, _EFFECTS[way]))
        for way, command in ways_on(state, spec_changed, is_alive)
    )


def _to_make(state: LoopState) -> tuple[Way, ...]:
    missing = not_made(state)
    if missing is None:
        return ()
    effect = "commit the proven work" if missing.what == COMMIT else "push the branch, open the request"
    return (Way(way=WayOn.COMMIT, command=missing.command, effect=effect),)


_AT_WORK = (
    Way(way=WayOn.FOLLOW, command="dualgate log --follow", effect="follow the run"),
    Way(way=WayOn.PAUSE, command="dualgate pause", effect="pause after this iteration"),
    Way(way=WayOn.GUIDE, command="dualgate guide 'TEXT'", effect="put TEXT in all prompts"),
    Way(way=WayOn.ABORT, command="dualgate abort", effect="end the session; files stay"),
)
_AFTER = (
    Way(way=WayOn.READ, command="dualgate report --open", effect="read the report in a browser"),
    Way(way=WayOn.READ, command="dualgate log", effect="read what happened, with times"),
    Way(way=WayOn.READ, command="dualgate sessions metrics", effect="time, tests and cost by iteration"),
)
_EFFECTS: Mapping[WayOn, str] = {
    WayOn.RESPEC: "adopt the new specification",
    WayOn.KEEP_SPEC: "keep the old specification",
    WayOn.START: "start over, archive this one",
    WayOn.RAISE: "continue with a higher limit",
    WayOn.RESUME: "continue when that is fixed",
    WayOn.RESET: "restart the counts, continue",
    WayOn.GUIDE: "also put TEXT in all prompts",
    WayOn.SKIP: "pass the phase without proof",
    WayOn.ABORT: "end the session; files stay",
    WayOn.APPROVE: "approve the change of the test",
    WayOn.REJECT: "keep the test, and tell the agent why",
    WayOn.ANSWER: "answer the agent, then resume",
}
_SPECIAL_EFFECTS: Mapping[HaltCause | None, Mapping[WayOn, str]] = {
    None: {
        WayOn.RESUME: "continue",
        WayOn.APPROVE: "complete the session",
        WayOn.REJECT: "send the work back with your reason",
    },
    HaltCause.RESET: {WayOn.RESUME: "continue"},
    HaltCause.ABORTED: {WayOn.RESET: "undo the abort, continue"},
}
_READ_LOG = "Read the last attempt with 'dualgate log show'."
_OTHER_AGENT = "resume with another agent (--agent NAME)"
_ADVICE: Mapping[HaltCause, str] = {
    HaltCause.BLOCKED: "Provide what the agent asks for, then resume.",
    HaltCause.QUESTION: "Answer the question, or clarify the specification. Then resume.",
    HaltCause.AMENDMENT: "Approve or reject the change, or change the test yourself. Then resume.",
    HaltCause.AGENT_UNUSABLE: f"Fix the agent ('dualgate doctor' shows how), or {_OTHER_AGENT}.",
    HaltCause.AGENT_BUDGET: f"Raise the budget at the agent's provider, or {_OTHER_AGENT}.",
    HaltCause.REFUSED: f"Reword the specification, or {_OTHER_AGENT}.",
    HaltCause.CONTEXT_FULL: f"Split the specification, or {_OTHER_AGENT}.",
    HaltCause.EMPTY_ANSWERS: f"Check the agent with 'dualgate doctor', or {_OTHER_AGENT}.",
    HaltCause.FAILED_CALLS: f"Check the agent with 'dualgate doctor', or {_OTHER_AGENT}.",
    HaltCause.RATE_LIMIT: f"Wait until the limit has ended, or {_OTHER_AGENT}.",
    HaltCause.NO_PROGRESS: f"{_READ_LOG} Fix the specification or the code, or give guidance.",
    HaltCause.SAME_ERROR: f"{_READ_LOG} Fix the specification or the code, or give guidance.",
    HaltCause.SAME_ANSWER: f"{_READ_LOG} Fix the specification or the code, or give guidance.",
    HaltCause.ITERATIONS: "A reset allows as many iterations again. A smaller specification needs fewer.",
    HaltCause.REJECTIONS: "A reset returns to GREEN to fix the open findings.",
    HaltCause.BUDGET: "A higher budget continues from here. A smaller specification needs less.",
    HaltCause.FULL_HOUR: "Wait for the hour to pass, or lift the limit.",
    HaltCause.TIME: "A reset allows as much time again.",
    HaltCause.ENVIRONMENT: "Fix the problem that the reason names, then resume.",
}


def halt_document(report: HaltReport | None) -> dict[str, Any] | None:
    """The field `halt` of `--json`."""
    if report is None:
        return None
    return {
        "cause": report.cause and report.cause.value,
        "phase": report.phase.value,
        "iteration": report.iteration,
        "why": report.why,
        "when": report.when,
        "evidence": list(report.evidence),
        "failing": [{"id": each.id, "message": each.message} for each in report.failing],
        "more_failing": report.more_failing,
        "violations": list(report.violations),
        "false_claims": list(report.false_claims),
        "agents_out": list(report.agents_out),
        "tried": [
            {
                "iteration": each.iteration,
                "said": each.said,
                "changed": list(each.changed),
                "result": each.result,
            }
            for each in report.tried
        ],
        "advice": report.advice,
    }


def ways_document(ways: tuple[Way, ...]) -> list[dict[str, str]]:
    """The field `next` of `--json`."""
    return [{"way": each.way.value, "command": each.command, "effect": each.effect} for each in ways]


_TEXTS = list_of(ANY_TEXT)
WAYS_SCHEMA: Schema = list_of(record({"way": words(WayOn), "command": SOME_TEXT, "effect": SOME_TEXT}))
HALT_SCHEMA: Schema = or_null(
    record(
        {
            "cause": or_null(words(HaltCause)),
            "phase": words(Phase),
            "iteration": integer(),
            "why": ANY_TEXT,
            "when": SOME_TEXT,
            "evidence": _TEXTS,
            "failing": list_of(record({"id": SOME_TEXT, "message": ANY_TEXT})),
            "more_failing": integer(),
            "violations": _TEXTS,
            "false_claims": _TEXTS,
            "agents_out": _TEXTS,
            "tried": list_of(record({"iteration": integer(), "said": ANY_TEXT, "changed": _TEXTS, "result": ANY_TEXT})),
            "advice": ANY_TEXT,
        }
    )
)
