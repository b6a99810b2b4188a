"""Measured -> findings on the results themselves: tests that got worse, runs that tell nothing, old failures."""

from collections.abc import Iterable, Iterator

from dualgate.core.values.notation import counted, listed
from dualgate.core.values.suite import CaseResult, SuiteReport, short_id
from dualgate.core.values.verification import Finding, Rule, Weight
from dualgate.core.verification.measured import Measured

MESSAGE_SHOWN = 160
TESTS_NAMED = 3


def run_findings(seen: Measured) -> Iterator[Finding]:
    """Runs that cannot be trusted. Tests that ran on the base and cannot be run on the head are worse than before."""
    for side, report in (("base", seen.base), ("head", seen.head)):
        if report.trusted:
            continue
        is_worse = side == "head" and seen.base.trusted
        is_forged = is_worse and _pretends(report)
        # what the head's tests need may not be installed here
        is_broken = is_worse and not seen.paths.steering
        yield Finding(
            rule=Rule.FORGED if is_forged else Rule.SUITE,
            weight=Weight.REFUSED if is_forged or is_broken else Weight.UNUSABLE,
            text=f"the test run of the {side} cannot be trusted: {'; '.join(report.problems[:TESTS_NAMED])}",
            subject=side,
            details=report.problems,
        )


def _pretends(report: SuiteReport) -> bool:
    """Whether a run reports more than happened: it ended with a report that contradicts itself, or early and well."""
    return report.complete or report.exit_code == 0


def result_findings(seen: Measured) -> Iterator[Finding]:
    """Tests that fail on the head, and did not before."""
    yield from _lost_files(seen)
    worse = {*seen.since.regressed, *(r.id for r in seen.fresh if r.failed), *_worse_renamed(seen)}
    for result in seen.head.results:
        if result.id in worse and result.id not in seen.wavering and not result.is_broken_file:
            yield _regressed(result, seen)
    for name in seen.wavering:
        yield _note(Rule.FLAKY, seen, name, "passes and fails on the same tree")


def _worse_renamed(seen: Measured) -> set[str]:
    return {new for new, old in seen.renamed.items() if seen.at_head[new].failed and not seen.at_base[old].failed}


def _regressed(result: CaseResult, seen: Measured) -> Finding:
    name, before = short_id(result.id, seen.suites), seen.at_base.get(result.id)
    since = "passes on the base" if before and not before.failed else "is new or changed"
    return Finding(
        rule=Rule.REGRESSED,
        weight=Weight.REFUSED,
        text=f"{name} fails on the head and {since}: {first_line(result)}",
        test=name,
        file=result.file,
        line=result.line,
        details=(result.message,),
    )


def _lost_files(seen: Measured) -> Iterator[Finding]:
    """Test files that can be collected on the base, and not on the head."""
    before = {r.file for r in seen.base.results if r.is_broken_file}
    for result in seen.head.results:
        if result.is_broken_file and result.file not in before:
            lost = [name for name in seen.since.vanished if seen.at_base[name].file == result.file]
            count = f" ({counted(len(lost), 'test', 'tests')} of the base)" if lost else ""
            yield Finding(
                rule=Rule.LOST,
                weight=Weight.REFUSED,
                text=f"{result.file} cannot be collected on the head{count}: {first_line(result)}",
                file=result.file,
                details=(result.message,),
            )


def old_failures(seen: Measured) -> Iterator[Finding]:
    """Tests that fail on both sides: nobody's fault, unless they run changed code."""
    running = {*seen.probes.failing} if seen.probes else set[str]()
    old = [seen.at_head[name] for name in seen.since.still_failing if name not in seen.wavering]
    for result in old:
        if result.id in running:
            name = short_id(result.id, seen.suites)
            yield Finding(
                rule=Rule.OLD_FAILURE,
                weight=Weight.NOT_PROVEN,
                text=f"{name} fails on the base and on the head, and runs changed code: {first_line(result)}",
                test=name,
                file=result.file,
                line=result.line,
            )
    others = [short_id(r.id, seen.suites) for r in old if r.id not in running]
    if others:
        yield Finding(
            rule=Rule.OLD_FAILURE,
            weight=Weight.NOTE,
            text=f"{counted(len(others), 'test fails', 'tests fail')} as on the base: {listed(others, TESTS_NAMED)}",
            subject="old",
        )


def notes_on_runs(seen: Measured) -> Iterator[Finding]:
    """How the trees were set up, and what the runners noted."""
    texts: Iterable[str] = dict.fromkeys((*seen.notes, *seen.head.notes))
    yield from (Finding(rule=Rule.SETUP, weight=Weight.NOTE, text=text, subject=text) for text in texts)


def undone_steps(seen: Measured) -> Iterator[Finding]:
    for step in seen.undone:
        text = f"out of time: {step}"
        yield Finding(rule=Rule.BUDGET, weight=Weight.NOT_PROVEN, text=text, subject=step)


def first_line(result: CaseResult) -> str:
    """The line of a message that says most: the last error of a file that cannot be collected, else the first."""
    lines = [line.strip() for line in result.message.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    chosen = errors[-1:] if result.is_broken_file and errors else lines[:1]
    return chosen[0][:MESSAGE_SHOWN] if chosen else result.outcome.value


def _note(rule: Rule, seen: Measured, name: str, what: str) -> Finding:
    short = short_id(name, seen.suites)
    return Finding(rule=rule, weight=Weight.NOTE, text=f"{short} {what}", test=short)
