"""Whole runs over criteria of every kind: each is proven by its kind, and by nothing less."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import pytest

from dualgate.core.machine.replay import replay
from dualgate.core.values.checks import CheckEnded, CheckStarted
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.specification import Criterion, Kind, Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.display.live import lines
from dualgate.display.summary import summary
from dualgate.session.loop import run
from dualgate.session.open import session_of
from dualgate.session.suites import plan_or_assume
from dualgate.session.work import Work
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host
from tests.loop.scripts import GREEN, PACKET, RED, REST
from tests.support import Dualgate

DOUBLES = (
    Criterion(id="AC-1", text="double(2) is 4", line=1),
    Criterion(id="AC-2", text='double("a") is "aa"', line=2),
)
HELD = Criterion(id="AC-2", text="a price is shown with its currency", line=2)
OLD_HOLDS = Criterion(id="AC-3", text="`test_old` still passes", line=3, kind=Kind.KEEP)


@dataclass
class Played:
    project: Path
    events: list[Event] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    state: LoopState | None = None

    def watch(self, event: Event, state: LoopState) -> None:
        self.events.append(event)
        self.told += [line.text for line in lines(event, state)]

    @property
    def turns(self) -> list[TurnEnded]:
        return [event for event in self.events if isinstance(event, TurnEnded)]

    @property
    def decisions(self) -> list[tuple[str, str]]:
        return [(turn.facts.phase.value, turn.move.decision.value) for turn in self.turns]

    @property
    def table(self) -> list[tuple[str, str, str]]:
        assert self.state is not None
        return [(each.id, each.kind.value, each.state.value) for each in self.state.criteria_states]

    @property
    def end(self) -> LoopState:
        assert self.state is not None
        return self.state


Play = Callable[..., Played]


@pytest.fixture
def play(project: Path, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run a script over these criteria, as a session does whose specification was read already."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def call(script: str, *criteria: Criterion, approved: tuple[str, ...] = (), most: int = 100) -> Played:
        (tmp_path / "script.toml").write_text(script)
        settings = Settings(
            agent=f"rehearsal:{tmp_path / 'script.toml'}",
            test_command=environment["DUALGATE_TEST_COMMAND"],
            max_iterations=most,
        )
        host, played = a_host(project), Played(project)
        text = (project / "SPEC.md").read_text()
        prp = Specification(title="Doubling", goal="", criteria=criteria, text=text)
        suites = plan_or_assume(settings, project, host.environment)
        work = Work(prp=prp, file=Path("SPEC.md"), suites=suites, approved=approved)
        with session_of(work, host, settings, played.watch) as session:
            played.state = run(session.state, session.rooms, a_control())
            played.prompts = [path.read_text() for path in sorted((session.folder / "calls").glob("*prompt*"))]
        assert not replay(list(enumerate(played.events, 1))).differences
        return played

    return call


@pytest.fixture
def shop(project: Path) -> Path:
    """Code that is there before the run, and its test."""
    (project / "shop.py").write_text("def price(amount):\n    return f'{amount} EUR'\n")
    (project / "tests" / "test_old.py").write_text(
        "from shop import price\n\ndef test_old():\n    assert price(3) == '3 EUR'\n"
    )
    return project


@pytest.mark.usefixtures("shop")
def test_a_criterion_to_keep_is_proven_by_an_existing_test_from_start_to_end(play: Play) -> None:
    played = play(RED + GREEN + REST, *DOUBLES, OLD_HOLDS)

    assert (played.end.status, played.end.proven) == (Status.COMPLETED, True)
    assert played.table == [("AC-1", "new", "green"), ("AC-2", "new", "green"), ("AC-3", "keep", "holds")]
    states = [(turn.facts.phase.value, turn.facts.observed.criteria[2].state.value) for turn in played.turns]
    assert states == [(phase, "holds") for phase in ("RED", "GREEN", "REFACTOR", "DOCUMENT", "QA")]
    assert "- AC-3 (keep, holds): `test_old` still passes\n" in played.prompts[4]
    assert "    tests/test_old.py::test_old: passed before, passed in RED, passed now\n" in played.prompts[4]


KEPT = RED.replace('    assert double("a") == "aa"', '    from shop import price\n    assert price(2) == "2 EUR"')
KEPT_ALREADY = KEPT.replace(
    '[[turn.write]]\npath = "doubling.py"\ntext = "def double(x): raise NotImplementedError"\n', ""
)
# without a stub what is missing is imported inside the test
WITHOUT_STUB = KEPT_ALREADY.replace("from doubling import double\n", "").replace(
    "    check(double(2), 4)", "    from doubling import double\n    check(double(2), 4)"
)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("red", [WITHOUT_STUB, KEPT])
def test_a_criterion_that_holds_already_is_kept_with_a_note_while_another_is_red(play: Play, red: str) -> None:
    played = play(red + GREEN + REST, DOUBLES[0], HELD)

    assert played.decisions[0] == ("RED", "next_phase")
    assert played.end.proven
    assert played.table == [("AC-1", "new", "green"), ("AC-2", "keep", "holds")]
    note = "AC-2 holds already: its tests pass before any work (keep)"
    assert note in played.turns[0].verdict.warnings
    assert any(note in line for line in played.told)
    assert f"Note     {note}" in summary(played.end)
    assert note in played.prompts[-1]


def test_tests_that_only_pass_complete_a_run_and_prove_nothing(play: Play) -> None:
    trivial = """
