"""LoopState, Metrics -> the summary of document 001 in a box, aligned by how wide a terminal shows each character."""

from collections.abc import Iterable
from pathlib import PurePath
from unicodedata import combining, east_asian_width

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.controls import as_documented
from dualgate.core.record.metrics import Metrics
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Phase, Status

WIDTH = 58
BAR = 24
ASCII = str.maketrans(
    {"╔": "+", "╗": "+", "╚": "+", "╝": "+", "╠": "+", "╣": "+", "═": "-", "║": "|", "█": "#", "░": ".", "…": "~"}
    | {"├": "|", "└": "`", "─": "-", "✓": "*"}
)


def box(state: LoopState, metrics: Metrics, ascii_only: bool = False) -> str:
    rows = [_cut(row) for row in _rows(state, metrics)]
    edge = "═" * (WIDTH + 2)
    title = "LOOP STATE SUMMARY".center(WIDTH)
    body = [f"║ {row}{' ' * (WIDTH - width(row))} ║" for row in (title, *rows)]
    drawn = "\n".join([f"╔{edge}╗", body[0], f"╠{edge}╣", *body[1:], f"╚{edge}╝"])
    return drawn.translate(ASCII) if ascii_only else drawn


def width(text: str) -> int:
    """Columns that a terminal takes for a text: wide characters take two, marks that join take none."""
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def progress_bar(percent: int, columns: int = BAR) -> str:
    filled = columns * min(max(percent, 0), 100) // 100
    return "█" * filled + "░" * (columns - filled)


def _rows(state: LoopState, metrics: Metrics) -> Iterable[str]:
    tests = metrics.view.tests
    yield f"Session:    {state.session_id[:8]}…"
    yield f"PRP:        {PurePath(state.prp_file).name}"
    yield f"Phase:      {state.phase}, {metrics.view.progress}%"
    yield f"Iteration:  {state.iteration}/{state.max_iterations}"
    yield f"Tests:      {tests.passing}/{tests.total} passing"
    yield f"Status:     {as_documented(state).status}{_proof(state)}"
    yield f"Breaker:    {state.breaker.state}"
    yield ""
    yield "Progress:"
    phases = PHASES[state.workflow]
    for phase in phases:
        branch = "└──" if phase is phases[-1] else "├──"
        yield f"{branch} {f'{phase}:':<10}{_phase(state, phase)}"
    yield ""
    percent = overall_progress(state)
    yield f"Overall:    {progress_bar(percent)} {percent:>3}%"


def _proof(state: LoopState) -> str:
    if state.status is not Status.COMPLETED:
        return ""
    return " and proven" if state.proven else ", not proven"


def _phase(state: LoopState, phase: Phase) -> str:
    visit = state.visit(phase)
    iterations = visit.iterations if visit else 0
    if phase in state.phases_completed:
        return f"✓ complete ({iterations} {'iteration' if iterations == 1 else 'iterations'})"
    if phase in state.phases_forced and (phase is not state.phase or state.status is Status.COMPLETED):
        return "skipped, not proven"
    return f"… {state.iteration}/{state.max_iterations} iterations" if phase is state.phase else "pending"


def _cut(text: str) -> str:
    if width(text) <= WIDTH:
        return text
    kept = ""
    for sign in text:
        if width(kept + sign) >= WIDTH:
            break
        kept += sign
    return f"{kept}…"
