"""The actions on a session that the dashboard offers; without --allow-control there are none.

The seam: `actions_for` lists the actions that fit a session now, `act` carries one out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dualgate.errors import ControlRefused

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
    """The actions that fit the state of a session now."""
    del entry, account, allowed
    return []


def act(entry: "Entry", wish: Wish) -> dict[str, Any]:
    """Carry out an action. Raises ControlRefused if it does not fit the session."""
    raise ControlRefused(f"'{wish.action}' is not possible for {entry.id}.", "The session lists what is possible.")