[[turn]]
phase = "RED"
[[turn.write]]
path = "tests/test_double.py"
text = '''
def test_ac1(): pass
def test_ac2(): pass
'''
[[turn]]
phase = "GREEN"
"""
    played = play(trivial + REST, *DOUBLES)

    assert (played.end.status, played.end.proven) == (Status.COMPLETED, False)
    missing = "it asks for `double()`, and no source of the project has that name"
    assert played.end.unproven == (
        f"no test proves AC-1: {missing}",
        f"no test proves AC-2: {missing}",
        "no test was red: nothing shows that the new tests of AC-1, AC-2 can fail",
    )


EXPORTED = Criterion(id="AC-3", text="double is exported", line=3, kind=Kind.REVIEW)


def test_a_review_that_leaves_a_criterion_out_is_asked_for_again(play: Play) -> None:
    answers = (
        REST
        + '[[turn]]\nphase = "QA"\nsays = "- **AC-3**: met `doubling.py:1` it is there\\n\\n'
        + PACKET
        + 'Verdict: APPROVE"\n'
    )

    played = play(RED + GREEN + answers, *DOUBLES, EXPORTED)

    assert played.decisions[-2:] == [("QA", "continue"), ("QA", "project_complete")]
    assert played.turns[-2].verdict.reasons == ("AC-3: the review does not answer this criterion",)
    assert "AC-3: <met | not met> <FILE:LINE> <why>" in played.prompts[-2]
    assert "- AC-3: the review does not answer this criterion" in played.prompts[-1]
    assert (played.end.proven, played.table[-1]) == (True, ("AC-3", "review", "met"))
    assert played.end.criteria_states[-1].proof == ("doubling.py:1",)
    assert played.end.rejections == ()


def test_a_criterion_that_is_not_met_is_work_for_green(play: Play) -> None:
    rejecting = REST.replace("Verdict: APPROVE", "AC-3: not met doubling.py:1 no __all__\\n\\nVerdict: APPROVE")
    again = '[[turn]]\nphase = "QA"\nsays = "AC-3: met doubling.py:1\\n\\n' + PACKET + 'Verdict: APPROVE"\n'
    mending = GREEN + GREEN.replace("def double", "__all__ = ['double']\\ndef double")

    played = play(RED + mending + rejecting + again, *DOUBLES, EXPORTED)

    assert ("QA", "rejected") in played.decisions
    assert played.end.proven
    assert any("AC-3 is not met: no __all__" in prompt and "phase GREEN" in prompt for prompt in played.prompts)


def test_a_forbidden_path_is_put_back_in_every_phase(play: Play, project: Path) -> None:
    (project / "_legacy.py").write_text("OLD = 1\n")
    forbidding = Criterion(
        id="AC-3", text="Do not touch `_legacy.py`", line=3, kind=Kind.REVIEW, forbids=("_legacy.py",)
    )
    touching = GREEN + '[[turn.write]]\npath = "_legacy.py"\ntext = "NEW = 2"\n'
    rest = REST.replace("Verdict: APPROVE", "AC-3: met _legacy.py unchanged\\nVerdict: APPROVE")

    played = play(RED + touching + GREEN + rest, *DOUBLES, forbidding)

    (violation,) = played.turns[1].facts.observed.changes.violations
    assert (violation.path, violation.reverted) == ("_legacy.py", True)
    assert violation.rule == "the specification forbids it (AC-3: Do not touch `_legacy.py`)"
    assert (project / "_legacy.py").read_text() == "OLD = 1\n"
    assert played.decisions[1] == ("GREEN", "continue")
    assert played.end.proven


LINT = "grep -q lambda doubling.py && { echo 'doubling.py: lambda'; exit 2; }; exit 0"
LINTED = Criterion(id="AC-3", text="the linter passes", line=3, kind=Kind.CHECK, command=LINT)
OWN_TESTS = Criterion(id="AC-4", text="all tests pass", line=4, kind=Kind.CHECK)


def test_a_check_that_fails_keeps_the_gate_shut_until_it_passes(play: Play) -> None:
    lambdas = GREEN.replace("def double(x): return x + x", "double = lambda x: x + x")

    played = play(RED + lambdas + GREEN + REST, *DOUBLES, LINTED, OWN_TESTS, approved=(LINT,))

    assert played.decisions[1:3] == [("GREEN", "continue"), ("GREEN", "next_phase")]
    assert played.turns[1].verdict.reasons == (f"AC-3: `{LINT}` exits with 2, expected 0: doubling.py: lambda",)
    assert f"- AC-3: `{LINT}` exits with 2" in played.prompts[2]
    assert (played.end.proven, played.table[2:]) == (True, [("AC-3", "check", "passes"), ("AC-4", "check", "passes")])
    ended = [event for event in played.events if isinstance(event, CheckEnded)]
    # REFACTOR changes nothing, so the result of its tree is known
    assert [(event.check.exit_code, event.known) for event in ended][:3] == [(2, False), (0, False), (0, True)]
    assert len([event for event in played.events if isinstance(event, CheckStarted)]) == sum(
        not event.known for event in ended
    )


def test_a_command_that_nobody_approved_is_not_run_and_its_criterion_is_not_proven(play: Play, project: Path) -> None:
    touching = Criterion(id="AC-3", text="x", line=3, kind=Kind.CHECK, command="touch was-run")

    played = play(RED + GREEN + REST, *DOUBLES, touching)

    assert not (project / "was-run").exists()
    assert (played.end.status, played.end.proven) == (Status.COMPLETED, False)
    assert played.end.unproven == ("nobody approved the command of AC-3: `touch was-run`",)


def test_the_built_in_rehearsal_proves_criteria_of_every_kind(play: Play) -> None:
    script = (resources.files("dualgate.agents") / "scripts" / "honest.toml").read_text(encoding="utf-8")
    halves = Criterion(id="AC-5", text="halving still works", line=5, kind=Kind.KEEP)

    played = play(script, *DOUBLES, EXPORTED, OWN_TESTS, halves)

    assert played.end.proven
    assert [state for _, _, state in played.table] == ["green", "green", "met", "passes", "holds"]
    assert "the tests of AC-5 (keep) are new, and RED changed rehearsal/work.py" in played.prompts[-1]


EVERY_KIND = """\
# Doubling

