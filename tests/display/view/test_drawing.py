"""The live view at three widths, in low terminals, and with text that wants to steer them."""

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from dualgate.core.record.records import View
from dualgate.core.record.run_facts import SinceBaseline
from dualgate.core.values.control import Activity
from dualgate.core.values.limits import Limits
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import BreakerState, Phase, Status
from dualgate.display.lines import width
from dualgate.display.view.drawing import ASCII, UNICODE, Glyphs, drawn
from dualgate.display.view.gathered import Gathered, Present, Work, first_gathered
from dualgate.display.view.rendering import rendered
from dualgate.display.view.run_view import Panel, RunView, TimeLimits, countdown, run_view
from dualgate.testing import NOW, a_fix, a_state

LATER = NOW + timedelta(seconds=80)
FAILING = ("tests/test_fee.py::test_ac1_rounds_up", "tests/test_fee.py::test_ac2_no_day_costs_more_than_1500")
KEYS = Panel(has_keys=True)


def gathered() -> Gathered:
    state = a_state(
        phase=Phase.GREEN,
        iteration=1,
        phases_completed=(Phase.RED,),
        breaker=Breaker(no_progress=1),
        spending=Spending(phases={Phase.RED: Used(calls=3, input=120_000, output=3_000, cost_usd=1.5)}),
        max_cost=5.0,
        max_duration=7200.0,
    )
    view = View(
        phase=Phase.GREEN,
        tests=CaseCounts(passing=40, failing=2, skipped=1),
        failing=FAILING,
        blockers=("2 failing: tests/test_fee.py::test_ac1_rounds_up and 1 more",),
    )
    return replace(
        first_gathered(state, view),
        present=Present(work=Work.CALL, since=NOW, who="claude"),
        tests=SinceBaseline(new=3, fixed=1),
        violations=("reverted: tests/test_fee.py (proven tests are frozen after RED)",),
    )


EDIT = Activity(source="claude", text="Edit src/parking/fee.py", tokens=12_345)


def a_view(panel: Panel = KEYS, **values: Any) -> RunView:
    made = gathered()
    made = replace(made, state=replace(made.state, **values))
    return run_view(made, EDIT, LATER, TimeLimits(call=3600.0, tests=60.0), panel)


def told(view: RunView, columns: int, rows: int = 24, glyphs: Glyphs = UNICODE) -> str:
    return "\n".join(line.plain.rstrip() for line in drawn(view, columns, rows, glyphs))


NARROW = f"""\
── PRP.md {"─" * 17} a1b2c3d4 ──
 ✓RED ●GREEN 2/100 ·REF ·DOC ·QA
 tests   ━━━━━━━ 40/43 pass · 2 failing
         ✗ tests/test_fee.py::test_ac1…
         ✗ tests/test_fee.py::test_ac2…
 now     claude  Edit src/park… · 1m20s
 needs   2 failing: tests/test_fee.py:…
 caught  reverted: tests/test_fee.py (…
 total   1m20s of 2h · $1.50 of $5.00
 breaker closed, 1 of 3 iterations wit…
 p pause g guide l log q quit ? help"""
USUAL = f"""\
── PRP.md {"─" * 57} a1b2c3d4 ──
 ✓ RED  ● GREEN 2/100  · REFACTOR  · DOCUMENT  · QA
 tests   ━━━━━━━━━━━━━━━ 40/43 pass · 2 failing · 1 skipped · 3 new · 1 fixed
         ✗ tests/test_fee.py::test_ac1_rounds_up
         ✗ tests/test_fee.py::test_ac2_no_day_costs_more_than_1500
 now     claude  Edit src/parking/fee.py · 1m20s of 1h · 12.3k tokens
 needs   2 failing: tests/test_fee.py::test_ac1_rounds_up and 1 more
 caught  reverted: tests/test_fee.py (proven tests are frozen after RED)
 total   1m20s of 2h · $1.50 of $5.00 · 123.0k tokens · 3 calls
 breaker closed, 1 of 3 iterations without progress
 p pause  g guide  l log  q quit  ? help"""
WIDE = f"""\
── PRP.md {"─" * 117} a1b2c3d4 ──
 ✓ RED  ● GREEN 2/100  · REFACTOR  · DOCUMENT  · QA
 tests   ━━━━━━━━━━━━━━━━━━━━━━━━━━━ 40/43 pass · 2 failing · 1 skipped · 3 new · 1 fixed
         ✗ tests/test_fee.py::test_ac1_rounds_up
         ✗ tests/test_fee.py::test_ac2_no_day_costs_more_than_1500
 now     claude  Edit src/parking/fee.py · 1m20s of 1h · 12.3k tokens
 needs   2 failing: tests/test_fee.py::test_ac1_rounds_up and 1 more
 caught  reverted: tests/test_fee.py (proven tests are frozen after RED)
 total   1m20s of 2h · $1.50 of $5.00 · 123.0k tokens · 3 calls
 breaker closed, 1 of 3 iterations without progress
 p pause  g guide  l log  q quit  ? help"""


@pytest.mark.parametrize(("columns", "picture"), [(40, NARROW), (80, USUAL), (140, WIDE)])
def test_the_view_of_a_run(columns: int, picture: str) -> None:
    assert told(a_view(), columns) == picture


def test_a_low_terminal_shows_what_matters_most() -> None:
    assert told(a_view(), 80, rows=10).splitlines()[0].startswith(" ✓ RED")
    assert len(drawn(a_view(), 80, 10)) == 7
    assert told(a_view(), 80, rows=5).splitlines() == USUAL.splitlines()[1:2] + USUAL.splitlines()[5:6]
    assert told(a_view(), 80, rows=1) == USUAL.splitlines()[5]


