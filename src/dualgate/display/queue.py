"""Rows of a queue -> lines for people, and a Markdown account for the morning."""

from collections.abc import Iterator, Sequence

from dualgate.core.queue.account import overlap_text, shown_use, summary
from dualgate.core.queue.document import Row
from dualgate.core.values.queue import JobState, Overlap
from dualgate.display.lines import GAP, Line, Tone, padded, printable, width

EMPTY = "The queue is empty. Add a specification with: dualgate queue add SPEC"
_TONES = {
    JobState.PROVEN: Tone.GOOD,
    JobState.RUNNING: Tone.GOOD,
    JobState.HALTED: Tone.BAD,
    JobState.BLOCKED: Tone.BAD,
    JobState.FAILED: Tone.BAD,
    JobState.NOT_PROVEN: Tone.BAD,
    JobState.NOT_COMMITTED: Tone.BAD,
}


def queue_lines(rows: Sequence[Row], ended: str = "", overlaps: Sequence[Overlap] = ()) -> Iterator[Line]:
    """Each job with its state, branch and cost; below it the reason, and the next command."""
    if not rows:
        yield Line(EMPTY)
        return
    names = max(width(printable(row.job.id)) for row in rows)
    for row in rows:
        cells = (padded(printable(row.job.id), names), f"{row.state:<13}", shown_use(row.job.use), row.job.branch)
        yield Line(GAP.join(filter(None, cells)).rstrip(), _TONES.get(row.state, Tone.PLAIN))
        if row.why:
            yield Line(f"{' ' * 4}{printable(row.why)}", hang=4)
        if row.next_step and row.state is not JobState.QUEUED:
            yield Line(f"{' ' * 4}next: {printable(row.next_step)}", Tone.QUIET, hang=10)
    yield from (Line(printable(overlap_text(each)), Tone.BAD) for each in overlaps)
    yield Line(f"{summary(rows)}{f'; {ended}' if ended else ''}")


def queue_markdown(rows: Sequence[Row], ended: str, overlaps: Sequence[Overlap] = ()) -> str:
    """The account of a run of the queue."""
    head = ("| job | state | branch | usage | reason | next |", "| --- | --- | --- | --- | --- | --- |")
    body = [
        "| " + " | ".join(_cell(text) for text in _cells(row)) + " |"
        for row in sorted(rows, key=lambda row: row.state is JobState.PROVEN)
    ]
    pairs = [f"- {_cell(overlap_text(each))}" for each in overlaps]
    return "\n".join(("# Queue", "", f"{_cell(summary(rows))}; {_cell(ended)}.", "", *head, *body, "", *pairs, ""))


def _cells(row: Row) -> tuple[str, ...]:
    job = row.job
    return job.id, row.state.value, job.branch, shown_use(job.use), row.why, row.next_step


def _cell(text: str) -> str:
    """A text that cannot end a cell, a row or a tag."""
    plain = " ".join(printable(text).split())
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
