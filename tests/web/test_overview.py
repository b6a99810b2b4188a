"""The overview: every session in a row, with totals, from memory."""

import re
import shutil
from pathlib import Path

from dualgate.store.lines import JOURNAL
from tests.web.conftest import Serve


def test_every_session_is_a_row(recorded: Path, serve: Serve) -> None:
    overview = serve().get("/api/overview")

    rows = {row["folder"].rpartition("/")[2]: row for row in overview["sessions"]}
    assert set(rows) == {"rejected", "halted", "ralph"}
    assert rows["halted"]["standing"] == "halted"
    assert rows["halted"]["halt_reason"]
    assert rows["rejected"]["phases"][0] == {"phase": "RED", "mark": "done"}
    assert rows["rejected"]["seq"] == len((recorded / "rejected" / JOURNAL).read_bytes().splitlines())
    assert overview["totals"]["sessions"] == 3
    assert overview["control"] == {"allowed": False, "needs_token": False}
    assert overview["places"] == [str(recorded)]


def test_a_row_from_the_files_beside_a_journal_is_that_of_the_journal(recorded: Path, serve: Serve) -> None:
    beside = serve().rows()
    for folder in recorded.iterdir():
        for file in folder.glob("*.json"):
            file.unlink()

    told = serve().rows()

    assert {name: row | {"bytes": 0} for name, row in told.items()} == {
        name: row | {"bytes": 0} for name, row in beside.items()
    }


def test_a_session_whose_journal_cannot_be_read_is_named_with_the_reason(recorded: Path, serve: Serve) -> None:
    (recorded / "halted" / JOURNAL).write_bytes(b"{}\n")
    (recorded / "two words<br>").mkdir()
    (recorded / "two words<br>" / JOURNAL).write_bytes(b"\xff\n")

    rows = serve().rows()

    damaged = [row for row in rows.values() if row["standing"] == "unreadable"]
    assert len(damaged) == 2
    assert all(row["problem"] and row["id"].isascii() and "<" not in row["id"] for row in damaged)


def test_a_session_whose_journal_was_changed_is_not_shown_as_proven(recorded: Path, serve: Serve) -> None:
    journal = recorded / "rejected" / JOURNAL
    lines = journal.read_bytes().split(b"\n")
    lines[20] = lines[20].replace(b"2026-", b"2025-", 1)
    before = {row["standing"] for row in serve().rows().values()}
    journal.write_bytes(b"\n".join(lines))

    (after,) = [row for row in serve().rows().values() if row["folder"].endswith("rejected")]

    assert "proven" in before
    assert after["standing"] == "unreadable"
    assert ":21: was changed after it was written" in after["problem"]


def test_a_copy_of_a_session_has_an_id_of_its_own(recorded: Path, serve: Serve) -> None:
    shutil.copytree(recorded / "ralph", recorded / "copy")

    assert len(serve().rows()) == 4


def test_a_journal_that_nobody_expects_does_not_hide_the_others(recorded: Path, serve: Serve) -> None:
    lines = (recorded / "halted" / JOURNAL).read_bytes().splitlines(keepends=True)
    for number, path in enumerate((b'"\\u0000"', b'"/proc/self/mem/x"', b'"' + b"x" * 9000 + b'"')):
        (recorded / f"odd-{number}").mkdir()
        first = re.sub(rb'"project": ?"[^"]*"', lambda _, path=path: b'"project":' + path, lines[0])  # type: ignore[misc]
        (recorded / f"odd-{number}" / JOURNAL).write_bytes(first)

    assert len(serve().rows()) == 6
