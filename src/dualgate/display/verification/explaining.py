"""Verification and the name of a test -> all that is known about it, or the names that come near."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dualgate.core.record.verification.rules import RULES
from dualgate.core.values.notation import harmless, in_line
from dualgate.core.values.suggestion import close_names
from dualgate.core.values.suite import SEPARATOR
from dualgate.core.values.verification import CaseChange, Finding, Verification, Weight
from dualgate.display.lines import Line, Tone
from dualgate.display.verification.summary import COMMAND, STATE_WORDS, about_of

INDENT = "    "
MESSAGE_LINES = 12
MOST_NAMES = 5
LIKENESS = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The lines about a test or finding; without lines, the names that were probably meant."""

    lines: tuple[Line, ...] = ()
    meant: tuple[str, ...] = ()


def explain(seen: Verification, wanted: str, call: str = COMMAND) -> Explanation:
    """Explain a test by its id or a part of it, or a finding by its id."""
    cases = {case.id: case for case in seen.cases}
    findings = {finding.id: finding for finding in seen.findings}
    tests = dict.fromkeys((*cases, *(finding.test for finding in seen.findings if finding.test)))
    names = _matching(wanted, (*tests, *findings))
    if len(names) != 1:
        return Explanation(meant=names[:MOST_NAMES] or _near(wanted, (*tests, *findings)))
    (name,) = names
    if name in findings:
        return Explanation(lines=tuple(_finding_lines(findings[name], call, with_place=True)))
    about = [finding for finding in seen.findings if finding.test == name]
    case = cases.get(name, CaseChange(id=name))
    # a finding can carry the message that the test shows already
    rest = [replace(each, details=tuple(text for text in each.details if text != case.message)) for each in about]
    told = (line for finding in rest for line in _finding_lines(finding, call, with_place=False))
    nothing = () if about else (Line(text="no finding is about this test", tone=Tone.QUIET),)
    return Explanation(lines=(*_case_lines(case), *told, *nothing))


def _matching(wanted: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The name that is wanted; else those that end with it, as the name of a function does; else those that hold it."""
    if wanted in names:
        return (wanted,)
    ends = tuple(name for name in names if name.endswith(f"{SEPARATOR}{wanted}"))
    return ends or tuple(name for name in names if wanted and wanted in name)


def _near(wanted: str, names: tuple[str, ...]) -> tuple[str, ...]:
    by_end = {name.rpartition(SEPARATOR)[2]: name for name in names}
    near = close_names(wanted.rpartition(SEPARATOR)[2], by_end, MOST_NAMES, LIKENESS)
    return tuple(by_end[name] for name in near)


def _case_lines(case: CaseChange) -> Iterator[Line]:
    place = case.file if case.line is None else f"{case.file}:{case.line}"
    yield Line(text=f"{in_line(case.id)}{f' ({in_line(place)})' if place else ''}")
    if case.states:
        yield _inside(", ".join(STATE_WORDS[state] for state in case.states))
    yield _inside(f"on the base: {case.base or 'not run'}; on the head: {case.head or 'not run'}")
    if case.renamed_from:
        yield _inside(f"renamed from {in_line(case.renamed_from)}")
    if case.on_base:
        yield _inside(f"its version on the head, run on the code of the base: {case.on_base}")
    if case.old_on_head:
        yield _inside(f"its version on the base, run on the code of the head: {case.old_on_head}")
    message = harmless(case.message).splitlines()
    yield from (_inside(line) for line in message[:MESSAGE_LINES])
    if len(message) > MESSAGE_LINES:
        yield _inside(f"and {len(message) - MESSAGE_LINES} more lines")


def _finding_lines(finding: Finding, call: str, with_place: bool) -> Iterator[Line]:
    about = f"{in_line(place)}: " if with_place and (place := about_of(finding)) else ""
    tone = Tone.BAD if finding.decides else Tone.QUIET
    yield Line(text=f"{finding.weight}: {about}{in_line(finding.text)} [{finding.id}]", tone=tone, hang=len(INDENT))
    yield from (_inside(line) for detail in finding.details for line in harmless(detail).splitlines())
    if finding.accepted:
        yield _inside(f"accepted: {in_line(finding.accepted)}")
    if finding.weight is Weight.NOTE:
        return
    rule = RULES[finding.rule]
    yield _inside(rule.meaning)
    if finding.decides:
        yield _inside(rule.next_step)
        yield _inside(f"to accept it: {call} --allow {finding.id} --reason TEXT")


def _inside(text: str) -> Line:
    return Line(text=f"{INDENT}{text}", hang=len(INDENT))
