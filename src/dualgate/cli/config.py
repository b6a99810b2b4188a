"""dualgate config: every setting, its value, and the source of the value."""

import click

from dualgate.cli.options import setting_options, settings_from
from dualgate.cli.output import say, say_json
from dualgate.display.settings import setting_page, settings_record, settings_table
from dualgate.errors import SettingError
from dualgate.settings.keys import nearest
from dualgate.settings.resolving import LIST_ALL, Entry, resolve


@click.command()
@setting_options
@click.option("--show", "wanted", metavar="KEY", help="This setting alone with what it is for, or this group of them.")
@click.option("--defaults", is_flag=True, help="The defaults, whatever files, environment and flags say.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: for each key its value, source and where.")
def config(wanted: str | None, defaults: bool, as_json: bool, **flags: object) -> None:
    """Show the settings that hold in the current folder, and where each value came from.

    Later sources win: default, user file, project file, environment, flag. The flags are those of run.
    """
    entries = (resolve({}, {}) if defaults else settings_from(flags)).entries()
    chosen = _chosen(entries, wanted) if wanted else entries
    if as_json:
        say_json(settings_record(chosen))
    else:
        lines = setting_page(chosen[0]) if wanted == chosen[0].key.name else settings_table(chosen)
        say("\n".join(lines))


def _chosen(entries: tuple[Entry, ...], wanted: str) -> tuple[Entry, ...]:
    found = tuple(entry for entry in entries if f"{entry.key.name}.".startswith(f"{wanted}."))
    if not found:
        meant = nearest(wanted)
        question = f"Did you mean {meant}? " if meant else ""
        raise SettingError(f"There is no setting {wanted}.", f"{question}{LIST_ALL}")
    return found
