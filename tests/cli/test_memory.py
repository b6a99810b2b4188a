"""The memory as a user lists, searches, fills, empties and switches it."""

import stat
from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.memory import MemoryEntry
from dualgate.core.values.vocabulary import EntryKind, Phase
from dualgate.store.lease import owned
from dualgate.store.memory import MemoryStore
from dualgate.testing import NOW
from tests.support import Dualgate


def lay_down(environment: dict[str, str], project: str, text: str, cure: str = "") -> None:
    entry = MemoryEntry(
        key=f"{project}{text}",
        kind=EntryKind.ERROR,
        project=project,
        text=text,
        cure=cure,
        files=("a.py",),
        session="1a2b3c4d-e5f6",
        phase=Phase.GREEN,
        iteration=3,
        at=NOW,
    )
    MemoryStore(Path(environment["HOME"], ".bp-sessions", ".memory", "memory.db"), Redactor()).keep([entry], 10)


def test_entries_are_listed_searched_and_exported_by_project(
    dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    assert dualgate("memory").out == "There is no entry. Add one with: dualgate memory add TEXT\n"
    lay_down(environment, str(project), "KeyError: tariff", "changed a.py")
    lay_down(environment, "/srv/billing", "TypeError: fee")

    own, every = dualgate("memory"), dualgate("memory", "list", "--all", "--json").lines[0]
    found, missing = dualgate("memory", "search", "tariff"), dualgate("memory", "search", "fee")
    elsewhere = dualgate("memory", "search", "fee", "--all", "--json").lines[0]["entries"]
    exported = dualgate("memory", "export", "--all")

    assert own.out == (
        "1  error     KeyError: tariff\n"
        "             fixed by: changed a.py\n"
        "             files: a.py\n"
        "             session 1a2b3c4d, GREEN 3, 2026-01-16\n"
        "1 entry\n"
    )
    assert ([each["id"] for each in every["entries"]], every["enabled"]) == ([2, 1], True)
    assert (found.code, missing.code, missing.out) == (0, 1, "No entry holds all of these words.\n")
    assert (elsewhere[0]["project"], elsewhere[0]["phase"], elsewhere[0]["cure"]) == ("/srv/billing", "GREEN", None)
    assert f"# {project}\n\n- error 1: KeyError: tariff\n  - fixed by: changed a.py" in exported.out
    assert "session 1a2b3c4d of billing, GREEN 3, 2026-01-16" in exported.out
    assert dualgate("memory", "export", "--json").lines[0]["entries"][0]["files"] == ["a.py"]


def test_a_note_is_added_without_its_secrets_and_forgotten(
    dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    folder = Path(environment["HOME"], ".bp-sessions", "doubling")
    with owned(project, folder, environment, NOW):  # as while a run is under way
        added = dualgate("memory", "add", "the key is hunter2hunter2", "--file", "a.py", SHOP_API_KEY="hunter2hunter2")
    dualgate("memory", "add", "second", "--json")
    empty = dualgate("memory", "add", " ")

    listed = dualgate("memory", "--json").lines[0]
    unasked, unknown = dualgate("memory", "forget", "1"), dualgate("memory", "forget", "7", "--yes")
    gone = dualgate("memory", "forget", "1", "2", "--yes", "--json")

    assert (added.code, added.out) == (0, "Entry 1 is kept.\n")
    assert listed["entries"][1]["text"] == "the key is [redacted:SHOP_API_KEY]"
    assert stat.S_IMODE(Path(listed["file"]).stat().st_mode) == 0o600
    assert (empty.code, unasked.code, unknown.code) == (1, 1, 1)
    assert "nobody can be asked" in unasked.err
    assert "There is no entry 7" in unknown.err
    assert gone.lines[0] == {"forgotten": [1, 2]}
    assert dualgate("memory", "--json").lines[0]["entries"] == []


def test_the_memory_is_switched_off_and_on(dualgate: Dualgate) -> None:
    said = [
        dualgate("memory", *words).out for words in (["off"], ["list"], ["add", "a note"], ["on"], ["off", "--all"])
    ]
    refused = dualgate("memory", "on")
    again = dualgate("memory", "on", "--all", "--json").lines[0]
    unset = dualgate("memory", "on", DUALGATE_MEMORY="off")

    assert said == [
        "The memory is off for this project.\n",
        "There is no entry. Add one with: dualgate memory add TEXT\n"
        "The memory is off: runs recall and keep nothing. Switch it on with: dualgate memory on\n",
        "Entry 1 is kept.\nThe memory is off, so no run recalls it. Switch it on with: dualgate memory on\n",
        "The memory is on for this project.\n",
        "The memory is off for all projects.\n",
    ]
    assert (refused.code, "dualgate memory on --all" in refused.err, again["enabled"]) == (1, True, True)
    assert unset.out == "The memory is on for this project.\nIt is not used yet. The setting memory.enabled is false.\n"


def test_the_memory_lies_in_the_session_folder_where_one_is_given(dualgate: Dualgate, project: Path) -> None:
    added = dualgate("memory", "add", "a note", "--json", PRP_SESSION_DIR=".prp-session")
    listed = dualgate("memory", "--json", PRP_SESSION_DIR=".prp-session").lines[0]

    assert (added.code, len(listed["entries"])) == (0, 1)
    assert listed["file"] == str(project / ".prp-session" / "memory.db")
    assert dualgate("memory", "--json").lines[0]["entries"] == []
