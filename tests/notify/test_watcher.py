"""Runs that notify: which channel hears of which moment, and that no failure of one ends a run."""

import json
from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate

HOOKS = ("PHASE_STARTED", "PHASE_ENDED", "HALTED", "DONE")


def keeping(file: Path) -> str:
    return f"cat >> {file}"


def moments(file: Path) -> list[tuple[str, str]]:
    told = [json.loads(line) for line in file.read_text().splitlines()]
    return [(each["moment"], each["phase"]) for each in told]


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    """Without probes, which no channel hears of."""
    return environment | {"DUALGATE_SENSITIVITY": "off"}


@pytest.fixture
def rehearse(dualgate: Dualgate, tmp_path: Path) -> Dualgate:
    def call(script: str, *words: str, **variables: str) -> object:
        (tmp_path / "script.toml").write_text(script)
        return dualgate("run", "SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", *words, **variables)

    return call  # type: ignore[return-value]


def test_lifecycle_hooks_hear_of_every_phase_and_of_the_end(rehearse: Dualgate, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"
    hooks = {f"DUALGATE_HOOKS_{name}": keeping(told) for name in HOOKS}

    ended = rehearse(RED + GREEN + REST, "--json", **hooks)

    assert ended.code == 0
    started = [(moment, phase) for moment, phase in moments(told) if moment == "phase_started"]
    assert [phase for _, phase in started] == ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]
    assert moments(told)[-2:] == [("phase_ended", "QA"), ("completed", "QA")]
    last = json.loads(told.read_text().splitlines()[-1])
    assert (last["proven"], last["status"], last["text"]) == (True, "completed", "dualgate: completed and proven")


def test_a_notification_names_the_halt_and_the_ways_on(dualgate: Dualgate, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"

    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", DUALGATE_NOTIFY_COMMAND=keeping(told))

    (only,) = (json.loads(line) for line in told.read_text().splitlines())
    assert (ended.code, only["moment"], only["status"]) == (3, "halted", "halted")
    assert "dualgate resume --reset" in only["next"]
    assert only["session"].endswith(".bp-sessions/doubling")


def test_only_the_moments_that_are_asked_for_are_notified(dualgate: Dualgate, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"
    chosen = {"DUALGATE_NOTIFY_COMMAND": keeping(told), "DUALGATE_NOTIFY_ON": "phase_started,completed"}

    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", **chosen)

    assert {moment for moment, _ in moments(told)} == {"phase_started"}


def test_a_channel_that_fails_is_reported_once_and_ends_nothing(rehearse: Dualgate) -> None:
    ended = rehearse(
        RED + GREEN + REST, "--json", DUALGATE_HOOKS_PHASE_ENDED="exit 9", DUALGATE_NOTIFY_WEBHOOK="$NOT_SET"
    )

    assert ended.code == 0
    assert ended.err.count("hooks.phase_ended failed at phase_ended: the command exits with 9") == 1
    assert "webhook failed at completed: notify.webhook names the variable NOT_SET, which is not set" in ended.err


def test_a_resumed_session_notifies_by_the_settings_of_now(dualgate: Dualgate, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", DUALGATE_NOTIFY_WEBHOOK="https://chat.example/secret-key")

    ended = dualgate("resume", "--reset", DUALGATE_NOTIFY_COMMAND=keeping(told))

    journal = (tmp_path / "home" / ".bp-sessions" / "doubling" / "journal.jsonl").read_text()
    assert (ended.code, moments(told)[-1][0]) == (3, "halted")
    assert "secret-key" not in journal


def test_what_a_hook_writes_is_the_persons_edit(rehearse: Dualgate, project: Path) -> None:
    ended = rehearse(RED + GREEN + REST, "--json", DUALGATE_HOOKS_PHASE_STARTED="echo x >> NOTES.md")

    assert ended.code == 0
    assert ended.lines[-1]["touched"]["person"] == ["NOTES.md"]
    assert (project / "NOTES.md").read_text().count("x") == 5


def test_a_hook_cannot_steer_the_run(rehearse: Dualgate, project: Path) -> None:
    ended = rehearse(RED + GREEN + REST, "--json", DUALGATE_HOOKS_PHASE_STARTED="dualgate skip GREEN --yes")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
