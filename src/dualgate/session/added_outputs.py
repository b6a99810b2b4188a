"""Settings as they are now -> patterns of outputs that a person added to them since the session stopped."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

from dualgate.core.machine.resuming import CutOff
from dualgate.errors import SettingError
from dualgate.session.host import Host
from dualgate.settings.files import read_files
from dualgate.settings.resolving import SettingsFile, Source, resolve

Read = Callable[[str, str], bytes | None]
"""(tree, path) -> the content of a file; None if it is missing."""
NOT_READ = (
    "guard.outputs is unchanged: a program that ran when the session was cut off may have edited it. "
    "Pause the run and resume it again to add {}."
)


def added_outputs(found: CutOff, known: Collection[str], host: Host, read: Read) -> tuple[str, ...]:
    """Patterns that `known`, the setting at the start, does not have. Those that an agent wrote are left out."""
    files = read_files(host.project, host.environment)
    try:
        now = resolve(host.environment, {}, files).settings.guard.outputs
    except SettingError as error:
        host.tell(f"guard.outputs is unchanged: {error}")
        return ()
    is_under_way = bool(found.tree and found.state.proof.start_tree)
    written = _written_in(found.reached or found.tree, files, read) if is_under_way else ()
    added = tuple(pattern for pattern in now if pattern not in known and pattern not in written)
    if added and is_under_way and found.reached is None:
        host.tell(NOT_READ.format(", ".join(added)))
        return ()
    return added


def _written_in(tree: str, files: Iterable[SettingsFile], read: Read) -> tuple[str, ...]:
    """The patterns that the settings files of the project have in a tree."""
    own = [file for file in files if file.source is Source.PROJECT_FILE]
    texts = ((file, read(tree, Path(file.path).name)) for file in own)
    before = [replace(file, text=text.decode("utf-8", "replace")) for file, text in texts if text is not None]
    try:
        return resolve({}, {}, before).settings.guard.outputs
    except SettingError:
        return ()
