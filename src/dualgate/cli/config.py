"""dualgate config: every setting, its value, and the source of the value."""

import click

from dualgate.cli.options import setting_options, settings_from
from dualgate.cli.output import say, say_json
from dualgate.cli.sections import BySubject
from dualgate.cli.words import complete_settings
from dualgate.cli.worktree_option import in_worktree
from dualgate.display.settings import setting_page, settings_record, settings_table
from dualgate.errors import SettingError
from dualgate.settings.keys import setting_meant
from dualgate.settings.resolving import LIST_ALL, Entry, resolve


@click.command(cls=BySubject)
@setting_options
@click.option(
    "--show",
    "wanted",
    metavar="KEY",
    shell_complete=complete_settings,
    help="Show one setting with its meaning, or one group.",
)
@click.option("--defaults", is_flag=True, help="Show the defaults; ignore files, variables and flags.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: the value, source and place of each key.")
def config(wanted: str | None, defaults: bool, as_json: bool, **flags: object) -> None:
    """Show the settings of the current folder, and the source of each value.

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
        raise SettingError(f"There is no setting {wanted}.", f"{setting_meant(wanted)}{LIST_ALL}")
    return found
