"""One session -> its status, report, iterations and events, as JSON has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dualgate.core.report.bounding import LONGEST_SPECIFICATION, cut_text, shortened
from dualgate.core.values.vocabulary import Phase
from dualgate.session.spec_file import spec_of
from dualgate.session.status import owned_status, status_record
from dualgate.web.acting import actions_for

if TYPE_CHECKING:
    from dualgate.web.board import Board
    from dualgate.web.register import Entry
    from dualgate.web.stories import Told

NOT_HERE = ("iterations", "diffs", "specification")
"""Parts of a report that have addresses of their own."""
Given = Mapping[str, Any]


def session(board: "Board", given: Given) -> dict[str, Any]:
    entry = board.register.entry(given["id"])
    told = board.stories.of(entry.folder)
    account = told.account
    shown = {
        "status": shortened(_status(board, entry, told)),
        "report": _report(board, entry, told),
        "breaker_history": account.metrics.breaker_changes,
        "specification": cut_text(account.cut_off.spec, LONGEST_SPECIFICATION),
        "actions": actions_for(entry, account, board.rules.allows_control),
    }
    return {"row": msgspec.Raw(entry.body)} | board.redactor.value(shown)


def _report(board: "Board", entry: "Entry", told: "Told") -> dict[str, Any]:
    from dualgate.core.report.document import report_document  # the overview needs no report
    from dualgate.session.reporting import report_of

    report = report_document(report_of(board.source_of(entry), told.gathered, told.account, board.now()))
    return {name: value for name, value in report.items() if name not in NOT_HERE}


def _status(board: "Board", entry: "Entry", told: "Told") -> dict[str, Any]:
    project = Path(told.started.project)
    if entry.archived or not project.is_dir():
        return owned_status(entry.folder, told.account)
    changes = spec_of(told.account.cut_off, board.redactor).changes()
    return status_record(project, entry.folder, told.account, changes, board.environment_of(entry))


def iterations(board: "Board", given: Given) -> dict[str, Any]:
    told = board.stories.of(board.register.entry(given["id"]).folder)
    first, most = given["after"], given["limit"]
    rows = zip(told.account.metrics.rows[first : first + most], told.turns[first : first + most], strict=True)
    return {
        "iterations": [
            {"number": number, **board.redactor.value(msgspec.to_builtins(row)), **msgspec.to_builtins(facts)}
            for number, (row, facts) in enumerate(rows, first + 1)
        ],
        "last": len(told.turns),
    }


def events(board: "Board", given: Given) -> dict[str, Any]:
    """The events after a number, or the last ones before it; without a number, the last ones."""
    told = board.stories.of(board.register.entry(given["id"]).folder)
    kind, phase = given["kind"], Phase(given["phase"]) if given["phase"] else None
    after, before, most = given["after"], given["before"], given["limit"]
    fitting = [
        each
        for each in told.events
        if kind in (None, each.kind)
        and phase in (None, each.place.phase)
        and (after is None or each.seq > after)
        and (before is None or each.seq < before)
    ]
    shown = fitting[:most] if after is not None else fitting[-most:]
    return {
        "events": [msgspec.Raw(each.body) for each in shown],
        "last": told.account.seq,
        "more": len(fitting) > len(shown),
    }
