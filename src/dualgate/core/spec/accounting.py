"""Lines, what was taken from them -> context: the lines that are neither criterion nor task nor command."""

from collections.abc import Iterable, Iterator, Sequence

from dualgate.core.spec.sections import Section
from dualgate.core.values.specification import Context, Criterion, Task, ValidationCommand


def read_context(
    lines: Sequence[str], taken: Iterable[Criterion | Task | ValidationCommand], sections: Sequence[Section]
) -> tuple[Context, ...]:
    """The runs of lines that were not taken, each under its heading; blank lines at the ends of a run are left out."""
    filled = bytes(bool(line.strip()) for line in lines)
    free = bytearray(filled)
    for each in taken:
        first = each.line - 1
        free[first : first + each.lines] = bytes(len(free[first : first + each.lines]))
    starts = [(section.line, section.heading) for section in sections]
    ends = [*(line for line, _ in starts[1:]), len(lines)]
    return tuple(
        Context(heading=heading, line=first + 1, lines=end - first)
        for (start, heading), stop in zip(starts, ends, strict=True)
        for first, end in _runs(free, filled, start, stop)
    )


def _runs(free: bytearray, filled: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Runs of free lines between two lines; blank lines inside a run belong to it."""
    first = last = -1
    for place in range(start, stop):
        if free[place]:
            first = place if first < 0 else first
            last = place
        elif filled[place] and first >= 0:
            yield first, last + 1
            first = -1
    if first >= 0:
        yield first, last + 1
