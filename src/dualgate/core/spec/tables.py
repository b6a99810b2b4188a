"""Table -> its columns by what they hold: ids, texts, kinds, steps, or whether a task is done."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dualgate.core.spec.kinds import COMMAND
from dualgate.core.spec.markdown import Node, Row
from dualgate.core.spec.roles import bare
from dualgate.core.spec.wording import CRITERION_ID, codes, plain
from dualgate.core.values.specification import Kind

_HEADERS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "id": r"^(?:id|#|no\.?|nr\.?|number|ac|ref(?:erence)?|key|(?:criterion|requirement|req|story|task) id)$",
        "kind": r"^(?:kind|criterion kind)$",
        "criteria": r"criteri(?:on|a)|kriterium|critère|criterio",
        "verification": r"^verif\w*$|^how to verify$|^checked by$",
        "whole": r"criteri(?:on|a)|requirement|description|statement|kriterium|critère|criterio|beschreibung",
        "text": r"criteri(?:on|a)|requirement|description|condition|scenario|behaviou?r|statement|what|expected"
        r"|kriterium|critère|criterio|beschreibung",
        "command": r"^(?:check )?commands?$",
        "aside": r"^(?:priority|moscow|status|state|owner|notes?|remarks?|verif\w*|tests?(?: \w+)?|kind|type|effort"
        r"|estimate|points|level|source|comment|done)$",
        "dropped": r"^(?:priority|moscow|status|state)$",
        "task": r"^(?:task|work item|item|action|step|to-?do|description|what|title|name)s?$",
        "done": r"^(?:status|state|done|complete[d]?|progress)\??$",
        "given": r"^given$",
        "when": r"^when$",
        "then": r"^then$",
    }.items()
}
_KIND = re.compile(r"`?(?P<kind>new|keep|check|review)`?(?:\s*:\s*(?P<command>.+))?", re.IGNORECASE)
_TESTS = re.compile(r"\b(?:\w*test\w*|jest|tox|nox|rspec|phpunit|playwright)\b", re.IGNORECASE)
_DROPPED = re.compile(
    r"(?:won['’]?t|could|rejected|dropped|out of scope|removed|superseded|cancell?ed)\b", re.IGNORECASE
)
_TICKED = re.compile(r"^(?:\[?x\]?|done|complete[d]?|finished|yes|✅|✔️?|☑️?)$", re.IGNORECASE)
_PLAIN_ID = re.compile(r"[*_`]*(?P<id>[A-Za-z][\w]*[-_.]?[\w.-]*\d|\d+(?:\.\d+)*)[*_`]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row as an item; `line` counts from 0."""

    line: int
    id: str
    text: str
    kind: Kind | None = None
    command: str = ""
    done: bool = False


def has_text_column(table: Node) -> bool:
    """Whether the header or the ids say that the rows are criteria."""
    header, *rows = table.rows
    return _column(header.cells, _HEADERS["text"]) is not None or _column_of_ids(rows) is not None


def read_rows(table: Node, text_column: str) -> list[Entry]:
    """The rows of a table whose texts stand in the column that `text_column` names, else in the longest one."""
    header, *rows = table.rows
    columns = {name: _column(header.cells, pattern) for name, pattern in _HEADERS.items()}
    ids = columns["id"] if columns["id"] is not None else _column_of_ids(rows)
    texts = columns[text_column]
    if texts is None or texts == ids:
        texts = _longest(rows, ids)
    steps = [columns[name] for name in ("given", "when", "then")]
    kept = [row for row in rows if any(row.cells) and not _DROPPED.match(plain(_cell(row, columns["dropped"])))]
    told = _telling(header, ids) if text_column == "text" and _is_split(rows, columns, texts) else []
    if columns["criteria"] not in (None, texts) and text_column == "text":
        told = [(place, "") for place in (texts, columns["criteria"]) if place is not None]
    return [_entry(row, ids, texts, steps, columns, told) for row in kept]


_SHORT = 12


def _is_split(rows: Sequence[Row], columns: Mapping[str, int | None], texts: int | None) -> bool:
    """Whether a row says something only by all its columns, such as an input and an output."""
    if columns["whole"] is not None:
        return False
    return columns["text"] is not None or sum(len(_cell(row, texts)) for row in rows) < _SHORT * len(rows)


def _telling(header: Row, ids: int | None) -> list[tuple[int, str]]:
    """The columns that say something together, such as input and expected output, with their names."""
    places = [(place, name) for place, name in enumerate(header.cells) if place != ids and name]
    return [(place, plain(name)) for place, name in places if not _HEADERS["aside"].search(bare(name) or name)]


def _entry(
    row: Row,
    ids: int | None,
    texts: int | None,
    steps: Sequence[int | None],
    columns: Mapping[str, int | None],
    told: Sequence[tuple[int, str]],
) -> Entry:
    parts = [f"{name} {_cell(row, column)}" for name, column in zip(("Given", "When", "Then"), steps, strict=True)]
    if None not in steps:
        text = ", ".join(parts)
    elif len(told) > 1:
        cells = [(name, _cell(row, place)) for place, name in told if _cell(row, place)]
        text = "; ".join(f"{name}: {cell}" for name, cell in cells) if told[0][1] else ": ".join(c for _, c in cells)
    else:
        text = _cell(row, texts)
    found = _PLAIN_ID.fullmatch(_cell(row, ids))
    own_id = found["id"] if found else ""
    command = plain(_cell(row, columns["command"])).strip("` ") or _verifying(_cell(row, columns["verification"]))
    kind = _KIND.fullmatch(plain(_cell(row, columns["kind"])).strip("[] "))
    return Entry(
        line=row.line,
        id="" if own_id.replace(".", "").isdigit() else own_id,
        text=text.replace("<br>", "\n").replace("\\|", "|"),
        kind=Kind(kind["kind"].lower()) if kind else Kind.CHECK if command else None,
        command=((kind["command"] or "").strip("` ") if kind else "") or command,
        done=_TICKED.match(plain(_cell(row, columns["done"])).strip("` ")) is not None,
    )


def _verifying(cell: str) -> str:
    """The command of a tool that a row is verified by; tests prove a criterion by themselves."""
    commands = codes(cell)
    is_tool = len(commands) == 1 and COMMAND.fullmatch(commands[0]) and not _TESTS.search(commands[0])
    return commands[0] if is_tool else ""


def _cell(row: Row, column: int | None) -> str:
    return row.cells[column] if column is not None and column < len(row.cells) else ""


def _column(header: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    return next((place for place, cell in enumerate(header) if pattern.search(bare(cell) or cell)), None)


def _column_of_ids(rows: Sequence[Row]) -> int | None:
    """The first column if every cell in it is an id of a criterion."""
    firsts = [_cell(row, 0).strip("*_` ") for row in rows]
    return 0 if firsts and all(CRITERION_ID.fullmatch(cell) for cell in firsts) else None


def _longest(rows: Sequence[Row], ids: int | None) -> int | None:
    width = max((len(row.cells) for row in rows), default=0)
    sizes = {place: sum(len(_cell(row, place)) for row in rows) for place in range(width) if place != ids}
    return max(sizes, key=lambda place: sizes[place], default=None)
