"""HaltReport, Ways -> the rows that explain a halt: evidence, attempts, advice and commands."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from dualgate.core.record.halting import HaltReport, Way
from dualgate.core.values.changes import REQUEST
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.state import Attempt
from dualgate.display.lines import cut, printable

Row = tuple[str, str]
INDENT = 9
"""Columns of a label and the space behind it."""
_RESULT_SHOWN = 160
_SAID_SHOWN = 120


def labelled(label: str, texts: Sequence[str]) -> list[Row]:
    """Rows of which only the first has the label."""
    return [("" if number else label, text) for number, text in enumerate(texts)]


def halt_rows(report: HaltReport) -> list[Row]:
    """The evidence, the failing tests, false claims, reverted changes, and what was tried."""
    failing = [f"{test.id}: {test.message}" for test in report.failing]
    failing += [f"and {report.more_failing} more"] if report.more_failing else []
    return [
        *labelled("Evidence", report.evidence),
        *labelled("Failing", failing),
        *labelled("Claimed", report.false_claims),
        *labelled("Refused", [each.removeprefix(REQUEST) for each in report.violations if each.startswith(REQUEST)]),
        *labelled("Reverted", [each for each in report.violations if not each.startswith(REQUEST)]),
        *labelled("Agents", report.agents_out),
        *labelled("Tried", list(_tried(report))),
    ]


def _tried(report: HaltReport) -> Iterator[str]:
    """One row for each attempt; attempts with the same changes and the same result share one."""
    for _, group in groupby(report.tried, key=lambda attempt: (attempt.changed, attempt.said, attempt.result)):
        same = list(group)
        first, last = same[0].iteration, same[-1].iteration
        place = f"{report.phase} {first}" if first == last else f"{report.phase} {first}-{last}"
        yield f"{place}: {'; '.join(_parts(same[-1], report))}"


def _parts(attempt: Attempt, report: HaltReport) -> Iterator[str]:
    yield f"changed {listed(attempt.changed, 3)}" if attempt.changed else "no file changed"
    if attempt.said:
        yield f'the agent said "{cut(printable(attempt.said), _SAID_SHOWN)}"'
    is_last = attempt.result == report.tried[-1].result and (report.evidence or report.failing)
    yield f"result: {'as above' if is_last else cut(printable(attempt.result), _RESULT_SHOWN) or 'none'}"


def way_rows(ways: Sequence[Way], advice: str, columns: int) -> list[Row]:
    """The advice, then each command with its effect; in a narrow terminal the effect is on a line before it."""
    widest = max((len(each.command) for each in ways), default=0)
    effects = max((len(each.effect) for each in ways), default=0)
    if INDENT + widest + 2 + effects <= columns:
        texts = [f"{each.command:<{widest}}  {each.effect}" for each in ways]
    else:
        texts = [text for each in ways for text in (f"{each.effect}:", f"  {each.command}")]
    return labelled("Next", [*([advice] if advice else []), *texts])


def in_short(report: HaltReport) -> str:
    """`GREEN after 3 iterations: no progress in 3 iterations`."""
    iterations = f" after {counted(report.iteration, 'iteration', 'iterations')}" if report.iteration else ""
    return f"{report.phase}{iterations}: {report.why}"
