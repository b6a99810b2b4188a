"""LoopState, Metrics -> the summary of document 001 in a box, aligned by the width of each character."""

from collections.abc import Iterator
from pathlib import PurePath

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.controls import as_documented
from dualgate.core.record.metrics import Metrics
from dualgate.core.record.session_state import current_iteration
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import PHASES, Phase, Status
from dualgate.display.commits import missing_word
from dualgate.display.lines import Line, cut, fitted, printable, width
from dualgate.display.summary import self_reviewed, standing_reason

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


def box(state: LoopState, metrics: Metrics, columns: int = 62, ascii_only: bool = False, died: bool = False) -> str:
    """The box, as wide as the terminal within limits. `died`: no process works on the running session."""
    inner = min(max(columns, _LEAST), _MOST) - 4
    rows = [cut(printable(row), inner) for row in _rows(state, metrics, inner, ascii_only, died)]
    edge = "═" * (inner + 2)
    title = "LOOP STATE SUMMARY".center(inner)
    body = [f"║ {row}{' ' * (inner - width(row))} ║" for row in (title, *rows)]
    drawn = "\n".join([f"╔{edge}╗", body[0], f"╠{edge}╣", *body[1:], f"╚{edge}╝"])
    return drawn.translate(_ASCII) if ascii_only else drawn


def progress_bar(percent: int, columns: int = _BAR) -> str:
    filled = columns * min(max(percent, 0), 100) // 100
    return "█" * filled + "░" * (columns - filled)


def _rows(state: LoopState, metrics: Metrics, inner: int, ascii_only: bool, died: bool) -> Iterator[str]:
    tests = metrics.view.tests
    sign = "" if ascii_only else f" ({_SIGNS[state.phase]})"
    yield f"Session:    {state.session_id[:8]}…"
    yield f"Started:    {state.started_at.astimezone():%Y-%m-%d %H:%M}"
    yield f"PRP:        {PurePath(state.prp_file).name}"
    yield f"Phase:      {state.phase}{sign}"
    yield f"Iteration:  {current_iteration(state)}/{state.max_iterations}"
    yield f"Tests:      {tests.passing}/{tests.total} passing"
    yield f"Status:     {'process died' if died else as_documented(state).status}{_proof(state)}"
    # a halt is explained below the box, where the reason is read with the evidence
    yield from _labelled("Reason:", "" if state.status is Status.HALTED else standing_reason(state), inner)
    yield from _labelled("Rejected:", _rejections(state), inner)
    yield from _labelled("Breaker:", breaker_text(state), inner)
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


def breaker_text(state: LoopState) -> str:
    """`HALF_OPEN, 2 of 3 without progress`: the state, the counts above 0, and why the agent is blocked."""
    breaker, limits = state.breaker, state.limits.of(state.phase)
    parts = [breaker.state.value]
    parts += [f"{breaker.no_progress} of {limits.no_progress} without progress"] if breaker.no_progress else []
    # one iteration is not a repetition yet
    parts += [f"{breaker.same_error} of {limits.same_error} with the same error"] if breaker.same_error > 1 else []
    parts += [f"blocked: {breaker.blocked}"] if breaker.blocked else []
    return ", ".join(parts)


def _rejections(state: LoopState) -> str:
    if not state.rejections:
        return ""
    count, last = len(state.rejections), state.rejections[-1]
    return f"{'once' if count == 1 else f'{count} times'}, last {last.at.astimezone():%Y-%m-%d %H:%M}: {last.reason}"


def _proof(state: LoopState) -> str:
    if state.status is not Status.COMPLETED:
        return ""
    return f"{' and proven' if state.proven else ', not proven'}{self_reviewed(state)}{missing_word(state)}"


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
