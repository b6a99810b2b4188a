from pathlib import Path

from dualgate.core.values.events import SessionFailed
from dualgate.session.resume import read_session
from dualgate.store.account import read_account
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.testing import NOW, a_start


def test_a_journal_is_read_once_unless_somebody_wrote_to_it_meanwhile(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start())
    first = read_session(tmp_path)

    again = read_session(tmp_path, first)
    journal.append(SessionFailed(at=NOW, reason="no program"))
    later = read_session(tmp_path, first)

    assert again is first
    assert later.account == read_account(tmp_path)
    assert (first.account.seq, later.account.seq) == (1, 2)
