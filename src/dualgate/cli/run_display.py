"""How a run is shown: the live view on a terminal, lines elsewhere, problems alone, or JSON."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dualgate.cli.progress_line import is_terminal, progress_line
from dualgate.cli.watching import steadfast, watch_json, watch_people, watch_problems
from dualgate.core.values.control import Control
from dualgate.session.furnish import Session
from dualgate.session.host import Host
from dualgate.session.record import Watcher
from dualgate.settings import Settings
from dualgate.store.account import Account

if TYPE_CHECKING:
    from dualgate.cli.screen import Screen


class Style(StrEnum):
    VIEW = "view"
    """The live view where there is a terminal for it, else as PLAIN."""
    PLAIN = "plain"
    """One line after the other, without a line that is overwritten."""
    QUIET = "quiet"
    """Problems and the result."""
    JSON = "json"


_WATCHERS: dict[Style, Watcher] = {
    Style.VIEW: watch_people,
    Style.PLAIN: watch_people,
    Style.QUIET: watch_problems,
    Style.JSON: watch_json,
}
_LOGGED = (Style.VIEW, Style.PLAIN)
_OVERWRITTEN = (Style.VIEW, Style.JSON)


def style_of(plain: bool, quiet: bool, as_json: bool) -> Style:
    """The style that flags ask for; JSON is for programs, so it comes first."""
    return Style.JSON if as_json else Style.QUIET if quiet else Style.PLAIN if plain else Style.VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDisplay:
    watch: Watcher
    control: Control
    screen: "Screen | None" = None

    def hosted(self, host: Host, account: Account | None = None) -> Host:
        """The host, whose messages are written above the view. A resumed session brings its account."""
        if self.screen is None:
            return host
        if account:
            self.screen.recall(account.state, account.metrics.view)
        return replace(host, tell=self.screen.telling(host.tell))

    def attach(self, session: Session) -> None:
        """Let the keys of the view steer a session."""
        if self.screen:
            self.screen.attach(session.rooms.inbox)


@contextmanager
def run_display(
    control: Control, style: Style, settings: Settings, watch: Watcher | None = None
) -> Iterator[RunDisplay]:
    """Show a run until the block ends. `watch` replaces the watcher of the style."""
    watch = steadfast(watch or _WATCHERS[style])
    if style is Style.VIEW and is_terminal(sys.stdout):
        with _view(settings) as screen:
            yield RunDisplay(
                watch=screen.over(watch), control=replace(control, on_activity=screen.heard), screen=screen
            )
        return
    with progress_line(control, in_log=style in _LOGGED, on_screen=style in _OVERWRITTEN) as (line, speaking):
        yield RunDisplay(watch=line.over(watch), control=speaking)


@contextmanager
def _view(settings: Settings) -> Iterator["Screen"]:
    from dualgate.cli.screen import Screen, running  # rich is needed on a terminal only
    from dualgate.cli.terminal import Terminal
    from dualgate.display.view.run_view import TimeLimits

    keyboard = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    terminal = Terminal(sys.stdout.fileno(), keyboard, sys.stdout.encoding or "utf-8")
    with running(Screen(terminal, TimeLimits(call=settings.timeout, tests=settings.test_timeout))) as screen:
        yield screen
