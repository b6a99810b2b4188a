"""Installed agents -> lines for people. `AgentRow` is a copy: display may not import agents."""

from collections.abc import Iterable
from dataclasses import dataclass

from dualgate.display.lines import Line, Tone

LOGINS = {"found": "login found", "not_found": "no login found", "unknown": "login unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRow:
    name: str
    path: str | None
    version: str | None
    login: str
    login_from: str | None
    missing: tuple[str, ...]


def agent_lines(rows: Iterable[AgentRow]) -> list[Line]:
    lines = []
    for row in rows:
        lines.append(Line(text=_facts(row), tone=Tone.PLAIN if row.missing else Tone.GOOD))
        lines += [Line(text=f"            missing: {each}", tone=Tone.QUIET) for each in row.missing]
    return lines


def _facts(row: AgentRow) -> str:
    if row.path is None:
        return f"{row.name:10}  not installed"
    source = f" ({row.login_from})" if row.login_from else ""
    return f"{row.name:10}  {row.version or 'version unknown'}  {LOGINS[row.login]}{source}  {row.path}"
