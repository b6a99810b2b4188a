"""Whole runs in which the agent changes configuration after RED."""

from pathlib import Path

from tests.loop.scripts import REST
from tests.support import Dualgate, decisions

TEST = """
def test_ac1_numbers():
    from doubling import double
    assert double(2) == 4

def test_ac2_texts():
    from doubling import double
    assert double("a") == "aa"
"""


def writing(phase: str, files: dict[str, str]) -> str:
    writes = (f"[[turn.write]]\npath = \"{path}\"\ntext = '''\n{text}'''\n" for path, text in files.items())
    return f'[[turn]]\nphase = "{phase}"\n{"".join(writes)}'


SRC = writing("RED", {"tests/test_double.py": TEST})
CODE = "def double(x): return x + x\n"
PYPROJECT = '[project]\nname = "doubling"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\ntestpaths = ["tests"]\n'
GREEN = writing("GREEN", {"src/doubling.py": CODE, "pyproject.toml": PYPROJECT, "tox.ini": "[tox]\nenvlist = py312\n"})


def test_the_first_configuration_of_a_project_comes_with_the_code_that_needs_it(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    ended = rehearse(SRC + GREEN + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "next_phase"))
    assert (project / "pyproject.toml").read_text() == PYPROJECT
    assert "changed configuration is accepted: pyproject.toml, tox.ini" in dualgate("status").out
