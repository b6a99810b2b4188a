"""The spans of a session: made from its events alone, each ended once, with the same ids whenever they are made."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from dualgate.core.record.traces.attributes import agent_and_model
from dualgate.core.record.traces.document import span_line
from dualgate.core.record.traces.span import Level, Span, nanoseconds, span_id, trace_id
from dualgate.core.record.traces.tracing import MOST_EVENTS, Tracing, begin_tracing, traced
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble, Usage
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckEnded, CheckRun, CheckStarted
from dualgate.core.values.control import RequestRefused
from dualgate.core.values.events import (
    BaselineTaken,
    CallDelayed,
    CallEnded,
    CallInterrupted,
    CallStarted,
    Event,
    GuidanceGiven,
    PhaseSkipped,
    SessionHalted,
    SessionReset,
    SessionResumed,
    SuiteEnded,
    SuiteStarted,
    TreeSettled,
    TurnEnded,
)
from dualgate.core.values.limits import Limits, Price
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbesEnded, ProbesStarted, ProbeState
from dualgate.core.values.suite import TrialEnded, TrialStarted
from dualgate.core.values.team import AgentSwitched, Wait
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase
from dualgate.testing import NOW, a_report, a_start, facts, failed, passed

ID = a_start().session_id
SECOND = timedelta(seconds=1)
TESTED = a_report(passed("test_a"), failed("test_b"))
ANSWER = Answer(
    model="claude-opus-4",
    usage=Usage(input=100, output=20, cached=60),
    cost_usd=0.25,
    session_id="c-1",
    stop_reason="end_turn",
)
REFUSED = Answer(failure=Failure(kind=Trouble.OVERLOADED, message="try later, said the server"))
BASELINE = BaselineTaken(at=NOW, tree="t", results=(passed("test_a"),))


def a_turn(phase: Phase = Phase.RED, decision: Decision = Decision.CONTINUE, to: Phase | None = None) -> TurnEnded:
    verdict = Verdict(outcome=Outcome.STAY, gate_1=True, gate_2=False)
    move = Move(decision=decision, phase=to or phase)
    return TurnEnded(at=NOW, facts=facts(phase), verdict=verdict, breaker=Breaker(), move=move)


def a_call(agent: str = "claude:opus", answer: Answer = ANSWER, number: int = 1, code: int | None = 0) -> list[Event]:
    ended = CallEnded(at=NOW, number=number, exit_code=code, ending=Ending.EXITED, seconds=1, answer=answer)
    return [CallStarted(at=NOW, number=number, phase=Phase.RED, iteration=1, agent=agent), ended]


def begun(*first: Event, start: Any = None) -> list[Event]:
    return [start or a_start(), BASELINE, *first]


def run(found: list[Event], epochs: dict[int, int] | None = None) -> tuple[Tracing, list[Span]]:
    """The spans of events that are a second apart; `epochs` are the epochs of events, by number."""
    times = (NOW + number * SECOND for number in count())
    dated: Iterator[Any] = (_at(event, at) for event, at in zip(found, times, strict=False))
    tracing, spans, epoch = begin_tracing(next(dated), 1), list[Span](), 1
    for seq, event in enumerate(dated, start=2):
        epoch = (epochs or {}).get(seq, epoch)
        tracing = traced(tracing, seq, epoch, event)
        spans += tracing.ended
    return tracing, spans


def _at(event: Event, at: Any) -> Event:
    return replace(event, at=at)


def named(spans: list[Span]) -> list[str]:
    return [span.name for span in spans]


def test_a_call_lies_in_an_iteration_of_a_phase_of_the_session() -> None:
    tracing, spans = run(begun(*a_call(), TreeSettled(at=NOW, changes=Changes(tree="t")), a_turn()))

    call, iteration = spans
    session, phase = tracing.open
    assert (call.parent_id, iteration.parent_id, phase.parent, session.parent) == (
        iteration.span_id,
        phase.id,
        session.id,
        "",
    )
    assert (call.start, call.end, iteration.end) == (NOW + 2 * SECOND, NOW + 3 * SECOND, NOW + 5 * SECOND)
    assert named(spans) == ["invoke_agent claude", "iteration 1"]
    assert phase.attributes["dualgate.iterations"] == 1
    assert (session.id, call.trace_id) == (span_id(ID, 1, Level.SESSION), trace_id(ID))


def test_a_call_has_the_names_of_the_conventions() -> None:
    _, (call,) = run(begun(*a_call()))

    assert call.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.agent.name": "claude",
        "gen_ai.request.model": "opus",
        "gen_ai.response.model": "claude-opus-4",
        "gen_ai.response.finish_reasons": ("end_turn",),
        "gen_ai.conversation.id": "c-1",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "dualgate.phase": "RED",
        "dualgate.iteration": 1,
        "dualgate.call": 1,
        "dualgate.role": "tester",
        "dualgate.cost_usd": 0.25,
        "dualgate.cost_computed": False,
        "dualgate.exit_code": 0,
        "dualgate.ending": "exited",
    }
    assert call.error == ""


def test_a_failed_call_has_its_kind_and_not_its_message() -> None:
    _, (call,) = run(begun(*a_call(answer=REFUSED, code=None)))

    assert (call.error, call.attributes["error.type"]) == ("overloaded", "overloaded")
    assert "dualgate.exit_code" not in call.attributes
    assert "gen_ai.usage.input_tokens" not in call.attributes


@pytest.mark.parametrize(
    ("label", "agent", "model", "provider"),
    [
        ("codex", "codex", None, "openai"),
        ("opencode:mistral/large", "opencode", "mistral/large", "mistral"),
        ("opencode", "opencode", None, "opencode"),
        ("rehearsal:/tmp/script.toml", "rehearsal", None, "rehearsal"),
        ("curl -H key=1 | my-agent", "command", None, "command"),
    ],
)
def test_agent_model_and_provider_follow_from_the_name_in_the_lineup(
    label: str, agent: str, model: str | None, provider: str
) -> None:
    _, (call,) = run(begun(*a_call(agent=label)))

    found = [call.attributes.get(f"gen_ai.{name}") for name in ("agent.name", "request.model", "provider.name")]
    assert found == [agent, model, provider]
    assert agent_and_model(label) == (agent, model or "")


def test_a_computed_cost_is_marked_and_containers_sum_the_usage() -> None:
    priced = a_start(limits=Limits(prices={"*": Price(input=10.0, output=10.0)}))
    unpriced = Answer(model="m", usage=Usage(input=100_000, output=0))

    _, (call, iteration) = run(begun(*a_call(answer=unpriced), a_turn(), start=priced))

    assert (call.attributes["dualgate.cost_usd"], call.attributes["dualgate.cost_computed"]) == (1.0, True)
    assert iteration.attributes["dualgate.tokens.input"] == 100_000
    assert (iteration.attributes["dualgate.calls"], iteration.attributes["dualgate.cost_usd"]) == (1, 1.0)


def test_an_iteration_has_gates_tests_and_decision() -> None:
    _, spans = run(begun(*a_call(), a_turn()))

    found = spans[-1].attributes
    assert {name: found[f"dualgate.{name}"] for name in ("gate_1", "gate_2", "decision", "outcome")} == {
        "gate_1": True,
        "gate_2": False,
        "decision": "continue",
        "outcome": "stay",
    }
    assert (found["dualgate.tests.passed"], found["dualgate.tests.total"]) == (3, 3)


def test_test_runs_checks_probes_and_trials_are_spans() -> None:
    probe = Probe(file="a.py", line=1, kind=ProbeKind.MUTANT, text="x", state=ProbeState.KILLED)
    check = CheckRun(command="make lint", exit_code=1)
    _, spans = run(
        begun(
            SuiteStarted(at=NOW, command=("pytest",)),
            SuiteEnded(at=NOW, report=TESTED),
            CheckStarted(at=NOW, command="make lint"),
            CheckEnded(at=NOW, check=check),
            ProbesStarted(at=NOW, seconds=1),
            ProbesEnded(at=NOW, report=ProbeReport(probes=(probe,), left_out=2)),
            TrialStarted(at=NOW, label="old tests", tree="t"),
            SuiteStarted(at=NOW, command=("pytest",)),
            SuiteEnded(at=NOW, report=a_report(exit_code=None)),
            TrialEnded(at=NOW, label="old tests", tree="t"),
            SuiteEnded(at=NOW, report=TESTED, known=True),
            CheckEnded(at=NOW, check=CheckRun(command="x", exit_code=None), known=True),
            a_turn(),
        )
    )

    tests, lint, probes, inner, trial, iteration = spans
    assert named(spans) == ["tests", "check", "probes", "tests", "trial", "iteration 1"]
    assert (tests.attributes["dualgate.tests.failed"], tests.attributes["dualgate.exit_code"]) == (1, 1)
    assert (lint.attributes["dualgate.check.passed"], lint.attributes["dualgate.exit_code"]) == (False, 1)
    assert (probes.attributes["dualgate.probes.killed"], probes.attributes["dualgate.probes.left_out"]) == (1, 2)
    assert (inner.parent_id, trial.parent_id) == (trial.span_id, iteration.span_id)
    assert [event.name for event in iteration.events] == ["suite.ended", "check.ended"]
    assert iteration.events[0].attributes["dualgate.tests.passed"] == 1


def test_the_baseline_is_a_span_of_its_own() -> None:
    suite: list[Event] = [SuiteStarted(at=NOW, command=("pytest",)), SuiteEnded(at=NOW, report=TESTED)]

    tracing, spans = run([a_start(), *suite, BASELINE])

    assert named(spans) == ["tests", "baseline"]
    assert spans[0].parent_id == spans[1].span_id
    assert [each.level for each in tracing.open] == [Level.SESSION]


def test_moments_are_events_of_the_span_they_happen_in() -> None:
    wait = CallDelayed(at=NOW, wait=Wait(until=NOW, reason="full hour", setting="max_calls_per_hour"))
    switch = AgentSwitched(at=NOW, phase=Phase.RED, agent="codex", before="claude:opus", reason="no login")

    _, spans = run(begun(*a_call(), switch, wait, *a_call(number=2), a_turn()))

    moments = spans[-1].events
    assert [each.name for each in moments] == ["agent.switched", "call.delayed"]
    assert moments[0].attributes == {"dualgate.agent": "codex", "dualgate.agent.before": "claude"}


def test_a_span_keeps_a_limited_number_of_moments() -> None:
    refused = [RequestRefused(at=NOW, by="x", request="skip", reason="inside a call", inside=True)] * (MOST_EVENTS + 5)

    tracing, _ = run(begun(*a_call(), *refused))

    assert [len(each.events) for each in tracing.open] == [1, 0, MOST_EVENTS]


def test_a_phase_ends_when_the_next_one_begins_or_it_is_skipped() -> None:
    moved = a_turn(decision=Decision.NEXT_PHASE, to=Phase.GREEN)
    skipped = PhaseSkipped(at=NOW, by="ada", phase=Phase.GREEN, goes_on=True)

    tracing, spans = run(begun(*a_call(), moved, *a_call(number=2), skipped))

    assert named(spans)[2:] == ["phase RED", "invoke_agent claude", "iteration 1", "phase GREEN"]
    assert [each.level for each in tracing.open] == [Level.SESSION]


def test_a_halt_ends_all_spans_and_a_resumed_session_goes_on_below_the_first() -> None:
    halt = SessionHalted(at=NOW, decision=Decision.BUDGET_EXHAUSTED, reason="spent", cause=HaltCause.BUDGET)
    reset, resumed = SessionReset(at=NOW, by="ada"), SessionResumed(at=NOW, by="ada", limits=Limits())
    told = GuidanceGiven(at=NOW, by="ada", text="x")

    tracing, spans = run(begun(*a_call(), a_turn(), halt, told, reset, resumed, *a_call(number=2)), {8: 2})

    assert named(spans)[2:] == ["phase RED", "invoke_workflow tdd", "invoke_agent claude"]
    first, second = spans[3], tracing.open[0]
    assert (first.attributes["dualgate.standing"], first.attributes["dualgate.halted_by"]) == ("halted", "budget")
    assert (second.parent, second.attributes["dualgate.resumed"]) == (first.span_id, True)


def test_a_killed_run_ends_with_its_last_event_whether_it_is_resumed_or_not() -> None:
    cut = begun(CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1, agent="claude"))
    interrupted = CallInterrupted(at=NOW, number=1)
    resumed = SessionResumed(at=NOW, by="ada", limits=Limits())

    alone, _ = run(cut)
    _, later = run([*cut, interrupted, resumed], {4: 2})

    ended = alone.cut_off.ended
    assert [(span.span_id, span.end, span.attributes) for span in ended] == [
        (span.span_id, span.end, span.attributes) for span in later
    ]
    assert named(later) == ["invoke_agent claude", "iteration 1", "phase RED", "invoke_workflow tdd"]
    assert all(span.attributes["dualgate.interrupted"] for span in later)
    assert later[-1].attributes["dualgate.standing"] == "process died"


def test_a_clock_that_is_set_back_makes_no_negative_span() -> None:
    tracing = begin_tracing(a_start(), 1)
    start, end = a_call()
    tracing = traced(traced(tracing, 2, 1, BASELINE), 3, 1, start)

    (span,) = traced(tracing, 4, 1, replace(end, at=NOW - SECOND)).ended

    assert span.end == span.start


def test_a_line_of_a_file_is_a_span_of_otlp() -> None:
    _, (call, iteration) = run(begun(*a_call(answer=REFUSED), SuiteEnded(at=NOW, report=TESTED, known=True), a_turn()))

    resource = span_line(call, "1.2")["resourceSpans"][0]
    (inner,) = span_line(iteration, "1.2")["resourceSpans"][0]["scopeSpans"][0]["spans"]

    (outer,) = resource["scopeSpans"][0]["spans"]
    assert resource["resource"]["attributes"][0] == {"key": "service.name", "value": {"stringValue": "dualgate"}}
    assert (outer["kind"], outer["status"]) == (3, {"code": 2, "message": "overloaded"})
    assert outer["startTimeUnixNano"] == str(nanoseconds(call.start)) == "1768557602000000000"
    assert (inner["kind"], inner["status"], inner["events"][0]["name"]) == (1, {}, "suite.ended")
    values = {pair["key"]: pair["value"] for pair in inner["attributes"]}
    assert values["dualgate.gate_1"] == {"boolValue": True}
    assert values["dualgate.iteration"] == {"intValue": "1"}


def test_lists_and_dollars_have_their_own_types_in_a_file() -> None:
    _, (call,) = run(begun(*a_call()))

    (span,) = span_line(call, "1.2")["resourceSpans"][0]["scopeSpans"][0]["spans"]

    values = {pair["key"]: pair["value"] for pair in span["attributes"]}
    assert values["dualgate.cost_usd"] == {"doubleValue": 0.25}
    assert values["gen_ai.response.finish_reasons"] == {"arrayValue": {"values": [{"stringValue": "end_turn"}]}}


def test_the_first_span_of_a_session_has_no_parent() -> None:
    halt = SessionHalted(at=NOW, decision=Decision.BUDGET_EXHAUSTED, reason="spent", cause=HaltCause.BUDGET)

    _, spans = run(begun(halt))

    (span,) = span_line(spans[0], "1.2")["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert "parentSpanId" not in span


def test_a_long_session_has_few_open_spans_and_each_ended_one_once() -> None:
    settled = TreeSettled(at=NOW, changes=Changes(tree="t"))
    iterations = [event for number in range(1, 301) for event in (*a_call(number=number), settled, a_turn())]

    tracing, spans = run(begun(*iterations))

    assert (len(tracing.open), len(spans), len({span.span_id for span in spans})) == (2, 600, 600)
