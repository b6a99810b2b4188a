"""Charts, colours and words of a report."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.record.metrics import Row
from dualgate.core.report.values import PhaseStay, StayEnd, UsageRow
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.spending import Used
from dualgate.core.values.vocabulary import Phase
from dualgate.display.report import charts, words
from dualgate.display.report.highlight import diff_html
from dualgate.testing import NOW
from tests.display.report.samples import DIFF, a_full_report, a_story

ROW = a_story().report().iterations[0]


def rows(*counts: tuple[int, int, int]) -> list[Row]:
    return [replace(ROW, tests=CaseCounts(passing=p, failing=f, skipped=s)) for p, f, s in counts]


def test_a_bar_is_stacked_of_passing_failing_and_skipped_tests() -> None:
    chart = charts.test_chart(rows((2, 1, 1), (4, 0, 0)))

    assert chart.most == 4
    assert [(bar.kind, bar.y, bar.height) for bar in chart.bars] == [
        ("good", 50.0, 50.0),
        ("bad", 25.0, 25.0),
        ("idle", 0.0, 25.0),
        ("good", 0.0, 100.0),
    ]


def test_many_iterations_are_drawn_as_areas() -> None:
    chart = charts.test_chart(rows(*[(n, 1, 0) for n in range(1_000)]))

    assert (len(chart.areas), chart.bars) == (3, ())
    assert sum(len(area.points) for area in chart.areas) < 60_000


def test_without_tests_there_is_no_chart() -> None:
    assert charts.test_chart(()) == charts.test_chart(rows((0, 0, 0)))


def test_a_short_stay_stays_visible_and_has_no_room_for_its_name() -> None:
    end = NOW + timedelta(hours=1)
    stays = [
        PhaseStay(phase=Phase.RED, began=NOW, ended=NOW + timedelta(seconds=1), end=StayEnd.PASSED),
        PhaseStay(phase=Phase.GREEN, began=NOW + timedelta(seconds=1)),
        PhaseStay(phase=Phase.QA, began=end, ended=end, end=StayEnd.REJECTED),
    ]

    bars = charts.phase_bars(stays, NOW, end)

    assert [(bar.kind, bar.label) for bar in bars] == [("good", ""), ("info", "GREEN"), ("bad", "")]
    assert min(bar.width for bar in bars) >= 3


@pytest.mark.parametrize(
    ("total", "seconds", "measure", "share"),
    [
        (Used(calls=4, cost_usd=2.0, input=10), 9.0, "cost", 250.0),
        (Used(calls=4, input=10), 9.0, "tokens", 500.0),
        (Used(calls=4), 9.0, "time", 333.3),
        (Used(calls=4), 0.0, "calls", 250.0),
        (Used(), 0.0, "calls", 1000.0),
    ],
)
def test_usage_is_compared_by_what_is_known(total: Used, seconds: float, measure: str, share: float) -> None:
    row = UsageRow(phase=Phase.RED, agent="claude", used=Used(calls=1, cost_usd=0.5, input=5), seconds=3.0)

    assert charts.share_measure(total, seconds) == measure
    assert charts.share_of(measure, row, total, seconds) == share


def text_of(html: str) -> str:
    return re.sub("<[^>]+>", "", html)


def test_a_difference_is_coloured_line_by_line() -> None:
    html = str(diff_html("fee.py", DIFF))

    assert '<span class="l del"><span class="m">-</span>    <span class="k">return</span>' in html
    assert '<span class="l note">@@ -1,3 +1,3 @@</span>' in html
    assert html.count('<span class="l ') == len(DIFF.splitlines()) - 2


@pytest.mark.parametrize("path", ["fee.py", "notes.unknown", "a.html", "Makefile"])
def test_no_character_of_a_difference_is_lost(path: str) -> None:
    diff = "@@ -1 +1 @@\n+<b>&\n-x\n \n--- a comment of SQL\n?odd\n+" + "y" * 600 + "\n"

    assert text_of(str(diff_html(path, diff))).replace("&lt;", "<").replace("&gt;", ">").replace(
        "&amp;", "&"
    ) == diff.replace("\n", "")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.42, "0.4 s"), (24.3, "24 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")]
)
def test_a_duration_is_short(seconds: float, text: str) -> None:
    assert words.took(seconds) == text


def test_sensitivity_is_told_in_words() -> None:
    criterion = a_full_report().criteria[0]
    seen = criterion.sensitivity
    assert seen is not None

    assert words.sensitivity_words(replace(criterion, sensitivity=None)) == "–"
    assert words.sensitivity_words(replace(criterion, sensitivity=replace(seen, reason="", killed=3))) == (
        "3 killed, 0 surviving"
    )
    assert words.sensitivity_words(replace(criterion, sensitivity=replace(seen, reason="why", killed=1))) == (
        "unmeasured: why"
    )
