"""An edit that a host is about to make -> a refusal, if a run is at work and its phase has frozen the file.

The guard of the run reverts such an edit afterwards; here the agent learns it before it has written. Whatever cannot
be read lets the edit pass. Without a run no other module is imported.
"""

from collections.abc import Mapping
from pathlib import Path

from dualgate.hooks.answers import denied
from dualgate.hooks.origin import Payload, project_of
from dualgate.store.owners import is_owned


def answer_edit(host: str, payload: Payload, environment: Mapping[str, str]) -> str:
    folder = project_of(payload, environment)
    project = owned_above(folder)
    if project is None:
        return ""
    from dualgate.hooks.frozen import refusal_of

    reason = refusal_of(project, payload, folder, environment)
    return denied(host, reason) if reason else ""


def owned_above(folder: Path) -> Path | None:
    """The nearest folder, upwards, in which a run is at work."""
    return next((place for place in (folder, *folder.parents) if place.is_dir() and _is_owned(place)), None)


def _is_owned(place: Path) -> bool:
    try:
        return is_owned(place)
    except OSError:
        return False
