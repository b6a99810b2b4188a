"""Sessions of real runs with the scripted agent, for the pages of the dashboard."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from dualgate.cli.demo_action import FILES
from tests.spawner import Child, Order, Spawner
from tests.support import Ended, environment_in

LIMIT = 120
SCRIPTS = ("script.toml", "review.toml")
EVIL = "<img src=x onerror=owned=1>"
"""Would set a variable of the page if it were read as markup."""
WAITING = """
[[turn]]
phase = "RED"

[[turn.write]]
path = "tests/test_doubling.py"
text = '''
from doubling import double

def test_ac1_doubles():
    assert double(2) == 4
'''

[[turn.write]]
path = "doubling.py"
text = "def double(x): raise NotImplementedError"

[[turn]]
phase = "GREEN"
run = ["while [ ! -e {gate} ]; do sleep 0.05; done"]
claims = "blocked"
recommendation = "I have no access to the numbers"
"""
"""One iteration that ends, and one that waits until a file exists and halts the run."""
HOSTILE = f"""
[[turn]]
phase = "RED"
says = "{EVIL} in an answer"
cost = 0.25
usage = {{ input = 900, output = 100 }}

[[turn.write]]
path = "tests/test_doubling.py"
text = '''
import pytest
from doubling import double

@pytest.mark.parametrize("number", [2], ids=["{EVIL}"])
def test_ac1_doubles(number):
    assert double(number) == 4
'''

[[turn.write]]
path = "doubling.py"
text = "def double(x): raise NotImplementedError('{EVIL} in a message')"

[[turn]]
phase = "GREEN"
claims = "more"
says = "{EVIL} in an answer"
recommendation = "{EVIL} in a recommendation"
cost = 0.5
usage = {{ input = 1900, output = 200 }}

[[turn.write]]
path = "{EVIL}.py"
text = "# a file with a strange name"
"""
HOSTILE_SPEC = f"""# Doubling {EVIL}

## Goal

A module that doubles. {EVIL}

## Acceptance Criteria

- AC-1: double(2) is 4 `{EVIL}`
"""
SPEC = "# Doubling\n\n## Acceptance Criteria\n\n- AC-1: double(2) is 4\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A home with projects and their sessions."""

    folder: Path
    environment: Mapping[str, str]
    spawner: Spawner

    def project(self, name: str, spec: str = SPEC) -> Path:
        root = self.folder / "projects" / name
        (root / "tests").mkdir(parents=True)
        (root / "conftest.py").write_text("")
        (root / "tests" / "test_old.py").write_text("def test_old():\n    assert True\n")
        (root / "PRP.md").write_text(spec)
        return root

    def script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def call(self, project: Path, *words: str, **variables: str) -> Ended:
        return self.spawner.call(words, project, {**self.environment, **variables}, LIMIT)

    def start(self, project: Path, *words: str) -> Child:
        """A run that goes on while the test does."""
        out, err = (str(self.folder / f"started.{name}") for name in ("out", "err"))
        return self.spawner.start(Order(words=words, cwd=str(project), environment=self.environment, out=out, err=err))

    def session_id(self, project: Path) -> str:
        document = self.call(project, "status", "--json")
        found: str = document.lines[0]["session_id"]
        return found


def waiting_run(machine: Machine, name: str, gate: Path) -> Child:
    """A run whose second call waits until a file exists."""
    project, script = machine.project(name), machine.script(f"{name}.toml", WAITING.format(gate=gate))
    return machine.start(project, "run", "PRP.md", "--agent", f"rehearsal:{script}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The sessions on a machine, by their ids."""

    machine: Machine
    proven: str
    hostile: str
    hostile_project: Path


def a_machine(folder: Path, spawner: Spawner) -> Machine:
    return Machine(folder=folder, environment=environment_in(folder / "home"), spawner=spawner)


def record(machine: Machine) -> Recorded:
    """A proven run with catches and a rejection, a halted one full of markup, and a journal that cannot be read."""
    parking = run_parking(machine)
    hostile = machine.project(f"odd {EVIL}", HOSTILE_SPEC)
    script = machine.script("hostile.toml", HOSTILE)
    machine.call(hostile, "run", "PRP.md", "--agent", f"rehearsal:{script}")
    machine.call(hostile, "guide", f"{EVIL} in guidance")
    found = Recorded(
        machine=machine,
        proven=machine.session_id(parking),
        hostile=machine.session_id(hostile),
        hostile_project=hostile,
    )
    broken = machine.folder / "home" / ".bp-sessions" / "broken"
    broken.mkdir()
    (broken / "journal.jsonl").write_text("not a journal\n")
    return found


def run_parking(machine: Machine) -> Path:
    """The project of the demo, with agents that report what they cost."""
    project = machine.project("parking")
    shutil.rmtree(project)
    data = resources.files("dualgate.cli") / "demo_project"
    for name, text in (FILES | {"PRP.md": (data / "PRP.md").read_text()}).items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    priced = "\ncost = 0.12\nusage = { input = 5200, output = 800, cached = 3000 }\nphase ="
    scripts = [machine.script(name, (data / name).read_text().replace("\nphase =", priced)) for name in SCRIPTS]
    author, reviewer = (f"rehearsal:{path}" for path in scripts)
    machine.call(project, "run", "PRP.md", "--agent", author, DUALGATE_QA_AGENT=reviewer)
    return project
