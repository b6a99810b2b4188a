"""The action of prompts: list, print, eject and compare the texts of prompts."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import cache
from pathlib import Path

import click

from dualgate.cli.creating import create_file
from dualgate.cli.output import here, say, say_document
from dualgate.cli.outside import require_person
from dualgate.cli.prompts import STACK_NAMES
from dualgate.core.prompt.parts import PARTS
from dualgate.core.prompt.writing import GENERIC, prepare, render_ralph_prompt
from dualgate.core.values.suggestion import did_you_mean
from dualgate.core.values.suite import Stack
from dualgate.errors import SettingError
from dualgate.languages.registry import LANGUAGES
from dualgate.prompts import load_templates
from dualgate.session.templates import FOLDER, is_form, own_templates

STACKS = {each.name: each for each in (*(language.stack for language in LANGUAGES), GENERIC) if each}
RENDERED = ("ralph",)
"""Texts that are filled in for a stack, and so are not shown as templates."""
SKILL = "skills/ralph-status.md"
OTHERS = frozenset({"new_specification.md", "ralph.md", SKILL})
"""Texts that are no parts of prompts."""


def list_texts() -> int:
    own = own_templates(here())
    for name in (*RENDERED, "ralph-status", *_ordered()):
        say(f"{name}{_note(_file(name), own)}")
    return 0


def _ordered() -> list[str]:
    """The parts of prompts in their order, then the texts that they include."""
    parts = dict.fromkeys(name for names in PARTS.values() for name in names)
    return [*parts, *sorted(name for name in map(_short, _parts()) if name not in parts)]


def _note(file: str, own: Mapping[str, str]) -> str:
    if file in own:
        return f"  (replaced by {FOLDER / file})"
    return "  (cannot be replaced)" if is_form(file) else ""


def show_text(name: str, stack: str | None) -> int:
    if name == "ralph":
        chosen = STACKS[stack] if stack else detect_stack(Path.cwd())
        text = render_ralph_prompt(chosen, prepare(load_templates()))
    elif name == "ralph-status":
        text = load_templates()[SKILL]
    else:
        text = (_parts() | own_templates(here()))[_known(name)]
    say_document(text.rstrip())
    return 0


def eject_texts(names: Sequence[str]) -> int:
    require_person(f"prompts eject {' '.join(names)}")
    texts = {file: _parts()[file] for file in map(_known, names)}
    if fixed := next((file for file in texts if is_form(file)), None):
        raise click.UsageError(f"{_short(fixed)} cannot be replaced: the loop reads answers by their form.")
    for file, text in texts.items():
        path = here() / FOLDER / file
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            create_file(path, text)
        except FileExistsError as error:
            raise SettingError(
                f"{FOLDER / file} exists already.", f"See what it changes: dualgate prompts diff {_short(file)}"
            ) from error
        say(f"Wrote {FOLDER / file}. Commit it with the project; see the result with: dualgate prompts next SPEC")
    return 0


def diff_texts(names: Sequence[str]) -> int:
    own = own_templates(here())
    chosen = [_known(name) for name in names] or list(own)
    told = [line for file in chosen for line in _difference(file, own.get(file, _parts()[file]))]
    for line in told:
        say_document(line)
    return 1 if told else 0


def detect_stack(folder: Path) -> Stack:
    found = (STACKS[name] for name in STACK_NAMES if STACKS[name].sign and (folder / STACKS[name].sign).exists())
    return next(found, GENERIC)


def _difference(file: str, own: str) -> Iterator[str]:
    names = (f"dualgate/{file}", (FOLDER / file).as_posix())
    return unified_diff(_parts()[file].splitlines(), own.splitlines(), *names, lineterm="")


@cache
def _parts() -> dict[str, str]:
    return {file: text for file, text in load_templates().items() if file not in OTHERS}


def _short(file: str) -> str:
    return file.removesuffix(".md")


def _file(name: str) -> str:
    return f"{name}.md"


def _known(name: str) -> str:
    """The file of a text, by its name in any case."""
    names = {_short(file).lower(): file for file in _parts()}
    found = names.get(name.removesuffix(".md").lower())
    if found is None:
        meant = did_you_mean(name, map(_short, _parts()))
        raise click.UsageError(f"There is no prompt '{name}'. {meant}List them with: dualgate prompts list")
    return found
