"""Settings and where they came from -> lines of a table."""

from collections.abc import Iterable
from typing import Any

from dualgate.settings.resolving import Entry

TITLES = ("KEY", "VALUE", "SOURCE")


def settings_table(entries: Iterable[Entry]) -> list[str]:
    rows = [TITLES, *((entry.key.name, shown_value(entry), _source(entry)) for entry in entries)]
    name, value = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{row[0]:<{name}}  {row[1]:<{value}}  {row[2]}".rstrip() for row in rows]


def settings_record(entries: Iterable[Entry]) -> dict[str, Any]:
    return {
        entry.key.name: {"value": entry.value, "source": entry.origin.source.value, "where": entry.origin.where or None}
        for entry in entries
    }


def setting_page(entry: Entry) -> list[str]:
    """One setting with its purpose and its legal values."""
    return [
        f"{entry.key.name} = {shown_value(entry)}",
        f"source  {_source(entry)}",
        f"what    {entry.key.doc}",
        f"legal   {entry.key.kind.legal}",
    ]


def shown_value(entry: Entry) -> str:
    """The value on one line, with escapes for control characters."""
    shown = entry.key.kind.show(entry.value)
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in shown)


def _source(entry: Entry) -> str:
    return f"{entry.origin.source} {entry.origin.where}".rstrip()
