"""The order of the phases and their returns -> docs/assets/phases.svg, a picture that no page has to compute."""

from collections.abc import Iterator
from pathlib import Path

from dualgate.core.machine.phases import RETURNS, phase_after
from dualgate.core.values.vocabulary import PHASES, Status, Workflow

PAGE = Path(__file__).parent.parent / "docs" / "assets" / "phases.svg"
WIDTH, HEIGHT, GAP, TOP, ROW = 104, 36, 46, 70, 136
STYLE = """text { font: 13px system-ui, sans-serif; fill: #1b2b29 } .label { font-size: 12px; fill: #35524e }
rect { fill: #e0f2f1; stroke: #00796b; stroke-width: 1.5 } path { fill: none; stroke: #35524e; stroke-width: 1.5 }
.end { fill: #00796b } .end + text { fill: #fff } .page { fill: #fff; stroke: #b2c8c5 }"""


def page() -> str:
    """The whole picture: one row for each workflow, with the completed state at the right end."""
    columns = max(len(phases) for phases in PHASES.values())
    size = (columns + 1) * (WIDTH + GAP) + GAP, TOP + ROW * (len(PHASES) - 1) + HEIGHT + 24
    body = "\n".join(line for row, workflow in enumerate(PHASES) for line in workflow_row(row, workflow, columns))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" role="img">
<title>The phases: RED, GREEN, REFACTOR, DOCUMENT, QA; or BUILD alone</title>
<style>{STYLE}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 8 4 0 8z" style="fill:#35524e;stroke:none"/></marker></defs>
<rect class="page" x="1" y="1" width="{size[0] - 2}" height="{size[1] - 2}" rx="8"/>
{body}
</svg>
"""


def workflow_row(row: int, workflow: Workflow, columns: int) -> Iterator[str]:
    phases = PHASES[workflow]
    top = TOP + row * ROW
    yield f'<text class="label" x="{GAP}" y="{top - 44 if row == 0 else top - 16}">workflow {workflow}</text>'
    left = {str(phase): GAP + column * (WIDTH + GAP) for column, phase in enumerate(phases)}
    left[Status.COMPLETED] = GAP + columns * (WIDTH + GAP)
    for name, x in left.items():
        yield box(name, x, top, "end" if name == Status.COMPLETED else "")
    for phase in phases:
        target = str(phase_after(phase) or Status.COMPLETED)
        yield arrow(left[phase] + WIDTH, left[target], top + HEIGHT // 2)
    for (phase, outcome), target in RETURNS.items():
        if phase in phases:
            yield from arc(left[phase] + WIDTH // 2, left[target] + WIDTH // 2, top, str(outcome))


def box(name: str, x: int, y: int, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{x + WIDTH // 2}" y="{y + 23}" text-anchor="middle">{name}</text>'
    )


def arrow(start: int, end: int, y: int) -> str:
    return f'<path d="M{start} {y} H{end - 2}" marker-end="url(#tip)"/>'


def arc(start: int, end: int, top: int, label: str) -> Iterator[str]:
    """A return: above the row where it leads back, below where it leads on."""
    edge, height = (top, -34) if end < start else (top + HEIGHT, 34)
    middle = edge + height
    yield f'<path d="M{start} {edge} C{start} {middle} {end} {middle} {end} {edge}" marker-end="url(#tip)"/>'
    place = f'x="{(start + end) // 2}" y="{edge + height * 0.75 + (-5 if height < 0 else 14):.0f}"'
    yield f'<text class="label" {place} text-anchor="middle">{label}</text>'
