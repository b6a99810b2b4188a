"""Client -> Login: whether an agent is logged in, as its variables and files show. Nothing is started."""

import re
import sys
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from dualgate.agents.client import Client, LoginFile
from dualgate.core.values.vocabulary import Login

SETTINGS_READ = 1 << 20
SPEAKS_OF_LOGIN = re.compile(
    rb"api_?key(?!resp)|_key\b|_token\b|selected(?:auth)?type|authrefresh|bearer|credential|provider|vertex|bedrock|"
    rb"base_?url|profile",
    re.IGNORECASE,
)


def login_of(client: Client, environment: Mapping[str, str], platform: str = sys.platform) -> tuple[Login, str | None]:
    """The login of a client and its variable or file; unknown where its own settings or a keychain may hold one."""
    if source := _login_source(client, environment):
        return Login.FOUND, source
    files = (_login_path(each, environment) for each in client.settings)
    unseen = (client.keychain and platform == "darwin") or any(path and _speaks_of_login(path) for path in files)
    return Login.UNKNOWN if unseen else Login.NOT_FOUND, None


def _speaks_of_login(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return SPEAKS_OF_LOGIN.search(file.read(SETTINGS_READ)) is not None
    except OSError:
        return False


def _login_source(client: Client, environment: Mapping[str, str]) -> str | None:
    found = (name for name in client.keys if environment.get(name))
    files = (str(path) for login in client.logins if (path := _login_path(login, environment)) and _has_content(path))
    return next(chain(found, files), None)


def _login_path(login: LoginFile, environment: Mapping[str, str]) -> Path | None:
    if folder := environment.get(login.variable):
        return Path(folder, login.name)
    home = environment.get("HOME")
    return Path(home, login.folder, login.name) if home else None


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 2  # a logout leaves `{}`
    except OSError:
        return False
