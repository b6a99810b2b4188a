"""Lines of rich text -> the bytes of a terminal: escape codes for the 16 colours, or for none."""

from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

_CONSOLE = Console(color_system="standard", force_terminal=True, legacy_windows=False)


def rendered(line: Text, in_colour: bool) -> str:
    """One line with escape codes; without colour, bold and dim stay."""
    parts = []
    for text, style, _ in line.render(_CONSOLE):
        style = style if in_colour or style is None else style.without_color
        parts.append(style.render(text, color_system=ColorSystem.STANDARD) if style else text)
    return "".join(parts)
