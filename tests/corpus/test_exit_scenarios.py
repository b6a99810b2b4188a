"""Every scenario of the corpus as a run of the ralph workflow: a real work tree, a scripted agent, a test command."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from dualgate.core.machine.replay import replay
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow
from dualgate.session.loop import run
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.store.reading import read_journal
from dualgate.testing import a_control, a_host
from tests.test_analyzer import SCENARIOS, output_of

PLAN = "IMPLEMENTATION_PLAN.md"
EXIT_CODES = {"pass": 0, "fail": 1}
GOES_ON = ("continue", "retry")
# the turn that is played is the one after those that were counted; who is asked for a block alone says nothing more
AGENT = (
    'if grep -q "Only the status block is missing"; then echo "I said it all."; exit; fi; '
    'n=$(cat count); echo $((n + 1)) > count; cd "$1" && . "$2/turn-$n.sh"'
)


@dataclass(slots=True)
class Watcher:
    """Keeps the turns, and stops the run after the last that is scripted."""

    turns_scripted: int
    cancel: Flag = field(default_factory=Flag)
    turns: list[TurnEnded] = field(default_factory=list)

    def __call__(self, event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, TurnEnded):
            self.turns.append(event)
            if len(self.turns) == self.turns_scripted:
                self.cancel.set()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, and beside it a project and the scripts that are played in it."""
    (tmp_path / "home").mkdir()
    (tmp_path / "scripts").mkdir()
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "seed.txt").write_text("seed\n")
    (project / "PROMPT.md").write_text("# The work\n\nDo what the task list says.\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith(("DUALGATE_", "GIT_", "PRP_"))]:
        monkeypatch.delenv(name)
    return tmp_path


def git(project: Path, *words: str) -> None:
    named = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *named, *words], cwd=project, check=True, capture_output=True)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def play(scenario: dict[str, Any], stage: Path) -> list[TurnEnded]:
    project, scripts, facts = stage / "project", stage / "scripts", scenario["facts"]
    write(project / PLAN, facts["plan"])
    if facts["git"]:
        git(project, "init", "-q")
        git(project, "add", "-A")
        git(project, "commit", "-q", "-m", "begin")
    write(scripts / "count", "0")
    for number, given in enumerate(scenario["inputs"]):
        write(scripts / f"turn-{number}.sh", script(number, given, facts, scripts))
    write(scripts / "agent.sh", f'cd "$2" && {AGENT}')
    watch = Watcher(turns_scripted=len(scenario["inputs"]))
    settings = Settings(
        workflow=Workflow.RALPH,
        agent_command=f"sh {scripts}/agent.sh {project} {scripts}",
        test_command=command_of_tests(facts, scripts),
        retry_delay=0,
        wait=False,
    )
    with new_session(None, a_host(project), settings, watch) as session:
        run(session.state, session.rooms, a_control_of(watch))
    return watch.turns


def a_control_of(watch: Watcher) -> Control:
    return a_control(cancel=watch.cancel)


def script(number: int, given: dict[str, Any], facts: dict[str, Any], scripts: Path) -> str:
    """What the agent does in one turn: its effects, what the tests will say of them, and its answer."""
    lines = [
        effect_line(effect, f"{scripts}/file-{number}-{place}", scripts)
        for place, effect in enumerate(given.get("effects", ()))
    ]
    if (says := facts["tests"][number]) in EXIT_CODES:
        lines.append(f"echo {EXIT_CODES[says]} > {scripts}/tests")
    answer = write(scripts / f"answer-{number}", output_of(given))
    noise = write(scripts / f"stderr-{number}", given.get("stderr", ""))
    return "\n".join((*lines, f"cat {answer}", f"cat {noise} >&2", f"exit {given.get('exit_code', 0)}"))


def effect_line(effect: dict[str, Any], kept: str, scripts: Path) -> str:
    if "text" in effect:
        write(scripts / Path(kept).name, effect["text"])
    commit = "git -c user.name=A -c user.email=a@example.org -c commit.gpgsign=false commit -q -m work"
    return {
        "write": f"mkdir -p $(dirname {effect.get('path')}); cp {kept} {effect.get('path')}",
        "plan": f"cp {kept} {PLAN}",
        "delete": f"rm -rf {effect.get('path')}",
        "commit": f"git add -A; {commit} > {scripts}/git.log 2>&1 || true",
    }[effect["op"]]


def command_of_tests(facts: dict[str, Any], scripts: Path) -> str | None:
    """A command that ends as the facts say; before the first turn as after it."""
    said = [EXIT_CODES[word] for word in facts["tests"] if word in EXIT_CODES]
    if not said:
        return None
    write(scripts / "tests", str(said[0]))
    write(scripts / "tests.sh", f"exit $(cat {scripts}/tests)")
    return f"sh {scripts}/tests.sh"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["id"])
def test_every_scenario_is_decided_as_it_should_be(scenario: dict[str, Any], stage: Path) -> None:
    expected = scenario["expected"]

    turns = play(scenario, stage)

    for number, turn in enumerate(turns):
        right = (expected["decisions"][number], *expected["also_ok"][number])
        assert turn.move.decision in right, (number, turn.move, turn.verdict)
    assert len(turns) == len(scenario["inputs"]) or turns[-1].move.decision not in GOES_ON
    for turn, fields in zip(turns, expected.get("fields", ()), strict=False):
        if "reset_at_epoch" in fields:
            assert turn.facts.claimed.failure is not None
            assert turn.facts.claimed.failure.resets_at is not None
            assert turn.facts.claimed.failure.resets_at.timestamp() == fields["reset_at_epoch"]
    journal = read_journal(stage / "home" / ".bp-sessions" / "project")
    again = replay((record.seq, record.event) for record in journal)
    assert (again.is_same, again.decisions) == (True, len(turns)), again.differences
