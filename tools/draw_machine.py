"""The machine's tables -> docs/machine.md. Run it after a change of the tables; a test holds the page to them."""

from pathlib import Path

from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.moves import RETURNS, STATUS_MOVES, first_phase, phase_after
from dualgate.core.values.limits import THRESHOLDS, Limits
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import PHASES, BreakerState, Workflow

PAGE = Path(__file__).parent.parent / "docs" / "machine.md"
LIMITS = Limits()


def page() -> str:
    return f"""# The machine

This page is drawn by `tools/draw_machine.py` from the tables that the code obeys: `PHASES` in
`core/values/vocabulary.py`, `RETURNS` and `STATUS_MOVES` in `core/machine/moves.py`, `HALTS` in `core/gates/halts.py`
and the thresholds in `core/values/limits.py`.

## Phases

```mermaid
stateDiagram-v2
{phases()}
```

Each iteration has one outcome. `{Outcome.PASS}`: both gates are open in this iteration, and the next phase begins.
`{Outcome.STAY}`: they are not. `{Outcome.WEAK}`: they are, but tests of a criterion
[do not notice broken code](sensitivity.md) and are rewritten, {LIMITS.rewrites} times at most.
`{Outcome.UNREWRITTEN}`: they were not, and the old ones stay. `{Outcome.REJECT}`: the review says no.
`{Outcome.RETRY}`: the call failed and left no work, which is no iteration. `{Outcome.LIMITED}`: a limit was met and is
waited for, which is no iteration either. `{Outcome.BLOCK}`: the agent asked for help twice in a row, or the call met
what only a person can fix. `{Outcome.STUCK}`: the answers of BUILD show the same error again and again. `block` and
`stuck` halt; the others halt for a cause of the table below. Where another agent can take over, it does, and nothing
halts.

## Halts

| cause | when | decision | what a person can do |
| --- | --- | --- | --- |
{halts()}

`raise` is `dualgate resume` with more of what is spent, as the message says. `resume`, `skip` and `abort` are
commands; `reset` is `dualgate resume --reset`, `guide` adds `--guidance TEXT` to it, `start` is
`dualgate run … --fresh`. Where the specification was changed, those that resume need `--respec` or `--keep-spec`, and
are shown so.
Before the baseline no phase can be skipped.

## Status

```mermaid
stateDiagram-v2
{statuses()}
```

## Breaker

`{BreakerState.CLOSED}`, `{BreakerState.HALF_OPEN}` after {LIMITS.half_open_after} iterations without measured progress,
`{BreakerState.OPEN}` at the threshold of the phase. Progress closes it. Open, it halts the run. An agent that says
BLOCKED makes it `{BreakerState.HALF_OPEN}`, with its reason; where the run halts for that, it is `{BreakerState.OPEN}`.

| phase | no progress | same error |
| --- | --- | --- |
{thresholds()}

Besides: {LIMITS.empty_calls} empty answers or {LIMITS.failed_calls} failed calls in a row halt the run; so does the
rejection after {LIMITS.qa_returns} returns from QA to GREEN.
"""


def phases() -> str:
    starts = [f"    [*] --> {first_phase(workflow)}: {workflow}" for workflow in Workflow]
    order = [phase for phases in PHASES.values() for phase in phases]
    moves = [f"    {phase} --> {phase_after(phase) or 'completed'}: {Outcome.PASS}" for phase in order]
    returns = [f"    {phase} --> {target}: {outcome}" for (phase, outcome), target in RETURNS.items()]
    return "\n".join((*starts, *moves, *returns))


def halts() -> str:
    return "\n".join(
        f"| {cause} | {halt.when} | {halt.decision or ''} | {', '.join(halt.ways)} |" for cause, halt in HALTS.items()
    )


def statuses() -> str:
    return "\n".join(f"    {before} --> {after}" for before, after in sorted(STATUS_MOVES))


def thresholds() -> str:
    return "\n".join(f"| {phase} | {limit.no_progress} | {limit.same_error} |" for phase, limit in THRESHOLDS.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
