from pathlib import Path

import pytest

from dualgate.cli.main import _reported, _told
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
