from dataclasses import replace

import pytest

from dualgate.core.record.metrics import Metrics
from dualgate.core.record.records import View
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.core.values.vocabulary import Phase, Status, Workflow
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
║ PRP:        feature-name.md                                ║
║ Phase:      GREEN, 60%                                     ║
║ Iteration:  5/10                                           ║
║ Tests:      6/10 passing                                   ║
║ Status:     running                                        ║
║ Breaker:    CLOSED                                         ║
║                                                            ║
║ Progress:                                                  ║
║ ├── RED:      ✓ complete (2 iterations)                    ║
║ ├── GREEN:    … 5/10 iterations                            ║
║ ├── REFACTOR: pending                                      ║
║ ├── DOCUMENT: pending                                      ║
║ └── QA:       pending                                      ║
║                                                            ║
║ Overall:    ███████░░░░░░░░░░░░░░░░░  32%                  ║
╚════════════════════════════════════════════════════════════╝"""
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
    (a_state(phase=Phase.BUILD, workflow=Workflow.RALPH, iteration=1), "└── BUILD:    … 1/100 iterations"),
]


@pytest.mark.parametrize(("state", "words"), SAID)
def test_what_is_proven_and_what_was_skipped_is_said(state: LoopState, words: str) -> None:
    assert words in box(state, LEDGER)


def test_a_bar_is_never_longer_than_it_is() -> None:
    assert [progress_bar(percent, 4) for percent in (0, 49, 100, 140)] == ["░░░░", "█░░░", "████", "████"]
