"""Who is asked in which phase."""

from pathlib import Path

import pytest

from dualgate.agents.command import CommandAgent
from dualgate.agents.rehearsal import RehearsalAgent
from dualgate.core.machine.reviewing import reviewer_of
from dualgate.core.values.limits import PhaseBudget, Price
from dualgate.core.values.team import Lineup
from dualgate.core.values.vocabulary import Phase, SessionUse
from dualgate.errors import SettingError
from dualgate.session.team import Agents, build_agents, unwatched_cost
from dualgate.settings import AgentChoice, Settings
from dualgate.testing import a_host, a_state

TRUE, CAT = AgentChoice(command="true"), AgentChoice(command="cat")


def reviewer(agents: Agents) -> str | None:
    return reviewer_of(a_state(lineup=agents.lineup))


def test_where_no_other_is_given_the_agent_that_works_reviews(tmp_path: Path) -> None:
    agents = build_agents(Settings(agent_command="true"), a_host(tmp_path))

    assert agents.every.name == "command"
    assert (agents.lineup, reviewer(agents)) == (Lineup(every=("true",)), None)


def test_a_command_for_the_review_is_another_agent(tmp_path: Path) -> None:
    agents = build_agents(Settings(agent="rehearsal", qa_agent_command="cat"), a_host(tmp_path))

    assert isinstance(agents.every, RehearsalAgent)
    assert isinstance(agents.first(Phase.QA), CommandAgent)
    assert reviewer(agents) == "cat"


def test_the_same_command_is_no_other_agent(tmp_path: Path) -> None:
    assert reviewer(build_agents(Settings(agent_command="cat", qa_agent_command="cat"), a_host(tmp_path))) is None


def test_roles_have_agents_of_their_own_and_flags_go_before_them(tmp_path: Path) -> None:
    roles = {"default": TRUE, "qa": AgentChoice(agent="rehearsal"), "green": CAT}

    by_role = build_agents(Settings(agents=roles), a_host(tmp_path))
    by_flag = build_agents(Settings(agents=roles, agent_command="cat", qa_agent_command="cat"), a_host(tmp_path))

    assert by_role.lineup.by_phase == {Phase.GREEN: ("cat",), Phase.QA: ("rehearsal",)}
    assert (reviewer(by_role), reviewer(by_flag)) == ("rehearsal", None)
    assert isinstance(by_flag.every, CommandAgent)
    assert by_flag.every.command == "cat"


def test_others_take_over_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    settings = Settings(
        agent_command="true",
        fallback=("rehearsal", "command:cat -"),
        agents={"qa": AgentChoice(agent="rehearsal", fallback=("command:true", "rehearsal"))},
    )

    agents = build_agents(settings, a_host(tmp_path))

    assert agents.lineup.every == ("true", "rehearsal", "cat -")
    assert agents.lineup.of(Phase.QA) == ("rehearsal", "true")
    assert isinstance(agents.team["rehearsal"], RehearsalAgent)
    assert agents.team.keys() == {"true", "rehearsal", "cat -"}


def test_who_takes_over_reviews_what_the_first_wrote(tmp_path: Path) -> None:
    assert (
        reviewer(build_agents(Settings(agent_command="true", fallback=("rehearsal",)), a_host(tmp_path))) == "rehearsal"
    )


def test_two_of_one_name_that_are_not_the_same_are_told_apart(tmp_path: Path) -> None:
    roles = {"red": AgentChoice(command="cat", session=SessionUse.FRESH)}

    agents = build_agents(Settings(agent_command="cat", agents=roles), a_host(tmp_path))

    assert (agents.lineup.every, agents.lineup.of(Phase.RED)) == (("cat",), ("cat (2)",))


WRONG = [
    (Settings(agent="rehearsal", fallback=("nobody",)), "There is no agent 'nobody'"),
    (Settings(agent="rehearsal", fallback=("command:echo 'x",)), "not a valid command line"),
    (Settings(), "No agent is given"),
    (Settings(agent="nobody"), "There is no agent 'nobody'"),
    (Settings(agent="rehearsal", agent_command="true"), "Both an agent and an agent command"),
    (Settings(agent_command="echo 'done"), "The agent command is not a valid command line: echo 'done"),
    (Settings(agent="rehearsal", qa_agent_command='echo "$(cat'), "Close its quotes"),
    (Settings(agent="rehearsal", qa_agent="nobody"), "There is no agent 'nobody'"),
    (Settings(agent="rehearsal", qa_agent="rehearsal", qa_agent_command="cat"), "--qa-agent or --qa-agent-command"),
    (Settings(agent="rehearsal", agents={"qa": AgentChoice(agent="nobody")}), "There is no agent 'nobody'"),
]


@pytest.mark.parametrize(("settings", "why"), WRONG)
def test_an_agent_that_cannot_be_made_is_an_error_before_any_call(tmp_path: Path, settings: Settings, why: str) -> None:
    with pytest.raises(SettingError) as error:
        build_agents(settings, a_host(tmp_path))

    assert why in f"{error.value.message} {error.value.next_step}"


def test_a_command_that_only_a_shell_can_read_is_taken(tmp_path: Path) -> None:
    command = "cat  # it's what it says"

    assert isinstance(build_agents(Settings(agent_command=command), a_host(tmp_path)).every, CommandAgent)


@pytest.mark.parametrize(
    ("settings", "silent"),
    [
        (Settings(agent="codex", max_cost=5.0), True),
        (Settings(agent="claude", max_cost=5.0, agents={"qa": AgentChoice(agent="gemini:pro")}), True),
        (Settings(agent="codex", budget={Phase.QA: PhaseBudget(cost=1.0)}), True),
        (Settings(agent="codex", max_cost=5.0, prices={"*": Price(input=1.0, output=1.0)}), False),
        (Settings(agent="codex"), False),
        (Settings(agent="claude", max_cost=5.0), False),
        (Settings(agent_command="x", max_cost=5.0), False),
    ],
)
def test_a_budget_of_money_is_said_to_need_prices_where_an_agent_tells_no_cost(
    settings: Settings, silent: bool
) -> None:
    assert ("does not report the cost of a call" in unwatched_cost(settings)) is silent
