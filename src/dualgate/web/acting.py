"""The actions on a session that the dashboard offers, and the one that a request asks for."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dualgate.core.secrets.redaction import redactor_of
from dualgate.session.spec_file import spec_of
from dualgate.web.actions import FoundSession, action_record, fitting

if TYPE_CHECKING:
    from dualgate.store.account import Account
    from dualgate.web.register import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The action that a request asks for."""

    action: str
    text: str = ""
    value: str = ""


def actions_for(entry: "Entry", account: "Account", allowed: bool) -> list[dict[str, Any]]:
    """The actions that fit the state of a session now; none without --allow-control, or for an archived session."""
    if not allowed or entry.archived:
        return []
    changes = spec_of(account.cut_off, redactor_of(os.environ)).changes()
    seen = FoundSession(state=account.state, alive=entry.seen.summary.alive, spec_changed=bool(changes))
    return [action_record(action, seen) for action in fitting(seen)]
