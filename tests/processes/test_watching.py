"""When a process that writes nothing is idle: by a clock and by processor seconds that the tests make."""

from collections.abc import Callable

from dualgate.processes.watching import SLICE_SECONDS, Silence

LIMIT = 60.0


def idle_at(worked: Callable[[float], float], spoke: tuple[float, ...] = (), until: float = 1000.0) -> float | None:
    """The second at which a process is found idle that has worked so many seconds at each time."""
    now = 0.0
    silence = Silence(LIMIT, lambda: now, lambda: worked(now))
    for slice_ in range(int(until / SLICE_SECONDS)):
        now = slice_ * SLICE_SECONDS
        if any(now - SLICE_SECONDS < at <= now for at in spoke):
            silence.broken()
        elif silence.is_too_long():
            return now
    return None


def test_a_cli_that_starts_for_five_seconds_and_then_hangs_is_held_for_the_limit_once() -> None:
    at = idle_at(lambda now: min(now, 5.0))

    assert at is not None
    assert LIMIT <= at <= 1.2 * LIMIT


def test_a_cli_that_greets_late_and_then_hangs_is_held_for_the_limit_once() -> None:
    at = idle_at(lambda now: min(now, 30.0), spoke=(28.0,))

    assert at is not None
    assert 28.0 + LIMIT <= at <= 28.0 + 1.2 * LIMIT


def test_a_silent_tool_that_works_is_never_idle() -> None:
    assert idle_at(lambda now: now * 0.5) is None


def test_a_silent_tool_that_works_every_half_a_minute_is_never_idle() -> None:
    assert idle_at(lambda now: now // 30 * 2.0) is None


def test_tools_that_come_and_go_are_work_although_their_seconds_go_with_them() -> None:
    assert idle_at(lambda now: 4.0 if now // 20 % 2 else 1.0) is None


def test_a_talker_is_never_idle() -> None:
    assert idle_at(lambda _: 0.0, spoke=tuple(float(at) for at in range(0, 1000, 50))) is None


def test_timers_that_tick_are_no_work() -> None:
    at = idle_at(lambda now: now * 0.02)

    assert at is not None
    assert LIMIT <= at <= 1.2 * LIMIT
