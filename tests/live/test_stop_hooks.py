"""Real CLIs with the hooks that `dualgate init --hooks` writes: a false "done" is sent back, honest work is not."""

import json

import pytest

from tests.live.desk import BREAK, BREAK_AGAIN, BREAK_ONCE_MORE, DONE, FIX, HOSTS, Desk


@pytest.mark.quick
@pytest.mark.parametrize("host", HOSTS)
def test_a_false_done_is_sent_back_once_and_its_fix_is_let_go(host: str, desk: Desk) -> None:
    desk.set_up(host)
    script, printed = desk.work(host, [BREAK, DONE, FIX, {"text": "Fixed."}])

    assert (len(script.told), script.sent_back()) == (4, 1), printed
    assert "tests/test_double.py::test_double" in script.told[-1]
    assert "test_older.py::" not in script.told[-1]  # it failed before


@pytest.mark.parametrize("host", HOSTS)
def test_an_agent_is_sent_back_twice_at_most(host: str, desk: Desk) -> None:
    desk.set_up(host)
    steps = [BREAK, DONE, BREAK_AGAIN, {"text": "Now it is done."}, BREAK_ONCE_MORE, {"text": "It really is done."}]
    script, printed = desk.work(host, steps)

    assert (len(script.told), script.sent_back()) == (6, 2), printed


@pytest.mark.parametrize("host", HOSTS)
def test_a_question_is_let_go(host: str, desk: Desk) -> None:
    desk.set_up(host)
    script, printed = desk.work(host, [BREAK, {"text": "Should double(0) be 0 or an error?"}])

    assert (len(script.told), script.sent_back()) == (2, 0), printed


@pytest.mark.quick
@pytest.mark.parametrize("host", HOSTS)
def test_work_that_changes_nothing_is_let_go(host: str, desk: Desk) -> None:
    desk.set_up(host)
    script, printed = desk.work(host, [{"tool": "shell", "command": "ls"}, DONE])

    assert (len(script.told), script.sent_back()) == (2, 0), printed


@pytest.mark.parametrize("host", ["claude"])
def test_an_agent_that_does_nothing_about_it_is_let_go_and_the_person_reads_why(host: str, desk: Desk) -> None:
    desk.set_up(host)
    script, printed = desk.work(host, [BREAK, DONE, {"text": "I said that it is done."}])
    records = list(desk.home.glob(".bp-sessions/.hooks/*.json"))

    assert (len(script.told), script.sent_back()) == (3, 1), printed
    assert len(records) == 1
    assert json.loads(records[0].read_text())["blocks"] == 1
