"""Sessions that an earlier dualgate recorded, in formats 1 and 2: read today, they make the same decisions."""

import json
import shutil
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.machine.replay import replay
from dualgate.core.said.blocks.phase_text import read_log
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.problems import Found
from dualgate.core.values.vocabulary import Status
from dualgate.store.codec import decode
from dualgate.store.home import LOOP_STATE
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import STATUS_LOG, rebuild
from dualgate.store.reading import read_journal
from tests.support import contradictions

RECORDED = sorted((Path(__file__).parents[1] / "data" / "journals" / "format2").iterdir())
DECISIONS = {"amended": 5, "halted": 4, "many-tests": 1, "ralph": 2, "rejected": 9, "resumed": 8}

JUDGED_ANEW = {"amended": {"usage"}}
"""The agent approved its own amendment: the session counted as proven then, and does not today."""


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_every_decision_of_an_older_session_comes_out_as_it_was_recorded(recorded: Path) -> None:
    again = replay((record.seq, record.event) for record in read_journal(recorded))

    assert (again.decisions, again.differences, again.broken) == (DECISIONS[recorded.name], (), "")


def records(folder: Path) -> list[PhaseStatus]:
    blocks = read_log((folder / STATUS_LOG).read_bytes())
    return [block.fields for block in blocks if isinstance(block, Found)]


def measured(record: PhaseStatus) -> PhaseStatus:
    """A record without the fields that older versions left from the turn before, and without its words."""
    return replace(record, recommendation="-", blockers=(), progress_percent=0)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_an_older_session_comes_to_the_state_and_the_records_of_its_time(recorded: Path, tmp_path: Path) -> None:
    shutil.copy(recorded / JOURNAL, tmp_path)

    rebuild(tmp_path)

    state, before = (json.loads((folder / LOOP_STATE).read_text()) for folder in (tmp_path, recorded))
    kept = {name: value for name, value in before.items() if name not in JUDGED_ANEW.get(recorded.name, ())}
    assert {name: state[name] for name in kept} == kept  # later versions may tell more
    now, then = records(tmp_path), records(recorded)
    assert [measured(record) for record in now] == [measured(record) for record in then]
    assert [record for record in now if contradictions(record)] == []


def test_the_recorded_sessions_hold_lines_of_both_older_formats() -> None:
    formats = {json.loads(line)["format"] for each in RECORDED for line in (each / JOURNAL).read_text().splitlines()}

    assert formats == {1, 2}


def test_what_an_older_claim_says_in_two_fields_is_one_report() -> None:
    written = (RECORDED[0].parent / "rejected" / JOURNAL).read_bytes()
    lines = written.replace(b'"no_refactoring":false', b'"no_refactoring":true').splitlines()
    turns = [event for line in lines if isinstance(event := decode(line).event, TurnEnded)]

    reports = [turn.facts.claimed.report for turn in turns]

    assert all(report.no_refactoring for report in reports)
    assert {report.changed_files for report in reports} == {None, ()}
    assert any(report.findings for report in reports)


def test_an_older_session_in_which_an_agent_approved_its_own_amendment_is_not_proven() -> None:
    first, *others = (record.event for record in read_journal(RECORDED[0].parent / "amended"))

    state = reduce(apply, others, begin(first_of(first)))

    assert (state.status, state.proven) == (Status.COMPLETED, False)
    assert state.unproven == (
        "the agent that asked to change tests/test_double.py::test_ac1_numbers approved the change itself",
    )
