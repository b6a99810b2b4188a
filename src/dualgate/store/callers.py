"""A process that asks for something -> whether a person asks, or a program inside a call or a test run.

People decide about the sessions of people. A program inside a run may only use sessions that were begun inside that
run too, as the tests of a program that calls dualgate do.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dualgate.processes.origin import Origin, mark_of
from dualgate.store.home import HOME_FOLDER, attempt_box
from dualgate.store.owners import is_alive, owners_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The session or store that a command is about."""

    project: Path
    place: Path
    """The session folder, or another file that belongs to a person."""
    begun_inside: Collection[str] = ()
    """The marks of the runs that the session was begun inside of."""


def refusing_marks(target: Target, origin: Origin) -> frozenset[str]:
    """The marks of the runs that a process is inside of, and from which it may not use the target."""
    foreign = origin.marks.difference(target.begun_inside)
    if not foreign:
        return frozenset()
    own = foreign & {mark_of(target.project)}
    return foreign if _is_a_persons(target.place, origin.homes) else own


def running_above(origin: Origin, marks: Collection[str]) -> Iterator[Path]:
    """The session folders of the runs with these marks that a process is inside of, as their owner records say."""
    for said in _records(origin.homes):
        project = str(said.get("project") or "")
        if said.get("pid") in origin.ancestors and is_alive(said) and project and mark_of(Path(project)) in marks:
            yield Path(str(said["session"]))


def boxes_above(origin: Origin, marks: Collection[str]) -> Iterator[Path]:
    """The folders in which a program in a sandbox can leave a request to the runs with these marks."""
    boxes = (attempt_box(home, mark) for home in origin.homes for mark in marks)
    return (box for box in boxes if box.is_dir())


def _is_a_persons(place: Path, homes: Collection[Path]) -> bool:
    if any(place.resolve().is_relative_to(home / HOME_FOLDER) for home in homes):
        return True
    return any(said.get("session") == str(place) for said in _records(homes))


def _records(homes: Iterable[Path]) -> Iterator[dict[str, object]]:
    for home in homes:
        yield from owners_in(home / HOME_FOLDER)
