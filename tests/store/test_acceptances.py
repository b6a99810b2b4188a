"""What people accept is recorded, line by line."""

import os
from pathlib import Path

import pytest

from dualgate.errors import StoreFailed
from dualgate.store.acceptances import Acceptance, read_acceptances, record_acceptances
from dualgate.store.sessions import acceptance_log, session_folder
from dualgate.testing import NOW


def an_acceptance(name: str) -> Acceptance:
    return Acceptance(at=NOW, by="ann@desk", id=name, reason="agreed: é", tree="c" * 40, terminal=True)


ONE, TWO, THREE = map(an_acceptance, ("lost-test-1", "lost-test-2", "lost-test-3"))


def test_acceptances_are_appended_and_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / "new" / "log.jsonl"

    record_acceptances(file, [ONE, TWO])
    record_acceptances(file, [THREE])

    assert read_acceptances(file) == (ONE, TWO, THREE)


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    file = tmp_path / "new" / "log.jsonl"
    before = os.umask(0)
    try:
        record_acceptances(file, [ONE])
    finally:
        os.umask(before)

    assert [path.stat().st_mode & 0o777 for path in (file.parent, file)] == [0o700, 0o600]


def test_a_line_that_was_torn_hides_no_other(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    record_acceptances(file, [ONE, TWO])
    file.write_bytes(file.read_bytes()[:-9])

    assert read_acceptances(file) == (ONE,)

    record_acceptances(file, [THREE])

    assert read_acceptances(file) == (ONE, THREE)


def test_without_a_file_nothing_was_accepted(tmp_path: Path) -> None:
    assert read_acceptances(tmp_path / "log.jsonl") == ()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreFailed, match="cannot be written"):
        record_acceptances(tmp_path / "file" / "log.jsonl", [ONE])


def test_each_repository_has_a_log_of_its_own_and_a_chosen_folder_stays_usable(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    chosen = home | {"PRP_SESSION_DIR": str(tmp_path / "chosen")}

    assert acceptance_log(tmp_path / "a" / "x", home) != acceptance_log(tmp_path / "b" / "x", home)
    record_acceptances(acceptance_log(tmp_path / "a", chosen), [ONE])
    assert session_folder(tmp_path / "a", chosen) == tmp_path / "chosen"
