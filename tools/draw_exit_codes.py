"""The exit codes -> the first table of docs/exit-codes.md."""

import re
from pathlib import Path

from dualgate.errors import ExitCode
from tools.markdown import cell, table, texts_under_fields

PAGE = Path(__file__).parent.parent / "docs" / "exit-codes.md"
FIRST_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def page() -> str:
    """The page with its first table as it has to be."""
    return FIRST_TABLE.sub(lambda _: codes(), PAGE.read_text(encoding="utf-8"), count=1)


def codes() -> str:
    """Each code once: the first paragraph of its text is the meaning, the second what to do."""
    texts = texts_under_fields(ExitCode)
    rows = []
    for code in ExitCode:
        meaning, _, next_step = texts[code.name].partition("\n\n")
        rows.append((str(int(code)), cell(meaning), cell(next_step)))
    return table(("code", "meaning", "what to do"), rows)
