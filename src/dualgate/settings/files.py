"""Reads the settings files, once at the start of a command."""

import stat
from collections.abc import Mapping
from pathlib import Path

from dualgate.errors import SettingError
from dualgate.settings.names import PROJECT_FILE, SHARED_FILE
from dualgate.settings.resolving import SettingsFile, Source


def read_files(project: Path, environment: Mapping[str, str]) -> tuple[SettingsFile, ...]:
    """The existing files: the user's, and the project's in either of its two places."""
    places: tuple[tuple[Path, Source, tuple[str, ...]], ...] = (
        (user_file(environment), Source.USER_FILE, ()),
        (project / PROJECT_FILE, Source.PROJECT_FILE, ()),
        (project / SHARED_FILE, Source.PROJECT_FILE, ("tool", "dualgate")),
    )
    read = ((path, source, table, _text(path)) for path, source, table in places)
    return tuple(
        SettingsFile(path=str(path), source=source, table=table, text=text)
        for path, source, table, text in read
        if text is not None
    )


def user_file(environment: Mapping[str, str]) -> Path:
    """The path by the XDG rules, which ignore a relative XDG_CONFIG_HOME."""
    given = Path(environment.get("XDG_CONFIG_HOME", ""))
    home = environment.get("HOME")
    base = given if given.is_absolute() else Path(home or Path.home()) / ".config"
    return base / "dualgate" / "config.toml"


def _text(path: Path) -> str | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe would block
            raise SettingError(f"{path} is not a file.", "Settings are read from a text file: move it away.")
        return path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise SettingError(f"{path} is not UTF-8 text: byte {error.start}.", "Save it as UTF-8.") from error
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror}.", "Make it readable, or move it away.") from error
