"""The declaration of settings -> the tables in docs/configuration.md."""

import re
from pathlib import Path

from dualgate.settings import Settings
from dualgate.settings.keys import KEYS, NAMED, value_at
from tools.markdown import table

PAGE = Path(__file__).parent.parent / "docs" / "configuration.md"
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def page() -> str:
    """The page with its tables as they have to be: that of the keys, and that of the keys in tables with names."""
    tables = iter((keys(), named_keys()))
    return TABLE.sub(lambda _: next(tables), PAGE.read_text(encoding="utf-8"))


def keys() -> str:
    defaults = Settings()
    rows = [
        (f"`{name}`", " ".join(f"`{flag}`" for flag in key.flags), key.kind.show(value_at(defaults, key)), key.doc)
        for name, key in KEYS.items()
        if name.count(".") < 2  # those of a phase are told in a sentence
    ]
    return table(("key", "flag", "default", "what it is for"), rows)


def named_keys() -> str:
    rows = [
        (f"`{'.'.join(filter(None, (group, 'NAME', last)))}`", key.doc)
        for group, named in NAMED.items()
        for last, key in named.keys.items()
    ]
    return table(("key", "what it is for"), rows)
