"""Whether a person switched the memory off, in a file beside it: it must survive a damaged memory."""

from pathlib import Path

from dualgate.errors import SettingError
from dualgate.store.atomic import read_whole, write_whole

ALL = "*"


def is_off(memory: Path, project: str) -> bool:
    """Whether the memory is off for a project. A file that cannot be read means off."""
    try:
        return bool(_listed(memory) & {ALL, project})
    except OSError:
        return True


def switch_off(memory: Path, project: str | None) -> None:
    """Switch the memory off for a project, or (None) for all."""
    _write(memory, _listed(memory) | {project or ALL})


def switch_on(memory: Path, project: str | None) -> None:
    """Switch the memory on for a project, or (None) for all."""
    listed = _listed(memory)
    if project and ALL in listed:
        raise SettingError("The memory is off for all projects.", "Switch it on with: dualgate memory on --all")
    _write(memory, listed - {project} if project else set())


def _listed(memory: Path) -> set[str]:
    try:
        return {*read_whole(_place(memory)).decode("utf-8", "replace").splitlines()}
    except FileNotFoundError:
        return set()


def _write(memory: Path, projects: set[str]) -> None:
    place = _place(memory)
    if projects:
        write_whole(place, "".join(f"{each}\n" for each in sorted(projects)).encode(), synced=True)
    else:
        place.unlink(missing_ok=True)


def _place(memory: Path) -> Path:
    return memory.with_name("memory.off")
