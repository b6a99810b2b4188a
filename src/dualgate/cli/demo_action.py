"""The action of demo: a whole run on a small project made for it, with the built-in agent and real tests."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from dualgate.cli.host import our_host
from dualgate.cli.output import show
from dualgate.cli.run_display import Style, run_display
from dualgate.cli.signals import stoppable
from dualgate.core.values.events import Event, SessionStarted, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.display.lines import Line, Tone
from dualgate.display.live import lines
from dualgate.display.records import exit_code
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
dualgate demo: a small real project, real pytest, and two scripted agents, an
author and a reviewer. No key is needed, and no model is called.
The specification has three acceptance criteria for a parking fee. On the way
the author says "done" too early, makes a test easier, and overlooks something.
"""
# the agents of the demo are scripts; these names say what they are for
ROLES = {"rehearsal:script.toml": "the author", "rehearsal:review.toml": "the reviewer"}
END = """\

dualgate caught {count} things on the way:
{caught}
The run ended only when the evidence and the agent's signal agreed, in all
five phases: RED, GREEN, REFACTOR, DOCUMENT, QA.

{install}Next, in a repository of yours:
    dualgate             # shows what to do next there
    dualgate verify      # verifies your change by its tests, without an agent
    dualgate run SPEC.md --agent claude

Its report: {session}/report.html
The project of this demo is {project}. Its events:
PRP_SESSION_DIR={session} {program} log
"""
INSTALL = "Install it, in the clone: pipx install .    # or: uv tool install .\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """A problem that dualgate caught: its name, an explanation when it happens, and one line at the end."""

    name: str
    story: str
    in_short: str


FALSE_DONE = Catch(
    name='a false "done"',
    story="The author says that all tests pass. dualgate ran them itself: one fails, so the gate stays shut.",
    in_short="all tests pass, the author said; one failed",
)
EDITED_TEST = Catch(
    name="an edited test",
    story="The author made the failing test easier instead of fixing the code. Proven tests are frozen: dualgate "
    "reverted the change, and this iteration cannot pass.",
    in_short="the author made it easier; dualgate reverted it",
)
REJECTION = Catch(
    name="wrong work with passing tests",
    story="The reviewer rejects it, and every phase after RED has to be proven again.",
    in_short="the reviewer rejected it",
)


def show_a_run() -> int:
    if importlib.util.find_spec("pytest") is None:
        raise SuiteUnusable(
            "The demo needs pytest beside dualgate.",
            "Install it: pipx inject dualgate pytest, or uv tool install 'dualgate[demo]', or pip install pytest",
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
        run_display(signalled, Style.VIEW, settings, narrator) as display,
        new_session(Path("PRP.md"), display.hosted(host), settings, display.watch) as ready,
    ):
        display.attach(ready)
        state = run_loop(ready.state, ready.rooms, display.control)
    show([Line(text=""), *_status(state.proven)])
    report_at_end(host, session, settings)
    show(_text(f"{ending(narrator.caught, project, session)}"))
    return exit_code(state)


def ending(caught: Sequence[Catch], project: Path, session: Path) -> str:
    """The last screen, which fits 24 lines: what was caught, and the next commands as they can be called here."""
    program, install = "dualgate", ""
    if shutil.which(program) is None:
        program = _short(Path(sys.executable).with_name(program))
        install = INSTALL
    return END.format(
        count=len(caught),
        caught="\n".join(f"  {number}. {each.name}: {each.in_short}" for number, each in enumerate(caught, 1)),
        program=program,
        install=install,
        project=project,
        session=session,
    )


def _short(path: Path) -> str:
    """A path from the folder in which the demo was started, if that is shorter."""
    begun = os.environ.get("PWD", "")
    return path.relative_to(begun).as_posix() if begun and path.is_relative_to(begun) else str(path)


def _status(is_proven: bool) -> list[Line]:
    return [Line(text="completed and proven", tone=Tone.GOOD) if is_proven else Line(text="not proven", tone=Tone.BAD)]


def _text(text: str) -> list[Line]:
    return [Line(text=line, hang=4) for line in text.split("\n")]


class Narrator:
    """Shows the events of a run, and explains each problem that dualgate caught."""

    def __init__(self) -> None:
        self.caught: list[Catch] = []

    def __call__(self, event: Event, state: LoopState) -> None:
        if isinstance(event, SessionStarted):
            return  # the introduction says it in plain words
        show(line._replace(text=in_roles(line.text)) for line in lines(event, state))
        if caught := what_was_caught(event):
            self.caught.append(caught)
            text = f"==> caught {len(self.caught)}: {caught.name}. {caught.story}"
            show([Line(text=text, hang=4), Line(text="")])


def in_roles(text: str) -> str:
    """A text with the agents named by what they do."""
    for name, role in ROLES.items():
        text = text.replace(name, role)
    return text


def what_was_caught(event: Event) -> Catch | None:
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
