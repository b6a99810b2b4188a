"""LoopState, Brief -> what prompts say about reviews, to the reviewer and to those who fix. No word of an author."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dualgate.core.evidence.doubted import Doubt, DoubtedTest, changed_requirements, doubted_tests, upheld_tests
from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.machine.reproving import files_of_tests
from dualgate.core.prompt.detail import Cutter, Detail, compared, short_fix
from dualgate.core.prompt.size import tokens_of
from dualgate.core.said.findings import open_fixes
from dualgate.core.values.amendments import accepted
from dualgate.core.values.brief import Brief
from dualgate.core.values.case_names import names
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.notation import counted, in_line, listed
from dualgate.core.values.reviews import Finding, FindingState, Route
from dualgate.core.values.specification import Criterion, Kind, Specification
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, short_id
from dualgate.core.values.vocabulary import Phase

TESTS_SHOWN = 5
_ById = Mapping[str, CaseResult]
NO_FIXES: Mapping[str, Any] = {"fixes": (), "amendments": (), "minor": ()}
_HEADING_TOKENS = 20
"""Tokens of the lines around a diff."""
DOCUMENT = re.compile(r"\.(?:md|rst|adoc|txt)$", re.IGNORECASE)
# what is left out before code and tests: documents first, then data
_RANKS = (
    re.compile(r"(?!)"),
    DOCUMENT,
    re.compile(
        r"\.(?:json|jsonl|csv|tsv|xml|svg|html|lock|snap|log|sql|ya?ml|min\.js|map|ipynb|po|pot)$", re.IGNORECASE
    ),
)
_DATA = len(_RANKS) - 1
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
# The route whose requests a phase gets; requests about tests go to GREEN, the first phase that may amend tests.
FIXES = {Phase.GREEN: Route.IMPLEMENTER, Phase.REFACTOR: Route.REFACTORER}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDiffs:
    """The changes of a run, as far as they fit into a prompt."""

    shown: tuple[FileDiff, ...] = ()
    left_out: tuple[FileDiff, ...] = ()
    """Files whose changes are not shown: what did not fit, and binary files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionHistory:
    """A criterion with its tests and what became of each."""

    id: str
    kind: Kind
    tests: tuple[str, ...] = ()


def fitting_diffs(diffs: Sequence[FileDiff], tokens: int) -> ShownDiffs:
    """The diffs that fit: code and tests before documents, these before data, and of each the smaller ones first."""
    shown, left = set[str](), tokens
    for each in sorted(diffs, key=lambda each: (_rank(each.path), len(each.diff))):
        size = tokens_of(_indented(each.diff)) + _HEADING_TOKENS
        if each.diff and size <= left:
            shown.add(each.path)
            left -= size
    return ShownDiffs(
        shown=tuple(each for each in diffs if each.path in shown),
        left_out=tuple(each for each in diffs if each.path not in shown),
    )


def _rank(path: str) -> int:
    return next((rank for rank, pattern in enumerate(_RANKS) if pattern.search(path)), 0)


def _grouped(files: Sequence[FileDiff], most: int) -> tuple[str, ...]:
    """The files by name if they are few, else those of each folder counted, the code first."""
    ordered = sorted(files, key=lambda each: (_rank(each.path) == _DATA, each.path))
    if len(ordered) <= most:
        return tuple(_told(each) for each in ordered)
    folders = Counter(each.path.rpartition("/")[0] or "." for each in ordered if _rank(each.path) == _DATA)
    own = [_told(each) for each in ordered if _rank(each.path) != _DATA]
    return (*own, *(f"{in_line(folder)}/: {counted(number, 'file', 'files')}" for folder, number in folders.items()))


def _told(each: FileDiff) -> str:
    size = f", +{each.added} -{each.removed}" if each.added or each.removed else ""
    return f"{in_line(each.path)} ({each.change}{size})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The material of a review beside the state, found once for a prompt."""

    diffs: ShownDiffs = ShownDiffs()
    all_diffs: tuple[FileDiff, ...] = ()
    diff_command: str = ""
    doubted: tuple[DoubtedTest, ...] = ()
    requirements: tuple[str, ...] = ()
    upheld: tuple[str, ...] = ()
    history: tuple[CriterionHistory, ...] = ()
    several: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """New and changed tests that name more than one criterion."""


NO_MATERIAL = Material()


