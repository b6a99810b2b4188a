"""Proof, results, a run of the tests as they were before any work -> the tests that were disarmed, as sentences.

A changed, removed or skipped test is disarmed if its version of the baseline fails on the present code, unless its
requirement changed (it was red) or the code that it tested is gone.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dualgate.core.evidence.comparison import FlakyTests
from dualgate.core.evidence.definitions import (
    SourceChange,
    body_of,
    changed_functions,
    gone_names,
    only_removes,
    set_up_of,
    used_names,
)
from dualgate.core.evidence.doubted import Doubt, by_function, doubts_since
from dualgate.core.evidence.syntax.conversions import only_converts
from dualgate.core.evidence.syntax.trees import imports_in, parsed
from dualgate.core.values.case_names import function_of, last_part, own_name, stable
from dualgate.core.values.endings import CODE
from dualgate.core.values.notation import listed
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, SuiteReport, short_id

MESSAGE_SHOWN = 160
DEPRECATION = "DeprecationWarning"
FIXTURES = "conftest"
_PASSING = frozenset({CaseOutcome.PASSED, CaseOutcome.XPASSED})
_DONE = {
    Doubt.REMOVED: "was removed",
    Doubt.SKIPPED: "is skipped",
    Doubt.FEWER: "has fewer cases",
    Doubt.CHANGED: "was changed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A test function of the baseline that may have been disarmed."""

    function: str
    before: tuple[CaseResult, ...]
    """Its cases in the baseline that must pass on the present code."""
    done: str
    """The change of the test, as the end of a sentence."""
    how: Doubt | None = None
    """None if only files changed that it depends on."""
    lost: int = 0
    """How many of its cases are gone."""

    @property
    def file(self) -> str:
        return self.before[0].file


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Files of tests that changed since the baseline, beside the tests themselves."""

    is_of_tests: Callable[[str], bool]
    """Whether a path belongs to the tests, so that the trial runs it as it was."""
    files: tuple[str, ...] = ()
    """Files with tests that changed in more than additions."""
    helpers: tuple[str, ...] = ()
    """Other files of tests that changed in more than additions or are gone, and new fixtures."""
    by_person: tuple[str, ...] = ()


@dataclass(frozen=True)
class Texts:
    """The texts that tell whether a test and some code belong together."""

    before: Mapping[str, str]
    """Files of tests as they were in the baseline, by path: those of suspects and their helpers."""
    now: Mapping[str, str]
    """Files of new and changed tests, and their helpers."""
    present: Mapping[str, str] = field(default_factory=dict)
    """The same files as in `before`, as they are now."""
    sources: tuple[SourceChange, ...] = ()
    is_reviewed: bool = True
    """Whether a review is asked about the tests; in BUILD there is none."""

    @cached_property
    def gone(self) -> frozenset[str]:
        return gone_names(self.sources)

    @cached_property
    def only_removes(self) -> bool:
        return self.is_reviewed and only_removes(self.sources)

    @cached_property
    def deprecates(self) -> bool:
        """Whether changed sources warn of more deprecated uses than before."""
        warned = (each.after.count(DEPRECATION) > each.before.count(DEPRECATION) for each in self.sources)
        return self.is_reviewed and any(warned)

    @cached_property
    def changed(self) -> frozenset[str]:
        return changed_functions(self.sources)


def suspects(
    proof: Proof, results: Sequence[CaseResult], around: Surroundings, with_failing: bool = False
) -> tuple[Suspect, ...]:
    """Tests of the baseline whose old version is to be run; `with_failing` asks for those too that failed there."""
    doubts, now = doubts_since(proof, results), by_function(results)
    found = dict[str, Suspect]()
    for name, cases in by_function(proof.baseline).items():
        how, path = doubts.get(name), depends_on(cases[0].file, around)
        asked = tuple(_asked(cases, proof, with_failing and bool(how or path)))
        if not asked or not around.is_of_tests(asked[0].file) or asked[0].file in around.by_person:
            continue
        if how is not None:
            lost = len(cases) - len(now.get(name, ()))
            found[name] = Suspect(function=name, before=asked, done=_DONE[how], how=how, lost=lost)
        elif path and _passes(now.get(name, ())):
            found[name] = Suspect(function=name, before=asked, done=f"depends on {path}, which changed")
    return tuple(found.values())


def still_failing(asked: Iterable[Suspect], report: SuiteReport) -> tuple[Suspect, ...]:
    """The suspects whose version of the baseline does not pass in a run."""
    cases = by_function(report.results)
    return tuple(each for each in asked if not report.trusted or _failure(each, cases, report))


def upheld(asked: Iterable[Suspect], failing: Iterable[Suspect]) -> tuple[str, ...]:
    """The changed functions whose version of the baseline passes in the trial."""
    not_passing = {each.function for each in failing}
    return tuple(each.function for each in asked if each.how is Doubt.CHANGED and each.function not in not_passing)


def seen_red(proof: Proof, results: Iterable[CaseResult]) -> dict[str, CaseResult]:
    """Tests that failed in a run and not in the same form before any work, by function."""
    known = {(result.id, result.digest) for result in proof.baseline if result.failed}
    failed = (result for result in results if result.failed and (result.id, result.digest) not in known)
    return {name: cases[0] for name, cases in by_function(failed).items()}


def red_before(proof: Proof, results: Iterable[CaseResult]) -> dict[str, CaseResult]:
    """Tests that failed when RED was proven, also before the specification changed; those as in a later run."""
    earlier = {name: cases[0] for name, cases in by_function(results).items() if name in proof.was_red}
    return earlier | seen_red(proof, proof.red)


def disarmed(
    asked: Sequence[Suspect], report: SuiteReport, red: Mapping[str, CaseResult], proof: Proof, texts: Texts
) -> tuple[str, ...]:
    """A sentence for each suspect that fails in the trial without excuse; `red` are tests that were seen failing."""
    if not asked:
        return ()
    if not report.trusted:
        tests = listed(short_id(each.function, proof.suites) for each in asked)
        return (f"the versions of {tests} from before the run cannot be run: {'; '.join(report.problems)}",)
    return tuple(
        f"{short_id(each.function, proof.suites)} {each.done}, and its version from before the run fails now: {why}"
        for each, why in unexcused(asked, report, red, proof, texts)
    )


def unexcused(
    asked: Iterable[Suspect], report: SuiteReport, red: Mapping[str, CaseResult], proof: Proof, texts: Texts
) -> tuple[tuple[Suspect, str], ...]:
    """The suspects that fail in a trusted trial without excuse, each with how it fails."""
    cases = by_function(report.results)

    def is_excused(suspect: Suspect, why: str) -> bool:
        if _is_other_requirement(suspect, why, red, proof, texts):
            return True
        return _is_removed(suspect, cases.get(suspect.function, ())) and _is_replaced(suspect, red, proof, texts)

    return tuple((each, why) for each in asked if (why := _failure(each, cases, report)) and not is_excused(each, why))


def _asked(cases: Iterable[CaseResult], proof: Proof, with_failing: bool) -> Iterator[CaseResult]:
    """The cases that must pass in their old version. Flaky ones tell nothing."""
    known = FlakyTests(unstable=(*proof.unstable, *proof.flaky))
    for case in cases:
        counts = case.outcome in _PASSING or (with_failing and case.failed and not case.is_broken_file)
        if counts and not known.is_unstable(case):
            yield case


def _passes(cases: Sequence[CaseResult]) -> bool:
    return bool(cases) and not any(case.failed for case in cases)


def depends_on(file: str, around: Surroundings) -> str:
    """The changed file that a test depends on: its own, or a helper in its folder or above; empty if there is none."""
    helpers = (path for path in around.helpers if _is_above(path, file))
    return file if file in around.files else next(helpers, "")


def _is_above(path: str, file: str) -> bool:
    """Whether a helper or data is in the folder of a test or above it; data may also be below it."""
    folder, place = path.rpartition("/")[0], file.rpartition("/")[0]
    is_data = f".{path.rpartition('.')[2]}" not in CODE
    return not folder or file.startswith(f"{folder}/") or (is_data and bool(place) and folder.startswith(f"{place}/"))


def _failure(suspect: Suspect, cases: Mapping[str, Sequence[CaseResult]], report: SuiteReport) -> str:
    """How the old version of a test fails; empty if it passes."""
    ran = cases.get(suspect.function, ())
    for case in _failing(suspect, ran):
        return _first_line(case)
    if any(case.outcome in _PASSING for case in ran):
        return ""
    broken = next((r for r in report.results if r.is_broken_file and r.file == suspect.file), None)
    if broken is not None:
        return f"its file cannot be collected ({_first_line(broken)})"
    return "it is skipped" if ran else "it is not collected"


def _failing(suspect: Suspect, ran: Sequence[CaseResult]) -> Iterator[CaseResult]:
    wanted = {stable(case.id) for case in suspect.before}
    return (case for case in ran if case.failed and (stable(case.id) in wanted or len(ran) == 1))


def _is_removed(suspect: Suspect, ran: Sequence[CaseResult]) -> bool:
    """Whether the test is gone, or as many of its cases as fail in their old version."""
    is_cut = suspect.how is Doubt.FEWER and 0 < len([*_failing(suspect, ran)]) <= suspect.lost
    return is_cut or suspect.how is Doubt.REMOVED


def _first_line(case: CaseResult) -> str:
    lines = [line.strip() for line in case.message.splitlines() if line.strip()]
    return lines[0][:MESSAGE_SHOWN] if lines else case.outcome.value


def _is_other_requirement(
    suspect: Suspect, why: str, red: Mapping[str, CaseResult], proof: Proof, texts: Texts
) -> bool:
    """Whether the test was red, what it uses is gone or has another type, or it fails by a warning that is new."""
    in_broken = any(result.is_broken_file and result.file == suspect.file for result in red.values())
    if (suspect.function in red or in_broken) and suspect.how is not Doubt.SKIPPED:
        return True
    used = _used(suspect.before[0], texts.before, proof.baseline)
    if suspect.how is None:  # the test is as it was, and may be found where a module was moved to
        used |= _modules(texts.before.get(suspect.file, ""), used)
    prepared = _used_before(suspect.before[0], texts.before)
    if (used | prepared) & texts.gone or (used & texts.changed and _only_converts(suspect, proof, texts)):
        return True
    # a project that takes warnings for errors must change the tests of what it deprecates
    return suspect.how in (Doubt.CHANGED, Doubt.REMOVED) and DEPRECATION in why and texts.deprecates


def _modules(text: str, used: Collection[str] | None) -> frozenset[str]:
    """The modules from which a file imports some names, or any."""
    module = parsed(text)
    paths = imports_in(ast.walk(module) if module else ())
    named = (path for name, path in paths.items() if used is None or name in used)
    return frozenset(part for path in named for part in path.split("."))


def _only_converts(suspect: Suspect, proof: Proof, texts: Texts) -> bool:
    """Whether the test asks for the same values, in a list of their own; a review is asked about it."""
    tests = {result.file for result in proof.baseline}
    others = {path: text for path, text in texts.before.items() if path not in tests}
    is_alone = all(texts.present.get(path) == text or _is_of_others(path, texts) for path, text in others.items())
    before, present = texts.before.get(suspect.file, ""), texts.present.get(suspect.file, "")
    is_asked = texts.is_reviewed and suspect.how is Doubt.CHANGED and is_alone
    return is_asked and only_converts(before, present, last_part(suspect.function))


def _is_of_others(path: str, texts: Texts) -> bool:
    """Whether a helper is new and has the name of no module that tests or helpers imported before the run."""
    imported = {part for text in texts.before.values() for part in _modules(text, None)}
    name = path.rpartition("/")[2].partition(".")[0]
    return not texts.before[path] and name not in (*imported, FIXTURES)


def _is_replaced(suspect: Suspect, red: Mapping[str, CaseResult], proof: Proof, texts: Texts) -> bool:
    """Whether a removed test or case went with lines of the sources, or a red test is about the same function."""
    if texts.only_removes:  # a part of a function may be what went with the test; the review is asked about it
        return True
    shared = _used(suspect.before[0], texts.before, proof.baseline) & texts.changed
    return any(shared & _used(test, texts.now, red.values()) for test in red.values())


def _used(test: CaseResult, texts: Mapping[str, str], others: Iterable[CaseResult]) -> frozenset[str]:
    """The names that a test uses, itself and through its helpers."""
    starts = {other.line for other in others if other.file == test.file and other.line is not None}
    tests_elsewhere = {other.file for other in others} - {test.file}
    around = (text for path, text in texts.items() if path not in tests_elsewhere)
    name = last_part(function_of(stable(test.id)))
    return used_names(body_of(texts.get(test.file, ""), name, test.line, starts), around)


def _used_before(test: CaseResult, texts: Mapping[str, str]) -> frozenset[str]:
    """The names that the set-up of a test uses: without these the test cannot run."""
    text = texts.get(test.file, "")
    *holders, _ = function_of(own_name(test)).split("::")
    return used_names(set_up_of(text, holders), (text,))
