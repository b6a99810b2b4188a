"""The languages, in the order in which their suites are found. To add one, write a file here and add a line below."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from dualgate.languages import go, javascript, jvm, others, php, python, ruby, rust
from dualgate.languages.base import Language

LANGUAGES: tuple[Language, ...] = (
    python.LANGUAGE,
    jvm.LANGUAGE,
    ruby.LANGUAGE,
    php.LANGUAGE,
    go.LANGUAGE,
    rust.LANGUAGE,
    javascript.LANGUAGE,
    *others.LANGUAGES,
)
INSTALLED = tuple(dict.fromkeys(name for language in LANGUAGES for name in language.installed))
"""Folders with installed packages."""


def languages_of(command: Sequence[str], folder: Path) -> list[Language]:
    """The languages of a suite, by the programs in its command, else by the signs in its folder."""
    named = {PurePosixPath(word).name.rstrip("0123456789.") for word in re.split(r"[\s;&|()'\"]+", " ".join(command))}
    found = [language for language in LANGUAGES if not named.isdisjoint(language.programs)]
    return found or [each for each in LANGUAGES if any((folder / sign).exists() for sign in each.signs)]
