"""Events of a run with probes -> ProbeReport."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dualgate.core.values.probes import Probe, ProbedFunction, ProbeKind, ProbeReport, ProbeState, UnrunLines
from dualgate.core.values.suite import SEPARATOR
from dualgate.runners.report_folder import Event

NAMED = 3


def read_probes(suite: str, events: Sequence[Event]) -> ProbeReport:
    """The report of one session of a test runner; test ids get the name of the suite."""
    probes = tuple(_probe(suite, event) for event in _of(events, "probe"))
    tests: Event = next(_of(events, "tests"), {"ran": (), "unfit": (), "unknown": ()})
    finished = next(_of(events, "finished"), None)
    return ProbeReport(
        probes=probes,
        functions=tuple(_function(event) for event in _of(events, "function")),
        ran=_named(suite, tests["ran"]),
        unasserted=_named(suite, tests.get("unasserted", ())),
        unexpecting=_named(suite, tests.get("unexpecting", ())),
        failing=_named(suite, tests.get("failing", ())),
        unrun=tuple(
            UnrunLines(file=str(event["file"]), first=int(event["first"]), last=int(event["last"]))
            for event in _of(events, "unrun")
        ),
        left_out=sum(probe.state is ProbeState.LEFT_OUT for probe in probes),
        problems=(*(str(event["text"]) for event in _of(events, "problem")), *_problems(tests, finished)),
        seconds=float(finished["seconds"]) if finished else 0.0,
    )


def _of(events: Iterable[Event], name: str) -> Iterator[Event]:
    return (event for event in events if event.get("event") == name)


def _probe(suite: str, event: Event) -> Probe:
    return Probe(
        file=str(event["file"]),
        line=int(event["line"]),
        function=str(event["function"]),
        kind=ProbeKind(event["kind"]),
        text=str(event["text"]),
        state=ProbeState(event["state"]),
        killed_by=_named(suite, event["killed"]),
        survived=_named(suite, event["survived"]),
        crashed=_named(suite, event["crashed"]),
    )


def _function(event: Event) -> ProbedFunction:
    return ProbedFunction(
        file=str(event["file"]),
        line=int(event["line"]),
        name=str(event["name"]),
        tests=int(event["tests"]),
        can_be_probed=bool(event["can_be_probed"]),
    )


def _named(suite: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{suite}{SEPARATOR}{name}" for name in names)


def _problems(tests: Event, finished: Event | None) -> Iterator[str]:
    for outcome in dict.fromkeys(outcome for _, outcome in tests["unfit"]):
        names = [name for name, its in tests["unfit"] if its == outcome]
        yield f"{_listed(names)} cannot be probed: without a probe the result is '{outcome or 'not run in time'}'"
    if tests["unknown"]:
        yield f"{_listed(tests['unknown'])} cannot be probed: not collected"
    if finished is None:
        yield "the run with probes broke off before its end"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def combined(reports: Sequence[ProbeReport]) -> ProbeReport:
    """Several reports as one. A function counts once, with the tests of all suites."""
    if len(reports) == 1:
        return reports[0]
    functions: dict[tuple[str, int, str], ProbedFunction] = {}
    for each in (function for report in reports for function in report.functions):
        key = (each.file, each.line, each.name)
        functions[key] = replace(each, tests=each.tests + functions[key].tests) if key in functions else each
    measured = [report for report in reports if report.functions]
    lines = [set(report.unrun) for report in measured]
    return ProbeReport(
        probes=tuple(probe for report in reports for probe in report.probes),
        functions=tuple(functions.values()),
        ran=tuple(name for report in reports for name in report.ran),
        unasserted=tuple(name for report in reports for name in report.unasserted),
        unexpecting=tuple(name for report in reports for name in report.unexpecting),
        failing=tuple(name for report in reports for name in report.failing),
        apart=tuple(each for report in reports for each in report.apart),
        unrun=tuple(each for each in (measured[0].unrun if measured else ()) if all(each in some for some in lines)),
        left_out=sum(report.left_out for report in reports),
        problems=tuple(problem for report in reports for problem in report.problems),
        seconds=sum(report.seconds for report in reports),
        commands=tuple(command for report in reports for command in report.commands),
    )
