"""LoopState, Metrics -> the summary of document 001 in a box, aligned by the width of each character."""

from collections.abc import Iterator
from pathlib import PurePath

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.controls import as_documented
from dualgate.core.record.metrics import Metrics
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Phase, Status
from dualgate.display.lines import Line, cut, fitted, width
from dualgate.display.summary import current_iteration, self_reviewed, standing_reason

_LEAST, _MOST = 30, 100
_BAR = 24
_LABEL = 12
_NARROW = 44
"""Columns inside the box below which words are left out."""
_SIGNS = {
    Phase.RED: "🔴",
    Phase.GREEN: "🟢",
    Phase.REFACTOR: "🔵",
    Phase.DOCUMENT: "📝",
    Phase.QA: "🔍",
    Phase.BUILD: "🔨",
}
_ASCII = str.maketrans(
    {"╔": "+", "╗": "+", "╚": "+", "╝": "+", "╠": "+", "╣": "+", "═": "-", "║": "|", "█": "#", "░": ".", "…": "~"}
    | {"├": "|", "└": "`", "─": "-", "✓": "*"}
)


def box(state: LoopState, metrics: Metrics, columns: int = 62, ascii_only: bool = False) -> str:
    """The box, as wide as the terminal within limits."""
    inner = min(max(columns, _LEAST), _MOST) - 4
    rows = [cut(row, inner) for row in _rows(state, metrics, inner, ascii_only)]
    edge = "═" * (inner + 2)
    title = "LOOP STATE SUMMARY".center(inner)
    body = [f"║ {row}{' ' * (inner - width(row))} ║" for row in (title, *rows)]
    drawn = "\n".join([f"╔{edge}╗", body[0], f"╠{edge}╣", *body[1:], f"╚{edge}╝"])
    return drawn.translate(_ASCII) if ascii_only else drawn


def progress_bar(percent: int, columns: int = _BAR) -> str:
    filled = columns * min(max(percent, 0), 100) // 100
    return "█" * filled + "░" * (columns - filled)


def _rows(state: LoopState, metrics: Metrics, inner: int, ascii_only: bool) -> Iterator[str]:
    tests, breaker = metrics.view.tests, state.breaker
    sign = "" if ascii_only else f" ({_SIGNS[state.phase]})"
    yield f"Session:    {state.session_id[:8]}…"
    yield f"Begun:      {state.started_at:%Y-%m-%d %H:%M}"
    yield f"PRP:        {PurePath(state.prp_file).name}"
    yield f"Phase:      {state.phase}{sign}"
    yield f"Iteration:  {current_iteration(state)}/{state.max_iterations}"
    yield f"Tests:      {tests.passing}/{tests.total} passing"
    yield f"Status:     {as_documented(state).status}{_proof(state)}"
    yield from _labelled("Reason:", standing_reason(state), inner)
    yield from _labelled("Rejected:", _rejections(state), inner)
    blocked = f", blocked: {breaker.blocked}" if breaker.blocked else ""
    yield from _labelled("Breaker:", f"{breaker.state}{blocked}", inner)
    yield ""
    yield "Progress:"
    phases = PHASES[state.workflow]
    for phase in phases:
        branch = "└──" if phase is phases[-1] else "├──"
        yield f"{branch} {f'{phase}:':<10}{_phase(state, metrics, phase, inner < _NARROW)}"
    yield ""
    percent = overall_progress(state)
    yield f"Overall:    {progress_bar(percent, min(_BAR, inner - _LABEL - 5))} {percent:>3}%"


def _labelled(label: str, text: str, inner: int) -> Iterator[str]:
    """A row with its label, and rows below it for what does not fit; none without a text."""
    for number, part in enumerate(fitted(Line(text=text, hang=0), inner - _LABEL) if text else []):
        yield f"{'' if number else label:<{_LABEL}}{part.text}"


def _rejections(state: LoopState) -> str:
    if not state.rejections:
        return ""
    count = len(state.rejections)
    return f"{'once' if count == 1 else f'{count} times'}, last {state.rejections[-1].at:%Y-%m-%d %H:%M}"


def _proof(state: LoopState) -> str:
    if state.status is not Status.COMPLETED:
        return ""
    return f"{' and proven' if state.proven else ', not proven'}{self_reviewed(state)}"


def _phase(state: LoopState, metrics: Metrics, phase: Phase, is_narrow: bool) -> str:
    visit = state.visit(phase)
    iterations = max(visit.iterations if visit else 0, state.iteration if phase is state.phase else 0)
    counted = f"{iterations} {'iteration' if iterations == 1 else 'iterations'}"
    if phase in state.phases_completed:
        return f"✓ complete ({iterations if is_narrow else counted})"
    if phase in state.phases_forced and (phase is not state.phase or state.status is Status.COMPLETED):
        return "skipped, not proven"
    if phase is not state.phase:
        return "pending"
    if state.status is Status.HALTED:
        return f"halted after {iterations if is_narrow else counted}"
    return f"… iteration {current_iteration(state)}, {metrics.view.progress}%"
