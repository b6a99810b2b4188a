"""Honest work as text files: what stands there before, and what an agent writes in each phase."""

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from dualgate.core.said.blocks import emit_ralph_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus, WorkType
from dualgate.settings import Settings

DATA = Path(__file__).parent.parent / "data"
CRITERIA = "- AC-1: it works\n"
SPEC = "# Feature\n\n## Goal\n\nIt.\n\n## Acceptance Criteria\n\n{}"
STEP = re.compile(r"(?:\A|\n)@ (?=(?:spec|before|red|green|build\d+)(?:-delete)?(?: |\n))")
TICKED = re.compile(r"^- \[x\] .+$|\"id\": \"[^\"]+\", \"title\": \"[^\"]+\", \"passes\": true", re.MULTILINE)
# what the run may say of honest work: facts about its tests, and nothing that accuses
NOTES = (
    "AC-% holds already",
    "AC-% was read as keep, but its test fails: it counts as new",
    "no failing test names AC-%; changed tests count instead",
    "tests probably renamed",
    "tests changed through a fixture or a constant outside their own lines",
    "tests whose code changed since the run began",
    "tests that are flaky: they pass and fail on the same tree",
    "changed configuration is accepted",
    "the effective configuration changed: conftest was",
    "the effective configuration changed: path was",
    "% of % probe",
    "changed lines that no test runs",
    "sensitivity not measured",
    "test runs write",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The files that one call writes, path -> text, and those that it deletes."""

    files: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Criteria and steps: `before`, then `red` and `green`, or `build1`, `build2` and so on."""

    name: str
    criteria: str
    steps: dict[str, Step] = field(default_factory=dict)

    def step(self, name: str) -> Step:
        return self.steps.get(name, Step())

    @property
    def red(self) -> str:
        """The scene of RED; if no criterion is new, its answer says that the tests pass."""
        if any("[keep]" not in line and "[review]" not in line for line in self.criteria.splitlines()):
            return scene(Phase.RED, self.step("red"), SuiteStatus.FAILING)
        return scene(Phase.RED, self.step("red"))

    @property
    def green(self) -> str:
        return scene(Phase.GREEN, self.step("green"))

    @property
    def builds(self) -> list[str]:
        """The scenes of BUILD, each with the number of tasks that it ticked; the last one is done."""
        steps = [step for name, step in self.steps.items() if name.startswith("build")]
        ticked = [_ticked(step) for step in (self.step("before"), *steps)]
        numbers = [len(now - before) for before, now in pairwise(ticked)]
        return [
            scene(Phase.BUILD, step, tasks=tasks, done=step is steps[-1])
            for step, tasks in zip(steps, numbers, strict=True)
        ]


def features_of(folder: Path) -> list[Feature]:
    """The features of every text file of a folder, in the order of the names."""
    return [each for path in sorted(folder.glob("*.txt")) for each in read_features(path.read_text(encoding="utf-8"))]


def read_features(text: str) -> list[Feature]:
    """`## name`, then `@ STEP PATH` with the file below it, `@ STEP-delete PATH`, or `@ spec` with the criteria."""
    return [_read_feature(part) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]


def _read_feature(text: str) -> Feature:
    name, *parts = STEP.split(text)
    criteria, steps = CRITERIA, dict[str, Step]()
    for part in parts:
        head, _, body = part.partition("\n")
        when, _, path = head.partition(" ")
        body = body.strip("\n") + "\n"
        step = steps.setdefault(when.removesuffix("-delete"), Step())
        if when == "spec":
            criteria = body
        elif when.endswith("-delete"):
            step.deleted.append(path)
        else:
            step.files[path] = body
    return Feature(name=name.strip(), criteria=criteria, steps=steps)


def _ticked(step: Step) -> set[str]:
    return {task for text in step.files.values() for task in TICKED.findall(text)}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def scene(phase: Phase, step: Step, tests: SuiteStatus = SuiteStatus.PASSING, tasks: int = 1, done: bool = True) -> str:
    """One call of a rehearsal script, with an answer that is true."""
    answer = RalphStatus(
        status=WorkStatus.COMPLETE if done else WorkStatus.IN_PROGRESS,
        tasks_completed=tasks,
        files_modified=len(step.files) + len(step.deleted),
        tests_status=tests if done else SuiteStatus.NOT_RUN,
        work_type=WorkType.TESTING if phase is Phase.RED else WorkType.IMPLEMENTATION,
        exit_signal=done,
        recommendation="done" if done else "go on with the next task",
    )
    lines = ["[[turn]]", f'phase = "{phase}"', 'claims = "nothing"', f"says = {json.dumps(emit_ralph_status(answer))}"]
    lines.append(f"delete = {json.dumps(step.deleted)}")
    for path, text in step.files.items():
        lines += ["[[turn.write]]", f"path = {json.dumps(path)}", f"text = {json.dumps(text)}"]
    return "\n".join(lines) + "\n"


def settings_of(script: Path, monkeypatch: pytest.MonkeyPatch, **values: object) -> Settings:
    """Settings of a run that plays a script, in an environment without anything of this machine."""
    home = script.parent / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("DUALGATE_", "PRP_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    command = f"{sys.executable} -m pytest -q"
    return Settings(agent=f"rehearsal:{script}", test_command=command, retry_delay=0.0).but(**values)


def accusing(warnings: tuple[str, ...]) -> list[str]:
    """The warnings that are more than a note."""
    allowed = re.compile("|".join(re.escape(note).replace("%", r"[\w, -]+") for note in NOTES))
    return [warning for warning in warnings if not allowed.match(warning)]
