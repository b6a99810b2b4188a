"""Events, LoopState -> attributes of spans: names of the GenAI conventions, and `dualgate.*` for the rest.

Prompts, answers and reasons are not in them: numbers, names and words of fixed sets only.
"""

from collections.abc import Callable, Mapping
from typing import Any

from dualgate.core.money.spending import answer_used
from dualgate.core.record.session_state import standing_of
from dualgate.core.record.traces.span import Attribute, Attributes
from dualgate.core.values import events
from dualgate.core.values.answer import Answer
from dualgate.core.values.checks import CheckEnded
from dualgate.core.values.events import CallEnded, CallStarted, SessionStarted, SuiteEnded, TurnEnded
from dualgate.core.values.probes import ProbesEnded, ProbeState
from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.vocabulary import ROLES, Counts, Phase

PROVIDERS: Mapping[str, str] = {
    "claude": "anthropic",
    "codex": "openai",
    "gemini": "gcp.gemini",
    "opencode": "opencode",
    "qwen": "qwen",
    "rehearsal": "rehearsal",
}
"""Agents -> who serves their models; the conventions name the first three."""
COMMAND = "command"
INVOKE_AGENT = "invoke_agent"
INVOKE_WORKFLOW = "invoke_workflow"


def session_attributes(started: SessionStarted) -> Attributes:
    return {
        "gen_ai.operation.name": INVOKE_WORKFLOW,
        "gen_ai.workflow.name": started.workflow.value,
        "dualgate.session.id": started.session_id,
        "dualgate.project": started.project.rstrip("/").rpartition("/")[2],
        "dualgate.specification": started.prp_file,
        "dualgate.criteria": len(started.criteria),
    }


def session_end(state: LoopState, died: bool) -> Attributes:
    standing = standing_of(state.status, state.proven, alive=not died)
    halted = {"dualgate.halted_by": state.halted_by.value} if state.halted_by else {}
    return {
        "dualgate.status": state.status.value,
        "dualgate.standing": standing.value,
        "dualgate.proven": state.proven,
        "dualgate.phase": state.phase.value,
        **halted,
    }


def used_attributes(used: Used) -> Attributes:
    """The usage of all calls inside a span. Its names differ from those of calls, so that no sum counts both."""
    tokens = {"dualgate.tokens.input": used.input, "dualgate.tokens.output": used.output} if used.tells_tokens else {}
    cost = {"dualgate.cost_usd": used.cost_usd} if used.tells_cost else {}
    return {"dualgate.calls": used.calls, **tokens, **cost}


def turn_attributes(turn: TurnEnded) -> Attributes:
    verdict, observed = turn.verdict, turn.facts.observed
    return {
        **count_attributes(observed.counts),
        "dualgate.gate_1": verdict.gate_1,
        "dualgate.gate_2": verdict.gate_2,
        "dualgate.outcome": verdict.outcome.value,
        "dualgate.decision": turn.move.decision.value,
        "dualgate.breaker": turn.breaker.state.value,
        "dualgate.files_changed": len(observed.changes.paths),
        "dualgate.violations": len(observed.changes.violations),
    }


def count_attributes(counts: Counts) -> Attributes:
    found = {name: getattr(counts, name) for name in ("passed", "failed", "error", "skipped", "total")}
    return {f"dualgate.tests.{name}": count for name, count in found.items()}


def agent_and_model(label: str) -> tuple[str, str]:
    """The agent and the model of a name in the lineup. A command is not named: it can hold anything."""
    head, _, rest = label.partition(":")
    if head not in PROVIDERS:
        return COMMAND, ""
    return head, "" if head == "rehearsal" else rest


def call_attributes(event: CallStarted) -> Attributes:
    agent, model = agent_and_model(event.agent)
    provider = model.partition("/")[0] if agent == "opencode" and "/" in model else PROVIDERS.get(agent, COMMAND)
    return {
        "gen_ai.operation.name": INVOKE_AGENT,
        "gen_ai.provider.name": provider,
        "gen_ai.agent.name": agent,
        **_given({"gen_ai.request.model": model}),
        **place_attributes(event.phase, event.iteration),
        "dualgate.call": event.number,
        "dualgate.role": ROLES[event.phase].value,
        **_given({"dualgate.call.follows": event.follows}),
    }


def call_end(event: CallEnded, state: LoopState) -> Attributes:
    answer = event.answer
    used = answer_used(answer, state.limits.prices)
    cost = {"dualgate.cost_usd": used.cost_usd, "dualgate.cost_computed": used.computed_usd > 0}
    return {
        **_usage(answer),
        **_given(
            {
                "gen_ai.response.model": answer.model or "",
                "gen_ai.response.finish_reasons": (answer.stop_reason,) if answer.stop_reason else (),
                "gen_ai.conversation.id": answer.session_id or "",
                "error.type": answer.failure.kind.value if answer.failure else "",
            }
        ),
        **(cost if used.tells_cost else {}),
        **({} if event.exit_code is None else {"dualgate.exit_code": event.exit_code}),
        "dualgate.ending": event.ending.value,
    }


def _usage(answer: Answer) -> Attributes:
    usage = answer.usage
    if usage is None:
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
    }


def place_attributes(phase: Phase, iteration: int) -> Attributes:
    return {"dualgate.phase": phase.value, "dualgate.iteration": iteration}


def suite_end(event: SuiteEnded) -> Attributes:
    report = event.report
    return {
        **count_attributes(report.counts),
        "dualgate.suite.runner": report.runner,
        "dualgate.suite.trusted": report.trusted,
        "dualgate.suite.selected": len(report.only),
        **({} if report.exit_code is None else {"dualgate.exit_code": report.exit_code}),
    }


def check_end(event: CheckEnded) -> Attributes:
    code = event.check.exit_code
    return {"dualgate.check.passed": code == 0, **({} if code is None else {"dualgate.exit_code": code})}


def probes_end(event: ProbesEnded) -> Attributes:
    states = [probe.state for probe in event.report.probes]
    return {
        "dualgate.probes.total": len(states),
        "dualgate.probes.killed": states.count(ProbeState.KILLED),
        "dualgate.probes.surviving": states.count(ProbeState.SURVIVING),
        "dualgate.probes.left_out": event.report.left_out,
    }


def event_attributes(event: events.Event) -> Attributes:
    """The attributes of a moment inside a span; most kinds of events have none."""
    found = _OF_EVENTS.get(type(event))
    return found(event) if found else {}


def _switched(event: AgentSwitched) -> Attributes:
    return {
        "dualgate.agent": agent_and_model(event.agent)[0],
        "dualgate.agent.before": agent_and_model(event.before)[0],
    }


_OF_EVENTS: Mapping[type, Callable[[Any], Attributes]] = {
    AgentSwitched: _switched,
    events.CallDelayed: lambda event: {"dualgate.wait.setting": event.wait.setting},
    SuiteEnded: suite_end,
    CheckEnded: check_end,
    ProbesEnded: probes_end,
}


def _given(values: Mapping[str, Attribute]) -> Attributes:
    return {name: value for name, value in values.items() if value}
