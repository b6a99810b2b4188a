"""Sessions in a list, by the files beside their journals."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.core.record.metrics import figures_of
from dualgate.core.record.session_state import Standing
from dualgate.store.account import read_account
from dualgate.store.archive import every_session, sessions_in
from dualgate.store.glimpse import figures_beside, trusted_glimpse
from dualgate.store.home import LOOP_STATE, METRICS
from dualgate.store.journal import close_seal
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import rebuild
from dualgate.store.seals import Seal, digest_of, seal_place, write_seal

Forge = Callable[[Path], None]
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
    (folder / METRICS).write_bytes(b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}")
    too_deep = figures_beside(folder)
    (folder / METRICS).unlink()

    assert (behind, too_deep, figures_beside(folder)) == (None, None, None)
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


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a recorded session as its run left it."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def made(name: str) -> Path:
        place = tmp_path / name
        shutil.copytree(RECORDED / name, place)
        rebuild(place)
        lines = (place / JOURNAL).read_bytes().splitlines()
        write_seal(seal_place(place), Seal(seq=len(lines), digest=digest_of(lines[-1])))
        close_seal(place)
        return place

    return made


def inside(folder: Path) -> None:
    """A line in the middle."""
    lines = (folder / JOURNAL).read_bytes().split(b"\n")
    lines[20] = lines[20].replace(b"2026-", b"2025-", 1)
    (folder / JOURNAL).write_bytes(b"\n".join(lines))


def at_the_end(folder: Path) -> None:
    """The last line, with the same number."""
    text = (folder / JOURNAL).read_bytes()
    head, line = text[:-1].rsplit(b"\n", 1)
    (folder / JOURNAL).write_bytes(head + b"\n" + line.replace(b"2026-", b"2025-", 1) + b"\n")


@pytest.mark.parametrize("forge", [inside, at_the_end])
def test_a_list_shows_no_session_as_proven_whose_journal_was_changed(
    sealed: Callable[[str], Path], forge: Forge
) -> None:
    folder = sealed("rejected")
    (before,) = sessions_in(folder)
    forge(folder)

    (after,) = sessions_in(folder)

    assert (before.standing, before.problem) == (Standing.PROVEN, "")
    assert after.standing is Standing.UNREADABLE
    assert "changed" in after.problem


def test_a_list_shows_no_halted_session_as_proven_whose_documents_were_changed(sealed: Callable[[str], Path]) -> None:
    folder = sealed("halted")
    state = (folder / LOOP_STATE).read_text().replace('"status": "halted"', '"status": "completed"')
    (folder / LOOP_STATE).write_text(state)
    (folder / METRICS).write_text((folder / METRICS).read_text().replace('"proven": false', '"proven": true'))
    forged = figures_beside(folder)

    assert forged is not None
    assert forged.proven
    assert sessions_in(folder)[0].standing is Standing.HALTED


def test_a_sealed_session_that_nobody_changed_is_shown_without_its_journal(sealed: Callable[[str], Path]) -> None:
    folder = sealed("rejected")

    found = trusted_glimpse(folder)
    seal_place(folder).unlink()

    assert found is not None
    assert found.figures.proven
    assert trusted_glimpse(folder) is None
    assert sessions_in(folder)[0].standing is Standing.PROVEN
