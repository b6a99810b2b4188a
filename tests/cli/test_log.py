"""The story of a session: filters, and one iteration in full."""

import shutil
from pathlib import Path

import pytest

from tests.support import Dualgate

RECORDED = Path(__file__).parent.parent / "data" / "journals" / "format2"


@pytest.fixture
def there(tmp_path: Path) -> dict[str, str]:
    shutil.copytree(RECORDED / "rejected", tmp_path / "kept")
    return {"PRP_SESSION_DIR": str(tmp_path / "kept")}


def test_the_log_is_filtered_by_phase_kind_and_iteration(dualgate: Dualgate, there: dict[str, str]) -> None:
    every = dualgate("log", "--json", **there).lines
    turns = dualgate("log", "--json", "--event", "turn.ended", **there).lines
    some = dualgate("log", "--json", "--event", "turn.ended", "--iteration", "2-3", **there).lines
    both = dualgate("log", "--json", "--event", "turn.ended", "--event", "call.started", **there).lines
    green = dualgate("log", "--json", "--phase", "green", "--event", "turn.ended", "--iteration", "1", **there).lines

    assert {line["kind"] for line in turns} == {"turn.ended"}
    assert [line["seq"] for line in some] == [line["seq"] for line in turns[1:3]]
    assert {line["kind"] for line in both} == {"turn.ended", "call.started"}
    assert {(line["data"]["facts"]["phase"], line["data"]["facts"]["iteration"]) for line in green} == {("GREEN", 1)}
    assert len(turns) < len(both) < len(every)


def test_each_iteration_is_told_with_its_duration_and_the_command_that_shows_it(
    dualgate: Dualgate, there: dict[str, str]
) -> None:
    told = dualgate("log", **there).out

    assert "iteration 1 took " in told
    assert "in full: dualgate log show 1\n" in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--phase", "gren"), "Unknown phase 'gren'. Did you mean GREEN?"),
        (("--event", "turn.end"), "Unknown kind of event 'turn.end'. Did you mean turn.ended?"),
        (("--iteration", "x"), "Invalid --iteration x. Write a number or a range: 3 or 3-5."),
        (("--iteration", "5-3"), "Invalid --iteration 5-3."),
    ],
)
def test_a_wrong_filter_names_the_right_one(dualgate: Dualgate, words: tuple[str, ...], message: str) -> None:
    ended = dualgate("log", *words)

    assert (ended.code, message in ended.err) == (2, True)


def test_one_iteration_is_shown_by_its_number_and_by_its_place_in_a_phase(
    dualgate: Dualgate, there: dict[str, str]
) -> None:
    first, last = dualgate("log", "show", "1", **there), dualgate("log", "show", "--json", **there).lines[0]
    green = dualgate("log", "show", "1", "--phase", "GREEN", "--json", **there).lines[0]

    assert first.out.startswith("RED 1, iteration 1 of the session\n")
    assert "no diff: the snapshots" in first.out
    assert "Gate 1   open (evidence)" in first.out
    assert (last["number"], last["phase"]) == (
        len(dualgate("log", "--json", "--event", "turn.ended", **there).lines),
        "QA",
    )
    assert (green["phase"], green["iteration"]) == ("GREEN", 1)


def test_an_iteration_of_any_session_is_shown_by_the_beginning_of_its_id(
    dualgate: Dualgate, there: dict[str, str]
) -> None:
    name = dualgate("status", "--json", **there).lines[0]["session_id"][:8]

    assert dualgate("log", "show", name, "1", **there).out == dualgate("log", "show", "1", **there).out.replace(
        "log show 1", f"log show {name} 1"
    )
    assert dualgate("log", "show", name, **there).code == dualgate("log", name, **there).code == 0


def test_an_iteration_that_is_missing_is_named(dualgate: Dualgate, there: dict[str, str]) -> None:
    missing = dualgate("log", "show", "999", **there)
    elsewhere = dualgate("log", "show", "999", "--phase", "RED", **there)
    no_number = dualgate("log", "show", "a", "b", **there)

    assert (missing.code, "There is no iteration 999 in this session." in missing.err) == (1, True)
    assert "There is no iteration 999 of RED in this session." in elsewhere.err
    assert "Write: dualgate log show [SESSION] [N]" in no_number.err
