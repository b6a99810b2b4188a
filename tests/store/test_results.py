"""Test results in the journal: in full once, referred to afterwards, and read back as they were."""

import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.gates.judge import judge
from dualgate.core.values.events import KINDS, BaselineTaken, Event, SuiteEnded, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.suite import CaseOutcome, CaseResult, Trial
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.errors import JournalDamaged
from dualgate.store.codec import Record, decode, pack, stored_line, stored_results
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.store.reading import read_journal
from dualgate.store.results import LINES_KEPT, PLACES, RUNS_KEPT, ResultReader, ResultWriter
from dualgate.testing import NOW, a_report, a_start, facts, passed

OLD = tuple(passed(f"test_{number}", digest=f"{number:08x}", doc="what it is about") for number in range(50))


def slower(results: tuple[CaseResult, ...], by: float) -> tuple[CaseResult, ...]:
    return tuple(replace(result, seconds=result.seconds + by) for result in results)


def a_run(*results: CaseResult, only: tuple[str, ...] = ()) -> SuiteEnded:
    return SuiteEnded(at=NOW, report=a_report(*results, only=only))


def a_baseline(*results: CaseResult) -> BaselineTaken:
    return BaselineTaken(at=NOW, tree="t", results=results)


def lines_of(folder: Path, *events: Event) -> list[dict[str, Any]]:
    journal = Journal(folder / JOURNAL, 1, lambda: True)
    for event in (a_start(), *events):
        journal.append(event)
    assert [record.event for record in read_journal(folder)] == [a_start(), *events]
    return [json.loads(line) for line in (folder / JOURNAL).read_text().splitlines()]


def test_a_second_run_refers_to_the_first_and_holds_its_own_times(tmp_path: Path) -> None:
    *_, first, second = lines_of(tmp_path, a_run(*OLD), a_run(*slower(OLD, 0.5)))

    assert first["results"]["report.results"][7]["digest"] == OLD[7].digest
    assert second["results"]["report.results"][7] == [2, 7, OLD[7].seconds + 0.5]
    assert len(json.dumps(second)) * 5 < len(json.dumps(first))


def test_what_is_the_same_as_a_run_is_said_by_the_number_of_its_line(tmp_path: Path) -> None:
    later = slower(OLD, 0.5)

    *_, baseline, known = lines_of(tmp_path, a_run(*OLD), a_run(*later), a_baseline(*later), a_run(*later))

    assert (baseline["results"], known["results"]) == ({"results": 3}, {"report.results": 3})


@pytest.mark.parametrize("trial", [None, Trial(tree="red", results=OLD)])
def test_the_results_of_a_trial_are_referred_to_as_well(trial: Trial | None, tmp_path: Path) -> None:
    seen = facts(Phase.GREEN, trial=trial)
    move = Move(decision=Decision.CONTINUE, phase=Phase.GREEN)
    turn = TurnEnded(at=NOW, facts=seen, verdict=judge(seen, Limits()), breaker=Breaker(), move=move)

    *_, ended = lines_of(tmp_path, a_run(*OLD), turn)

    assert ended.get("results", {}) == ({"facts.observed.trial.results": 2} if trial else {})


def test_a_result_that_changed_stands_in_full_and_is_referred_to_from_then_on(tmp_path: Path) -> None:
    broken = (*OLD[:-1], replace(OLD[-1], outcome=CaseOutcome.FAILED, message="boom"))

    *_, second, third = lines_of(tmp_path, a_run(*OLD), a_run(*broken), a_run(*slower(broken, 1.0)))

    assert second["results"]["report.results"][-1]["message"] == "boom"
    assert third["results"]["report.results"][-2:] == [[2, 48, OLD[48].seconds + 1], [3, 49, OLD[49].seconds + 1]]


def test_a_run_of_some_tests_does_not_make_the_others_stand_again(tmp_path: Path) -> None:
    some = slower(OLD[:2], 0.1)

    *_, last = lines_of(tmp_path, a_run(*OLD), a_run(*some, only=("a", "b")), a_run(*slower(OLD, 0.2)))

    assert all(isinstance(each, list) for each in last["results"]["report.results"])


def test_a_test_that_was_gone_for_a_run_stands_in_full_again(tmp_path: Path) -> None:
    *_, last = lines_of(tmp_path, a_run(*OLD), a_run(*OLD[:-1]), a_run(*OLD[:-1], slower(OLD, 1)[-1]))

    assert last["results"]["report.results"][-1]["id"] == OLD[-1].id


def test_another_owner_refers_to_its_own_lines_only(tmp_path: Path) -> None:
    lines_of(tmp_path, a_run(*OLD))
    Journal(tmp_path / JOURNAL, 2, lambda: True, seq=2).append(a_run(*OLD))

    last = json.loads((tmp_path / JOURNAL).read_text().splitlines()[-1])
    assert last["results"]["report.results"][0]["id"] == OLD[0].id
    assert [record.event for record in read_journal(tmp_path)][-1] == a_run(*OLD)


