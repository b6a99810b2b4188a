"""Whole runs in which the agent changes configuration after RED."""

from collections import Counter
from pathlib import Path

import pytest

from tests.loop.conftest import Dying
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
OTHER_PIPELINE = GREEN.replace('"GREEN"\n', '"GREEN"\nrun = ["rm .travis.yml"]\n')


def test_the_first_configuration_of_a_project_comes_with_the_code_that_needs_it(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    (project / ".travis.yml").write_text("script: pytest\n")

    ended = rehearse(SRC + OTHER_PIPELINE + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "next_phase"))
    assert (project / "pyproject.toml").read_text() == PYPROJECT
    assert not (project / ".travis.yml").exists()
    assert "changed configuration is accepted: .travis.yml, pyproject.toml, tox.ini" in dualgate("status").out


PATHS = "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent / 'src'))\n"
FIXTURES = "import pytest\n\n@pytest.fixture\ndef pair():\n    return [1, 1]\n"
LISTS = "def test_lists(pair):\n    from doubling import double\n    assert double([1]) == pair\n"


def test_a_first_conftest_may_name_the_folder_of_the_code_and_another_hold_fixtures(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    green = {"src/doubling.py": CODE, "conftest.py": PATHS, "pyproject.toml": '[project]\nname = "doubling"\n'}
    more = {"tests/conftest.py": FIXTURES, "tests/test_lists.py": LISTS}

    (project / "conftest.py").unlink()

    ended = rehearse(SRC + writing("GREEN", green) + writing("REFACTOR", more) + REST)

    assert ended.code == 0
    assert [phase for phase, _ in decisions(ended)] == ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]
    assert "changed configuration is accepted: tests/conftest.py (fixtures)" in dualgate("status").out


def test_a_first_conftest_of_the_root_may_come_after_one_of_the_tests(rehearse: Dualgate, project: Path) -> None:
    (project / "conftest.py").unlink()
    red = writing("RED", {"tests/test_double.py": TEST, "tests/conftest.py": FIXTURES})

    ended = rehearse(red + writing("GREEN", {"src/doubling.py": CODE, "conftest.py": PATHS}) + REST)

    assert ended.code == 0
    assert [phase for phase, _ in decisions(ended)] == ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]


HIDDEN = """
from support import check
from doubling import double

def test_ac1_numbers():
    check(double(2), 4)

def test_ac2_texts():
    check(double("a"), "aa")
"""
SUPPORT = "def check(value, expected):\n    assert value == expected\n"


def test_a_conftest_may_not_hide_helpers_of_tests(rehearse: Dualgate, project: Path) -> None:
    (project / "conftest.py").unlink()
    (project / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\npythonpath = . tests\n")
    stub = "def double(x): raise NotImplementedError\n"
    red = {"tests/test_double.py": HIDDEN, "tests/support.py": SUPPORT, "doubling.py": stub}
    lax = {"src/support.py": "def check(*_): pass\n", "doubling.py": "def double(x): return None\n"}

    ended = rehearse(writing("RED", red) + writing("GREEN", {**lax, "conftest.py": PATHS}), "--max-iterations", "1")

    assert (ended.code, decisions(ended)[-1]) == (3, ("GREEN", "max_iterations"))
    assert "with the changed configuration these tests have a different result" in str(ended.lines[-1])


FLIPPED = {
    "flip.py": """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    call.excinfo = None
    return (yield)
""",
    "pytest.ini": "[pytest]\naddopts = -p flip\n",
    "doubling.py": "def double(x): return None\n",
}


def test_a_plug_in_of_the_agents_own_is_not_accepted_as_configuration(rehearse: Dualgate, project: Path) -> None:
    ended = rehearse(SRC + writing("GREEN", FLIPPED), "--max-iterations", "1")

    assert (ended.code, decisions(ended)[-1]) == (3, ("GREEN", "max_iterations"))
    assert "pytest.ini: proven tests and their configuration are frozen after RED; " in str(ended.lines[-1])
    assert not (project / "pytest.ini").exists()


INSTALLING = """
import os, pathlib
site = pathlib.Path(os.environ["PYTHONPATH"].split(os.pathsep)[-1])
(site / "late.py").write_text({code!r})
(site / "late-1.dist-info").mkdir(exist_ok=True)
(site / "late-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\\nName: late\\nVersion: 1\\n")
(site / "late-1.dist-info" / "entry_points.txt").write_text("[pytest11]\\nlate = late\\n")
"""
HARMLESS = "def pytest_report_header():\n    return 'late'\n"
RIGGED = "import doubling\n\ndef pytest_collection_modifyitems():\n    doubling.double = lambda x: x + x\n"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("plugin", "code", "decided", "word"),
    [
        (HARMLESS, CODE, "next_phase", "are accepted; the failing tests of RED still fail with them"),
        (RIGGED, "def double(x): return None\n", "max_iterations", "these tests do not fail on the tree of RED"),
    ],
)
def test_a_plug_in_that_comes_with_a_dependency_may_be_installed_outside_the_project(
    rehearse: Dualgate, dualgate: Dualgate, tmp_path: Path, plugin: str, code: str, decided: str, word: str
) -> None:
    site = tmp_path / "env" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / "install.py").write_text(INSTALLING.format(code=plugin))
    red = writing("RED", {"tests/test_double.py": TEST, "doubling.py": "def double(x): raise NotImplementedError\n"})
    green = writing("GREEN", {"doubling.py": code, "requirements.txt": "late\n"})
    green = green.replace('"GREEN"\n', f'"GREEN"\nrun = ["python3 {tmp_path / "install.py"}"]\n')

    ended = rehearse(
        red + green + REST, "--max-iterations", "1", PYTHONPATH=str(site), PYTEST_DISABLE_PLUGIN_AUTOLOAD=""
    )

    assert decisions(ended)[1] == ("GREEN", decided)
    assert "outside the project (late)" in dualgate("status").out
    assert word in dualgate("status").out


DECIDED = 25
"""The line of the journal with the decision; before it the work tree holds the changed configuration already."""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_that_is_killed_when_it_adopts_configuration_goes_on_with_it(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path, moment: str
) -> None:
    (tmp_path / "script.toml").write_text(SRC + GREEN)
    code = dying(DECIDED, moment)

    ended = dualgate("resume", "--json")

    assert (code, decisions(ended)[0]) == (-9, ("GREEN", "next_phase"))
    assert (project / "pyproject.toml").read_text() == PYPROJECT
    kinds = Counter(line["kind"] for line in dualgate("log", "--json").lines)
    assert (kinds["configuration.decided"], kinds["person.edited"]) == (1, 0)
