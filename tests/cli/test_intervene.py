"""What a person does with a session: a halted one that the lying agent leaves."""

import json
import platform
from pathlib import Path

import pytest

from dualgate.core.machine.requests import Request, RequestKind
from dualgate.store.lease import owned
from dualgate.store.requests import ask
from dualgate.testing import NOW
from tests.support import Dualgate

ADA = f"ada@{platform.node()}"


@pytest.fixture
def halted(dualgate: Dualgate, environment: dict[str, str]) -> Path:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--json")
    assert ended.code == 3
    return Path(environment["HOME"]) / ".bp-sessions" / "doubling"


def journal(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def test_a_halted_session_is_shown_with_four_ways_on_and_can_be_reset(dualgate: Dualgate, halted: Path) -> None:
    shown = dualgate("status").out
    reset = dualgate("reset", "--guidance", "use plain addition", USER="ada")
    refused = dualgate("run", "SPEC.md", "--agent", "rehearsal")

    assert all(
        way in shown for way in ("dualgate resume --reset  ", "--guidance", "dualgate skip GREEN", "dualgate abort")
    )
    assert (reset.code, reset.err) == (0, "")
    assert reset.out.startswith(f"reset by {ADA}, with guidance: use plain addition\n")
    last = journal(halted)[-1]
    assert (last["kind"], last["data"]["by"]) == ("session.reset", ADA)  # type: ignore[index]
    assert json.loads((halted / "loop-state.json").read_text())["status"] == "halted"
    assert json.loads((halted / "circuit-breaker.json").read_text())["history"][-1]["reason"] == f"reset by {ADA}"
    assert refused.code == 1
    assert "Continue with: dualgate resume. Start over with: dualgate run SPEC.md --agent rehearsal" in refused.err


def test_a_halted_session_is_reset_and_goes_on_in_one_command(dualgate: Dualgate, halted: Path) -> None:
    length = len(journal(halted))

    ended = dualgate("resume", "--reset", "--guidance", "use plain addition", "--json", USER="ada")
    alone = dualgate("resume", "--guidance", "x")

    told = journal(halted)[length:]
    assert [event["kind"] for event in told][:3] == ["session.reset", "session.resumed", "call.started"]
    assert (ended.code, ended.lines[-1]["status"]) == (3, "halted")
    assert (alone.code, "--guidance needs --reset" in alone.err) == (2, True)
    assert dualgate("guide", "--list").out == "1  use plain addition\n"
    assert dualgate("guide", "--withdraw", "2").code == 1
    assert dualgate("guide", "--withdraw", "1", USER="ada").out == f"guidance withdrawn by {ADA}: use plain addition\n"
    assert (dualgate("guide", "--withdraw", "all").code, dualgate("guide", "--list", "--json").lines) == (
        1,
        [{"guidance": []}],
    )


def test_a_run_can_be_told_to_go_on_as_other_loops_spell_it(dualgate: Dualgate, halted: Path) -> None:
    dualgate("reset")
    length = len(journal(halted))

    ended = dualgate("run", "--continue", "--json")
    both = dualgate("run", "--resume", "--fresh")

    assert (ended.code, ended.lines[-1]["status"]) == (3, "halted")
    assert journal(halted)[length]["kind"] == "session.resumed"
    assert (both.code, "--fresh and --dry-run start a new one" in both.err) == (2, True)


def test_phases_are_skipped_one_by_one_and_the_last_ends_unproven(dualgate: Dualgate, halted: Path) -> None:
    wrong = dualgate("skip", "QA")
    unasked = dualgate("skip", "GREEN")
    with (halted / "journal.jsonl").open("ab") as torn:
        torn.write(b'{"format": 1, "seq"')

    codes = [dualgate("skip", phase, "--yes").code for phase in ("green", "REFACTOR", "DOCUMENT", "QA")]

    assert (wrong.code, "The session is in GREEN, not in QA." in wrong.err) == (1, True)
    assert (unasked.code, "Criteria without proof: AC-1, AC-2." in unasked.err, "--yes" in unasked.err) == (
        1,
        True,
        True,
    )
    assert codes == [0, 0, 0, 7]
    state = json.loads(dualgate("status", "--json").out)
    assert (state["status"], state["proven"]) == ("completed", False)
    assert state["phases_forced"] == ["GREEN", "REFACTOR", "DOCUMENT", "QA"]
    again = dualgate("reset", "--json")
    assert (again.code, again.lines[0]["error"]["kind"]) == (1, "ControlRefused")


def test_a_skip_of_a_phase_that_a_run_has_not_reached_needs_yes_too(
    dualgate: Dualgate, halted: Path, project: Path, environment: dict[str, str]
) -> None:
    with owned(project, halted, environment, NOW):
        unasked = dualgate("skip", "QA")

    assert (unasked.code, "--yes" in unasked.err) == (1, True)
    assert "The session is in GREEN; QA is skipped if the present turn ends in it. Without QA no review" in unasked.err
    assert not list((halted / "requests").glob("*.json"))


def test_a_session_is_given_up(dualgate: Dualgate, halted: Path) -> None:
    dualgate("reset")

    ended = dualgate("abort", "--json", USER="ada")

    assert (ended.code, ended.lines[0]["halt_reason"]) == (0, f"aborted by {ADA}")
    assert (halted / "phase-status.log").read_text().count("---END_PRP_PHASE_STATUS---") > 10


def test_where_there_is_no_session_none_is_made(dualgate: Dualgate, environment: dict[str, str]) -> None:
    ended = dualgate("reset")

    assert (ended.code, "There is no session in" in ended.err) == (1, True)
    assert not (Path(environment["HOME"]) / ".bp-sessions" / "doubling").exists()


def test_an_open_breaker_may_rest_and_is_tried_once_more(dualgate: Dualgate, environment: dict[str, str]) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", DUALGATE_BREAKER_COOLDOWN="1s")

    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    history = json.loads((folder / "circuit-breaker.json").read_text())["history"]
    assert ended.code == 3
    assert [(shift["before"], shift["after"]) for shift in history][-3:] == [
        ("HALF_OPEN", "OPEN"),
        ("OPEN", "HALF_OPEN"),
        ("HALF_OPEN", "OPEN"),
    ]
    assert ended.out.count("asking the agent") == 5


def test_guidance_without_words_is_refused_whatever_the_session(dualgate: Dualgate) -> None:
    ended = dualgate("guide", "  ")

    assert (ended.code, "there is nothing in it to tell the agent" in ended.err) == (2, True)


def test_what_was_asked_of_a_run_that_halted_first_is_taken_up_by_resume(dualgate: Dualgate, halted: Path) -> None:
    ask(halted, Request(kind=RequestKind.RESET, at=NOW, by=ADA, text="use plain addition"))
    length = len(journal(halted))

    ended = dualgate("resume", "--agent", "rehearsal:lying", "--max-iterations", "1", "--json")

    kinds = [event["kind"] for event in journal(halted)[length:]]
    assert kinds[:3] == ["session.reset", "session.resumed", "call.started"]
    assert (ended.code, ended.lines[-1]["status"]) == (3, "halted")
    assert list((halted / "requests").iterdir()) == []