def test_more_runs_than_a_reader_keeps_are_read_all_the_same(tmp_path: Path) -> None:
    runs = [a_run(*slower(OLD[:3], number)) for number in range(max(LINES_KEPT, RUNS_KEPT) * 2 + 1)]

    lines_of(tmp_path, *runs, runs[0])


FIRST = pack(Record(seq=1, epoch=1, event=a_run(*OLD[:2])))
OTHER = pack(Record(seq=2, epoch=1, event=a_baseline(*OLD[:2])))
LEADING_NOWHERE: list[tuple[Any, str]] = [
    (3, "refers to the test results of line 3, which has no results"),
    (4, "refers to the test results of line 4"),
    (0, "refers to the test results of line 0"),
    (-1, "refers to the test results of line -1"),
    (2, "refers to the test results of line 2"),
    ([[1, 2, 0.1]], "refers to test result 2 of line 1, which is missing"),
    ([[1, -1, 0.1]], "refers to test result -1 of line 1"),
    ([[3, 0, 0.1]], "refers to the test results of line 3"),
    ([[1, 0]], "Expected `array` of length 3"),
    (["x"], "Expected `object | array`"),
    ("x", r"Expected `int \| array`"),
]


@pytest.mark.parametrize(("stored", "told"), LEADING_NOWHERE)
def test_a_reference_that_leads_nowhere_is_damage(tmp_path: Path, stored: Any, told: str) -> None:
    line = json.loads(pack(Record(seq=3, epoch=1, event=a_run(*OLD[:1]))))
    line["results"]["report.results"] = stored
    (tmp_path / JOURNAL).write_bytes(FIRST + OTHER + json.dumps(line).encode() + b"\n")

    with pytest.raises(JournalDamaged, match=told):
        list(read_journal(tmp_path))


def test_results_in_a_place_that_the_event_does_not_have_are_damage() -> None:
    line = FIRST.replace(b'"report.results"', b'"proven"')

    with pytest.raises(JournalDamaged, match="holds test results for 'proven'"):
        decode(line)


def test_a_reference_to_a_reference_is_damage(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    for event in (a_run(*OLD), a_run(*slower(OLD, 1))):
        journal.append(event)
    line = pack(Record(seq=3, epoch=1, event=a_run(*OLD[:1]))).decode()
    forged = json.loads(line) | {"results": {"report.results": [[2, 0, 0.1]]}}
    lines = (tmp_path / JOURNAL).read_bytes().splitlines()

    with pytest.raises(JournalDamaged, match="refers to test result 0 of line 2, which is missing"):
        decode(json.dumps(forged).encode(), ResultReader(lambda seq: stored_results(lines[seq - 1])))


CASES = st.builds(
    CaseResult,
    id=st.sampled_from("abcd"),
    outcome=st.sampled_from(CaseOutcome),
    message=st.sampled_from(("", "boom")),
    seconds=st.floats(0, 10),
)
EVENTS = st.one_of(
    st.builds(lambda found: a_run(*found), st.lists(CASES, max_size=5)),
    st.builds(lambda found: a_run(*found, only=("x",)), st.lists(CASES, max_size=3)),
    st.builds(lambda found: a_baseline(*found), st.lists(CASES, max_size=5)),
)


@given(st.lists(EVENTS, max_size=12))
def test_any_results_in_any_order_are_read_as_they_were_written(events: list[Event]) -> None:
    writer, lines = ResultWriter(), list[bytes]()
    for seq, event in enumerate(events, 1):
        shortened, taken = writer.taken_out(event)
        lines.append(stored_line(Record(seq=seq, epoch=1, event=event), shortened, taken))
        writer.written(seq, event, taken)
    reader = ResultReader(lambda seq: stored_results(lines[seq - 1]))

    assert [decode(line, reader).event for line in lines] == events
    assert all(decode(line, ResultReader(lambda seq: stored_results(lines[seq - 1]))) for line in lines)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_place_of_an_event_that_holds_results_is_known(kind: type[Event]) -> None:
    assert set(_places(kind)) == set(PLACES.get(kind, ()))


def _places(kind: Any, path: str = "") -> list[str]:
    hints = get_type_hints(kind)
    return [place for field in fields(kind) for place in _places_in(hints[field.name], f"{path}{field.name}")]


def _places_in(hint: Any, path: str) -> list[str]:
    if hint == tuple[CaseResult, ...]:
        return [path]
    assert hint is not CaseResult, f"{path} holds a result outside of a list"
    if get_origin(hint) in (Union, UnionType):
        return [place for each in get_args(hint) for place in _places_in(each, path)]
    return _places(hint, f"{path}.") if is_dataclass(hint) else []
