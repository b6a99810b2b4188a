"""Rows of a queue -> lines for people, and a Markdown account for the morning."""

from collections.abc import Iterator, Sequence
from posixpath import basename, splitext

from dualgate.core.queue.account import overlap_text, shown_use, summary
from dualgate.core.queue.document import Row
from dualgate.core.values.naming import slug
from dualgate.core.values.queue import DEFAULT_PRIORITY, JobState, Overlap
from dualgate.display.lines import GAP, Line, Tone, padded, printable, width

EMPTY = "The queue is empty. Add a specification with: dualgate queue add SPEC"
NARROWEST = 13
_TONES = {
    JobState.PROVEN: Tone.GOOD,
    JobState.RUNNING: Tone.GOOD,
    JobState.HALTED: Tone.BAD,
    JobState.BLOCKED: Tone.BAD,
    JobState.FAILED: Tone.BAD,
    JobState.NOT_PROVEN: Tone.BAD,
    JobState.NOT_COMMITTED: Tone.BAD,
    JobState.APPROVAL: Tone.BAD,
}


def queue_lines(rows: Sequence[Row], ended: str = "", overlaps: Sequence[Overlap] = ()) -> Iterator[Line]:
    """Each job with its state, branch and cost; below it the reason, and the next command."""
    if not rows:
        yield Line(EMPTY)
        return
    names = max(width(printable(row.job.id)) for row in rows)
    states = max(NARROWEST, *(len(row.state) for row in rows))
    for row in rows:
        cells = (
            *(padded(printable(row.job.id), names), f"{row.state:<{states}}", _used(row), row.job.branch),
            "" if row.job.priority == DEFAULT_PRIORITY else f"priority {row.job.priority}",
        )
        yield Line(GAP.join(filter(None, cells)).rstrip(), _TONES.get(row.state, Tone.PLAIN))
        if not _is_plain_name(row):
            yield Line(f"{' ' * 4}{printable(row.job.spec)}", Tone.QUIET, hang=4)
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


def _is_plain_name(row: Row) -> bool:
    """Whether the id of a job says which file it works on."""
    return slug(splitext(basename(row.job.spec))[0]) == row.job.id


def _used(row: Row) -> str:
    return shown_use(row.job.use, row.job.escalated)


def _cells(row: Row) -> tuple[str, ...]:
    job = row.job
    return job.id, row.state.value, job.branch, _used(row), row.why, row.next_step


def _cell(text: str) -> str:
    """A text that cannot end a cell, a row or a tag."""
    plain = " ".join(printable(text).split())
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
