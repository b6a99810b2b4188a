"""Make every page that comes from the code: `make reference`. Tests compare the pages with the code."""

from collections.abc import Callable
from pathlib import Path

from tools import draw_commands, draw_events, draw_exit_codes, draw_machine, draw_phases, draw_schemas, draw_settings

PAGES: dict[Path, Callable[[], str]] = {
    tool.PAGE: tool.page
    for tool in (draw_commands, draw_events, draw_exit_codes, draw_machine, draw_phases, draw_schemas, draw_settings)
}

if __name__ == "__main__":
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
