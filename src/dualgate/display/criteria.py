"""CriterionStates -> the table of the criteria: id, kind, state, text and proof, one line each."""

from collections.abc import Sequence

from dualgate.core.values.specification import PROVEN_BY_TESTS, CriterionState
from dualgate.display.lines import GAP, cut, printable, width

COLUMNS = 80
LONGEST_ID = 14
MOST_TEXT = 28
HEADINGS = ("Criterion", "Kind", "State", "Text", "Proven by")


def criteria_lines(rows: Sequence[CriterionState], columns: int = COLUMNS) -> list[str]:
    """The table with its headings, each line within the columns; empty if there are no criteria."""
    if not rows:
        return []
    cells = [HEADINGS[:3], *((cut(printable(row.id), LONGEST_ID), row.kind.value, row.state.value) for row in rows)]
    widths = [max(width(line[place]) for line in cells) for place in range(3)]
    rest = columns - sum(widths) - 4 * len(GAP)
    text = min(MOST_TEXT, rest // 2 + rest % 2)
    last = [HEADINGS[3:], *((" ".join(row.text.split()), _proof(row)) for row in rows)]
    return [
        GAP.join(
            [*map(_padded, line, widths), _padded(cut(printable(said), text), text), cut(printable(proof), rest - text)]
        ).rstrip()
        for line, (said, proof) in zip(cells, last, strict=True)
    ]


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _proof(row: CriterionState) -> str:
    """The first proof, a test by its own name, and how many more there are."""
    if not row.proof:
        return ""
    first = row.proof[0].rpartition("::")[2] if row.kind in PROVEN_BY_TESTS else row.proof[0]
    return f"{first} +{len(row.proof) - 1}" if len(row.proof) > 1 else first
