"""The action of memory: list, search, add, forget and export entries, and switch the memory off and on."""

import os
import uuid
from collections.abc import Sequence
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, our_redactor, say, say_document, say_json
from dualgate.cli.outside import require_person
from dualgate.cli.questions import can_ask, confirm
from dualgate.core.record.memory_entries import note_of
from dualgate.core.values.memory import StoredEntry
from dualgate.core.values.notation import counted
from dualgate.display.memory import entry_record, export_text, memory_lines
from dualgate.errors import ExitCode, SettingError
from dualgate.store.home import written_path
from dualgate.store.memory import MemoryStore
from dualgate.store.memory_switch import is_off, switch_off, switch_on
from dualgate.store.sessions import memory_store


def list_entries(of_all: bool, as_json: bool) -> int:
    _show(_store().all(_project(of_all)), as_json)
    return ExitCode.PROVEN


def search_entries(words: Sequence[str], of_all: bool, as_json: bool) -> int:
    found = _store().search(words, _project(of_all))
    if found or as_json:
        _show(found, as_json)
    else:
        say("No entry holds all of these words.")
    return ExitCode.PROVEN if found else ExitCode.ERROR


def add_note(text: str, files: tuple[str, ...], as_json: bool) -> int:
    if not text.strip():
        raise SettingError("The note is empty.", "Give its text: dualgate memory add TEXT")
    _require_person("add")
    project, store = written_path(here()), _store()
    note = note_of(text, files, project, local_now(), uuid.uuid4().hex)
    store.keep([note], settings_from({}).settings.memory.keep)
    (kept,) = (each for each in store.all(project) if each.entry.key == note.key)
    if as_json:
        say_json(entry_record(kept))
    else:
        say(f"Entry {kept.id} is kept.")
        if not _is_on():
            say(f"The memory is off, so no run recalls it. {_way_on()}")
    return ExitCode.PROVEN


def forget_entries(ids: Sequence[int], yes: bool, as_json: bool) -> int:
    _require_person("forget")
    store = _store()
    found = sorted((each for each in store.all(None) if each.id in ids), key=lambda each: each.id)
    if missing := sorted({*ids} - {each.id for each in found}):
        raise SettingError(f"There is no entry {', '.join(map(str, missing))}.", "See: dualgate memory list --all")
    if not yes:
        if not can_ask():
            raise SettingError("Nothing was forgotten: nobody can be asked.", "Do it without a question: --yes")
        say("\n".join(memory_lines(found, written_path(here()))))
        if not confirm(f"Forget {counted(len(found), 'entry', 'entries')}?"):
            say("Nothing was forgotten.")
            return ExitCode.ERROR
    store.forget([each.id for each in found])
    if as_json:
        say_json({"forgotten": [each.id for each in found]})
    else:
        say(f"{counted(len(found), 'entry is', 'entries are')} gone.")
    return ExitCode.PROVEN


def export_entries(of_all: bool, as_json: bool) -> int:
    found = _store().all(_project(of_all))
    if as_json:
        _show(found, as_json=True)
    else:
        say_document(export_text(found, written_path(here())))
    return ExitCode.PROVEN


def switch(on: bool, of_all: bool, as_json: bool) -> int:
    _require_person("on" if on else "off")
    change = switch_on if on else switch_off
    change(_file(), _project(of_all))
    if as_json:
        say_json({"enabled": _is_on(), "file": str(_file())})
        return ExitCode.PROVEN
    where = "all projects" if of_all else "this project"
    say(f"The memory is {'on' if on else 'off'} for {where}.")
    if on and not _is_on():
        say(f"It is not used yet. {_way_on()}")
    return ExitCode.PROVEN


def _show(entries: Sequence[StoredEntry], as_json: bool) -> None:
    if as_json:
        listed = [entry_record(each) for each in entries]
        say_json({"entries": listed, "enabled": _is_on(), "file": str(_file())})
        return
    say("\n".join(memory_lines(entries, written_path(here()))))
    if not _is_on():
        say(f"The memory is off: runs recall and keep nothing. {_way_on()}")


def _is_on() -> bool:
    return _is_set() and not is_off(_file(), written_path(here()))


def _is_set() -> bool:
    return settings_from({}).settings.memory.enabled


def _way_on() -> str:
    return "Switch it on with: dualgate memory on" if _is_set() else "The setting memory.enabled is false."


def _require_person(command: str) -> None:
    require_person(f"memory {command}", _file())


def _store() -> MemoryStore:
    return MemoryStore(_file(), our_redactor(), lambda text: click.echo(f"dualgate: {text}", err=True))


def _file() -> Path:
    return memory_store(here(), os.environ)


def _project(of_all: bool) -> str | None:
    return None if of_all else written_path(here())
