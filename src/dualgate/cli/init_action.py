"""The action of init: propose settings, show them, ask, and write dualgate.toml."""

import os
from collections.abc import Mapping
from pathlib import Path

from dualgate.cli.creating import create_file
from dualgate.cli.output import here, say
from dualgate.cli.outside import require_person
from dualgate.cli.questions import can_ask, confirm
from dualgate.errors import ExitCode, SettingError
from dualgate.processes.supervisor import Supervisor
from dualgate.session.setup import propose
from dualgate.settings.files import read_files
from dualgate.settings.names import PROJECT_FILE
from dualgate.settings.resolving import SettingsFile, Source, holds_settings, resolve
from dualgate.settings.writing import settings_text

NEXT = "Next: dualgate new TITLE (write a specification), then: dualgate doctor"


def set_up(yes: bool) -> int:
    require_person("init")
    project = here()
    _refuse_existing(project, os.environ)
    text = settings_text(propose(project, Supervisor(os.environ)))
    resolve({}, {}, [SettingsFile(path=PROJECT_FILE, source=Source.PROJECT_FILE, text=text)])  # it must load
    say(text)
    if not yes and not can_ask():
        raise SettingError(
            f"{PROJECT_FILE} was not written: there is no terminal to ask on.", "Write it with: dualgate init --yes"
        )
    if not yes and not confirm(f"Write {PROJECT_FILE}?", default=True):
        say("Nothing was written.")
        return ExitCode.ERROR
    try:
        create_file(project / PROJECT_FILE, text)
    except FileExistsError as error:
        raise SettingError(f"{PROJECT_FILE} was written meanwhile.", "See: dualgate config") from error
    say(f"wrote {PROJECT_FILE}")
    say(NEXT)
    return ExitCode.PROVEN


def _refuse_existing(project: Path, environment: Mapping[str, str]) -> None:
    own = [file for file in read_files(project, environment) if file.source is Source.PROJECT_FILE]
    for file in filter(holds_settings, own):
        keys = ", ".join(sorted(resolve({}, {}, [file]).origins)) or "nothing yet"
        place = f"[{'.'.join(file.table)}] of {Path(file.path).name}" if file.table else Path(file.path).name
        raise SettingError(
            f"This project already has settings: {place} sets {keys}.", "Edit it; 'dualgate config' shows all values."
        )
    if os.path.lexists(project / PROJECT_FILE):
        raise SettingError(f"{PROJECT_FILE} exists and is not a file.", "Move it away, then: dualgate init")
