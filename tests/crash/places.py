"""Sessions that are cheap enough to be killed by the hundred: a project of shell scripts and an agent in shell."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import psutil

from dualgate.core.said.blocks import emit_ralph_status, fitting_tests_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, WorkStatus, WorkType
from tests.conftest import SPEC
from tests.spawner import Child, Order, Spawner
from tests.support import Ended

ROOT = Path(__file__).parents[2]
PHASES = ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]
SUITE = '[suites.shell]\ncommand = "sh check.sh"\nrunner = "tap"\n'
# every file of tests/ is a test, and leaves something behind where it is killed
CHECK = """\
number=0 bad=0
if [ -n "$TEST_FILLS" ]; then head -c 8000000 /dev/zero > "$TMPDIR/big" 2> /dev/null; fi
for test in tests/*.t; do
  number=$((number + 1))
  echo half > scratch.tmp
  sleep ${TEST_REST:-0.01}
  if sh "$test" > /dev/null 2>&1; then echo "ok $number - $test"; else bad=1; echo "not ok $number - $test"; fi
  rm scratch.tmp
done
echo "1..$number"
exit $bad
"""
AGENT = """\
cat > /dev/null
if [ -n "$AGENT_FAILS" ]; then exit 1; fi
cd "$1/$DUALGATE_PHASE.$DUALGATE_ITERATION" 2> /dev/null || cd "$1/$DUALGATE_PHASE" || exit 1
find . -type f | sort | while read -r name; do
  mkdir -p "$PROJECT/$(dirname "$name")"
  head -c 5 "$name" > "$PROJECT/$name"
  sleep 0.02
  cat "$name" > "$PROJECT/$name"
done
sleep ${AGENT_REST:-0.02}
cat "$1/$DUALGATE_PHASE.says"
"""
WORK: dict[Phase, dict[str, str]] = {
    Phase.RED: {
        "tests/ac1.t": 'test "$(sh double.sh 2)" = 4\n',
        "tests/ac2.t": 'test "$(sh double.sh a)" = aa\n',
    },
    Phase.GREEN: {"double.sh": 'case $1 in\n[0-9]*) echo $(($1 + $1)) ;;\n*) echo "$1$1" ;;\nesac\n'},
    Phase.REFACTOR: {},
    Phase.DOCUMENT: {
        "README.md": "# Doubling\n\nRun double.sh.\n",
        "docs/use.md": "# Use\n\n`sh double.sh 2` prints 4.\n",
        "docs/adr/0001-plus.md": "# Plus\n\nContext: it is short.\nDecision: use plus.\nConsequences: no loop.\n",
    },
    Phase.QA: {},
}
FINAL = {name: text for files in WORK.values() for name, text in files.items()}

PATIENCE = 60.0
BESIDE = ("loop-state.json", "metrics.json", "circuit-breaker.json")


class Moment(IntEnum):
    """What happens at a step; the numbers are those of faults.c."""

    NEVER = 0
    BEFORE = 1
    TORN = 2
    AFTER = 3
    REFUSED_ONCE = 4
    REFUSED_FROM = 5
    CLOCK = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens to a run, and at which of its changes below a folder; `value` is an error, or seconds of a clock."""

    below: Path
    step: int = 0
    moment: Moment = Moment.NEVER
    value: int = 0
    list: str = ""
    """A file for the names of all steps."""


@dataclass(slots=True, kw_only=True)
class Nursery:
    """What starts runs, one after the other; a second one of the same spawner may have a run at the same time."""

    spawner: Spawner
    last: Child | None = None

    def start(self, order: Order) -> int:
        self.last = self.spawner.start(order)
        return self.last.pid

    def wait(self) -> int:
        assert self.last
        code = self.last.wait()
        assert code is not None
        return code


@contextmanager
def nursery(preloaded: Path | None = None) -> Iterator[Nursery]:
    """One that is there until the block ends; `preloaded` is the library of faults."""
    spawner = Spawner(preloaded)
    try:
        yield Nursery(spawner=spawner)
    finally:
        spawner.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project, a home and an agent, for one session."""

    root: Path
    nursery: Nursery
    variables: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    """Of one of several who call dualgate in one place."""

    @property
    def project(self) -> Path:
        return self.root / "all" / "doubling"

    @property
    def session(self) -> Path:
        return self.root / "all" / "home" / ".bp-sessions" / "doubling"

    @property
    def start_words(self) -> tuple[str, ...]:
        return ("run", "SPEC.md", "--agent-command", f"sh {self.root}/agent.sh {self.root}/work", "--json")

    def begin(
        self, *words: str, plan: Plan | None = None, life: float | None = None, limits: Sequence[Any] = ()
    ) -> int:
        """Start dualgate; answers with the number of its process."""
        for path in self._streams:
            path.write_text("")  # it may die before it has an output
        told = (str(plan.below), plan.step, plan.moment, plan.value, plan.list) if plan else ()
        return self.nursery.start(
            Order(
                words=words,
                cwd=str(self.project),
                environment=self.environment,
                out=str(self._streams[0]),
                err=str(self._streams[1]),
                faults=told,
                life=life,
                limits=limits,
            )
        )

    def end(self) -> Ended:
        """Wait for what was started last."""
        code = self.nursery.wait()
        out, err = (path.read_text() for path in self._streams)
        return Ended(code=code, out=out, err=err)

    @property
    def _streams(self) -> tuple[Path, Path]:
        return self.root / f"out{self.name}", self.root / f"err{self.name}"

    def until(self, is_so: Callable[[list[str]], bool]) -> None:
        """Wait for what the kinds of the events so far show."""
        deadline = time.monotonic() + PATIENCE
        while not is_so(self.kinds):
            assert time.monotonic() < deadline, self.kinds
            time.sleep(0.01)

    def call(self, *words: str, plan: Plan | None = None, life: float | None = None) -> Ended:
        self.begin(*words, plan=plan, life=life)
        return self.end()

    def go_on(self, plan: Plan | None = None, life: float | None = None) -> Ended:
        """Begin the session, or go on with it."""
        return self.call(*(("resume", "--json") if self.has_session else self.start_words), plan=plan, life=life)

    @property
    def environment(self) -> dict[str, str]:
        everything = self.root / "all"
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(everything / "home"),
            "TMPDIR": str(everything / "tmp"),
            "PROJECT": str(self.project),
            "DUALGATE_RETRY_DELAY": "0",
            **self.variables,
        }

    @property
    def has_session(self) -> bool:
        """A run that died in its first line is no session yet."""
        journal = self.session / "journal.jsonl"
        return journal.exists() and b"\n" in journal.read_bytes()

    @property
    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events()]

    def events(self) -> list[dict[str, Any]]:
        """The whole lines of the journal."""
        journal = self.session / "journal.jsonl"
        lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
        return [json.loads(line) for line in lines]

    def at_work(self) -> list[psutil.Process]:
        """All that lives with this home in its environment."""
        return [process for process in psutil.process_iter() if _home(process) == self.environment["HOME"]]


def _home(process: psutil.Process) -> str | None:
    try:
        return None if process.status() == psutil.STATUS_ZOMBIE else process.environ().get("HOME")
    except psutil.Error:
        return None


def a_place(root: Path, nursery: Nursery, **variables: str) -> Place:
    """A new one below a folder that does not have to be there yet."""
    place = Place(root=root, nursery=nursery, variables=variables)
    for folder in ("home", "tmp"):
        (root / "all" / folder).mkdir(parents=True)
    write_all(place.project, {"SPEC.md": SPEC, "dualgate.toml": SUITE, "check.sh": CHECK, "tests/old.t": "true\n"})
    (root / "agent.sh").write_text(AGENT)
    for phase, files in WORK.items():
        (root / "work" / phase).mkdir(parents=True)
        write_all(root / "work" / phase, files)
        (root / "work" / f"{phase}.says").write_text(_says(phase))
    return place


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _says(phase: Phase) -> str:
    status = RalphStatus(
        status=WorkStatus.COMPLETE,
        tasks_completed=1,
        files_modified=len(WORK[phase]),
        tests_status=fitting_tests_status(phase),
        work_type=WorkType.IMPLEMENTATION,
        exit_signal=True,
        recommendation="",
    )
    review = "Phase: CODE_REVIEW\nStatus: passed\n\nVerdict: APPROVE"
    return f"{review if phase is Phase.QA else 'Done.'}\n\n{emit_ralph_status(status)}\n"


def check_as_if_undisturbed(place: Place, ended: Ended) -> None:
    """The same phases, tree and test results as of a run that nothing happened to, and every call counted once."""
    assert ended.code == 0, ended.err
    result = ended.lines[-1]
    assert (result["status"], result["proven"], result["phases_completed"]) == ("completed", True, PHASES)
    assert result["touched"]["person"] == []
    assert {name: (place.project / name).read_text() for name in FINAL} == FINAL
    assert not (place.project / "scratch.tmp").exists()
    assert [document["seq"] for document in _beside(place)] == [len(place.events())] * len(BESIDE)
    events = place.events()
    _check_calls(events, result["agent_calls"])
    assert _turns(events) == [
        ("RED", 1, 2),
        ("GREEN", 3, 0),
        ("REFACTOR", 3, 0),
        ("DOCUMENT", 3, 0),
        ("QA", 3, 0),
    ]
    assert _without_evidence(events) == []
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert place.at_work() == []
    assert place.call("replay").code == 0


def _beside(place: Place) -> list[dict[str, Any]]:
    """The files that are made from the journal."""
    return [json.loads((place.session / name).read_text()) for name in BESIDE]


def _check_calls(events: Sequence[Mapping[str, Any]], counted: int) -> None:
    numbers = {
        kind: [event["data"]["number"] for event in events if event["kind"] == kind]
        for kind in ("call.started", "call.ended", "call.interrupted")
    }
    assert numbers["call.started"] == list(range(1, counted + 1))
    assert sorted(numbers["call.ended"] + numbers["call.interrupted"]) == numbers["call.started"]
    kinds = Counter(event["kind"] for event in events)
    assert (kinds["call.ended"], kinds["turn.ended"], kinds["baseline.taken"]) == (5, 5, 1)


def _without_evidence(events: Sequence[Mapping[str, Any]]) -> list[int]:
    """Turns that no results of tests are journaled for."""
    ends = [position for position, event in enumerate(events) if event["kind"] == "turn.ended"]
    begins = [0, *ends]
    return [
        events[end]["seq"]
        for begin, end in zip(begins, ends, strict=False)
        if not any(event["kind"] == "suite.ended" for event in events[begin:end])
    ]


def _turns(events: Sequence[Mapping[str, Any]]) -> list[tuple[str, int, int]]:
    """Phase, passed and failed tests of every turn."""
    seen = [event["data"]["facts"] for event in events if event["kind"] == "turn.ended"]
    return [
        (facts["phase"], facts["observed"]["counts"]["passed"], facts["observed"]["counts"]["failed"]) for facts in seen
    ]
