"""CLIs that retry by themselves into a limit, told by what they were recorded to log."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dualgate.agents import gemini, opencode, qwen
from dualgate.agents.retrying import Log, LogReader
from dualgate.core.values.answer import Failure, Trouble

NOW = datetime(2026, 11, 15, 18, 42, tzinfo=UTC)
SESSION = "23274d1a-a10f-4b5a-a4ea-4cfca6557aa4"
LIMITED = "Rate limit reached for fake-model on tokens per min (TPM): Limit 30000, Used 29900. Please try again in {}s."
LINES = {
    "qwen": "2026-11-15T18:42:00.509Z [WARN] [RETRY] Attempt 1 failed with status {status}. Retrying with backoff... "
    "Error: {status} {said}\n    at OpenAI.makeStatusError (cli.js:1:2)\n",
    "gemini": "Attempt 1 failed: {said}. Retrying after 6173ms...\n",
    "opencode": 'timestamp=2026-11-15T18:42:00.746Z level=ERROR run=07da9cd3 message="stream error" providerID=played '
    'session.id=ses_1 small={small} agent=build mode=primary error.error="AI_APICallError: {said}"\n',
}
READERS: dict[str, LogReader] = {"qwen": qwen.attempts, "gemini": gemini.attempts, "opencode": opencode.attempts}
each_cli = pytest.mark.parametrize("cli", LINES)


def line(cli: str, said: str, status: int = 429, small: str = "false") -> str:
    return LINES[cli].format(said=said, status=status, small=small)


class Call:
    """A call at work: what it has written so far to standard output and to its log."""

    def __init__(self, cli: str, folder: Path) -> None:
        logs = folder / "debug"
        logs.mkdir()
        self.stdout = folder / "stdout"
        self.log = logs / f"{SESSION}.txt" if cli == "qwen" else folder / "stderr"
        self.stdout.write_text(f'{{"type":"system","subtype":"init","session_id":"{SESSION}"}}\n')
        watched = Log(errors=READERS[cli], folder=logs if cli == "qwen" else None)
        self.retries = watched.watch(self.stdout, folder / "stderr", lambda: NOW)

    def logs(self, text: str) -> Failure | None:
        with self.log.open("a") as file:
            file.write(text)
        return self.retries.limit()

    def says(self, text: str) -> Failure | None:
        with self.stdout.open("a") as file:
            file.write(text)
        return self.retries.limit()


@each_cli
def test_a_limit_that_is_soon_over_is_retried_once(cli: str, tmp_path: Path) -> None:
    call, limit = Call(cli, tmp_path), line(cli, LIMITED.format(2))

    first, second = call.logs(limit), call.logs(limit)

    assert first is None
    assert second is not None
    assert (second.kind, second.resets_at) == (Trouble.RATE_LIMIT, NOW + timedelta(seconds=2))


@each_cli
def test_a_limit_that_lasts_is_not_sat_out(cli: str, tmp_path: Path) -> None:
    met = Call(cli, tmp_path).logs(line(cli, "5-hour usage limit reached. Resets in 3h 12m"))

    assert met is not None
    assert (met.kind, met.resets_at) == (Trouble.USAGE_LIMIT, NOW + timedelta(hours=3, minutes=12))


@each_cli
def test_attempts_with_progress_between_them_are_not_in_a_row(cli: str, tmp_path: Path) -> None:
    call, limit = Call(cli, tmp_path), line(cli, LIMITED.format(2))

    assert call.logs(limit) is None
    assert call.says('{"type":"assistant"}\n') is None
    assert call.logs(limit) is None
    assert call.logs(limit) is not None


@each_cli
def test_other_errors_are_left_to_the_cli(cli: str, tmp_path: Path) -> None:
    call, other = Call(cli, tmp_path), line(cli, "The server had an error while processing your request", status=503)

    assert [call.logs(other) for _ in range(5)] == [None] * 5


def test_the_title_of_a_conversation_is_not_the_work(tmp_path: Path) -> None:
    call, title = Call("opencode", tmp_path), line("opencode", LIMITED.format(7200), small="true")

    assert [call.logs(title) for _ in range(3)] == [None] * 3


def test_a_session_that_has_not_begun_has_no_log(tmp_path: Path) -> None:
    watched = Log(errors=qwen.attempts, folder=tmp_path)

    assert watched.watch(tmp_path / "stdout", tmp_path / "stderr", lambda: NOW).limit() is None
