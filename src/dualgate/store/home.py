"""The folder of all sessions, in the home folder."""

from collections.abc import Mapping
from pathlib import Path

HOME_FOLDER = ".bp-sessions"


def sessions_home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home()) / HOME_FOLDER
