"""The action of prompts install: write the skill, and overwrite no changed file unasked."""

import shlex
from pathlib import Path

from dualgate.cli.output import here, say
from dualgate.cli.outside import require_person
from dualgate.cli.prompts_action import SKILL
from dualgate.errors import ExitCode, SettingError
from dualgate.prompts import load_templates
from dualgate.store.atomic import write_whole

_PLACE = Path("ralph-status") / "SKILL.md"


def install_skill(folder: str, force: bool) -> int:
    require_person("prompts install")
    path = here() / Path(folder).expanduser() / _PLACE
    text = load_templates()[SKILL].encode()
    before = _content(path)
    if before == text:
        say(f"{path} is up to date")
        return ExitCode.PROVEN
    if before is not None and not force:
        again = f"dualgate prompts install --force --to {shlex.quote(folder)}"
        raise SettingError(f"{path} exists and differs.", f"Overwrite it with: {again}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}.", "Give another place with --to.") from error
    say(f"wrote {path}")
    return ExitCode.PROVEN


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror}.", "Give another place with --to.") from error
