"""The register -> the overview and the totals, from memory alone."""

from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from dualgate import __version__
from dualgate.store.home import written_path
from dualgate.web.totals import causes_of, days_of, totals_of

if TYPE_CHECKING:
    from dualgate.web.board import Board
    from dualgate.web.register import Entry

READ_ONLY = "This dashboard only shows sessions. To steer them here, start it with: dualgate dashboard --allow-control"
NO_ZONE = "UTC"
ZONES = sorted({NO_ZONE, *available_timezones()})
"""The time zones that this machine knows."""
Given = Mapping[str, Any]


def overview(board: "Board", _given: Given) -> dict[str, Any]:
    cursor = board.feed.cursor  # before the rows: a change meanwhile is sent again rather than lost
    entries = board.register.entries()
    return {
        "cursor": cursor,
        "now": board.now().isoformat(),
        "version": __version__,
        "loading": not board.watcher.loaded,
        "sessions": [msgspec.Raw(each.body) for each in in_order(entries)],
        "totals": totals_of([each.seen for each in entries]),
        "control": {"allowed": board.rules.allows_control, "needs_token": board.rules.allows_control},
        "read_only_reason": None if board.rules.allows_control else READ_ONLY,
        "places": [written_path(home) for home in board.register.places()],
    }


def in_order(entries: "Iterable[Entry]") -> "list[Entry]":
    """Sessions at work first, then by their last event, the newest first, those in an archive last."""
    return sorted(entries, key=_place)


def _place(entry: "Entry") -> tuple[bool, bool, float]:
    summary = entry.seen.summary
    last = summary.last_activity
    return summary.archived, not summary.alive, -last.timestamp() if last else 0.0


def totals(board: "Board", given: Given) -> dict[str, Any]:
    zone = UTC if given["zone"] == NO_ZONE else ZoneInfo(given["zone"])
    sessions = [each.seen for each in board.register.entries()]
    today = board.now().astimezone(zone).date()
    return {
        "days": days_of(sessions, zone, today, given["days"]),
        "totals": totals_of(sessions),
        "by_cause": causes_of(sessions),
    }


def health(_board: "Board", _given: Given) -> dict[str, Any]:
    return {"ok": True, "version": __version__}
