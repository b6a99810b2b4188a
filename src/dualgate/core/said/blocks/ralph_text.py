"""text <-> RALPH_STATUS: the last complete block, read strictly. Doubts are reported; nothing is guessed."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from dualgate.core.said.blocks.fields import Gathered, gather, too_long
from dualgate.core.said.blocks.flat_json import flat_entries
from dualgate.core.said.blocks.lines import BlockLine, entries, form_of, stray
from dualgate.core.said.blocks.rules import contradictions, not_honoured
from dualgate.core.said.blocks.scan import Block, BlockKind, decode, scan
from dualgate.core.said.blocks.value_forms import BOOLEAN, LINE, TOKEN, number, word
from dualgate.core.values.problems import Found, Malformed, Missing, Problem, error, has_errors, in_order, warning
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus, WorkType

FORMS = {
    "STATUS": word(WorkStatus),
    "TASKS_COMPLETED_THIS_LOOP": number(),
    "FILES_MODIFIED": number(),
    "TESTS_STATUS": word(SuiteStatus),
    "WORK_TYPE": word(WorkType),
    "EXIT_SIGNAL": BOOLEAN,
    "RECOMMENDATION": LINE,
}
# known to dualgate alone, and written only if there is a value
EXTENSIONS = {"CALL": TOKEN}
_KNOWN = FORMS | EXTENSIONS
ATTRIBUTES = {name: name.lower() for name in _KNOWN} | {"TASKS_COMPLETED_THIS_LOOP": "tasks_completed"}
# written for a missing field
CAUTIOUS = {
    "STATUS": WorkStatus.IN_PROGRESS,
    "TASKS_COMPLETED_THIS_LOOP": 0,
    "FILES_MODIFIED": 0,
    "TESTS_STATUS": SuiteStatus.NOT_RUN,
    "WORK_TYPE": WorkType.IMPLEMENTATION,
    "EXIT_SIGNAL": False,
    "RECOMMENDATION": "none",
}


def read_ralph_status(text: str | bytes) -> Found[RalphStatus] | Malformed[RalphStatus] | Missing:
    """Read the last complete block. Whether its signal counts depends on the phase: see `rules.not_honoured`."""
    words = decode(text)
    gathered = gather_ralph(words, scan(words, BlockKind.RALPH_STATUS).last)
    if gathered is None:
        return Missing()
    fields = ralph_fields(gathered)
    if has_errors(gathered.problems):
        return Malformed(problems=gathered.problems, fields=fields)
    return Found(fields=fields, problems=gathered.problems)


def emit_ralph_status(fields: RalphStatus) -> str:
    """The block in its exact form; a missing field gets its most cautious value.

    The block is read back as a check: a broken rule raises ValueError.
    """
    text = _block_text(fields)
    if broken := _why_refused(text):
        raise ValueError(f"this cannot be written as a RALPH_STATUS block: {'; '.join(map(str, broken))}")
    return text


def gather_ralph(text: str, block: Block | None) -> Gathered | None:
    """The values of the delimited block; without a block, of a text that is one flat JSON object."""
    if block is not None:
        return _from_block(block)
    members = flat_entries(text, _KNOWN)
    if not members:
        return None
    read = gather(members, _KNOWN)
    as_json = warning("json", "the block is given as JSON", line=members[0].line)
    return _with(read, (as_json, *read.problems, *_missing(read, members[0].line)))


def ralph_fields(gathered: Gathered) -> RalphStatus:
    return RalphStatus(**{ATTRIBUTES[name]: value for name, value in gathered.values.items()})


def _from_block(block: Block) -> Gathered:
    if refused := too_long(block):
        return refused
    strays: list[Problem] = []
    read = gather(_fields(entries(block), strays), _KNOWN)
    problems = [*form_of(block), *strays, *read.problems, *_missing(read, block.line)]
    if not problems and _block_text(ralph_fields(read)) != block.raw:
        problems.append(warning("form", "the block is not in its exact form", line=block.line))
    return _with(read, problems)


def _fields(found: Iterable[BlockLine], strays: list[Problem]) -> Iterator[BlockLine]:
    for entry in found:
        if entry.key is None or entry.indented:
            strays.append(stray(entry))
        else:
            yield entry


def _missing(read: Gathered, line: int) -> Iterator[Problem]:
    if not read.lines:
        yield error("empty_block", "the block has none of the seven fields", line=line)
    for name in FORMS:
        if name not in read.lines:
            yield warning("missing_field", f"{name} is missing", field=name, line=line)


def _with(read: Gathered, problems: Iterable[Problem]) -> Gathered:
    return replace(read, problems=in_order(problems))


def _block_text(fields: RalphStatus) -> str:
    values: dict[str, Any] = {name: getattr(fields, attribute) for name, attribute in ATTRIBUTES.items()}
    values = {name: CAUTIOUS.get(name) if value in (None, "") else value for name, value in values.items()}
    values["EXIT_SIGNAL"] = "true" if values["EXIT_SIGNAL"] is True else "false"
    kind = BlockKind.RALPH_STATUS
    return "\n".join(
        (kind.opening, *(f"{name}: {value}" for name, value in values.items() if value is not None), kind.closing)
    )


def _why_refused(text: str) -> tuple[Problem, ...]:
    match read_ralph_status(text):
        case Found(fields=read, problems=()) if _block_text(read) == text:
            return _broken_rules(read)
        case Found(problems=(_, *_) as why) | Malformed(problems=why):
            return tuple(why)
        case _:
            return (error("illegal_value", "RECOMMENDATION contains another block", field="RECOMMENDATION"),)


def _broken_rules(fields: RalphStatus) -> tuple[Problem, ...]:
    """The rules that the fields break in every phase; GREEN and RED suffice, since only RED ends with failing tests."""
    broken = [(*not_honoured(fields, phase), *contradictions(fields, phase)) for phase in (Phase.GREEN, Phase.RED)]
    return broken[0] if all(broken) else ()
