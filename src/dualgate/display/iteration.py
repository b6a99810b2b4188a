"""Iteration -> one iteration in full: prompt, answer, diff, tests, claims beside facts, both gates and the decision."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dualgate.core.money.allowances import tell_cost, tell_tokens
from dualgate.core.record.iterations import Iteration
from dualgate.core.values.changes import REQUEST, FileDiff
from dualgate.core.values.notation import counted as count_of
from dualgate.core.values.notation import listed
from dualgate.core.values.spending import Used
from dualgate.core.values.suite import short_id
from dualgate.core.verification.results import first_line
from dualgate.display.halts import Row, labelled
from dualgate.display.lines import Line, Tone, printable, shown, shown_time
from dualgate.display.measuring import counted
from dualgate.display.records import turn_record
from dualgate.display.summary import rows_as_lines

_LINES_SHOWN = 15
_NAMES_SHOWN = 8
_OPEN = {True: "open", False: "shut"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The files kept beside the journal about an iteration; None if it was deleted, with the reason in `missing`."""

    prompts: tuple[tuple[int, str], ...] = ()
    """The number of each call and its prompt."""
    answers: tuple[tuple[int, str], ...] = ()
    diffs: tuple[FileDiff, ...] | None = None
    no_diff: str = ""
    """Why there is no diff."""


def iteration_lines(found: Iteration, texts: Texts, used: Used | None, full: bool, whole: str) -> list[Line]:
    """`whole` is the command that shows the parts that are cut here."""
    cut_to = None if full else _LINES_SHOWN
    return [
        *_head(found, used),
        *_texts("Prompt", texts.prompts, cut_to, whole),
        *_texts("Answer", texts.answers, cut_to, whole),
        *_diff_lines(found, texts, cut_to, whole),
        *_measured(found, full),
        *_judged(found),
    ]


def _head(found: Iteration, used: Used | None) -> list[Line]:
    facts = found.turn.facts
    agents = ", ".join(dict.fromkeys(shown(call.agent) or "the agent" for call in found.calls)) or "no agent"
    calls = ", ".join(str(call.number) for call in found.calls)
    times = [f"agent {shown_time(sum(each.seconds for each in found.ended))}"] if found.ended else []
    seconds = sum(run.report.seconds for run in found.runs if not run.known)
    times += [f"tests {shown_time(seconds)}"] if found.runs else []
    costs = [tell_tokens(used), tell_cost(used)] if used and used.calls else []
    title = f"{facts.phase} {facts.iteration}, iteration {found.number} of the session"
    rows = [
        ("Asked", f"{agents}{f' (call {calls})' if calls else ''}"),
        ("Time", f"{found.started.astimezone():%Y-%m-%d %H:%M:%S}, {shown_time(found.seconds)}{_in(times)}"),
        *([("Used", "; ".join(costs))] if costs else []),
    ]
    return [Line(text=title, tone=Tone.GOOD, hang=0), *rows_as_lines(rows)]


