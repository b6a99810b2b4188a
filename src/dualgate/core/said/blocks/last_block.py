"""text -> Reading: the last complete status block, for people and programs that want to see the parser's result."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from dualgate.core.said.blocks import ralph_text
from dualgate.core.said.blocks.fields import Gathered
from dualgate.core.said.blocks.rules import contradictions, not_honoured
from dualgate.core.said.blocks.scan import BlockKind, decode, scan
from dualgate.core.said.blocks.value_forms import moment_text
from dualgate.core.values.problems import Problem, Reading, in_order, is_valid, warning
from dualgate.core.values.vocabulary import Phase


def read_block(
    text: str | bytes,
    kinds: Collection[BlockKind] = tuple(BlockKind),
    *,
    strict: bool = False,
    phase: Phase | None = None,
) -> Reading:
    """Read the last complete block of these kinds; `strict` accepts only the exact form."""
    words = decode(text)
    scans = {kind: scan(words, kind) for kind in kinds}
    last = max((one.last for one in scans.values() if one.last), key=lambda block: block.end, default=None)
    count = sum(one.count for one in scans.values())
    torn = [_torn(kind, one.torn_line) for kind, one in scans.items() if one.torn_line]
    if last is not None and last.kind is BlockKind.PRP_PHASE_STATUS:
        from dualgate.core.said.blocks import phase_text

        reading = _reading(last.kind, phase_text.gather_phase(last), torn, count=count, strict=strict)
        return replace(reading, line=last.line)
    gathered = ralph_text.gather_ralph(words, last) if BlockKind.RALPH_STATUS in kinds else None
    if gathered is None:
        return Reading(problems=tuple(torn))
    problems = (*torn, *_judged(gathered, phase))
    reading = _reading(BlockKind.RALPH_STATUS, gathered, problems, count=max(1, count), strict=strict)
    honoured = reading.valid and reading.fields.get("EXIT_SIGNAL") is True
    return replace(reading, honoured=honoured, line=last.line if last else 1)


def _reading(kind: BlockKind, gathered: Gathered, more: Iterable[Problem], *, count: int, strict: bool) -> Reading:
    problems = in_order((*gathered.problems, *more))
    return Reading(
        kind=kind,
        valid=is_valid(problems, strict=strict),
        fields=_nested(gathered.values),
        problems=problems,
        blocks_found=count,
    )


def _judged(gathered: Gathered, phase: Phase | None) -> Iterator[Problem]:
    """The rules that a block breaks, each at the line of its field."""
    fields = ralph_text.ralph_fields(gathered)
    for problem in (*not_honoured(fields, phase), *contradictions(fields, phase)):
        yield replace(problem, line=gathered.lines.get(problem.field or ""))


def _torn(kind: BlockKind, line: int) -> Problem:
    return warning("unterminated", f"a {kind} block begins here and never ends; it is ignored", line=line)


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names become sections, and values become JSON values."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        place = nested.setdefault(section, {}) if section else nested
        place[key] = _plain(value)
    return nested


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return moment_text(value)
        case tuple():
            return list(value)
        case StrEnum():
            return str(value)
        case _:
            return value
