"""The machine's tables -> docs/machine.md. Run it after a change of the tables; a test holds the page to them."""

from pathlib import Path

from dualgate.core.machine.moves import FIRST_PHASE, NEXT, STATUS_MOVES
from dualgate.core.values.limits import THRESHOLDS, Limits
from dualgate.core.values.verdict import BreakerState, Outcome
from dualgate.core.values.vocabulary import Phase, Workflow

PAGE = Path(__file__).parent.parent / "docs" / "machine.md"
LIMITS = Limits()
ADVANCING = (Outcome.PASS, Outcome.REJECT, Outcome.BLOCK)


def page() -> str:
    return f"""# The machine

This page is drawn from the tables in `core/machine/moves.py` and `core/values/limits.py` by `tools/draw_machine.py`.

## Phases

Staying (`stay`, `retry`, `limited`) is left out of the picture; it is in the table below.

```mermaid
stateDiagram-v2
{phases()}
```

| phase | {" | ".join(Outcome)} |
| --- |{" --- |" * len(Outcome)}
{rows()}

`pass`: both gates held in this iteration. `stay`: they did not. `reject`: the review said no. `retry`: the call failed
and left no work, which is no iteration. `limited`: a limit was met and is waited for, which is none either. `block`:
the agent asked for help twice in a row, or the call met what only a person can mend. An absent pair is a bug.

## Status

```mermaid
stateDiagram-v2
{statuses()}
```

## Breaker

`{BreakerState.CLOSED}`, `{BreakerState.HALF_OPEN}` after {LIMITS.half_open_after} iterations without measured progress,
`{BreakerState.OPEN}` at the threshold of the phase. Progress closes it. Open, it halts the run.

| phase | no progress | same error |
| --- | --- | --- |
{thresholds()}

Besides: {LIMITS.empty_calls} empty answers or {LIMITS.failed_calls} failed calls in a row halt the run; so does the
rejection after {LIMITS.qa_returns} returns from QA to GREEN.
"""


def phases() -> str:
    starts = [f"    [*] --> {FIRST_PHASE[workflow]}: {workflow}" for workflow in Workflow]
    moves = [
        f"    {phase} --> {target}: {outcome}"
        for (phase, outcome), target in NEXT.items()
        if outcome in ADVANCING and target is not phase
    ]
    return "\n".join((*starts, *moves))


def rows() -> str:
    return "\n".join(
        f"| {phase} | {' | '.join(str(NEXT.get((phase, outcome), '')) for outcome in Outcome)} |" for phase in Phase
    )


def statuses() -> str:
    return "\n".join(f"    {before} --> {after}" for before, after in sorted(STATUS_MOVES))


def thresholds() -> str:
    return "\n".join(f"| {phase} | {limit.no_progress} | {limit.same_error} |" for phase, limit in THRESHOLDS.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
