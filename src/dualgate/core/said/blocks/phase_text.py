"""text <-> PRP_PHASE_STATUS, with its sections, its list and its invariants; and the log of these blocks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dualgate.core.said.blocks.fields import Gathered, gather, illegal_value, tolerated, too_long
from dualgate.core.said.blocks.lines import BlockLine, entries, form_of, stray
from dualgate.core.said.blocks.scan import Block, BlockKind, all_blocks, decode, scan
from dualgate.core.said.blocks.value_forms import BOOLEAN, LINE, MOMENT_WITH_ZONE, moment_text, number, read_value, word
from dualgate.core.values.phase_status import CaseCounts, FileCounts, PhaseStatus
from dualgate.core.values.problems import (
    SHOWN,
    Found,
    Malformed,
    Missing,
    Problem,
    error,
    has_errors,
    in_order,
    warning,
)
from dualgate.core.values.vocabulary import BreakerState, Phase, WorkStatus

BLOCKERS = "BLOCKERS"
_NO_BLOCKER = "none"
FORMS = {
    "TIMESTAMP": MOMENT_WITH_ZONE,
    "PHASE": word(Phase),
    "STATUS": word(WorkStatus),
    "ITERATION": number(1),
    "PROGRESS_PERCENT": number(0, 100),
    "TESTS.TOTAL": number(),
    "TESTS.PASSING": number(),
    "TESTS.FAILING": number(),
    "TESTS.SKIPPED": number(),
    "FILES.CREATED": number(),
    "FILES.MODIFIED": number(),
    "FILES.DELETED": number(),
    "CIRCUIT_BREAKER.STATE": word(BreakerState),
    "CIRCUIT_BREAKER.NO_PROGRESS_COUNT": number(),
    "DUAL_GATE.GATE_1": BOOLEAN,
    "DUAL_GATE.GATE_2": BOOLEAN,
    "DUAL_GATE.CAN_EXIT": BOOLEAN,
    "EXIT_SIGNAL": BOOLEAN,
    "RECOMMENDATION": LINE,
}
ORDER = (*tuple(FORMS)[:-2], BLOCKERS, *tuple(FORMS)[-2:])
SECTIONS = {name.partition(".")[0] for name in FORMS if "." in name} | {BLOCKERS}
_EXTENSION = {Phase.QA, Phase.BUILD}


def read_phase_status(text: str | bytes) -> Found[PhaseStatus] | Malformed[PhaseStatus] | Missing:
    """Read the last complete block."""
    block = scan(decode(text), BlockKind.PRP_PHASE_STATUS).last
    return Missing() if block is None else read_phase_block(block)


def read_phase_block(block: Block) -> Found[PhaseStatus] | Malformed[PhaseStatus]:
    gathered = gather_phase(block)
    if has_errors(gathered.problems):
        return Malformed(problems=gathered.problems)
    return Found(fields=_phase_status(gathered.values), problems=gathered.problems)


def emit_phase_status(status: PhaseStatus) -> str:
    """The block in its exact form. It is read back as a check: an illegal value raises ValueError."""
    text = phase_status_text(status)
    match read_phase_status(text):
        case Found(fields=read) if read == status:
            return text
        case Malformed(problems=why):
            raise ValueError(f"this cannot be written as a PRP_PHASE_STATUS block: {'; '.join(map(str, why))}")
        case _:
            raise ValueError("this cannot be written as a PRP_PHASE_STATUS block: it reads back as something else")


def log_addition(tail: str, status: PhaseStatus) -> str:
    """The text to append to a log that ends with `tail` (two characters are enough): a blank line, then the block.

    A torn last line gets a line end first; otherwise the opening delimiter would become part of that line.
    """
    gap = "" if not tail or tail.endswith("\n\n") else "\n" if tail.endswith("\n") else "\n\n"
    return f"{gap}{emit_phase_status(status)}\n"


def read_log(text: str | bytes) -> tuple[Found[PhaseStatus] | Malformed[PhaseStatus], ...]:
    """Every complete block of a log, in order; a block that a crash cut off is skipped."""
    return tuple(map(read_phase_block, all_blocks(decode(text), BlockKind.PRP_PHASE_STATUS)))


def gather_phase(block: Block) -> Gathered:
    """The values by their dotted names, BLOCKERS as a tuple, and their problems."""
    if refused := too_long(block):
        return refused
    outline = _outline(entries(block))
    read = gather(outline.fields, FORMS)
    blockers, complaints = _blockers(outline)
    given = dict(read.values) if blockers is None else {**read.values, BLOCKERS: blockers}
    values = {name: given[name] for name in ORDER if name in given}
    problems = [*form_of(block), *read.problems, *outline.problems, *complaints, *_missing(read, outline, block.line)]
    problems += _broken_invariants(values, read.lines)
    if not problems and phase_status_text(_phase_status(values)) != block.raw:
        problems.append(warning("form", "the block is not in its exact form", line=block.line))
    problems += _extensions(values, read.lines)
    return Gathered(values=values, lines=read.lines, problems=in_order(problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outline:
    """The entries sorted: fields by dotted names, the items of BLOCKERS, the lines of section headers."""

    fields: list[BlockLine] = field(default_factory=list)
    items: list[BlockLine] = field(default_factory=list)
    headers: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def _outline(found: Iterable[BlockLine]) -> _Outline:
    outline = _Outline()
    section = ""
    for entry in found:
        if entry.key is not None and not entry.indented:
            section = _enter(entry, outline)
        elif entry.key is not None and section in SECTIONS - {BLOCKERS}:
            outline.fields.append(replace(entry, key=f"{section}.{entry.key}"))
        elif entry.key is None and entry.value is not None and section == BLOCKERS:
            outline.items.append(entry)
        elif section in (*SECTIONS, ""):
            outline.problems.append(stray(entry))
    return outline


def _enter(entry: BlockLine, outline: _Outline) -> str:
    """The section that an unindented line opens, or "". The content of an unknown section is skipped."""
    name = entry.key or ""
    if name not in SECTIONS:
        outline.fields.append(entry)
        return "" if entry.value or name in FORMS else name
    if name in outline.headers:
        outline.problems.append(error("conflicting_values", f"{name} is given twice", field=name, line=entry.line))
    if entry.value:
        message = f"{name} has its values on lines of their own: {entry.value[:SHOWN]}"
        outline.problems.append(error("illegal_value", message, field=name, line=entry.line))
    if entry.bold:
        outline.problems.append(tolerated("bold", name, entry.line))
    outline.headers.setdefault(name, entry.line)
    return name


def _blockers(outline: _Outline) -> tuple[tuple[str, ...] | None, list[Problem]]:
    read = [(item, read_value(LINE, item.value or "")) for item in outline.items]
    illegal = [illegal_value(item, BLOCKERS, LINE) for item, value in read if value is None]
    texts = tuple(str(value.value) for _, value in read if value is not None)
    line = outline.headers.get(BLOCKERS)
    if illegal or line is None:
        return None, illegal
    if not texts:
        return (), [warning("empty_list", f"{BLOCKERS} is empty; write '- {_NO_BLOCKER}'", field=BLOCKERS, line=line)]
    named = tuple(text for text in texts if text.lower() != _NO_BLOCKER)
    if named and named != texts:
        return None, [error("conflicting_values", f"{BLOCKERS} has none and blockers", field=BLOCKERS, line=line)]
    is_exact = named or texts == (_NO_BLOCKER,)
    return named, [] if is_exact else [tolerated("case", BLOCKERS, line)]


def _missing(read: Gathered, outline: _Outline, line: int) -> Iterator[Problem]:
    for name in ORDER:
        if name not in read.lines and name not in outline.headers:
            yield error("missing_field", f"{name} is missing", field=name, line=line)


def _broken_invariants(values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Problem]:
    tests: list[Any] = [values.get(f"TESTS.{name}") for name in ("TOTAL", "PASSING", "FAILING", "SKIPPED")]
    if None not in tests and sum(tests[1:]) != tests[0]:
        message = f"PASSING + FAILING + SKIPPED is {sum(tests[1:])}, but TOTAL is {tests[0]}"
        yield error("tests_total", message, field="TESTS.TOTAL", line=lines["TESTS.TOTAL"])
    gates = [values.get(f"DUAL_GATE.{name}") for name in ("CAN_EXIT", "GATE_1", "GATE_2")]
    if None not in gates and all(gates[1:]) != gates[0]:
        message = "CAN_EXIT must be true if GATE_1 and GATE_2 both are, and false if not"
        yield error("can_exit", message, field="DUAL_GATE.CAN_EXIT", line=lines["DUAL_GATE.CAN_EXIT"])


def _extensions(values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Problem]:
    phase = values.get("PHASE")
    if phase in _EXTENSION:
        yield warning("extension", f"{phase} is a phase that only dualgate has", field="PHASE", line=lines["PHASE"])


def _phase_status(values: Mapping[str, Any]) -> PhaseStatus:
    return PhaseStatus(
        timestamp=values["TIMESTAMP"],
        phase=values["PHASE"],
        status=values["STATUS"],
        iteration=values["ITERATION"],
        progress_percent=values["PROGRESS_PERCENT"],
        tests=CaseCounts(
            passing=values["TESTS.PASSING"], failing=values["TESTS.FAILING"], skipped=values["TESTS.SKIPPED"]
        ),
        files=FileCounts(
            created=values["FILES.CREATED"], modified=values["FILES.MODIFIED"], deleted=values["FILES.DELETED"]
        ),
        breaker=values["CIRCUIT_BREAKER.STATE"],
        no_progress_count=values["CIRCUIT_BREAKER.NO_PROGRESS_COUNT"],
        gate_1=values["DUAL_GATE.GATE_1"],
        gate_2=values["DUAL_GATE.GATE_2"],
        blockers=values[BLOCKERS],
        exit_signal=values["EXIT_SIGNAL"],
        recommendation=values["RECOMMENDATION"],
    )


def phase_status_text(status: PhaseStatus) -> str:
    """The block without a check, for callers that compare it with an earlier block."""
    kind = BlockKind.PRP_PHASE_STATUS
    tests, files = status.tests, status.files
    return f"""\
{kind.opening}
TIMESTAMP: {moment_text(status.timestamp)}
PHASE: {status.phase}
STATUS: {status.status}
ITERATION: {status.iteration}
PROGRESS_PERCENT: {status.progress_percent}

TESTS:
  TOTAL: {tests.total}
  PASSING: {tests.passing}
  FAILING: {tests.failing}
  SKIPPED: {tests.skipped}

FILES:
  CREATED: {files.created}
  MODIFIED: {files.modified}
  DELETED: {files.deleted}

CIRCUIT_BREAKER:
  STATE: {status.breaker}
  NO_PROGRESS_COUNT: {status.no_progress_count}

DUAL_GATE:
  GATE_1: {_truth(status.gate_1)}
  GATE_2: {_truth(status.gate_2)}
  CAN_EXIT: {_truth(status.can_exit)}

BLOCKERS:
{_items(status.blockers)}

EXIT_SIGNAL: {_truth(status.exit_signal)}
RECOMMENDATION: {status.recommendation}
{kind.closing}"""


def _items(blockers: tuple[str, ...]) -> str:
    return "\n".join(f"  - {blocker}" for blocker in blockers or (_NO_BLOCKER,))


def _truth(value: bool) -> str:
    return "true" if value else "false"
