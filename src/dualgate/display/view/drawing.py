"""RunView, columns, rows -> lines of rich text. The 16 colours of the terminal, bold and dim only: any theme fits."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from rich.text import Text

from dualgate.core.record.run_facts import Mark
from dualgate.core.values.notation import harmless
from dualgate.core.values.vocabulary import Phase
from dualgate.display.lines import cut, width
from dualgate.display.view.run_view import RunView

WIDE = 60
"""Columns from which phases are written out and labels have space."""
MOST_ROWS = 15
ROWS_LEFT = 3
"""Rows that stay for the lines above the view."""
SHORT = {Phase.REFACTOR: "REF", Phase.DOCUMENT: "DOC"}
STYLES = {Mark.DONE: "green", Mark.NOW: "bold", Mark.AHEAD: "dim", Mark.SKIPPED: "red"}
KEYS = (("p", "pause"), ("g", "guide"), ("s", "skip wait"), ("l", "log"), ("q", "quit"), ("?", "help"))
HELP = (
    ("p", "pause after this iteration"),
    ("g", "write guidance for the agent; it is in every prompt from the next one on"),
    ("s", "skip the present wait"),
    ("l", "show or hide the last activities"),
    ("q", "quit: stop the agent now, keep its edits; 'dualgate resume' goes on"),
    ("Ctrl+C", "the same as q; Ctrl+Z suspends the run"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    done: str = "✓"
    now: str = "●"
    ahead: str = "·"
    skipped: str = "–"
    failed: str = "✗"
    full: str = "━"
    rule: str = "─"
    dot: str = "·"
    cursor: str = "▏"
    more: str = "…"

    def of(self, mark: Mark) -> str:
        return {Mark.DONE: self.done, Mark.NOW: self.now, Mark.AHEAD: self.ahead, Mark.SKIPPED: self.skipped}[mark]


UNICODE = Glyphs()
ASCII = Glyphs(done="+", now="*", ahead=".", skipped="-", failed="x", full="#", rule="-", dot="|", cursor="_", more="~")


class Row(NamedTuple):
    text: Text
    rank: int
    """Rows with a higher rank are left out first where the terminal is low."""


def drawn(view: RunView, columns: int, rows: int, glyphs: Glyphs = UNICODE) -> list[Text]:
    """The lines of the view, each narrower than the terminal, and fewer than its rows."""
    page = _Page(columns=max(1, columns - 1), is_wide=columns >= WIDE, glyphs=glyphs)
    every = list(page.rows(_harmless(view)))
    most = max(1, min(rows - ROWS_LEFT, MOST_ROWS + len(view.panel.log) + len(HELP) * view.panel.helps))
    kept = sorted(range(len(every)), key=lambda number: (every[number].rank, number))[:most]
    lines = [every[number].text for number in sorted(kept)]
    for line in lines:
        line.truncate(page.columns, overflow="crop")
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    columns: int
    is_wide: bool
    glyphs: Glyphs

    def rows(self, view: RunView) -> Iterator[Row]:
        yield self._title(view)
        yield self._phases(view)
        yield from self._tests(view)
        yield self._waits(view) if view.waits else self._now(view)
        yield from self._listed("needs", view.needs, "", 3)
        yield from self._listed("caught", view.caught, "red", 4)
        yield from self._listed("review", view.findings, "yellow", 4)
        yield from self._total(view)
        yield from self._panel(view)

    def _title(self, view: RunView) -> Row:
        name = cut(view.title, self.columns - 16)
        head = f"{self.glyphs.rule * 2} {name} "
        tail = f" {view.session} {self.glyphs.rule * 2}"
        rule = self.glyphs.rule * max(0, self.columns - width(head) - width(tail))
        return Row(Text(end="").append(f"{head}{rule}{tail}", style="dim"), 7)

    def _phases(self, view: RunView) -> Row:
        text = Text(" ", end="")
        for number, (phase, mark) in enumerate(view.phases):
            name = phase.value if self.is_wide else SHORT.get(phase, phase.value)
            place = f" {view.iteration}" if mark is Mark.NOW else " skipped" if mark is Mark.SKIPPED else ""
            text.append("  " if number and self.is_wide else " " if number else "")
            text.append(f"{self.glyphs.of(mark)} " if self.is_wide else self.glyphs.of(mark), style=STYLES[mark])
            text.append(f"{name}{place}", style=STYLES[mark])
        return Row(text, 1)

    def _tests(self, view: RunView) -> Iterator[Row]:
        tests, since = view.tests, view.since_baseline
        text = self._label("tests")
        if not tests.total:
            text.append("none yet", style="dim")
            yield Row(text, 2)
            return
        self._bar(text, (tests.passing, "green"), (tests.failing, "red"), (tests.skipped, "dim"))
        text.append(f" {tests.passing}/{tests.total} pass")
        counts = (
            (tests.failing, "failing", "red"),
            (tests.skipped, "skipped", "dim"),
            (since.new, "new", "dim"),
            (since.fixed, "fixed", "green"),
        )
        for count, word, style in counts:
            if count:
                text.append(f" {self.glyphs.dot} ", style="dim").append(f"{count} {word}", style=style)
        yield Row(text, 2)
        most = 3 if len(view.failing) <= 3 else 2
        for name in view.failing[:most]:
            yield Row(self._line("", f"{self.glyphs.failed} {name}", "red"), 6)
        if len(view.failing) > most:
            yield Row(self._line("", f"and {len(view.failing) - most} more", "dim"), 8)

    def _bar(self, text: Text, *shares: tuple[int, str]) -> None:
        """Shares of a bar; a share that is not empty has at least one sign."""
        size = max(6, min(40, self.columns // 5))
        total = sum(count for count, _ in shares)
        signs = [max(1, count * size // total) if count else 0 for count, _ in shares]
        signs[signs.index(max(signs))] += size - sum(signs)
        for count, (_, style) in zip(signs, shares, strict=True):
            text.append(self.glyphs.full * count, style=style)

    def _now(self, view: RunView) -> Row:
        limit = f" of {view.limit}" if view.limit and self.is_wide else ""
        tokens = f" {self.glyphs.dot} {view.tokens}" if view.tokens and self.is_wide else ""
        behind = f" {self.glyphs.dot} {view.elapsed}{limit}{tokens}"
        counted = f"{view.done}/{view.steps} " if view.steps and str(view.steps) not in view.doing else ""
        text = self._label("now")
        room = self.columns - width(text.plain) - width(behind)
        who = cut(view.who, room // 2)
        text.append(who, style="bold")
        text.append(self._cut(f"{'  ' if who else ''}{counted}{view.doing}", room - width(who)))
        return Row(text.append(behind, style="dim"), 0)

    def _waits(self, view: RunView) -> Row:
        skips = f" {self.glyphs.dot} s skips the wait" if view.panel.has_keys else ""
        text = self._label("waits")
        room = self.columns - width(text.plain) - (width(skips) if self.is_wide else 0)
        text.append(self._cut(view.waits, room), style="yellow")
        return Row(text.append(skips if self.is_wide else "", style="dim"), 0)

    def _listed(self, label: str, texts: Iterable[str], style: str, rank: int) -> Iterator[Row]:
        for number, text in enumerate(texts):
            yield Row(self._line("" if number else label, text, style), rank + 4 * bool(number))

    def _total(self, view: RunView) -> Iterator[Row]:
        """Time, cost, tokens and calls as far as there is room; the breaker where it is not at rest."""
        text = self._label("total")
        for number, each in enumerate(view.totals):
            part = f" {self.glyphs.dot} {each}" if number else each
            if width(text.plain) + width(part) <= self.columns:
                text.append(part)
        yield Row(text, 5)
        if view.breaker:
            yield Row(self._line("breaker", view.breaker, "" if view.is_breaker_closed else "yellow"), 5)

    def _panel(self, view: RunView) -> Iterator[Row]:
        panel = view.panel
        for activity in panel.log:
            yield Row(self._line("", activity, "dim"), 4)
        for key, does in HELP if panel.helps else ():
            yield Row(self._line(key, does, ""), 2)
        if panel.guidance is not None:
            yield self._prompt(panel.guidance)
            return
        if panel.notice:
            yield Row(self._line("", panel.notice, "bold"), 1)
        if panel.has_keys:
            keys = [(key, word) for key, word in KEYS if key != "s" or view.waits]
            text = Text(" ", end="")
            for number, (key, word) in enumerate(keys):
                gap = ("  " if self.is_wide else " ") if number else ""
                text.append(gap).append(key, style="bold").append(f" {word}", style="dim")
            yield Row(text, 6)

    def _prompt(self, written: str) -> Row:
        """The line for guidance: its end stays visible, however long it is."""
        text = self._label("guide")
        room = self.columns - width(text.plain) - 2
        shown = _safe(written, keeps_spaces=True)
        while width(shown) > room:
            shown = shown[1:]
        text.append(f"{shown}{self.glyphs.cursor}", style="bold")
        if not written:
            text.append(self._cut(" Enter sends it to the agent, Esc cancels", room), style="dim")
        return Row(text, 0)

    def _line(self, label: str, text: str, style: str) -> Text:
        line = self._label(label)
        return line.append(self._cut(text, self.columns - width(line.plain)), style=style)

    def _label(self, label: str) -> Text:
        return Text(end="").append(f" {label:<8}", style="dim")

    def _cut(self, text: str, columns: int) -> str:
        shortened = cut(text, columns)
        return shortened if shortened == text else shortened.replace("…", self.glyphs.more)


def _harmless(view: RunView) -> RunView:
    """The view with texts on one line each, in which nothing steers a terminal."""
    made: dict[str, Any] = {}
    for each in fields(view):
        value = getattr(view, each.name)
        if type(value) is str:
            made[each.name] = _safe(value)
        elif isinstance(value, tuple) and all(type(item) is str for item in value):
            made[each.name] = tuple(map(_safe, value))
    panel = view.panel
    made["panel"] = replace(panel, log=tuple(map(_safe, panel.log)), notice=_safe(panel.notice))
    return replace(view, **made)


def _safe(text: str, keeps_spaces: bool = False) -> str:
    escaped = harmless(text).encode("utf-8", "replace").decode()
    return escaped.replace("\n", " ").replace("\t", " ") if keeps_spaces else " ".join(escaped.split())
