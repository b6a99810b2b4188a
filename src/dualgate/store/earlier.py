"""Session folders -> their completed sessions with what they used, by the files beside their journals.

Of a journal only the first line is read. A session whose files are missing or behind its journal is left out.
"""

from contextlib import suppress
from pathlib import Path

from dualgate.core.money.estimate import Earlier, team_name
from dualgate.core.record.metrics import Figures
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.vocabulary import Status, Workflow
from dualgate.errors import JournalDamaged, SessionMissing
from dualgate.store.archive import archive_places
from dualgate.store.glimpse import figures_beside
from dualgate.store.reading import first_record

MOST = 100
"""The number of newest sessions that are looked at; the code of a project changes, and so does its cost."""
UNREPORTED = 0.1
"""The share of calls that may have no cost; beyond it the cost of a session is unknown."""


def earlier_sessions(*folders: Path) -> list[Earlier]:
    """The newest completed sessions of the work trees of a project, the present one of each first."""
    places = (*folders, *(place for folder in folders for place in archive_places(folder)))
    return [found for place in places[:MOST] if (found := _earlier(place))]


def _earlier(folder: Path) -> Earlier | None:
    with suppress(JournalDamaged, SessionMissing):
        figures = figures_beside(folder)
        if figures is None or figures.status is not Status.COMPLETED or not figures.calls:
            return None
        first = first_record(folder)
        # sessions from before criteria were recorded have no size
        if first is not None and isinstance(first.event, SessionStarted) and size_of(first.event):
            return _of(first.event, figures)
    return None


def _of(started: SessionStarted, figures: Figures) -> Earlier:
    is_known = figures.calls_without_cost <= UNREPORTED * figures.calls
    return Earlier(
        workflow=started.workflow,
        agent=team_name(started.lineup, started.workflow) or started.agent,
        size=size_of(started),
        calls=figures.calls,
        tokens=figures.tokens,
        cost_usd=figures.cost_usd if is_known else None,
    )


def size_of(started: SessionStarted) -> int:
    """The criteria of a session, or the open tasks of its list."""
    if started.workflow is Workflow.TDD:
        return len(started.criteria)
    return len(started.plan.open) if started.plan else 0