def test_without_unicode_the_view_is_ascii() -> None:
    assert told(a_view(), 40, glyphs=ASCII).isascii()
    assert "+RED *GREEN 2/100 .REF .DOC .QA" in told(a_view(), 40, glyphs=ASCII)


def test_a_wait_is_counted_down_and_says_how_to_skip_it() -> None:
    limited = a_state(limited_calls=1, limited_until=LATER + timedelta(seconds=754), failed_at=NOW).failures

    shown = told(a_view(failures=limited), 80)

    assert " waits   for the limit, 12:34 left · s skips the wait" in shown
    assert "s skip wait" in shown
    assert " now " not in shown
    assert "s skips" not in told(a_view(Panel(), failures=limited), 80)
    assert [countdown(seconds) for seconds in (-3, 6.2, 14360)] == ["0:00", "0:07", "3:59:20"]


def test_findings_skipped_phases_and_an_open_breaker_are_shown() -> None:
    finding = Finding(request=a_fix(description="the first hour is free"), state=FindingState.OPEN, review=1)
    view = a_view(
        reviews=Reviews(findings=(finding, replace(finding, state=FindingState.CLOSED))),
        phases_forced=(Phase.QA,),
        breaker=Breaker(state=BreakerState.HALF_OPEN, no_progress=2),
    )

    shown = told(view, 140)

    assert shown.count("review  major src/a.py:10 the first hour is free") == 1
    assert "– QA skipped" in shown
    assert "breaker half open, 2 of 3 iterations without progress" in shown


def test_before_the_first_test_run_and_activity_the_view_says_so() -> None:
    view = run_view(first_gathered(a_state()), None, NOW, TimeLimits(), Panel())

    assert " tests   none yet\n now     dualgate  at work · 0s\n" in told(view, 80)
    assert "pause" not in told(view, 80)


def test_many_failing_tests_are_counted() -> None:
    made = gathered()
    many = replace(made, view=replace(made.view, failing=tuple(f"test_{number}" for number in range(30))))

    shown = told(run_view(many, EDIT, LATER, TimeLimits(), KEYS), 80)

    assert "✗ test_1\n         and 28 more" in shown


def test_tests_that_run_are_counted_in_the_line_of_the_activity() -> None:
    made = replace(gathered(), present=Present(work=Work.TESTS, since=NOW))
    testing = Activity(source="tests", text="tests/test_x.py::test_y", done=34, total=120)

    shown = told(run_view(made, testing, LATER, TimeLimits(tests=60.0), KEYS), 80)

    assert " now     tests  34/120 tests/test_x.py::test_y · 1m20s of 1m" in shown


def test_help_log_notice_and_guidance_are_opened_in_the_view() -> None:
    helped = told(a_view(Panel(has_keys=True, helps=True)), 80)
    logged = told(a_view(Panel(has_keys=True, log=("12:00:01  claude  Read a.py",), notice="paused soon")), 80)
    asked = told(a_view(Panel(has_keys=True, guidance="")), 80)
    written = told(a_view(Panel(has_keys=True, guidance="x" * 200 + " the end")), 40)

    assert " q       quit: stop the agent now" in helped
    assert "12:00:01 claude Read a.py" in logged
    assert "paused soon" in logged
    assert asked.splitlines()[-1] == " guide   ▏ Enter sends it to the agent, Esc cancels"
    assert written.splitlines()[-1].endswith("xx the end▏")


HOSTILE = "\x1b[2J\x1b]0;pwned\x07[red]x[/red] \u202egnp.exe\r\n\t:smile: \ud800 " + "漢字" * 80


@pytest.mark.parametrize("columns", [40, 80, 140])
@pytest.mark.parametrize("field", [each.name for each in fields(RunView)])
def test_hostile_text_is_harmless_in_every_field(field: str, columns: int) -> None:
    view = a_view(Panel(has_keys=True, log=(HOSTILE,), notice=HOSTILE))
    given = getattr(view, field)
    hostile: dict[str, Any] = {}
    if isinstance(given, str):
        hostile = {field: HOSTILE}
    elif isinstance(given, tuple) and field != "phases":
        hostile = {field: (HOSTILE, HOSTILE)}
    view = replace(view, **hostile)

    for line in drawn(view, columns, 24):
        assert width(line.plain) < columns
        assert line.plain.isprintable()
        assert "\x1b]" not in rendered(line, True)


def test_without_colour_bold_and_dim_stay() -> None:
    (phases,) = drawn(a_view(), 80, 24)[1:2]

    assert "\x1b[32m" in rendered(phases, in_colour=True)
    assert ("\x1b[32m" in rendered(phases, in_colour=False), "\x1b[1m" in rendered(phases, in_colour=False)) == (
        False,
        True,
    )


def test_a_session_that_ended_shows_no_phase_as_present() -> None:
    assert "●" not in told(a_view(status=Status.COMPLETED), 80)


def test_a_budget_whose_use_is_not_reported_is_not_shown_as_unused() -> None:
    silent = Spending(phases={Phase.RED: Used(calls=2, without_tokens=2, without_cost=2)})

    shown = told(a_view(spending=silent), 140)
    begun = told(a_view(spending=Spending()), 140)
    tokens = told(a_view(spending=silent, limits=Limits(max_tokens=2_000_000)), 140)

    assert "1m20s of 2h · cost unknown, budget $5.00 · 2 calls" in shown
    assert "1m20s of 2h · $0.00 of $5.00\n" in begun
    assert "tokens unknown, budget 2.0M" in tokens
