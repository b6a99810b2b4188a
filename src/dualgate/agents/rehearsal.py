"""The built-in agent plays a script: it writes tests, code and documents into the project, and needs no key."""

import re
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from dualgate.agents.launch import local_now
from dualgate.agents.script import Claims, Scene, Script, read_script
from dualgate.core.said.blocks import emit_ralph_status, fitting_tests_status
from dualgate.core.values.answer import AgentCall, AgentReply, Answer, CallEnd, Ending, conclude
from dualgate.core.values.control import Activity, Control
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus, WorkType
from dualgate.errors import ScriptError
from dualgate.processes.job import Job
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor

CRITERION_LINE = re.compile(r"^- ([A-Za-z][\w.-]*) \((\w+), [^)]*\): (.+)$", re.MULTILINE)
BUILT_IN = ("honest", "lying")
WORK_TYPES = {Phase.RED: WorkType.TESTING, Phase.REFACTOR: WorkType.REFACTORING, Phase.DOCUMENT: WorkType.DOCUMENTATION}


def load_script(name: str) -> Script:
    """A built-in script by its name, or one from a file."""
    if name in BUILT_IN:
        source = resources.files("dualgate.agents") / "scripts" / f"{name}.toml"
        return read_script(source.read_text(encoding="utf-8"), name)
    path = Path(name)
    if not path.is_file():
        raise ScriptError(
            f"There is no rehearsal script '{name}'.", f"Give a file, or one of those built in: {', '.join(BUILT_IN)}."
        )
    try:
        return read_script(path.read_text(encoding="utf-8"), name)
    except UnicodeDecodeError as error:
        raise ScriptError(f"{name} is not UTF-8 text: byte {error.start}.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalAgent:
    script: Script
    project: Path
    supervisor: Supervisor
    timeout: float | None = None
    name: str = "rehearsal"

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        control.check()
        scene = self.script.scene(call.phase, call.ordinal)
        if scene is None:
            raise ScriptError(
                f"The rehearsal script has no turn for phase {call.phase}.",
                f'Play one that has a [[turn]] with phase = "{call.phase}": --agent rehearsal:SCRIPT.toml',
            )
        scene = _filled(_followed(scene) if call.follows else scene, call)
        if scene.hang:
            return _hang(control.within(self.timeout))
        for path, text in scene.write:
            control.on_activity(Activity(source="rehearsal", text=f"write {path}"))
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text, encoding="utf-8")
        for path in scene.delete:
            (self.project / path).unlink(missing_ok=True)
        for command in scene.run:
            self._run(command, control.within(self.timeout))
        answer = Answer(text=_answer(scene), usage=scene.usage, cost_usd=scene.cost, model=scene.model)
        return _reply(answer, scene.exit_code)

    def _run(self, command: str, control: Control) -> None:
        with scratch_folder("scene") as folder:
            job = Job(
                argv=("/bin/sh", "-c", command),
                cwd=self.project,
                environment=self.supervisor.environment,
                stdout=folder / "stdout",
                stderr=folder / "stderr",
                confined=True,
            )
            self.supervisor.supervise(job, control)


def _hang(control: Control) -> AgentReply:
    left = control.remaining()
    control.wait(left if left is not None else 1e9)
    return _reply(Answer(), None, Ending.TIMED_OUT)


def _reply(answer: Answer, exit_code: int | None, ending: Ending = Ending.EXITED) -> AgentReply:
    end = CallEnd(now=local_now(), exit_code=exit_code, ending=ending)
    return AgentReply(answer=conclude(answer, end), exit_code=exit_code, ending=ending)


def _followed(scene: Scene) -> Scene:
    """The scene of a follow-up: that of the script, or an honest block and nothing else."""
    return scene.follow_up or Scene(phase=scene.phase, recommendation=scene.recommendation)


def _filled(scene: Scene, call: AgentCall) -> Scene:
    """Fill the criteria of the prompt into those texts of a scene that are templates."""
    if not any(_is_template(text) for text in (scene.says, *(text for _, text in scene.write))):
        return scene
    from jinja2 import Environment, StrictUndefined, TemplateError

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    found = CRITERION_LINE.findall(_criteria_part(call.prompt))
    criteria = [{"id": name, "kind": kind, "text": text} for name, kind, text in found]

    def filled(text: str) -> str:
        return environment.from_string(text).render(criteria=criteria) if _is_template(text) else text

    try:
        return replace(scene, says=filled(scene.says), write=tuple((path, filled(text)) for path, text in scene.write))
    except TemplateError as error:
        raise ScriptError(f"A template of the rehearsal script cannot be filled: {error}.") from error


def _is_template(text: str) -> bool:
    return "{%" in text


def _criteria_part(prompt: str) -> str:
    """The table of the criteria: the specification above it may have a heading of the same name."""
    _, _, below = prompt.partition("\n</specification>\n")
    _, _, after = (below or prompt).partition("\n## Acceptance criteria\n")
    return after.partition("\n## ")[0]


def _answer(scene: Scene) -> str:
    if scene.claims is Claims.NOTHING:
        return scene.says
    done = scene.claims is Claims.DONE
    status = {Claims.DONE: WorkStatus.COMPLETE, Claims.BLOCKED: WorkStatus.BLOCKED}.get(
        scene.claims, WorkStatus.IN_PROGRESS
    )
    block = RalphStatus(
        status=status,
        tasks_completed=int(done),
        files_modified=len(scene.write) + len(scene.delete),
        tests_status=fitting_tests_status(scene.phase) if done else SuiteStatus.NOT_RUN,
        work_type=WORK_TYPES.get(scene.phase, WorkType.IMPLEMENTATION),
        exit_signal=done,
        recommendation=scene.recommendation,
    )
    return f"{scene.says}\n\n{emit_ralph_status(block)}\n"
