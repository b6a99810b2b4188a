"""Verification -> at most ten lines: the verdict, the worst findings, the counts of tests, and what to do next."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from dualgate.core.values.notation import counted, in_line
from dualgate.core.values.verification import CaseState, Finding, Side, Standing, Verification, Weight
from dualgate.display.lines import Line, Tone, cut, fitted, shown_time, width

MOST_ROWS = 10
ROWS_OF_A_FINDING = 2
INDENT = "  "
SHORT = 7
"""Characters of a commit or tree, as git shortens them."""
COMMAND = "dualgate verify"
VERDICT_TONES = {
    Standing.VERIFIED: Tone.GOOD,
    Standing.NOT_PROVEN: Tone.BAD,
    Standing.REFUSED: Tone.BAD,
    Standing.UNUSABLE: Tone.BAD,
}
STATE_WORDS = {
    CaseState.REGRESSED: "regressed",
    CaseState.VANISHED: "vanished",
    CaseState.SKIPPED: "newly skipped",
    CaseState.NEW: "new",
    CaseState.FIXED: "fixed",
    CaseState.STILL_FAILING: "still failing (old)",
    CaseState.CHANGED: "changed",
    CaseState.RENAMED: "renamed",
    CaseState.FLAKY: "flaky",
}
_WEIGHTS = tuple(Weight)


def verification_lines(seen: Verification, call: str = COMMAND, columns: int = 80) -> list[Line]:
    """At most ten rows of a terminal of this width. `call` is the command that verifies the same change again."""
    verdict = Line(text=cut(f"{verdict_text(seen)} ({_time(seen)})", columns), tone=VERDICT_TONES[seen.standing])
    tests, *others = count_texts(seen)
    counts = [Line(text=cut(text, columns), tone=Tone.QUIET) for text in (tests, "; ".join(others)) if text]
    ending = [*counts, *_next_step(seen, call, columns)]
    room = MOST_ROWS - _rows([verdict, *ending], columns)
    return [verdict, *_fitting(worst_first(seen.findings), room, call, columns), *ending]


def verdict_text(seen: Verification) -> str:
    """refused: work tree against main (1a2b3c4), 2 findings."""
    count = len(seen.deciding)
    findings = f", {counted(count, 'finding', 'findings')}" if count else ""
    return f"{seen.standing}: {_named(seen.head)} against {_named(seen.base)}{findings}"


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings that decide by their weight, then notes; findings that a person accepts are left out."""
    return sorted((each for each in findings if not each.accepted), key=lambda each: _WEIGHTS.index(each.weight))


def count_texts(seen: Verification) -> list[str]:
    """How many tests of each kind there are; then probes, criteria and accepted findings, if there are any."""
    probes = seen.probes
    named = ("killed", "surviving", "unknown", "left_out")
    breaks = [(getattr(probes, name), name.replace("_", " ")) for name in named] if probes else []
    criteria = Counter(map(attrgetter("state"), seen.criteria))
    accepted = sum(bool(finding.accepted) for finding in seen.findings)
    texts = (
        ("tests", [*((len(seen.with_state(state)), word) for state, word in STATE_WORDS.items()), _unchanged(seen)]),
        ("accepted", [(accepted, "finding" if accepted == 1 else "findings")]),
        ("probes", breaks),
        ("criteria", [(count, in_line(state)) for state, count in criteria.items()]),
    )
    told = [f"{name}: {said}" for name, counts in texts if (said := _counted(counts))]
    return told if seen.cases else ["tests: none", *told]


def about_of(finding: Finding) -> str:
    """The test of a finding, or its file and line; empty if its sentence names them."""
    place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
    name = finding.test or place
    return "" if name in finding.text else name


def explain_command(call: str, finding: Finding) -> str:
    return f"{call} --explain {shlex.quote(in_line(finding.test) if finding.test else finding.id)}"


def _next_step(seen: Verification, call: str, columns: int) -> list[Line]:
    if not seen.deciding:
        return []
    worst = worst_first(seen.deciding)[0]
    by_test, by_id = (f"next: {explain_command(call, worst)}", f"next: {call} --explain {worst.id}")
    return [Line(text=by_test if width(by_test) <= columns else by_id, hang=len("next: "))]


def _fitting(found: Sequence[Finding], room: int, call: str, columns: int) -> Iterator[Line]:
    """As many findings as there is room for, and how many more there are."""
    told = [_line(finding, columns) for finding in found]
    count = len(told)
    while count > 0 and _rows(told[:count], columns) + (count < len(told)) > room:
        count -= 1
    yield from told[:count]
    if count < len(told):
        more = len(told) - count
        yield Line(text=cut(f"{INDENT}and {more} more: {call} --md", columns), tone=Tone.QUIET)


def _line(finding: Finding, columns: int) -> Line:
    is_note = finding.weight is Weight.NOTE
    about = about_of(finding)
    sentence = in_line(f"{about}: {finding.text}" if about else finding.text)
    if name := in_line(finding.test):
        sentence = sentence.replace(name, _end_of(name, columns // 2), 1)
    # a row can lose some columns at its end, since it is broken between words
    room = ROWS_OF_A_FINDING * (columns - 2 * len(INDENT)) - columns // 4
    text = cut(f"{INDENT}{finding.weight}: {sentence}", room)
    return Line(text=text, tone=Tone.QUIET if is_note else Tone.BAD, hang=2 * len(INDENT))


def _end_of(name: str, columns: int) -> str:
    """The end of a long name: there it tells the test, and at its beginning the folder."""
    return cut(name[::-1], columns)[::-1]


def _rows(lines: Iterable[Line], columns: int) -> int:
    return sum(len(fitted(line, columns)) for line in lines)


def _counted(counts: Iterable[tuple[int, str]]) -> str:
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def _unchanged(seen: Verification) -> tuple[int, str]:
    return sum(not case.states for case in seen.cases), "unchanged"


def _named(side: Side) -> str:
    commit = side.commit[:SHORT]
    is_told = not commit or side.ref.startswith(commit)
    return in_line(side.ref) if is_told else f"{in_line(side.ref)} ({commit})"


def _time(seen: Verification) -> str:
    is_reused = seen.base.reused and seen.head.reused
    return "trees unchanged, results reused" if is_reused else shown_time(seen.seconds)
