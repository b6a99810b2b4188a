"""dualgate demo: a whole run on a small project made for it, with the built-in agent and real tests."""

import importlib.util
import os
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import click

from dualgate.cli.build import new_session
from dualgate.cli.output import say
from dualgate.cli.run import exit_code, steadfast, stoppable, watch_people
from dualgate.display.summary import summary
from dualgate.errors import SuiteUnusable
from dualgate.loop import run as run_loop
from dualgate.settings import Settings

FILES = {
    "parking/__init__.py": "",
    "conftest.py": "# makes the tests find the package beside them\n",
    "tests/test_nothing_else.py": "def test_the_house_still_stands():\n    assert True\n",
}
INTRODUCTION = """\
dualgate demo: a small real project, real pytest, and the built-in scripted agent. No key is needed.
The agent will say "done" once when it is not. Watch the gate.
"""
WHAT_NEXT = """\
What you saw: in GREEN the agent said "done" while a test of AC-3 failed. dualgate had run the tests itself, so the gate
stayed shut until it had seen them pass, twice.

What to do next, in a project of yours, with any agent that takes a prompt on its standard input:
    dualgate run SPEC.md --agent-command 'claude -p --permission-mode acceptEdits'
The project of this demo is in {project}
Its journal: PRP_SESSION_DIR={session} dualgate log
"""


@click.command()
def demo() -> int:
    """Show a whole run on a small project, in under a minute and without a key. Exit codes as for run."""
    if importlib.util.find_spec("pytest") is None:
        raise SuiteUnusable("The demo needs pytest beside dualgate.", "Install it with: pip install pytest")
    home = Path(tempfile.mkdtemp(prefix="dualgate-demo-")).resolve()
    project, session = home / "parking", home / "session"
    script = _lay_out(project)
    os.environ["PRP_SESSION_DIR"] = str(session)
    os.chdir(project)
    settings = Settings(agent=f"rehearsal:{script}", test_command=f"{sys.executable} -m pytest -q")
    say(INTRODUCTION)
    with stoppable() as control, new_session(Path("PRP.md"), project, settings, steadfast(watch_people)) as ready:
        state = run_loop(ready.state, ready.rooms, control)
    say(f"\n{summary(state)}\n\n{WHAT_NEXT.format(project=project, session=session)}")
    return exit_code(state)


def _lay_out(project: Path) -> Path:
    """Write the project and commit it; the script lies beside it, where it is no part of the work."""
    data = resources.files("dualgate.cli") / "demo_project"
    specification = (data / "PRP.md").read_text(encoding="utf-8")
    for name, text in (FILES | {"PRP.md": specification}).items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    script = project.parent / "script.toml"
    script.write_text((data / "script.toml").read_text(encoding="utf-8"), encoding="utf-8")
    identity = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "A project to work on"]):
        subprocess.run(["git", *words], cwd=project, check=False, capture_output=True)
    return script
