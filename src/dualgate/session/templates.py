"""The templates of prompts: those of the package, and a project's own in place of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.core.prompt.parts import FORM
from dualgate.core.prompt.writing import prepare
from dualgate.errors import SettingError
from dualgate.prompts import load_templates
from dualgate.workspace.ignore import PROMPTS

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(PROMPTS)
"""The folder of a project's own templates."""
_LARGEST = 64 << 10
"""Bytes of a template; a longer one would leave no room in a prompt."""
_FORM = (*(f"{name}.md" for name in FORM), "FOLLOW_UP.md", "packets/")
RULE = "only a person may change the prompts of the project"


def is_form(name: str) -> bool:
    """Whether no project may replace a template, since the loop reads the answers by their form."""
    return name.startswith(_FORM)


def own_templates(project: Path) -> dict[str, str]:
    """A project's own templates by name. Raises SettingError if one has no known name or cannot be read."""
    folder = project / FOLDER
    if not folder.is_dir():
        return {}
    known = load_templates()
    paths = sorted(path for path in folder.rglob("*.md") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    if wrong := next((name for name in names if name not in known or is_form(name)), None):
        reason = "replaces the form of the answer" if is_form(wrong) else "replaces no prompt of dualgate"
        raise SettingError(
            f"{FOLDER / wrong} {reason}.", "Delete or rename it; 'dualgate prompts list' shows the names."
        )
    return {name: _read(path, project) for name, path in names.items()}


def templates_with(own: Mapping[str, str]) -> "Environment":
    """The package's templates with some of them replaced. Raises SettingError, with the line, if one is invalid."""
    made = prepare({**load_templates(), **own})
    for name in own:
        _check(made, name)
    return made


def _read(path: Path, project: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise SettingError(f"{path.relative_to(project)} is larger than {_LARGEST // 1024} KB.", "Shorten it.")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{path.relative_to(project)} cannot be read: {error}.", "Save it as UTF-8 text.") from error


def _check(templates: "Environment", name: str) -> None:
    from jinja2 import TemplateSyntaxError

    try:
        templates.get_template(name)
    except TemplateSyntaxError as error:
        where = f"{FOLDER / (error.name or name)}:{error.lineno}"
        fix = f"Fix it, or compare it with the text that it replaces: dualgate prompts diff {name.removesuffix('.md')}"
        raise SettingError(f"{where}: {error.message}.", fix) from error
