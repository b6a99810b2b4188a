"""Measured -> findings on changed code: what no test runs or notices, and code that is written for its tests."""

import ast
from collections.abc import Iterator

from dualgate.core.evidence.asking import hollow_flaws
from dualgate.core.evidence.build_proof import doubted_functions, is_of_other_language
from dualgate.core.evidence.sensitivity import surviving
from dualgate.core.evidence.syntax.trees import parsed
from dualgate.core.evidence.watching import watching_places
from dualgate.core.values.case_names import about_test
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.probes import ProbeReport, ProbeState
from dualgate.core.values.suite import IDLE, short_id
from dualgate.core.values.verification import Finding, ProbeCounts, Rule, Weight
from dualgate.core.verification.measured import Measured

SHOWN = 3
_COMPARES = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"})
NO_TEST_SHOWS = "no test is new or fixed that fails on the base's code"


def unnoticed_code(seen: Measured) -> Iterator[Finding]:
    """Changed functions that no test notices; for code that cannot be measured, a test must be new or fixed."""
    report = seen.probes
    if not seen.paths.code or report is None:
        return
    for function, why in doubted_functions(report):
        yield Finding(
            rule=Rule.UNNOTICED if function.tests else Rule.UNTESTED,
            weight=Weight.NOT_PROVEN,
            text=why,
            file=function.file,
            line=function.line,
            subject=function.name,
        )
    if unmeasured := _unmeasured(seen, report):
        if not _shown_and_able_to_fail(seen):
            text = f"{NO_TEST_SHOWS}, and {unmeasured}"
            yield Finding(rule=Rule.UNTESTED, weight=Weight.NOT_PROVEN, text=text, subject="unmeasured")
        else:
            yield Finding(rule=Rule.SETUP, weight=Weight.NOTE, text=unmeasured, subject="unmeasured")


def idle_tests(seen: Measured) -> Iterator[Finding]:
    """New tests that are all skipped or expected to fail, where no other test notices the changed code either."""
    report = seen.probes
    idle = bool(seen.fresh) and all(result.outcome in IDLE for result in seen.fresh)
    if not idle or not seen.paths.code or report is None or any(e.state is ProbeState.KILLED for e in report.probes):
        return
    names = listed((short_id(result.id, seen.suites) for result in seen.fresh), SHOWN)
    text = f"no test notices the changed code: the new ones are skipped or expected to fail: {names}"
    yield Finding(rule=Rule.UNTESTED, weight=Weight.NOT_PROVEN, text=text, subject="idle")


def _unmeasured(seen: Measured, report: ProbeReport) -> str:
    """Why changed code was not measured; empty if all of it was, or none of it is code."""
    if not report.measured:
        return f"the changed code cannot be measured: {'; '.join(report.problems[:SHOWN])}"
    others = [path for path in seen.paths.code if is_of_other_language(path)]
    return f"{listed(others, SHOWN)} cannot be measured" if others else ""


def _shown_and_able_to_fail(seen: Measured) -> bool:
    hollow = [flaw.sentence for flaw in hollow_flaws(seen.fresh, seen.texts)]
    return any(not about_test(name, hollow) for name in seen.shown)


def code_for_tests(seen: Measured) -> Iterator[Finding]:
    """Changed code that looks at the test run, or answers only the inputs of its tests."""
    for path, line, what in watching_places(seen.texts, (*seen.fresh, *seen.fixed)):
        yield Finding(
            rule=Rule.FIXTURE_CODE,
            weight=Weight.NOT_PROVEN,
            text=f"{path}:{line} {what}",
            file=path,
            line=line,
            subject=what,
        )


def constant_comparisons(seen: Measured) -> Iterator[Finding]:
    """Changed comparisons that answer the same whatever is compared: every assertion with them tells nothing."""
    for path, text in seen.texts.sources.items():
        before = {each for each, _ in _constant_comparisons(seen.texts.before.get(path, ""))}
        for name, line in _constant_comparisons(text if path.endswith(".py") else ""):
            if name not in before:
                what = f"`{path}:{line}` {name}() answers the same whatever is compared"
                yield Finding(
                    rule=Rule.FIXTURE_CODE, weight=Weight.NOT_PROVEN, text=what, file=path, line=line, subject=name
                )


def _constant_comparisons(text: str) -> Iterator[tuple[str, int]]:
    """Methods that compare and do nothing but return a constant, each with its class and its line."""
    module = parsed(text)
    classes = (node for node in ast.walk(module) if isinstance(node, ast.ClassDef)) if module else ()
    for owner in classes:
        for each in owner.body:
            if isinstance(each, ast.FunctionDef) and each.name in _COMPARES and _returns_constant(each.body):
                yield f"{owner.name}.{each.name}", each.lineno


def _returns_constant(body: list[ast.stmt]) -> bool:
    last = body[-1]
    is_answer = isinstance(last, ast.Return) and isinstance(last.value, ast.Constant)
    return is_answer and all(isinstance(each, ast.Expr) for each in body[:-1])


def notes_on_code(seen: Measured) -> Iterator[Finding]:
    """Hollow tests, surviving probes and lines that no test runs."""
    for flaw in hollow_flaws(seen.fresh, seen.texts):
        text = flaw.sentence.partition(";")[0]
        yield Finding(rule=Rule.HOLLOW, weight=Weight.NOTE, text=text, subject=flaw.about[0])
    if seen.probes is None:
        return
    if survivors := surviving(seen.probes):
        what = counted(len(survivors), "break of changed code goes", "breaks of changed code go")
        text = f"{what} unnoticed: {listed(survivors, SHOWN)}"
        yield Finding(rule=Rule.SURVIVORS, weight=Weight.NOTE, text=text, details=survivors)
    if seen.probes.unrun:
        places = [f"{each.file}:{each.first}" for each in seen.probes.unrun]
        text = f"no test runs {counted(len(places), 'changed place', 'changed places')}: {listed(places, SHOWN)}"
        yield Finding(rule=Rule.UNTESTED, weight=Weight.NOTE, text=text, subject="lines")


def probe_counts(report: ProbeReport | None) -> ProbeCounts | None:
    if report is None or not report.probes:
        return None
    states = [probe.state for probe in report.probes]
    return ProbeCounts(
        killed=states.count(ProbeState.KILLED),
        surviving=states.count(ProbeState.SURVIVING),
        unknown=states.count(ProbeState.UNKNOWN),
        left_out=report.left_out,
    )
