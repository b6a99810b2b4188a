"""The machine's tables -> docs/machine.md."""

from pathlib import Path

from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.phases import RETURNS, STATUS_MOVES
from dualgate.core.values.limits import THRESHOLDS, Limits
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import BreakerState, Phase

PAGE = Path(__file__).parent.parent / "docs" / "machine.md"
LIMITS = Limits()


def page() -> str:
    return f"""# The machine

`make reference` makes this page from the tables that the code obeys: `PHASES` in `core/values/vocabulary.py`,
`RETURNS` and `STATUS_MOVES` in `core/machine/phases.py`, `HALTS` in `core/gates/halts.py` and the thresholds in
`core/values/limits.py`.

## Phases

![The phases and their returns](assets/phases.svg)

Each iteration has one outcome:

| outcome | when | what follows |
| --- | --- | --- |
| `{Outcome.PASS}` | both gates are open in this iteration | the next phase |
| `{Outcome.STAY}` | a gate is shut | another iteration |
| `{Outcome.WEAK}` | both gates are open, but the tests of a criterion [do not notice broken code](sensitivity.md) | \
{RETURNS[Phase.GREEN, Outcome.WEAK]}, to rewrite these tests; {LIMITS.rewrites} times at most |
| `{Outcome.UNREWRITTEN}` | the tests were not rewritten | \
{RETURNS[Phase.RED, Outcome.UNREWRITTEN]}, with the old tests |
| `{Outcome.REJECT}` | the review rejects | {RETURNS[Phase.QA, Outcome.REJECT]} |
| `{Outcome.RETRY}` | the call failed and changed nothing | the same call again; not an iteration |
| `{Outcome.LIMITED}` | the agent met a limit | the run waits; not an iteration |
| `{Outcome.BLOCK}` | the agent said BLOCKED twice in a row, or only a person can fix the problem | the run halts |
| `{Outcome.STUCK}` | the answers of BUILD show the same error again and again | the run halts |

If a fallback agent is available, it takes over instead of a halt.

## Halts

| cause | when | decision | ways to continue |
| --- | --- | --- | --- |
{halts()}

| way | command |
| --- | --- |
| `resume` | `dualgate resume` |
| `raise` | `dualgate resume` with a larger budget; the message shows the flag |
| `reset` | `dualgate resume --reset` |
| `guide` | `dualgate resume --reset --guidance TEXT` |
| `skip` | `dualgate skip PHASE`; not before the baseline |
| `approve`, `reject` | `dualgate approve`, `dualgate reject REASON`: an [amendment](amendments.md#who-approves) |
| `answer` | `dualgate answer TEXT` |
| `abort` | `dualgate abort` |
| `start` | `dualgate run … --fresh` |

If the specification changed, commands that resume need `--respec` or `--keep-spec`, and are shown with them.

## Status

| from | to |
| --- | --- |
{statuses()}

## Breaker

| state | when |
| --- | --- |
| `{BreakerState.CLOSED}` | at the start, and after measured progress |
| `{BreakerState.HALF_OPEN}` | \
after {LIMITS.half_open_after} iterations without measured progress, or when the agent says BLOCKED |
| `{BreakerState.OPEN}` | \
at the threshold of the phase, or when the run halts because the agent is blocked; the run halts, unless a \
[stronger model](agents.md#let-a-stronger-model-take-over) takes over: then it is half open again |

Iterations in a row at which the breaker opens:

| phase | no progress | same error |
| --- | --- | --- |
{thresholds()}

{LIMITS.empty_calls} empty answers or {LIMITS.failed_calls} failed calls in a row halt the run too. So does a rejection
after {LIMITS.qa_returns} returns from QA to GREEN.
"""


def halts() -> str:
    return "\n".join(
        f"| {cause} | {halt.when} | {halt.decision or ''} | {', '.join(halt.ways)} |" for cause, halt in HALTS.items()
    )


def statuses() -> str:
    return "\n".join(f"| `{before}` | `{after}` |" for before, after in sorted(STATUS_MOVES))


def thresholds() -> str:
    return "\n".join(f"| {phase} | {limit.no_progress} | {limit.same_error} |" for phase, limit in THRESHOLDS.items())
