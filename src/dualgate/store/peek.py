"""The state files of sessions -> what a session's folder shows at a glance. Little is imported, no journal is read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.vocabulary import Status
from dualgate.store.home import LOOP_STATE, names_project, own_name, sessions_home
from dualgate.store.lines import JOURNAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """Fields of loop-state.json, which is written with each event."""

    folder: Path
    id: str
    status: Status
    phase: str
    iteration: int
    spec: str
    reason: str


def peek_here(project: Path, environment: Mapping[str, str]) -> Peek | None:
    """The current session of a project; None if there is none, or its state file cannot be read."""
    home = sessions_home(environment)
    given = environment.get("PRP_SESSION_DIR")
    places = [(project / given).resolve()] if given else [home / (project.name or "root"), home / own_name(project)]
    return next((found for place in places if _is_of(place, project) and (found := _peek(place))), None)


def peek_at_all(environment: Mapping[str, str]) -> list[Peek]:
    """The sessions in the home folder, each with those in its archive."""
    home = sessions_home(environment)
    files = (*home.glob(f"*/{LOOP_STATE}"), *home.glob(f"*/archive/*/{LOOP_STATE}"))
    return [found for file in sorted(files) if (found := _peek(file.parent))]


def _is_of(folder: Path, project: Path) -> bool:
    """Whether the journal of a session folder names the project."""
    try:
        with (folder / JOURNAL).open("rb") as file:
            return names_project(file.readline(), project)
    except OSError:
        return False


def _peek(folder: Path) -> Peek | None:
    try:
        said = json.loads((folder / LOOP_STATE).read_bytes())
        return Peek(
            folder=folder,
            id=str(said["session_id"]),
            status=Status(said["status"]),
            phase=str(said["current_phase"]),
            iteration=int(said["current_iteration"]),
            spec=str(said["prp_file"]),
            reason=str(said["halt_reason"] or said["pause_reason"] or ""),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
