from dataclasses import replace

import pytest

from dualgate.core.record.metrics import Metrics
from dualgate.core.record.records import View
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.state import LoopState, PhaseVisit, Rejection
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import BreakerState, Phase, Status, Workflow
from dualgate.display.box import box, progress_bar
from dualgate.display.lines import width
from dualgate.testing import NOW, a_state

LEDGER = Metrics(view=View(phase=Phase.GREEN, progress=60, tests=CaseCounts(passing=6, failing=4)))
GREEN = a_state(
    phase=Phase.GREEN,
    iteration=5,
    max_iterations=10,
    prp_file="docs/PRPs/feature-name.md",
    phases_completed=(Phase.RED,),
    visits=(PhaseVisit(phase=Phase.RED, started_at=NOW, iterations=2), PhaseVisit(phase=Phase.GREEN, started_at=NOW)),
)


def test_the_summary_of_the_document_is_drawn() -> None:
    assert box(GREEN, LEDGER) == (
        """\
╔════════════════════════════════════════════════════════════╗
║                     LOOP STATE SUMMARY                     ║
╠════════════════════════════════════════════════════════════╣
║ Session:    a1b2c3d4…                                      ║
║ Started:    2026-01-16 10:00                               ║
║ PRP:        feature-name.md                                ║
║ Phase:      GREEN (🟢)                                     ║
║ Iteration:  6/10                                           ║
║ Tests:      6/10 passing                                   ║
║ Status:     running                                        ║
║ Breaker:    CLOSED                                         ║
║                                                            ║
║ Progress:                                                  ║
║ ├── RED:      ✓ complete (2 iterations)                    ║
║ ├── GREEN:    … iteration 6, 60%                           ║
║ ├── REFACTOR: pending                                      ║
║ ├── DOCUMENT: pending                                      ║
║ └── QA:       pending                                      ║
║                                                            ║
║ Overall:    ███████░░░░░░░░░░░░░░░░░  32%                  ║
╚════════════════════════════════════════════════════════════╝""".replace(
            "2026-01-16 10:00", f"{NOW.astimezone():%Y-%m-%d %H:%M}"
        )
    )


def test_a_terminal_without_such_characters_gets_plain_ones() -> None:
    drawn = box(GREEN, LEDGER, ascii_only=True)

    assert drawn.isascii()
    assert "| Overall:    #######.................  32%" in drawn


@pytest.mark.parametrize("name", ["特性.md", "e\u0301tude.md", "x" * 90 + ".md", "特" * 60])
def test_every_line_is_equally_wide_whatever_it_holds(name: str) -> None:
    drawn = box(replace(GREEN, prp_file=name), LEDGER)

    assert {width(line) for line in drawn.splitlines()} == {62}


SAID = [
    (replace(GREEN, status=Status.COMPLETED, phase=Phase.QA), "Status:     completed and proven"),
    (replace(GREEN, status=Status.COMPLETED, phases_forced=(Phase.QA,)), "Status:     completed, not proven"),
    (replace(GREEN, phase=Phase.DOCUMENT, phases_forced=(Phase.REFACTOR,)), "REFACTOR: skipped, not proven"),
    (a_state(phase=Phase.BUILD, workflow=Workflow.RALPH, iteration=1), "└── BUILD:    … iteration 2, 60%"),
]


@pytest.mark.parametrize(("state", "words"), SAID)
def test_what_is_proven_and_what_was_skipped_is_said(state: LoopState, words: str) -> None:
    assert words in box(state, LEDGER)


HALTED = replace(
    GREEN,
    status=Status.HALTED,
    halt_reason="GREEN: no progress in 3 iterations: 2 failing: tests/test_x.py::test_a",
    rejections=(Rejection(at=NOW, reason="no bounds"),) * 2,
    breaker=Breaker(state=BreakerState.OPEN, no_progress=3, same_error=2, blocked="need a password"),
)


def test_a_halt_is_told_with_its_reason_the_rejections_and_the_breaker_once() -> None:
    drawn = box(HALTED, LEDGER, columns=80)

    assert "║ Status:     halted  " in drawn
    assert "no progress in 3 iterations" not in drawn  # the reason is told with the evidence, below the box
    assert f"║ Rejected:   2 times, last {NOW.astimezone():%Y-%m-%d %H:%M}: no bounds" in drawn
    assert "║ Breaker:    OPEN, 3 of 3 without progress, 2 of 3 with the same error," in drawn
    assert "║             blocked: need a password" in drawn
    assert "GREEN:    halted after 5 iterations" in drawn
    assert "60%" not in drawn
    once = box(replace(HALTED, rejections=HALTED.rejections[:1]), LEDGER)
    assert "Rejected:   once, last" in once


@pytest.mark.parametrize(("columns", "wide"), [(20, 30), (40, 40), (80, 80), (140, 100)])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_it_is_as_wide_as_the_terminal_within_limits(columns: int, wide: int, ascii_only: bool) -> None:
    drawn = box(HALTED, LEDGER, columns, ascii_only)

    assert {width(line) for line in drawn.splitlines()} == {wide}


def test_no_row_is_cut_at_forty_columns() -> None:
    drawn = box(HALTED, LEDGER, 40)

    assert [line for line in drawn.splitlines() if line.endswith("… ║")] == []
    assert "├── RED:      ✓ complete (2)" in drawn


def test_a_bar_is_never_longer_than_it_is() -> None:
    assert [progress_bar(percent, 4) for percent in (0, 49, 100, 140)] == ["░░░░", "█░░░", "████", "████"]
