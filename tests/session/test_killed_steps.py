"""A step that was killed while the work tree was switched: the work comes back before anything else happens."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dualgate.core.values.events import SessionAborted
from dualgate.session.host import Host
from dualgate.session.killed_steps import KilledStep, killed_step
from dualgate.session.own import append_events, settle_killed_run
from dualgate.store.account import read_account
from dualgate.store.sessions import session_folder, snapshot_store
from dualgate.testing import NOW, a_host
from dualgate.workspace.saved import SavedSnapshots
from tests.session.switched import killed_in_trial
from tests.support import Dualgate

OLD, WORK, THEIRS = "def f(): return 1\n", "def f(): return 2\n", "def f(): return 3\n"


@dataclass
class Place:
    host: Host
    folder: Path
    code: Path
    snapshot: str
    told: list[str] = field(default_factory=list)

    def killed(self) -> KilledStep | None:
        return killed_step(read_account(self.folder).cut_off, self.host.project, self.host.environment)

    def undo(self) -> str:
        """What a person has back of the edits that they made after the kill."""
        with SavedSnapshots(self.host.project, snapshot_store(self.host.project, self.host.environment)) as saved:
            found = saved.catalog.find(self.told[0].rpartition(" ")[2])
            entry = saved.seen_as(found).entry(found.tree, "code.py")
            return (saved.content(entry) or b"").decode()


@pytest.fixture
def place(project: Path, environment: dict[str, str]) -> Place:
    """A session whose run was killed while an older tree was tried; a person has edited that tree since."""
    told: list[str] = []
    host = a_host(project, environment, tell=told.append)
    snapshot = killed_in_trial(host, OLD, WORK)
    folder = session_folder(project, environment)
    (project / "code.py").write_text(THEIRS)
    return Place(host=host, folder=folder, code=project / "code.py", snapshot=snapshot, told=told)


def test_a_command_that_takes_the_session_over_restores_the_work_and_says_how_to_undo_that(place: Place) -> None:
    append_events(place.host, place.folder, lambda _: (SessionAborted(at=NOW, by="ada"),))

    assert (place.code.read_text(), place.undo()) == (WORK, THEIRS)
    assert place.killed() is None


def test_edits_that_a_person_makes_afterwards_stay(place: Place) -> None:
    settle_killed_run(place.host, place.folder)
    place.code.write_text(THEIRS)
    settle_killed_run(place.host, place.folder)

    assert (place.code.read_text(), len(place.told)) == (THEIRS, 1)


def test_status_names_the_snapshot_and_changes_nothing_and_the_archive_gives_the_work_back(
    place: Place, dualgate: Dualgate
) -> None:
    assert place.killed() == KilledStep(name="a trial that was cut off", snapshot=place.snapshot)
    shown = dualgate("status")
    assert (f"Your work is in snapshot {place.snapshot}" in shown.out, place.code.read_text()) == (True, THEIRS)
    archived = dualgate("sessions", "archive")

    assert (archived.code, place.code.read_text()) == (0, WORK)
    assert "undo with: dualgate snapshot restore" in archived.err


def test_what_judges_the_tree_says_that_it_is_not_the_work(place: Place, dualgate: Dualgate) -> None:
    told = [dualgate(*words).err for words in (("tests",), ("tests", "--list"), ("verify", "--json"))]
    dualgate("abort")

    assert [f"Your work is in snapshot {place.snapshot}" in err for err in told] == [True, False, True]
    assert "Your work is in snapshot" not in dualgate("tests").err


def test_a_new_run_gives_the_work_back_before_it_reads_the_tree(place: Place, dualgate: Dualgate) -> None:
    refused = dualgate("run", "SPEC.md", "--agent-command", "true", "--max-iterations", "1")
    untouched = place.code.read_text()
    dualgate("run", "SPEC.md", "--agent-command", "grep 2 code.py", "--max-iterations", "1", "--fresh")

    assert (refused.code, untouched, place.code.read_text()) == (1, THEIRS, WORK)


def test_what_a_person_restores_after_a_kill_is_not_replaced_by_the_next_command(
    place: Place, dualgate: Dualgate
) -> None:
    unknown = dualgate("snapshot", "restore", "nothing", "--yes")
    untouched = place.code.read_text()
    restored = dualgate("snapshot", "restore", place.snapshot, "--yes")
    work = place.code.read_text()
    place.code.write_text(THEIRS)
    dualgate("abort")

    assert (unknown.code, untouched) == (1, THEIRS)
    assert (restored.code, work) == (0, WORK)
    assert "undo with: dualgate snapshot restore" in restored.err
    assert place.code.read_text() == THEIRS
