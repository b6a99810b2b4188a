import os
from pathlib import Path

import pytest

from dualgate.agents.rehearsal import BUILT_IN, RehearsalAgent, load_script
from dualgate.agents.script import Script, read_script
from dualgate.core.values.answer import Usage
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import ScriptError
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control

TWO_TURNS = '[[turn]]\nphase = "RED"\nsays = "one"\n[[turn]]\nphase = "RED"\nsays = "two"\n'

WRONG = [
    ("turn = [", "s.toml is not TOML"),
    ("", "s.toml has no turns"),
    ('turn = "x"', "s.toml has no turns"),
    ('[[turn]]\nphase = "BLUE"', "s.toml, turn 1: 'phase' is 'BLUE'"),
    ('[[turn]]\nphase = "RED"\nspeaks = "x"', "turn 1: unknown key 'speaks'"),
    ('[[turn]]\nphase = "RED"\nsays = 3', "turn 1: 'says' must be of type str"),
    ('[[turn]]\nphase = "RED"\nclaims = "maybe"', "turn 1: 'claims' is 'maybe'"),
    ('[[turn]]\nphase = "RED"\n[[turn.write]]\npath = "a"', "needs a path and a text"),
    ('[[turn]]\nphase = "RED"\n[[turn.write]]\npath = "../a"\ntext = ""', "'../a' lies outside the project"),
    ('[[turn]]\nphase = "RED"\nusage = { read = 1 }', "turn 1: 'usage' has input, output, cached"),
    ('[[turn]]\nphase = "RED"\nusage = { input = -1 }', "turn 1: 'usage' has input, output, cached"),
    ('[[turn]]\nphase = "RED"\n[turn.follow_up]\nspeaks = "x"', "turn 1, follow-up: unknown key 'speaks'"),
    ('[[turn]]\nphase = "RED"\ndelete = ["/etc/passwd"]', "'/etc/passwd' lies outside the project"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_script_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message.replace("[", r"\[")):
        read_script(text, "s.toml")


def test_the_last_scene_of_a_phase_is_played_again() -> None:
    script = read_script(TWO_TURNS)

    played = [script.scene(Phase.RED, ordinal) for ordinal in (1, 2, 3)]

    assert [scene.says for scene in played if scene] == ["one", "two", "two"]


def test_a_scene_tells_what_it_used_as_an_agent_would(tmp_path: Path) -> None:
    told = 'usage = { input = 900, output = 100 }\ncost = 0.25\nmodel = "m"\n'
    agent = RehearsalAgent(
        script=read_script(f'[[turn]]\nphase = "RED"\n{told}'), project=tmp_path, supervisor=Supervisor(os.environ)
    )

    answer = agent.ask(a_call(), a_control()).answer

    assert (answer.usage, answer.cost_usd, answer.model) == (Usage(input=900, output=100), 0.25, "m")


def test_a_phase_without_a_scene_has_none() -> None:
    assert read_script(TWO_TURNS).scene(Phase.QA, 1) is None


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_built_in_scripts_can_be_read(name: str) -> None:
    assert isinstance(load_script(name), Script)


def test_a_script_that_is_not_there_is_named() -> None:
    with pytest.raises(ScriptError, match="There is no rehearsal script 'gone'"):
        load_script("gone")


def test_a_phase_without_a_turn_is_named_with_what_to_play(tmp_path: Path) -> None:
    agent = RehearsalAgent(script=read_script(TWO_TURNS, "s.toml"), project=tmp_path, supervisor=Supervisor(os.environ))

    with pytest.raises(ScriptError, match=r"no turn for phase BUILD\.\nPlay one that has a \[\[turn\]\]"):
        agent.ask(a_call(phase=Phase.BUILD), a_control())


def test_a_follow_up_is_answered_by_its_own_table_or_by_an_honest_block(tmp_path: Path) -> None:
    silent = '[[turn]]\nphase = "GREEN"\nclaims = "nothing"\nsays = "x"\n[[turn.write]]\npath = "a"\ntext = "1"\n'
    script = f'{silent}[[turn]]\nphase = "RED"\n[turn.follow_up]\nclaims = "more"\nsays = "again"\n'
    agent = RehearsalAgent(script=read_script(script), project=tmp_path, supervisor=Supervisor(os.environ))

    honest = agent.ask(a_call(phase=Phase.GREEN, follows=1), a_control()).answer.text
    scripted = agent.ask(a_call(phase=Phase.RED, follows=1), a_control()).answer.text

    assert "EXIT_SIGNAL: true" in honest
    assert not (tmp_path / "a").exists()
    assert scripted.startswith("again")
    assert "EXIT_SIGNAL: false" in scripted
