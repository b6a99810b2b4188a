"""Sessions in a list, by the files beside their journals."""

import shutil
from pathlib import Path

import pytest

from dualgate.core.record.metrics import figures_of
from dualgate.store.account import read_account
from dualgate.store.archive import every_session, sessions_in
from dualgate.store.glimpse import figures_beside
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import METRICS, rebuild

RECORDED = Path(__file__).parent.parent / "data" / "journals" / "format2"


@pytest.fixture(params=["rejected", "halted", "ralph"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / "session"
    shutil.copytree(RECORDED / request.param, place)
    rebuild(place)
    return place


def test_the_files_beside_a_journal_tell_the_same_as_the_journal(folder: Path) -> None:
    account = read_account(folder)

    assert figures_beside(folder) == figures_of(account.state, account.metrics)
    assert sessions_in(folder)[0].figures == figures_beside(folder)


def test_where_the_files_are_missing_or_behind_the_journal_is_read(folder: Path) -> None:
    expected = figures_beside(folder)
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:-1]))
    behind = figures_beside(folder)
    (folder / JOURNAL).write_bytes(b"".join(lines))
    (folder / METRICS).unlink()

    assert (behind, figures_beside(folder)) == (None, None)
    assert sessions_in(folder)[0].figures == expected


def test_without_a_journal_nothing_is_told(folder: Path) -> None:
    (folder / JOURNAL).unlink()

    assert figures_beside(folder) is None


def test_sessions_that_lie_elsewhere_are_found_by_their_owner_records(folder: Path, tmp_path: Path) -> None:
    owners = tmp_path / "home" / ".bp-sessions" / ".owners"
    owners.mkdir(parents=True)
    (owners / "a.json").write_text(f'{{"epoch": 1, "session": "{folder}"}}')
    (owners / "b.json").write_text('{"epoch": 1}')

    assert [each.folder for each in every_session({"HOME": str(tmp_path / "home")})] == [folder]
