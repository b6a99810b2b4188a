"""The line that says what is being done, on a terminal and without one."""

import pytest

from dualgate.cli.progress_line import ProgressLine, QuietLog
from dualgate.core.values.control import Activity
from tests.support import Dualgate

EDIT = Activity(source="claude", text="Edit a.py")
SECRET = "sk-ant-api03-" + "a1B2" * 20
BYTES = Activity(source="output", text="12 bytes")


def test_mere_output_does_not_hide_what_says_more() -> None:
    shown: list[str] = []
    live = ProgressLine(lambda activity, _: shown.append(activity.text), lambda: None)

    for activity in (BYTES, EDIT, BYTES):
        live.heard(activity)
        live.draw()

    assert shown == ["12 bytes", "Edit a.py", "Edit a.py"]


def test_time_passes_on_the_line_until_an_event_is_written_over_it() -> None:
    shown: list[float] = []
    live = ProgressLine(lambda _, seconds: shown.append(seconds), lambda: None)

    live.draw()
    live.heard(EDIT)
    live.draw()
    live.draw()
    live.clear()
    live.draw()

    assert len(shown) == 2
    assert shown[0] <= shown[1]


def test_a_secret_is_not_shown() -> None:
    shown: list[str] = []
    live = ProgressLine(lambda activity, _: shown.append(activity.text), lambda: None)

    live.heard(Activity(source="claude", text=f"Bash curl -H 'x-api-key: {SECRET}'"))
    live.draw()

    assert SECRET not in shown[0]


def test_a_log_has_it_at_most_once_a_minute_and_never_of_what_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    log = QuietLog(lambda: now)

    for now in range(0, 200, 5):
        log.write(EDIT, seconds=now % 100)

    assert capsys.readouterr().out == "claude  Edit a.py  1m00s\nclaude  Edit a.py  1m00s\n"


def test_without_a_terminal_a_short_run_shows_no_such_line_and_the_journal_has_none(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal")

    assert "rehearsal  write" not in ended.out + ended.err
    assert "write tests/" not in dualgate("log", "--json").out