def material_for(prp: Specification, state: LoopState, brief: Brief, tokens: int) -> Material:
    """The material of a review; the diffs take at most so many tokens. In other phases there is none."""
    if state.phase is not Phase.QA:
        return NO_MATERIAL
    proof = state.proof
    named = _named(prp, proof)
    return Material(
        diffs=fitting_diffs(brief.diffs, tokens),
        all_diffs=brief.diffs,
        diff_command=brief.diff_command,
        doubted=doubted_tests(prp.criteria, proof),
        requirements=tuple(_ids(changed_requirements(prp.criteria, proof), proof)),
        upheld=tuple(_ids(upheld_tests(proof), proof)),
        history=tuple(each for each in history_of_tests(prp, state) if each.tests),
        several=tuple((name, tuple(criteria)) for name, criteria in named if len(criteria) > 1),
    )


def review_words(state: LoopState, material: Material, cutter: Cutter) -> dict[str, Any]:
    """The variables of the templates that are about reviews. All but the answers that are asked for are cut to size."""
    if state.phase is not Phase.QA:
        return _fixing_words(state, cutter)
    context, proof = state.review_context, state.proof
    noted = tuple(dict.fromkeys((*(f"RED: {note}" for note in proof.notes), *context.notes)))
    findings = cutter.items("findings of earlier reviews", state.reviews.findings)
    return {
        **NO_FIXES,
        "findings": [replace(each, request=short_fix(each.request, cutter)) for each in findings],
        "touched": state.reviews.touched,
        "changed_files": cutter.items(
            "files of this run", [*(f"{p} (new)" for p in context.added), *context.rewritten]
        ),
        "violations": cutter.items("changes that were not allowed", context.violations),
        "doubts": [_doubt(each, proof, material.all_diffs, cutter.detail) for each in material.doubted],
        "requirements": cutter.items("tests that RED changed", material.requirements),
        "upheld": cutter.items("changed tests that pass as they were", material.upheld),
        "history": cutter.items("tests of criteria", material.history),
        "results": tuple(loop_results(state)),
        "noted": cutter.items("notes on the tests", noted),
        "watching": cutter.items("sources that look at tests", context.watching),
        "amended": cutter.items("amended tests", accepted(state.amendments)),
        "named": cutter.items("tests that name several criteria", material.several),
        "diffs": [replace(each, diff=_indented(each.diff)) for each in material.diffs.shown],
        "left_out": cutter.items(
            "names of files whose diff is not shown", _grouped(material.diffs.left_out, cutter.detail.listed)
        ),
        "diff_command": material.diff_command,
    }


def _fixing_words(state: LoopState, cutter: Cutter) -> dict[str, Any]:
    """The fixes that a review asks for."""
    reviews, tests, way = state.reviews, files_of_tests(state), FIXES.get(state.phase)
    found = {
        "fixes": open_fixes(reviews, way, tests=tests) if way else (),
        "amendments": open_fixes(reviews, Route.AMENDMENT, tests=tests) if state.phase is Phase.GREEN else (),
        "minor": tuple(finding.request for finding in minor_for(state)),
    }
    about = "findings of the review"
    return {name: [short_fix(each, cutter) for each in cutter.items(about, fixes)] for name, fixes in found.items()}


def minor_for(state: LoopState) -> tuple[Finding, ...]:
    """Minor findings for the refactorer, after a rejection."""
    if state.phase is not Phase.REFACTOR or not state.rejections:
        return ()
    advice = (finding for finding in state.reviews.findings if finding.state is FindingState.ADVICE)
    return tuple(finding for finding in advice if not finding.request.is_blocking)


def history_of_tests(prp: Specification, state: LoopState) -> tuple[CriterionHistory, ...]:
    """Each criterion with its tests: how they were before the work, in RED, and now."""
    proof, kinds = state.proof, {row.id: row.kind for row in criteria_rows(state)}
    tests = compared(proof.proven or (), prp)
    before, red = ({result.id: result for result in results} for results in (proof.baseline, proof.red))
    return tuple(
        CriterionHistory(id=c.id, kind=kinds.get(c.id, c.kind), tests=tuple(_history(c, tests, before, red, proof)))
        for c in prp.criteria
    )


def _history(
    criterion: Criterion, tests: Sequence[CaseResult], before: _ById, red: _ById, proof: Proof
) -> Iterator[str]:
    now = [result for result in tests if names(result, criterion)]
    for result in now[:TESTS_SHOWN]:
        start, middle = before.get(result.id), red.get(result.id)
        changed = " (its code changed)" if start and start.digest not in ("", result.digest) else ""
        steps = (f"{_outcome(start)} before{changed}", f"{_outcome(middle)} in RED", f"{_outcome(result)} now")
        yield f"{_id(result.id, proof)}: {', '.join(steps)}"
    if len(now) > TESTS_SHOWN:
        yield f"and {len(now) - TESTS_SHOWN} more tests"


