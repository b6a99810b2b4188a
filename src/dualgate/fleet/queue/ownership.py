"""A worktree, a specification -> whether the session in it is the work on that specification, as it is written now.

A job continues such a session. Any other one would make the job proven by work that it did not ask for.
"""

from collections.abc import Mapping
from pathlib import Path
from posixpath import normpath

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import SessionStarted
from dualgate.errors import JournalDamaged, SessionMissing
from dualgate.session.spec_file import is_same_spec
from dualgate.store.reading import first_record
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import WorktreeState, read_records


def is_work_on(folder: Path, spec: str, text: str, environment: Mapping[str, str], redactor: Redactor) -> bool:
    """Whether the session of a work tree began with this text of this file."""
    try:
        first = first_record(session_folder(folder, environment))
    except (SessionMissing, JournalDamaged):
        return False
    started = first.event if first else None
    return (
        isinstance(started, SessionStarted)
        and normpath(started.prp_file) == normpath(spec)
        and is_same_spec(text, started.prp_text, redactor)
    )


def taken_names(
    main: Path, spec: str, text: str, environment: Mapping[str, str], redactor: Redactor
) -> tuple[str, ...]:
    """The names of the worktrees of a repository that hold other work."""
    return tuple(
        record.name
        for record in read_records(main, environment)
        if record.state is not WorktreeState.REMOVED
        and not is_work_on(record.folder, spec, text, environment, redactor)
    )
