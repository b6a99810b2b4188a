"""dualgate notify: what is configured, and a test of it."""

import json
from pathlib import Path

from tests.support import Dualgate


def test_without_a_channel_the_way_to_one_is_named(dualgate: Dualgate) -> None:
    shown, tried = dualgate("notify"), dualgate("notify", "test")

    assert (shown.code, tried.code) == (0, 1)
    assert shown.out == tried.out
    assert "notify.bell = true" in shown.out


def test_the_channels_and_hooks_are_listed_and_nothing_is_sent(dualgate: Dualgate, tmp_path: Path) -> None:
    touched = {"DUALGATE_NOTIFY_COMMAND": f"touch {tmp_path / 'a'}", "DUALGATE_HOOKS_DONE": f"touch {tmp_path / 'b'}"}

    shown = dualgate("notify", DUALGATE_NOTIFY_ON="completed,halted", **touched)

    assert shown.out == "notify.command: on completed, halted\nhooks.done: a command\n"
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "b").exists()


def test_a_test_goes_through_every_channel_and_fails_if_one_does(dualgate: Dualgate, tmp_path: Path) -> None:
    told = tmp_path / "told.json"

    ended = dualgate(
        "notify",
        "test",
        "--moment",
        "halted",
        DUALGATE_NOTIFY_WEBHOOK="$NOT_SET",
        DUALGATE_NOTIFY_COMMAND=f"cat > {told}",
        DUALGATE_HOOKS_HALTED="exit 3",
    )

    assert ended.code == 1
    assert ended.out == (
        "webhook: failed: notify.webhook names the variable NOT_SET, which is not set\n"
        "notify.command: sent\n"
        "hooks.halted: failed: the command exits with 3\n"
    )
    assert json.loads(told.read_text())["moment"] == "halted"


def test_a_moment_that_does_not_exist_is_refused(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", DUALGATE_NOTIFY_ON="compleated")

    assert ended.code == 1
    assert "phase_started, phase_ended, limit_reached" in ended.err
