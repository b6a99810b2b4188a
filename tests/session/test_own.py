"""Who owns a session: by the lock of a file, or by any other lease."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import SessionFailed
from dualgate.errors import JournalDamaged, SessionLocked
from dualgate.session.own import open_journal, taken_over
from dualgate.testing import NOW, a_host, a_start

FAILED = SessionFailed(at=NOW, reason="")


@dataclass
class RemoteLease:
    """One that somebody else gives, and can take away."""

    epoch: int = 7
    renewals: int = 0
    is_lost: bool = False

    def renew(self) -> None:
        self.renewals += 1

    def lost(self) -> bool:
        return self.is_lost


def test_a_lease_is_renewed_with_every_event_and_nothing_is_written_once_it_is_lost(tmp_path: Path) -> None:
    lease = RemoteLease()
    journal = open_journal(tmp_path, lease, Redactor())

    written = journal.append(a_start())
    lease.is_lost = True

    with pytest.raises(JournalDamaged, match="belongs to another run"):
        journal.append(FAILED)
    assert (written.epoch, lease.renewals, journal.seq) == (7, 2, 1)


def test_a_session_is_owned_by_the_lease_that_its_host_takes(tmp_path: Path) -> None:
    taken: list[tuple[object, ...]] = []

    @contextmanager
    def take(*of: object) -> Iterator[RemoteLease]:
        taken.append(of[:2])
        yield RemoteLease()

    with taken_over(a_host(tmp_path, take=take), tmp_path / "session") as (lease, _):
        epoch = lease.epoch

    assert (epoch, taken) == (7, [(tmp_path, tmp_path / "session")])


def test_the_lock_of_a_file_is_the_lease_of_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    host = a_host(tmp_path / "project", {"HOME": str(tmp_path)})

    with taken_over(host, tmp_path / "session") as (first, _):
        with pytest.raises(SessionLocked), taken_over(host, tmp_path / "session"):
            pass
        is_lost = first.lost()
    with taken_over(host, tmp_path / "session") as (second, _):
        epochs = first.epoch, second.epoch

    assert (is_lost, first.lost(), epochs) == (False, True, (1, 2))
