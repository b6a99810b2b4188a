"""Verification -> Markdown for a job summary or a comment: verdict, findings, and the rest to unfold."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dualgate.core.values.verification import CaseChange, CriterionProof, Finding, Verification, Weight
from dualgate.display.markdown_text import code, prose
from dualgate.display.verification.summary import COMMAND, STATE_WORDS, count_texts, verdict_text, worst_first

MARKER = "<!-- dualgate verify -->"
"""The first line, by which a program finds the comment that it wrote before."""
LIMIT = 64_000
"""Bytes of a page: code hosts refuse a longer comment."""
_RESERVED = 200
_CUT = f"Cut to {LIMIT // 1000} KB. `{COMMAND} --json` has everything."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """A part of the page. Rows at its end are left out if there is no room for them."""

    rows: Sequence[str]
    before: str = ""
    after: str = ""


def verification_markdown(seen: Verification, call: str = COMMAND) -> str:
    """The page, at most LIMIT bytes long. `call` is the command that verifies the same change again."""
    head, *rest = verdict_text(seen).split(": ", 1)
    counts = " · ".join(map(prose, count_texts(seen)))
    opening = "\n\n".join((MARKER, f"### dualgate: {head}", *map(prose, rest), counts))
    written, is_cut = [opening], False
    room = LIMIT - len(opening.encode()) - _RESERVED
    for section in (section for section in _sections(seen, call) if section.rows):
        text, left_out = _fitted(section, room)
        is_cut |= left_out
        if text:
            written.append(text)
            room -= len(text.encode()) + 2
    return "\n\n".join([*written, *([_CUT] if is_cut else [])]) + "\n"


def _sections(seen: Verification, call: str) -> Iterator[_Section]:
    deciding = worst_first(seen.deciding)
    yield _table(("", "finding", "id"), map(_finding_row, deciding))
    if deciding:
        why, accept = code(f"{call} --explain ID"), code(f"{call} --allow ID --reason TEXT")
        yield _Section(rows=(f"Why: {why}. A person can accept a finding: {accept}",))
    accepted = [finding for finding in seen.findings if finding.accepted]
    yield _table(("accepted finding", "reason", "id"), map(_accepted_row, accepted))
    yield _folded("Criteria", ("criterion", "kind", "state", "tests"), map(_criterion_row, seen.criteria))
    changed = [case for case in seen.cases if case.states]
    titles = ("test", "", "base", "head", "new version on the base", "old version on the head")
    yield _folded("Tests that changed", titles, map(_case_row, changed))
    notes = [finding for finding in seen.notes if finding.weight is Weight.NOTE and not finding.accepted]
    yield _folded("Notes", ("note", "id"), ((_about(note), code(note.id)) for note in notes))


def _finding_row(finding: Finding) -> tuple[str, ...]:
    return finding.weight, _about(finding), code(finding.id)


def _accepted_row(finding: Finding) -> tuple[str, ...]:
    return _about(finding), prose(finding.accepted), code(finding.id)


def _about(finding: Finding) -> str:
    """The sentence with its test as code, and the place if the sentence does not name it."""
    place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
    about = f"{code(finding.test)} " if finding.test and finding.test not in finding.text else ""
    where = f" ({code(place)})" if place and place not in finding.text else ""
    said = finding.text.replace(finding.test, f"`{finding.test}`", 1) if finding.test else finding.text
    return f"{about}{prose(said)}{where}"


def _criterion_row(criterion: CriterionProof) -> tuple[str, ...]:
    tests = ", ".join(map(code, criterion.tests[:3]))
    return f"{code(criterion.id)} {prose(criterion.text)}", prose(criterion.kind), prose(criterion.state), tests


def _case_row(case: CaseChange) -> tuple[str, ...]:
    states = ", ".join(STATE_WORDS[state] for state in case.states)
    before = f" (was {code(case.renamed_from)})" if case.renamed_from else ""
    return (
        f"{code(case.id)}{before}",
        states,
        *(str(outcome or "") for outcome in (case.base, case.head, case.on_base, case.old_on_head)),
    )


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> _Section:
    head = f"{_row(titles)}\n{_row(['---'] * len(titles))}"
    return _Section(rows=tuple(map(_row, rows)), before=head)


def _folded(title: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> _Section:
    table = _table(titles, rows)
    opening = f"<details><summary>{title} ({len(table.rows)})</summary>\n\n{table.before}"
    return _Section(rows=table.rows, before=opening, after="\n</details>")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fitted(section: _Section, room: int) -> tuple[str, bool]:
    """The text of a section that fits, and whether rows were left out."""
    room -= len(f"{section.before}\n{section.after}\n".encode()) + _RESERVED
    kept: list[str] = []
    for row in section.rows:
        room -= len(row.encode()) + 1
        if room < 0:
            break
        kept.append(row)
    left = len(section.rows) - len(kept)
    more = f"\nand {left} more" if left else ""
    text = "\n".join(filter(None, (section.before, *kept, more, section.after)))
    return (text if kept else ""), left > 0