def _in(parts: Sequence[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""


def _texts(label: str, texts: Sequence[tuple[int, str]], cut_to: int | None, whole: str) -> Iterator[Line]:
    if not texts:
        yield from rows_as_lines([(label, "not kept: the files of the oldest calls are deleted")])
    for number, text in texts:
        size = f"call {number}, {len(text):,} characters"
        yield from rows_as_lines([(label, size)])
        yield from _block(text.splitlines(), cut_to, whole)


def _block(rows: Sequence[str], cut_to: int | None, whole: str) -> Iterator[Line]:
    shown_rows = rows if cut_to is None else rows[:cut_to]
    yield from (Line(text=f"  | {printable(row.expandtabs(4))}", tone=Tone.QUIET, hang=4) for row in shown_rows)
    if len(rows) > len(shown_rows):
        more = count_of(len(rows) - len(shown_rows), "more line", "more lines")
        yield Line(text=f"  … {more}: {whole}", hang=4)


def _diff_lines(found: Iteration, texts: Texts, cut_to: int | None, whole: str) -> Iterator[Line]:
    changes = found.turn.facts.observed.changes
    if not changes.paths and not texts.diffs:
        yield from rows_as_lines([("Changed", "no file")])
    elif texts.diffs is None:
        yield from rows_as_lines([("Changed", listed(changes.paths, 20)), ("", texts.no_diff)])
    else:
        total = count_of(len(texts.diffs), "file", "files")
        yield from rows_as_lines([("Changed", f"{total}: {listed(map(_file, texts.diffs), 20)}")])
        rows = [row for each in texts.diffs for row in each.diff.splitlines()]
        yield from _block(rows, None if cut_to is None else 2 * cut_to, whole)
    told = [f"{each.path}: {each.rule}" for each in changes.violations]
    refused = [each.removeprefix(REQUEST) for each in told if each.startswith(REQUEST)]
    yield from rows_as_lines(labelled("Refused", refused), Tone.BAD)
    yield from rows_as_lines(labelled("Reverted", [each for each in told if not each.startswith(REQUEST)]), Tone.BAD)


def _file(diff: FileDiff) -> str:
    return f"{diff.path} ({diff.change}, +{diff.added} -{diff.removed})"


def _measured(found: Iteration, full: bool) -> Iterator[Line]:
    facts, tests = found.turn.facts, found.tests
    seen, most = facts.observed, 1000 if full else _NAMES_SHOWN
    ran = f"{counted(seen.counts)}" if found.runs else "not run"
    yield from rows_as_lines([("Tests", f"{ran}{_runs(found)}")])
    named = (("new", tests.new), ("fixed", tests.fixed), ("broken", tests.broken), ("gone", tests.gone))
    short = [(name, [short_id(each, facts.suites) for each in ids]) for name, ids in named if ids]
    yield from rows_as_lines([("", f"{name}: {listed(ids, most)}") for name, ids in short])
    failing = [f"{short_id(each.id, facts.suites)}: {first_line(each)}" for each in tests.failing[:most]]
    yield from rows_as_lines([("", f"fails: {text}") for text in failing], Tone.BAD)
    if len(tests.failing) > most:
        yield from rows_as_lines([("", f"and {len(tests.failing) - most} more fail")])
    yield from rows_as_lines(labelled("Problem", seen.problems), Tone.BAD)
    checks = (each.check for each in found.checks)
    told = [f"`{check.command}`: {check.problem or f'exit code {check.exit_code}'}" for check in checks]
    yield from rows_as_lines(labelled("Checks", told))


def _runs(found: Iteration) -> str:
    return f" in {count_of(len(found.runs), 'run', 'runs')}" if len(found.runs) > 1 else ""


def _judged(found: Iteration) -> Iterator[Line]:
    turn = found.turn
    claim, verdict = turn.facts.claimed, turn.verdict
    said = [f"status {claim.status or 'missing'}, EXIT_SIGNAL {'true' if claim.exit_signal else 'false'}"]
    said += [f'"{claim.recommendation}"'] if claim.recommendation else []
    yield from rows_as_lines(labelled("Claims", said))
    for each in turn.facts.checked:
        text = f"{each.claim}: claimed {each.claimed}, measured {each.measured}"
        yield from rows_as_lines([("", text)], Tone.PLAIN if each.holds else Tone.BAD)
    signal = [reason for reason in verdict.reasons if reason not in verdict.blockers]
    yield _gate("Gate 1", "evidence", verdict.gate_1, verdict.blockers)
    yield _gate("Gate 2", "signal", verdict.gate_2, () if verdict.gate_2 else (*claim.problems, *signal))
    yield from rows_as_lines(_decision(found))


def _gate(label: str, what: str, is_open: bool, reasons: Sequence[str]) -> Line:
    why = f": {'; '.join(dict.fromkeys(reasons))}" if reasons and not is_open else ""
    return rows_as_lines([(label, f"{_OPEN[is_open]} ({what}){why}")], Tone.GOOD if is_open else Tone.BAD)[0]


def _decision(found: Iteration) -> list[Row]:
    move = found.turn.move
    to = f" → {move.phase}" if move.phase is not found.turn.facts.phase else ""
    why = f": {move.halt_reason}" if move.halt_reason else ""
    return [("Decision", f"{move.decision.value.replace('_', ' ')}{to}{why}")]


def iteration_record(found: Iteration, texts: Texts, used: Used | None) -> dict[str, Any]:
    """The object of `log show --json`: that of the call in `run --json`, with prompt, answer, diff and test changes."""
    tests = found.tests
    return turn_record(found.turn, used) | {
        "number": found.number,
        "started": found.started.isoformat(),
        "ended": found.turn.at.isoformat(),
        "seconds": round(found.seconds, 3),
        "calls": [call.number for call in found.calls],
        "prompts": [{"call": number, "text": text} for number, text in texts.prompts],
        "answers": [{"call": number, "text": text} for number, text in texts.answers],
        "diffs": None if texts.diffs is None else [{"path": each.path, "diff": each.diff} for each in texts.diffs],
        "no_diff": texts.no_diff or None,
        "test_changes": {
            "new": list(tests.new),
            "fixed": list(tests.fixed),
            "broken": list(tests.broken),
            "gone": list(tests.gone),
            "failing": [{"id": each.id, "message": each.message} for each in tests.failing],
        },
        "halt_reason": found.turn.move.halt_reason,
    }
