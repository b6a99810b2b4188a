"""The action of demo: a whole run on a small project made for it, with the built-in agent and real tests."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib import resources
from pathlib import Path

from dualgate.cli.host import our_host
from dualgate.cli.output import show
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import stoppable
from dualgate.cli.watching import steadfast
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.display.lines import Line
from dualgate.display.live import lines
from dualgate.display.records import exit_code
from dualgate.display.summary import summary_lines
from dualgate.errors import SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.session.loop import run as run_loop
from dualgate.session.open import new_session
from dualgate.session.reporting import report_at_end
from dualgate.settings import AgentChoice, Settings

FILES = {
    "parking/__init__.py": "",
    "conftest.py": "# makes the tests find the package beside them\n",
    "tests/test_nothing_else.py": "def test_the_house_still_stands():\n    assert True\n",
}
INTRODUCTION = """\
dualgate demo: a small real project, real pytest, and two scripted agents that
are built in. No key is needed.
On the way the agent will say "done" when it is not, then make a test easier,
and then overlook something.
"""
FALSE_DONE = (
    'a false "done". The agent says that all tests pass. dualgate ran them itself: one fails, so the gate stays shut.'
)
EDITED_TEST = (
    "an edited test. The agent made the failing test easier instead of mending the code. Proven tests are frozen: "
    "it was put back as it was, and this iteration cannot pass."
)
REJECTION = (
    "work that passes its tests and is still wrong. The reviewer rejects it, and what came after the tests has to be "
    "proven again."
)
WHAT_NEXT = """\
What you saw: {caught} times the run could have ended wrongly, and did not. It ended
when dualgate itself had seen the evidence and the agent had given its word,
both in the same iteration, in each of the five phases.

What to do next, in a project of yours, with an agent that you have:
    dualgate doctor SPEC.md --agent claude           # what is missing
    dualgate run SPEC.md --agent claude --dry-run    # what would be done
    dualgate run SPEC.md --agent claude
{install}The project of this demo is in {project}
Its journal: PRP_SESSION_DIR={session} {program} log
"""
INSTALL = "'pipx install .' in the clone puts dualgate on your PATH; here it is {program}\n"


def show_a_run() -> int:
    if importlib.util.find_spec("pytest") is None:
        raise SuiteUnusable(
            "The demo needs pytest beside dualgate.",
            "Install it with: pip install pytest (or: pipx inject dualgate pytest)",
        )
    home = Path(tempfile.mkdtemp(prefix="dualgate-demo-")).resolve()
    project, session = home / "parking", home / "session"
    script = _lay_out(project)
    os.chdir(project)
    # pytest plug-ins installed beside dualgate do not belong to the project, and load slowly
    environment = {**os.environ, "PRP_SESSION_DIR": str(session), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    host = replace(our_host(), supervisor=Supervisor(environment))
    settings = Settings(
        agent=f"rehearsal:{script}",
        agents={Phase.QA.lower(): AgentChoice(agent=f"rehearsal:{script.with_name('review.toml')}")},
        test_command=f"{sys.executable} -m pytest -q",
    )
    narrator = Narrator()
    show(_text(INTRODUCTION))
    with (
        stoppable(host.supervisor.jobs) as signalled,
        progress_line(signalled, in_log=False) as (live, control),
        new_session(Path("PRP.md"), host, settings, live.over(steadfast(narrator))) as ready,
    ):
        state = run_loop(ready.state, ready.rooms, control)
    report = report_at_end(host, session, settings)
    show(summary_lines(state, session, report=report))
    show(_text(f"\n{what_next(narrator.caught, project, session)}"))
    return exit_code(state)


def what_next(caught: int, project: Path, session: Path) -> str:
    """The next commands, with the full path of dualgate if it is not on the PATH, as in a fresh clone."""
    program, install = "dualgate", ""
    if shutil.which(program) is None:
        program = str(Path(sys.executable).with_name(program))
        install = INSTALL.format(program=program)
    return WHAT_NEXT.format(caught=caught, project=project, session=session, program=program, install=install)


def _text(text: str) -> list[Line]:
    return [Line(text=line, hang=4) for line in text.split("\n")]


class Narrator:
    """Shows the events of a run, and explains each problem that dualgate caught."""

    def __init__(self) -> None:
        self.caught = 0

    def __call__(self, event: Event, state: LoopState) -> None:
        show(lines(event, state))
        if caught := what_was_caught(event):
            self.caught += 1
            show([Line(text=f"==> caught {self.caught}: {caught}", hang=4), Line(text="")])


def what_was_caught(event: Event) -> str | None:
    if not isinstance(event, TurnEnded):
        return None
    if event.move.decision is Decision.REJECTED:
        return REJECTION
    if event.facts.observed.changes.violations:
        return EDITED_TEST
    return FALSE_DONE if event.verdict.gate_2 and not event.verdict.gate_1 else None


def _lay_out(project: Path) -> Path:
    """Write and commit the project. The agents' scripts are beside it, so that they are not part of the work."""
    data = resources.files("dualgate.cli") / "demo_project"
    specification = (data / "PRP.md").read_text(encoding="utf-8")
    for name, text in (FILES | {"PRP.md": specification}).items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    for name in ("script.toml", "review.toml"):
        (project.parent / name).write_text((data / name).read_text(encoding="utf-8"), encoding="utf-8")
    identity = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "A project to work on"]):
        subprocess.run(["git", *words], cwd=project, check=False, capture_output=True)
    return project.parent / "script.toml"
