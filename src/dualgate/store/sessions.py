"""Project -> the paths of its session folder, snapshots, set-up, acceptances and owner record."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from dualgate.core.values.events import SessionStarted
from dualgate.errors import JournalDamaged, SessionMissing, SettingError
from dualgate.processes.private import make_private
from dualgate.store.atomic import opened, refused
from dualgate.store.home import names_project, own_name, sessions_home, short_hash, written_path
from dualgate.store.lines import JOURNAL
from dualgate.store.owners import OWNERS, owners_in, read_owner
from dualgate.store.reading import first_record

SETUP = "setup"
RESULTS = "results"
SNAPSHOTS = "snapshots.db"
MEMORY = "memory.db"
ACCEPTANCES = "acceptances.jsonl"
TRACED = "traced"
"""The number of the last event whose spans were sent. It decides nothing, so it may be written at any time."""
_OWN_FOLDER = "Give a folder of its own."


def session_folder(project: Path, environment: Mapping[str, str]) -> Path:
    """The session folder of a project: its name, followed by a hash if another project already uses that name."""
    if given := environment.get("PRP_SESSION_DIR"):
        folder = (project / given).resolve()
        if project.is_relative_to(folder):
            raise SettingError(f"PRP_SESSION_DIR is {folder}, which contains the project itself.", _OWN_FOLDER)
        if _is_foreign(folder):
            raise SettingError(
                (f"PRP_SESSION_DIR is {folder}, which contains files that are not of dualgate."), _OWN_FOLDER
            )
        return folder
    home = sessions_home(environment)
    name = project.name or "root"
    plain = home / name
    return plain if _belongs_to(plain, project, environment) else home / f"{name}-{short_hash(project)}"


def snapshot_store(project: Path, environment: Mapping[str, str]) -> Path:
    """The snapshot database of a work tree. It belongs to the project and outlives its sessions."""
    if environment.get("PRP_SESSION_DIR"):
        return session_folder(project, environment) / SNAPSHOTS
    return sessions_home(environment) / ".snapshots" / f"{own_name(project)}.db"


def memory_store(project: Path, environment: Mapping[str, str]) -> Path:
    """The memory of all projects: in the home folder, or in the session folder if PRP_SESSION_DIR is set."""
    if environment.get("PRP_SESSION_DIR"):
        return session_folder(project, environment) / MEMORY
    return sessions_home(environment) / ".memory" / MEMORY


def setup_store(project: Path, environment: Mapping[str, str]) -> Path | None:
    """The folder that records test set-ups of a work tree; None if PRP_SESSION_DIR is set."""
    if environment.get("PRP_SESSION_DIR"):
        return None
    return sessions_home(environment) / ".set-up" / own_name(project)


def acceptance_log(root: Path, environment: Mapping[str, str]) -> Path:
    """The file that records what people accepted in a repository with `verify --allow`."""
    if environment.get("PRP_SESSION_DIR"):
        return session_folder(root, environment) / ACCEPTANCES
    return sessions_home(environment) / ".acceptances" / f"{own_name(root)}.jsonl"


def _is_foreign(folder: Path) -> bool:
    """Whether a folder has files but never held a session."""
    try:
        names = {item.name for item in folder.iterdir()}
    except OSError:
        return False
    ours = {JOURNAL, SNAPSHOTS, MEMORY, ACCEPTANCES, "archive"} | {
        name for name in names if name.startswith(("owner-", "memory."))
    }
    return bool(names) and names.isdisjoint(ours)


def _belongs_to(folder: Path, project: Path, environment: Mapping[str, str]) -> bool:
    """Whether a session folder is free, or was last used by this project."""
    journals = [folder / JOURNAL, *sorted(folder.glob(f"archive/*/{JOURNAL}"), reverse=True)]
    for journal in journals:
        try:
            first = first_record(journal.parent)
        except SessionMissing:
            continue
        except JournalDamaged:
            return _was_of(journal, folder, project, environment)
        if first is not None and isinstance(first.event, SessionStarted):
            return first.event.project == written_path(project)
    return True


def _was_of(journal: Path, folder: Path, project: Path, environment: Mapping[str, str]) -> bool:
    """Whether an unreadable journal is this project's: by its owner record, or by the project in its first line.

    A damaged session must not look missing, and a project must not take over another project's session.
    """
    if read_owner(record_place(project, folder, environment)).get("session") == written_path(folder):
        return True
    with suppress(OSError), opened(journal) as file:
        return names_project(file.readline(), project)
    return False


def record_place(project: Path, folder: Path, environment: Mapping[str, str]) -> Path:
    """The owner record of a work tree: in the home folder, or in the session folder if home is not writable."""
    owners = sessions_home(environment) / OWNERS
    name = f"{short_hash(project)}.json"
    return owners / name if os.access(owners, os.W_OK) else folder / f"owner-{name}"


def owned_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    """Session folders outside the home folder, where PRP_SESSION_DIR put them: the owner records remember them."""
    home = sessions_home(environment)
    for said in owners_in(home):
        folder = Path(str(said.get("session") or home))
        with suppress(OSError):  # no name of a folder, or in a folder that is closed to us
            if folder.is_dir() and folder.parent != home and folder != home:
                yield folder


def made(folder: Path) -> Path:
    try:
        make_private(folder)
    except OSError as error:
        raise refused(folder, error) from error
    return folder