def loop_results(state: LoopState) -> Iterator[str]:
    """The last measurements of the loop, in sentences."""
    proof = state.proof
    now = proof.proven or ()
    counts = Counter(result.outcome for result in now)
    runs = f", in {counted(proof.green_runs, 'green run', 'green runs')} of the whole suite" if proof.green_runs else ""
    said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in CaseOutcome if counts[outcome])
    yield f"Tests: {said or 'none'}{runs}."
    old = {result.id for result in proof.baseline if result.failed}
    if still := [_id(result.id, proof) for result in now if result.failed and result.id in old]:
        yield f"Failing before the run and still: {listed(still)}."
    if proof.flaky or proof.unstable:
        yield f"Flaky: {listed(_id(name, proof) for name in dict.fromkeys((*proof.unstable, *proof.flaky)))}."
    for result in state.check_results:
        yield f"Check {in_line(result.sentence)}."
    for row in criteria_rows(state):
        if row.kind is Kind.CHECK:
            yield f"Check {row.id}: `{in_line(' '.join(row.proof))}` {row.state}."


def _doubt(test: DoubtedTest, proof: Proof, diffs: Iterable[FileDiff], detail: Detail) -> dict[str, Any]:
    cases = f", {len(test.before)} cases before, {len(test.after)} now" if test.how is Doubt.FEWER else ""
    parts = [each for each in diffs if each.path in {result.file for result in test.before}]
    lines = [line for each in parts for line in _own_lines(test, each, proof)]
    more = ["[cut]"] if len(lines) > detail.diff_lines else []
    return {
        "id": test.id,
        "how": f"{test.how}{cases}",
        "tests": listed(_ids(test.functions, proof)),
        "diff": _indented("\n".join((*lines[: detail.diff_lines], *more))) if detail.diff_lines else "",
    }


def _own_lines(test: DoubtedTest, diff: FileDiff, proof: Proof) -> list[str]:
    """The lines of a file's diff that belong to a test; all of them if that is not known, or for several tests."""
    lines = diff.diff.splitlines()[2:]
    if len(test.functions) > 1:
        return lines
    old, new = _span(test.before, proof.baseline), _span(test.after, proof.red)
    placed = list(_placed(lines))
    own = [
        place
        for place, (line, was, now) in enumerate(placed)
        if (line[:1] != "+" and was in old) or (line[:1] != "-" and now in new)
    ]
    first = own[0] if own else 0
    while first and placed[first - 1][0][1:].strip():  # decorators stand above the line of a test
        first -= 1
    kept = [placed[place][0] for place in (*range(first, own[0] if own else 0), *own)]
    return kept if any(line[:1] in ("+", "-") for line in kept) else lines


def _span(cases: Sequence[CaseResult], results: Iterable[CaseResult]) -> range:
    """The lines of a test up to the next test of its file; empty if they are not known."""
    first = next((case for case in cases if case.line is not None), None)
    if first is None or first.line is None:
        return range(0)
    starts = [result.line for result in results if result.file == first.file and result.line is not None]
    return range(first.line, min((line for line in starts if line > first.line), default=1 << 30))


def _placed(lines: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Each line of a diff with its numbers in the old and the new file."""
    old = new = 0
    for line in lines:
        hunk = _HUNK.match(line)
        if hunk:
            old, new = int(hunk[1]), int(hunk[2])
            continue
        yield line, old, new
        old, new = old + (line[:1] != "+"), new + (line[:1] != "-")


def _named(prp: Specification, proof: Proof) -> list[tuple[str, list[str]]]:
    """Each test that is new or changed since the baseline, with the criteria it names."""
    before = {result.id: result.digest for result in proof.baseline}
    fresh = [result for result in proof.proven or () if before.get(result.id) != result.digest]
    return [(_id(result.id, proof), _criteria(prp, result)) for result in compared(fresh, prp)]


def _criteria(prp: Specification, result: CaseResult) -> list[str]:
    return [criterion.id for criterion in prp.criteria if names(result, criterion)]


def _outcome(result: CaseResult | None) -> str:
    return "absent" if result is None else result.outcome.value


def _ids(ids: Iterable[str], proof: Proof) -> list[str]:
    return [_id(name, proof) for name in ids]


def _id(name: str, proof: Proof) -> str:
    return in_line(short_id(name, proof.suites))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