## Acceptance Criteria

- AC-1: double(2) is 4
- AC-2 [keep]: halving still works
- AC-3 [check: ! grep -rq lambda rehearsal] There are no lambdas.
- AC-4: All existing tests pass.
- AC-5 [review] double is exported.

## Constraints

- Do not touch `tests/test_old.py`.
"""


def test_a_document_with_every_kind_is_proven_from_the_command_line(dualgate: Dualgate, project: Path) -> None:
    (project / "SPEC.md").write_text(EVERY_KIND)

    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--yes", "--json")
    table = dualgate("status", "--json").lines[0]["criteria"]
    shown = dualgate("status").out

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
    assert [(row["id"], row["kind"], row["state"]) for row in table] == [
        ("AC-1", "new", "green"),
        ("AC-2", "keep", "holds"),
        ("AC-3", "check", "passes"),
        ("AC-4", "check", "passes"),
        ("AC-5", "review", "met"),
        ("AC-6", "review", "met"),
    ]
    assert [row["id"] for row in ended.lines[-1]["criteria"]] == [row["id"] for row in table]
    assert "AC-3       check   passes  There are no lambdas." in shown


def test_an_agent_that_edits_what_a_check_runs_proves_nothing_by_it(play: Play, project: Path) -> None:
    (project / "lint.sh").write_text(f"{LINT}\n")
    linted = Criterion(id="AC-3", text="the linter passes", line=3, kind=Kind.CHECK, command="sh lint.sh")
    cheating = GREEN.replace("def double(x): return x + x", "double = lambda x: x + x")
    cheating += '[[turn.write]]\npath = "lint.sh"\ntext = "exit 0"\n'

    played = play(RED + cheating + GREEN + REST, *DOUBLES, linted, approved=("sh lint.sh",))

    assert [each.path for each in played.turns[1].facts.observed.changes.violations] == ["lint.sh"]
    assert played.decisions[1:3] == [("GREEN", "continue"), ("GREEN", "next_phase")]
    assert (played.end.proven, (project / "lint.sh").read_text()) == (True, f"{LINT}\n")
