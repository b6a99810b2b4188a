"""Entries, forms -> the values of the named fields, each read by its form."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.core.said.blocks.lines import BlockLine
from dualgate.core.said.blocks.scan import LONGEST_BLOCK, Block
from dualgate.core.said.blocks.value_forms import ValueForm, looks_like_template, read_value
from dualgate.core.values.problems import SHOWN, Problem, error, warning

TOLERATED = {
    "bold": "the name is in bold",
    "case": "the value is not written in its exact case",
    "remark": "a remark follows the value",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The legal values by name, and the problems of the others."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    """The line where each field first appears, legal or not."""
    problems: tuple[Problem, ...]


def gather(found: Iterable[BlockLine], forms: Mapping[str, ValueForm]) -> Gathered:
    """Read each entry by the form of its field. A repeated field counts only if all its values are equal."""
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    for entry in found:
        name = entry.key or ""
        if name not in forms:
            problems.append(_unknown(name, entry.line, forms))
            continue
        value, complaints = _read_entry(entry, name, forms[name])
        problems += complaints
        if name not in lines:
            lines[name], values[name] = entry.line, value
        else:
            problems.append(_repeated(name, entry.line, same=values[name] == value is not None))
            values[name] = value if values[name] == value else None
    legal = {name: values[name] for name in forms if values.get(name) is not None}
    return Gathered(values=legal, lines=lines, problems=tuple(problems))


def too_long(block: Block) -> Gathered | None:
    """The error for a block that is longer than `LONGEST_BLOCK`, else None."""
    if len(block.raw) <= LONGEST_BLOCK:
        return None
    why = error("too_long", f"the block is longer than {LONGEST_BLOCK} characters", line=block.line)
    return Gathered(values={}, lines={}, problems=(why,))


def tolerated(code: str, name: str, line: int) -> Problem:
    return warning(code, f"{name}: {TOLERATED[code]}", field=name, line=line)


def illegal_value(entry: BlockLine, name: str, form: ValueForm) -> Problem:
    given = entry.value or ""
    if looks_like_template(given):
        message = f"{name} is still the placeholder of a template: {given[:SHOWN]}"
        return error("placeholder", message, field=name, line=entry.line)
    return error("illegal_value", f"{name} must be {form.expected}: {given[:SHOWN]}", field=name, line=entry.line)


def _unknown(name: str, line: int, forms: Mapping[str, ValueForm]) -> Problem:
    if name.upper() in forms:
        return error("key_case", f"{name[:SHOWN]} must be written {name.upper()}", field=name.upper(), line=line)
    return warning("unknown_field", f"there is no field {name[:SHOWN]}; it is ignored", field=name[:SHOWN], line=line)


def _read_entry(entry: BlockLine, name: str, form: ValueForm) -> tuple[Any, list[Problem]]:
    read = None if entry.value is None else read_value(form, entry.value)
    if read is None:
        return None, [illegal_value(entry, name, form)]
    codes = (*(("bold",) if entry.bold else ()), *read.tolerated)
    return read.value, [tolerated(code, name, entry.line) for code in codes]


def _repeated(name: str, line: int, *, same: bool) -> Problem:
    if same:
        return warning("repeated_field", f"{name} is given twice", field=name, line=line)
    return error("conflicting_values", f"{name} is given twice with different values", field=name, line=line)
