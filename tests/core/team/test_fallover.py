"""Which agent is asked next."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide
from dualgate.core.machine.replay import replay, what_if
from dualgate.core.machine.reviewing import SAME_AGENT, review_note, reviewer_of
from dualgate.core.money.budget import halt_before_call
from dualgate.core.team.failures import REST
from dualgate.core.team.fallover import asked_agent, candidates, delay_of, next_switch, other_reviewer
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim
from dualgate.core.values.events import CallEnded, CallStarted, SessionPaused, SessionResumed, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched, FailuresInARow, Lineup, Out
from dualgate.core.values.vocabulary import Decision, Phase, Status, WorkStatus
from dualgate.testing import NOW, a_start, a_state, done, facts, not_done

TWO = Lineup(every=("claude", "codex"))
FOUR = Lineup(every=("claude", "codex"), by_phase={Phase.QA: ("codex", "gemini"), Phase.RED: ("qwen",)})
HOURS = timedelta(hours=1)


def failed(kind: Trouble, until: datetime | None = None) -> Claim:
    return Claim(failure=Failure(kind=kind, message="said", resets_at=until))


def a_run(**values: Any) -> LoopState:
    return a_state(**{"lineup": TWO, "phase": Phase.GREEN, **values})


def asks(state: LoopState, claim: Claim, at: datetime = NOW, **observed: Any) -> LoopState:
    """One turn of whoever is to be asked."""
    if switch := next_switch(state, at):
        state = apply(state, switch)
    agent = asked_agent(state)
    number = state.total_agent_calls + 1
    state = apply(state, CallStarted(at=at, number=number, phase=state.phase, iteration=1, agent=agent))
    changes = Changes(tree="t", modified=("a.py",)) if claim.failure is None else Changes(tree="t")
    seen = facts(state.phase, claim, **{"changes": changes, **observed})
    verdict = judge(seen, state.limits)
    breaker = breaker_after(state.breaker, state.phase, measure(seen), state.limits)
    move = decide(state, seen, verdict, breaker)
    return apply(state, TurnEnded(at=at, facts=seen, verdict=verdict, breaker=breaker, move=move, agent=agent))


def who(state: LoopState, at: datetime = NOW) -> str:
    switch = next_switch(state, at)
    return switch.agent if switch else asked_agent(state)


GIVEN_UP = [
    Trouble.AUTHENTICATION,
    Trouble.QUOTA,
    Trouble.MODEL_UNKNOWN,
    Trouble.DENIED,
    Trouble.BUDGET,
]


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.BUILD])
@pytest.mark.parametrize("kind", GIVEN_UP)
def test_what_only_a_person_can_mend_makes_way_for_the_next_and_is_no_iteration(kind: Trouble, phase: Phase) -> None:
    state = asks(a_run(phase=phase), failed(kind))

    assert (state.status, state.iteration, who(state)) == (Status.RUNNING, 0, "codex")
    switch = next_switch(state, NOW)
    assert switch == AgentSwitched(at=NOW, phase=phase, agent="codex", before="claude", reason=f"{kind}, said")


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.BUILD])
def test_where_the_last_agent_is_given_up_too_the_run_is_blocked_with_what_mends_each(phase: Phase) -> None:
    state = asks(asks(a_run(phase=phase), failed(Trouble.AUTHENTICATION)), failed(Trouble.QUOTA))

    assert (state.status, state.ended_by) == (Status.HALTED, Decision.BLOCKED)
    assert state.halt_reason == f"{phase}: quota, said; claude before it: authentication, said"


def test_an_agent_that_is_blocked_by_a_denied_tool_makes_way_and_one_that_asks_for_help_does_not() -> None:
    denied = not_done(status=WorkStatus.BLOCKED, denied=("Bash",))
    needy = not_done(status=WorkStatus.BLOCKED, recommendation="need a password")

    assert who(asks(a_run(), denied, changes=Changes(tree="t"))) == "codex"
    asked_twice = asks(a_run(), needy)
    seen = replace(facts(Phase.GREEN, needy), past=FailuresInARow(blocked=1))
    assert decide(asked_twice, seen, judge(seen, Limits()), asked_twice.breaker).status is Status.HALTED


def test_failures_are_counted_for_each_agent_by_itself() -> None:
    state = a_run(limits=Limits(failed_calls=3, retry_delay=0.0))
    for _ in range(3):
        state = asks(state, failed(Trouble.CRASH))
    assert (state.failures.failed_calls, who(state)) == (3, "codex")

    state = asks(state, failed(Trouble.CRASH))

    assert (state.agent, state.failures.failed_calls, state.failures_of_others["claude"].failed_calls) == (
        "codex",
        1,
        3,
    )
    state = asks(asks(state, failed(Trouble.CRASH)), failed(Trouble.CRASH))
    assert (state.status, state.ended_by) == (Status.HALTED, Decision.STUCK)


def test_an_agent_that_failed_too_often_is_tried_again_after_a_rest() -> None:
    state = a_run(limits=Limits(failed_calls=1))
    state = asks(asks(state, failed(Trouble.CRASH)), not_done())

    assert who(state, NOW + REST / 2) == "codex"
    state = asks(state, failed(Trouble.SERVER_ERROR), NOW + REST)
    assert (state.agent, state.status, who(state, NOW + REST)) == ("claude", Status.RUNNING, "codex")


def test_a_second_refusal_makes_way_until_the_next_phase() -> None:
    state = asks(asks(a_run(retry_delay=0.0), failed(Trouble.REFUSAL)), failed(Trouble.REFUSAL))
    assert who(state) == "codex"

    state = asks(state, done(Phase.GREEN))

    assert (state.phase, who(state)) == (Phase.REFACTOR, "claude")


def test_a_full_context_makes_way_after_the_shortest_prompt_and_is_none_of_the_next_agent() -> None:
    state = a_run(retry_delay=0.0)
    for _ in range(4):
        assert who(state) == "claude"
        state = asks(state, failed(Trouble.CONTEXT_FULL))

    state = asks(state, not_done())
    assert (state.agent, state.failures.full_contexts, state.failures_of_others["claude"].full_contexts) == (
        "codex",
        0,
        4,
    )


def test_a_limit_that_lasts_makes_way_until_it_ends() -> None:
    state = asks(a_run(), failed(Trouble.USAGE_LIMIT, NOW + 4 * HOURS))
    switch = next_switch(state, NOW)

    assert switch
    assert (switch.agent, switch.reason) == ("codex", "usage_limit until 2026-01-16T14:00+00:00")
    state = asks(state, not_done())
    assert (state.agent, state.failures.limited_calls, who(state, NOW + 3 * HOURS)) == ("codex", 0, "codex")
    state = asks(state, not_done(), NOW + 4 * HOURS)
    assert (state.agent, state.failures.limited_calls, state.iteration) == ("claude", 0, 2)
    assert state.last_switch
    assert state.last_switch.reason == "it can be asked again"


def test_an_account_that_is_used_up_until_some_time_is_no_limit_that_is_waited_for() -> None:
    state = asks(a_run(lineup=Lineup(every=("claude",))), failed(Trouble.QUOTA, NOW + 4 * HOURS))

    assert (state.status, state.failures.limited_until) == (Status.HALTED, None)


def test_a_limit_that_is_soon_over_is_waited_for_unless_that_is_not_wanted() -> None:
    soon = failed(Trouble.RATE_LIMIT, NOW + timedelta(minutes=4))
    patient, hasty = asks(a_run(), soon), asks(a_run(wait=False), soon)

    assert (who(patient), delay_of(patient, NOW)) == ("claude", 240.0)
    assert who(hasty) == "codex"


def test_where_all_are_limited_the_earliest_end_is_waited_for() -> None:
    state = asks(a_run(), failed(Trouble.USAGE_LIMIT, NOW + 4 * HOURS))
    state = asks(state, failed(Trouble.USAGE_LIMIT, NOW + 2 * HOURS))
    assert (who(state), delay_of(state, NOW)) == ("codex", 7200.0)

    state = asks(state, failed(Trouble.USAGE_LIMIT, NOW + 9 * HOURS), NOW + 2 * HOURS)

    assert who(state, NOW + 2 * HOURS) == "claude"
    switch = next_switch(state, NOW + 2 * HOURS)
    assert switch
    assert delay_of(apply(state, switch), NOW + 2 * HOURS) == 7200.0


def test_an_agent_that_is_limited_is_still_there_when_the_other_is_given_up() -> None:
    state = asks(a_run(), failed(Trouble.USAGE_LIMIT, NOW + 4 * HOURS))

    state = asks(state, failed(Trouble.AUTHENTICATION))

    assert (state.status, who(state)) == (Status.RUNNING, "claude")


def test_a_rate_limit_that_does_not_end_makes_way_for_good_where_there_is_another() -> None:
    state = asks(a_run(limits=Limits(limited_calls=1)), failed(Trouble.RATE_LIMIT))

    assert (state.status, who(state), who(state, NOW + REST)) == (Status.RUNNING, "codex", "claude")


def test_a_limit_in_unknown_words_is_waited_for_once_and_then_asked_about() -> None:
    alone, unknown = a_run(lineup=Lineup(every=("claude",))), failed(Trouble.LIMIT)
    once = asks(alone, unknown)
    twice = asks(once, unknown)

    assert (once.status, 200 < delay_of(once, NOW) < 400) == (Status.RUNNING, True)
    assert (twice.status, twice.ended_by) == (Status.HALTED, Decision.RATE_LIMITED)


def test_a_limit_in_unknown_words_after_a_known_one_is_waited_for_all_the_same() -> None:
    state = asks(asks(a_run(lineup=Lineup(every=("claude",))), failed(Trouble.RATE_LIMIT)), failed(Trouble.LIMIT))

    assert (state.status, state.failures.limited_calls) == (Status.RUNNING, 2)


def test_who_took_over_reviews_and_not_who_wrote_the_code() -> None:
    written = asks(a_run(), done(Phase.GREEN))
    review = replace(written, phase=Phase.QA)

    assert (written.writers, candidates(review), who(review)) == (("claude",), ("codex", "claude"), "codex")
    assert (reviewer_of(review), review_note(review)) == ("codex", "")
    assert other_reviewer(replace(written, phase=Phase.GREEN), NOW) == "codex"


def test_after_a_fall_over_the_one_that_fell_reviews() -> None:
    state = asks(a_run(), failed(Trouble.USAGE_LIMIT, NOW + 2 * HOURS))
    state = replace(asks(state, done(Phase.GREEN)), phase=Phase.QA)

    assert (state.writers, reviewer_of(state), who(state)) == (("codex",), "claude", "claude")
    assert delay_of(state, NOW) == 7200.0


@pytest.mark.parametrize(("later", "reviewer"), [(0, "codex"), (54, "codex"), (56, "claude"), (61, "claude")])
def test_a_reviewer_that_failed_too_often_is_not_waited_for(later: int, reviewer: str) -> None:
    state = asks(a_run(limits=Limits(failed_calls=1, retry_delay=0.0)), failed(Trouble.CRASH))
    state = replace(asks(state, done(Phase.GREEN)), phase=Phase.QA)

    assert who(state, NOW + timedelta(minutes=later)) == reviewer


def test_who_wrote_the_code_reviews_it_where_nobody_else_can_and_that_is_said() -> None:
    fallen = asks(asks(a_run(), failed(Trouble.AUTHENTICATION)), done(Phase.GREEN))
    state = asks(replace(fallen, phase=Phase.QA), not_done())
    alone = replace(a_run(phase=Phase.QA), lineup=Lineup(every=("claude",)))

    assert (state.qa_agent, reviewer_of(state)) == ("codex", None)
    assert review_note(state).endswith("because no other agent can be asked (claude: authentication, said)")
    assert review_note(alone) == SAME_AGENT
    assert other_reviewer(replace(fallen, phase=Phase.GREEN), NOW) is None


def asked_about_a_test(state: LoopState, agent: str, failure: Failure | None = None) -> LoopState:
    """Approval of an amendment, in the middle of a turn."""
    number = state.total_agent_calls + 1
    state = apply(state, CallStarted(at=NOW, number=number, phase=Phase.QA, iteration=1, agent=agent))
    ended = CallEnded(at=NOW, number=number, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer())
    return apply(state, replace(ended, answer=Answer(failure=failure), phase=Phase.QA, agent=agent))


def test_who_fails_when_asked_about_a_test_has_that_counted_and_not_the_agent_at_work() -> None:
    working = asks(a_run(), failed(Trouble.CRASH))
    limited = Failure(kind=Trouble.USAGE_LIMIT, message="said", resets_at=NOW + 2 * HOURS)

    state = asked_about_a_test(working, "codex", limited)

    assert (state.agent, state.failures.failed_calls, state.failures.limited_calls) == ("claude", 1, 0)
    assert (other_reviewer(state, NOW), delay_of(state, NOW, "codex")) == ("codex", 7200.0)
    halt = halt_before_call(replace(state, limits=Limits(wait=False)), NOW, "codex")
    assert halt
    assert halt.reason == "GREEN: a limit was reached until 2026-01-16T12:00+00:00, and waiting is off"
    assert delay_of(asked_about_a_test(state, "codex"), NOW, "codex") == 0.0


def test_a_run_that_had_not_waited_for_a_reviewer_would_have_gone_another_way() -> None:
    limited = Answer(failure=Failure(kind=Trouble.USAGE_LIMIT, message="said", resets_at=NOW + 2 * HOURS))
    asked = CallStarted(at=NOW, number=2, phase=Phase.QA, iteration=1, agent="codex")
    ended = CallEnded(at=NOW, number=2, exit_code=1, ending=Ending.EXITED, seconds=1.0, answer=limited, phase=Phase.QA)
    events = (
        a_start(lineup=TWO),
        CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1, agent="claude"),
        asked,
        replace(ended, agent="codex"),
        replace(asked, at=NOW + 2 * HOURS, number=3),
    )

    found = what_if(enumerate(events, 1), lambda limits: replace(limits, wait=False))

    assert [(each.seq, each.recomputed.decision) for each in found.differences] == [(5, Decision.RATE_LIMITED)]


def test_who_cannot_be_asked_about_a_test_is_not_asked_again_until_it_can() -> None:
    working = asks(a_run(), not_done())
    no_login = Failure(kind=Trouble.AUTHENTICATION, message="said")

    state = asked_about_a_test(working, "codex", no_login)

    assert (state.outs, other_reviewer(state, NOW)) == ({"codex": Out(reason="authentication, said")}, None)
    assert asked_about_a_test(state, "codex").outs == {}
    assert asked_about_a_test(working, "claude", no_login).outs == {}


def test_a_limit_of_days_is_not_waited_for_by_a_review() -> None:
    state = asks(a_run(), failed(Trouble.WEEKLY_LIMIT, NOW + 50 * HOURS))
    state = replace(asks(state, done(Phase.GREEN)), phase=Phase.QA)

    assert who(state) == "codex"


def test_a_reviewer_of_its_own_who_wrote_the_code_makes_way_for_those_who_work() -> None:
    lineup = Lineup(every=("claude", "codex"), by_phase={Phase.QA: ("codex",)})
    state = asks(a_run(lineup=lineup), failed(Trouble.AUTHENTICATION))
    state = replace(asks(state, done(Phase.GREEN)), phase=Phase.QA, outs={})

    assert candidates(state) == ("claude", "codex")


@pytest.mark.parametrize(("model", "recorded"), [("gpt", "gpt"), (None, None)])
def test_the_model_that_wrote_the_code_is_that_of_the_agent_that_took_over(model: str | None, recorded: str) -> None:
    ended = CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(model="opus"))
    state = asks(apply(a_run(), replace(ended, agent="claude")), not_done())
    assert state.green_model == "opus"

    state = apply(state, replace(ended, answer=Answer(model=model), agent="codex"))

    assert state.green_model == recorded


def test_a_change_of_agents_survives_a_crash_and_is_looked_at_anew_after_a_pause() -> None:
    state = asks(asks(a_run(), failed(Trouble.AUTHENTICATION)), not_done())
    resumed = SessionResumed(at=NOW, by="me", limits=state.limits, lineup=TWO)

    assert who(apply(state, resumed)) == "codex"
    paused = apply(state, SessionPaused(at=NOW, reason="manual"))
    assert who(apply(paused, resumed)) == "claude"
    other = apply(paused, replace(resumed, lineup=Lineup(every=("gemini",))))
    assert (who(other), asked_agent(other)) == ("gemini", "gemini")


def test_who_was_given_up_has_its_whole_patience_again_after_a_pause_and_everybody_after_a_halt() -> None:
    state = a_run(limits=Limits(failed_calls=2, retry_delay=0.0))
    given_up = asks(asks(state, failed(Trouble.CRASH)), failed(Trouble.CRASH))
    both = asks(asks(given_up, failed(Trouble.CRASH)), failed(Trouble.CRASH))
    assert (both.status, both.agent, both.failures.failed_calls) == (Status.HALTED, "codex", 2)

    paused = apply(given_up, SessionPaused(at=NOW, reason="manual"))
    goes_on = apply(paused, SessionResumed(at=NOW, by="ada", limits=state.limits))
    after_halt = apply(both, SessionResumed(at=NOW, by="ada", limits=state.limits))

    assert (who(goes_on), goes_on.failures.failed_calls) == ("claude", 0)
    assert (who(after_halt), after_halt.failures.failed_calls) == ("claude", 0)
    assert asks(after_halt, failed(Trouble.CRASH)).outs == {}


def test_a_session_that_is_older_than_the_names_of_agents_goes_on_as_it_was() -> None:
    state = asks(a_state(), failed(Trouble.AUTHENTICATION))

    assert (asked_agent(state), next_switch(state, NOW), state.outs) == ("", None, {})
    assert (state.status, reviewer_of(a_state(reviewer="cat"))) == (Status.HALTED, "cat")


def test_a_lineup_tells_everybody_once() -> None:
    assert FOUR.everybody == ("claude", "codex", "gemini", "qwen")


def test_the_calls_of_each_agent_are_counted() -> None:
    state = asks(asks(a_run(), failed(Trouble.AUTHENTICATION)), not_done())

    later = asked_about_a_test(state, "claude")

    assert dict(state.calls_by) == {"claude": 1, "codex": 1}
    assert (later.calls_by["claude"], later.agent) == (2, "codex")


def test_a_replay_asks_the_same_agents_and_tells_where_another_was_asked() -> None:
    start = a_start(lineup=TWO)
    state = a_state(lineup=TWO)
    limited = asks(state, failed(Trouble.USAGE_LIMIT, NOW + HOURS))
    seen = facts(Phase.RED, failed(Trouble.USAGE_LIMIT, NOW + HOURS), changes=Changes(tree="t"))
    verdict = judge(seen, state.limits)
    move = decide(state, seen, verdict, state.breaker)
    breaker = breaker_after(state.breaker, Phase.RED, measure(seen), state.limits)
    events = (
        start,
        CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1, agent="claude"),
        TurnEnded(at=NOW, facts=seen, verdict=verdict, breaker=breaker, move=move, agent="claude"),
        next_switch(limited, NOW),
    )
    numbered = [(number, event) for number, event in enumerate(events, 1) if event]
    wrong = replace(numbered[-1][1], agent="claude", at=NOW + 2 * HOURS)

    assert (replay(numbered).is_same, replay(numbered).decisions) == (True, 2)
    (difference,) = replay([*numbered[:-1], (4, wrong)]).differences
    assert difference.what == ("reasons", "agent")


def test_whoever_is_out_until_the_next_phase_is_asked_by_nobody_before() -> None:
    state = a_run(outs={"codex": Out(reason="refusal", for_phase=True)})

    assert who(asks(state, failed(Trouble.USAGE_LIMIT, NOW + HOURS))) == "claude"


def test_an_agent_that_is_asked_again_after_its_rest_and_works_is_there_for_the_others() -> None:
    state = a_run(limits=Limits(failed_calls=1))
    state = asks(asks(state, failed(Trouble.USAGE_LIMIT, NOW + 9 * HOURS)), failed(Trouble.CRASH))
    assert (state.status, who(state), delay_of(state, NOW)) == (Status.RUNNING, "codex", REST.total_seconds())

    state = asks(state, not_done(), NOW + REST)

    assert (state.agent, dict(state.outs), state.iteration) == ("codex", {}, 1)
