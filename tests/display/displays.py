"""Displays word for word, at the widths of a phone, a terminal and a wide one.

They are kept in tests/data/displays. After a change, write them again with `UPDATE_DISPLAYS=1 pytest tests/display`,
and read the difference.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from dualgate.display.lines import Line, fitted, width
from dualgate.testing import NOW

FOLDER = Path(__file__).parents[1] / "data" / "displays"
WIDTHS = (40, 80, 140)


def drawn(lines: Sequence[Line], columns: int) -> str:
    """Lines as a terminal of this width shows them."""
    return "".join(f"{part.text.rstrip()}\n" for line in lines for part in fitted(line, columns))


def require_same(name: str, lines: Sequence[Line], columns: int) -> None:
    """Compare a display with the one that is kept; no row is wider than the terminal, no sign steers it."""
    local = f"{NOW.astimezone():%Y-%m-%d %H:%M}"
    text = drawn(lines, columns).replace(local, f"{NOW:%Y-%m-%d %H:%M}")
    path = FOLDER / f"{name}-{columns}.txt"
    if os.environ.get("UPDATE_DISPLAYS"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text)
    assert max(map(width, text.splitlines())) <= columns
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert text == path.read_text()
