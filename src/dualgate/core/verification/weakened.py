"""Measured -> findings on the tests of the base: what was bent to the code, weakened, or hidden instead of fixed."""

from collections.abc import Iterator

from dualgate.core.evidence.disarmed import Suspect, seen_red, unexcused
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.suite import CaseOutcome, short_id
from dualgate.core.values.verification import Finding, Rule, Weight
from dualgate.core.verification.measured import Measured, function

TESTS_NAMED = 3


def weakened_tests(seen: Measured) -> Iterator[Finding]:
    """Removed, skipped and changed tests whose base version fails on the head without excuse."""
    old = seen.old
    if old.report is None or not old.failing:
        return
    if not old.report.trusted:
        names = listed((short_id(each.function, seen.suites) for each in old.failing), TESTS_NAMED)
        why = "; ".join(old.report.problems[:TESTS_NAMED])
        text = f"the base versions of {names} cannot be run on the head: {why}"
        yield Finding(rule=Rule.WEAKENED, weight=Weight.NOT_PROVEN, text=text, subject="trial")
        return
    red = seen_red(seen.proof, seen.on_base.results if seen.on_base else ())
    for suspect, why in unexcused(old.failing, old.report, red, seen.proof, old.texts):
        yield _weakened(suspect, why, seen)


def _weakened(suspect: Suspect, why: str, seen: Measured) -> Finding:
    name = short_id(suspect.function, seen.suites)
    is_old_failure = all(case.failed for case in suspect.before)
    fails = "fails on the base, " if is_old_failure else ""
    return Finding(
        rule=Rule.HIDDEN if is_old_failure else Rule.WEAKENED,
        weight=Weight.REFUSED,
        text=f"{name} {fails}{suspect.done}, and its base version fails on the head: {why}",
        test=name,
        file=suspect.file,
        line=suspect.before[0].line,
        details=tuple(case.message for case in suspect.before if case.message),
    )


def skipped_failures(seen: Measured) -> Iterator[Finding]:
    """Tests that fail on the base, and are skipped or expected to fail instead of fixed."""
    for name in (*seen.since.newly_skipped, *seen.since.newly_xfailed):
        before, short = seen.at_base.get(name), short_id(function(name), seen.suites)
        if before is not None and before.failed:
            text = f"{short} fails on the base, and is skipped or expected to fail on the head instead of fixed"
            yield Finding(rule=Rule.HIDDEN, weight=Weight.REFUSED, text=text, test=short, file=before.file)


def bent_tests(seen: Measured) -> Iterator[Finding]:
    """Tests that fail on the base and were changed so that they pass there: the code was not what changed."""
    if seen.on_base is None:
        return
    passing = {function(r.id) for r in seen.on_base.results if r.outcome is CaseOutcome.PASSED}
    failing = {function(r.id) for r in seen.on_base.results if r.failed}
    found = dict[str, str]()
    for name in (*seen.since.altered, *seen.since.fixed):
        before, own = seen.at_base.get(name), function(name)
        was_failing = before is not None and before.failed and not before.is_broken_file
        if was_failing and own in passing - failing and name not in seen.wavering:
            found.setdefault(own, name)
    for own, name in found.items():
        result, short = seen.at_head[name], short_id(own, seen.suites)
        yield Finding(
            rule=Rule.BENT,
            weight=Weight.REFUSED,
            text=f"{short} fails on the base, and it or its data was changed so that it passes on the base's code too",
            test=short,
            file=result.file,
            line=result.line,
        )


def notes_on_tests(seen: Measured) -> Iterator[Finding]:
    """New tests that prove nothing by themselves, and changed tests whose base version still passes."""
    if seen.on_base is not None and seen.on_base.trusted:
        passing = {function(r.id) for r in seen.on_base.results if r.outcome is CaseOutcome.PASSED}
        new = dict.fromkeys(function(r.id) for r in seen.fresh if r.id in seen.since.new)
        idle = [short_id(name, seen.suites) for name in new if name in passing]
        if idle:
            text = f"{counted(len(idle), 'new test passes', 'new tests pass')} on the base too: {_listed(idle)}"
            yield Finding(rule=Rule.PASSES_ON_BASE, weight=Weight.NOTE, text=text)
    upheld = [each for each in seen.old.asked if each.how is not None and each not in seen.old.failing]
    if upheld:
        names = [short_id(each.function, seen.suites) for each in upheld]
        what = counted(len(upheld), "test was changed, removed or skipped", "tests were changed, removed or skipped")
        text = f"{what}, and the base version passes on the head: {_listed(names)}"
        yield Finding(rule=Rule.CHANGE, weight=Weight.NOTE, text=text, subject="upheld")


def _listed(names: list[str]) -> str:
    return listed(names, TESTS_NAMED)
