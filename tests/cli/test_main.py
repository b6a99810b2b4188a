import errno
import os
from pathlib import Path

import pytest

from dualgate.cli import main as entry
from dualgate.cli.main import _reported, _told, main
from dualgate.errors import SettingError

SECRET = "q7-Zz81mmPq0"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_KEY", SECRET)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_the_report_of_a_bug_holds_no_secret(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = _reported(ValueError(f"cannot use {SECRET}"), ["run", "--agent-command", f"agent --key {SECRET}"])

    (report,) = scratch.glob("dualgate-bug-*.txt")
    said = report.read_text() + capsys.readouterr().err
    assert code == 70
    assert (said.count("[redacted:SERVICE_KEY]"), SECRET in said) == (3, False)


@pytest.mark.parametrize("as_json", [True, False])
def test_an_error_is_told_without_secrets(scratch: Path, capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    _told(SettingError(f"--key is {SECRET}.", f"Leave {SECRET} out."), as_json)

    said = capsys.readouterr()
    assert SECRET not in said.out + said.err
    assert said.err == "dualgate: --key is [redacted:SERVICE_KEY].\nLeave [redacted:SERVICE_KEY] out.\n"
    assert list(scratch.iterdir()) == []


FULL = [OSError(each, os.strerror(each)) for each in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)]


@pytest.mark.parametrize("error", [*FULL, RuntimeError("can't start new thread")], ids=str)
def test_a_machine_that_can_start_nothing_more_is_no_bug(
    scratch: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(entry, "_command", fail)

    code = main(["run", "SPEC.md"])

    said = capsys.readouterr().err
    assert (code, said.splitlines()[0]) == (1, f"dualgate: This machine can start or open nothing more: {error}.")
    assert "dualgate resume" in said
    assert list(scratch.iterdir()) == []
