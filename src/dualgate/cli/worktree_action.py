"""Run in a worktree: plan one from the command line, make it, and be in it until the run ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.output import PLACE, here
from dualgate.cli.signals import stoppable
from dualgate.cli.worktrees_action import record_there
from dualgate.core.values.naming import work_name
from dualgate.core.values.notation import harmless
from dualgate.errors import SessionUnfinished
from dualgate.fleet.installing import install_locked
from dualgate.fleet.making import Made, made_worktree
from dualgate.fleet.plan import Wanted, WorktreePlan, plan_rows, plan_worktree
from dualgate.processes.supervisor import Supervisor
from dualgate.session.document import Document
from dualgate.settings import Settings
from dualgate.store.making_room import require_room
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import WorktreeRecord, WorktreeState, read_record
from dualgate.workspace.task_list import TaskList


def planned(document: Document, name: str, ref: str, settings: Settings) -> WorktreePlan:
    """The worktree for a document; without a name it has that of the document, without a ref it starts from HEAD."""
    project = here()
    file = document.name if document.is_file else ""
    lists = TaskList(project=project, given=settings.plan.file).found()
    name = name or work_name(file, document.read(settings).title)
    files = tuple(os.path.relpath(project / each, project) for each in (file, *lists) if each)
    return plan_worktree(project, Wanted(name=name, ref=ref or "HEAD", files=files), settings, os.environ)


@contextmanager
def entered(
    document: Document, name: str, ref: str, settings: Settings, is_quiet: bool, fresh: bool = False
) -> Iterator[Document]:
    """Make a worktree for a document, and be in it until the block ends; yields the document as it is named there."""
    before, plan = Path.cwd(), planned(document, name, ref, settings)
    require_ended(plan, fresh)
    with made_worktree(plan, os.environ, local_now()) as made:
        rows = [] if is_quiet else [f"{name.lower()}: {text}" for name, text in plan_rows(plan)]
        for text in (*rows, *made.notes, *_installed(made)):
            click.echo(f"dualgate: {harmless(text)}", err=True)
        _change_to(made.record)
        try:
            yield _named_there(document, before.resolve(), plan)
        finally:
            with suppress(OSError):
                os.chdir(before)
        if not is_quiet:
            click.echo(
                f"dualgate: the work is in {harmless(made.record.path)}; commands reach it with --worktree {plan.name}",
                err=True,
            )


def require_ended(plan: WorktreePlan, fresh: bool) -> None:
    """Refuse to make a removed worktree again for a session that can go on: its work would not be in it."""
    record = read_record(plan.checkout.main, plan.name, os.environ)
    if record is None or record.state is not WorktreeState.REMOVED:
        return
    try:
        require_room(session_folder(record.folder, os.environ), fresh)
    except SessionUnfinished as error:
        raise SessionUnfinished(
            f"The worktree {plan.name} was removed, and its session has not ended.",
            f"Bring it back: dualgate worktrees restore {plan.name}, then: dualgate resume --worktree {plan.name}. "
            "Or give another name, or start over with --fresh: its session moves to the archive.",
        ) from error


def _installed(made: Made) -> tuple[str, ...]:
    supervisor = Supervisor(os.environ)
    with stoppable(supervisor.jobs) as control:
        return install_locked(made.record, os.environ, supervisor.jobs, control)


def _named_there(document: Document, project: Path, plan: WorktreePlan) -> Document:
    """A document of the repository by its path from the project, any other one by its whole path."""
    if not document.is_file:
        return document
    place = (project / document.name).resolve()
    inside = place.is_relative_to(plan.checkout.root)
    return replace(document, name=os.path.relpath(place, project) if inside else str(place))


def enter(name: str) -> None:
    """Go into the worktree with this name. Raises WorktreeRefused if it is not there."""
    _change_to(record_there(name))


def _change_to(record: WorktreeRecord) -> None:
    PLACE.worktree, PLACE.start = record.name, PLACE.start or str(Path.cwd())
    os.chdir(record.folder)
