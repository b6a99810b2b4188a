"""Observed -> why the work of BUILD is completed, but not proven by its tests. It decides nothing else.

Proven means: code changed, passing tests run the changed code and notice when it is broken, no test of the baseline was
weakened, and every task that is gone was ticked before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from dualgate.core.values.case_names import about_test
from dualgate.core.values.facts import Observed
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.probes import STUBS, VALUE_PROBES, Probe, ProbedFunction, ProbeKind, ProbeReport, ProbeState
from dualgate.core.values.specification import Plan

NO_CODE = "no code changed in this run"
ONLY_TESTS = "only tests changed in this run"
NO_BEHAVIOUR = "only comments, types, settings, moved or removed code changed in this run"
NO_FRESH = "no test is new or went from failing to passing in this run"
NOT_MEASURED = "it was not measured which tests notice broken code"
_DECIDED = frozenset({ProbeState.KILLED, ProbeState.SURVIVING})
# work that changes tests alone, or nothing that a test could notice
_FOR_TESTS = re.compile(
    r"^(?!.*\b(fix|implement|make|repair|fails?)\b).*\b((un)?test(s|ed|ing)?|cover(age|ed)?|regression)\b",
    re.IGNORECASE | re.DOTALL,
)
_FOR_NO_BEHAVIOUR = re.compile(
    r"\b(typ(e|es|ed|ing)|hints?|annotat\w+|comments?|docstrings?|mov(e|es|ed|ing)|renam\w+|extract\w*|split\w*|"
    r"refactor\w*|restructur\w*|format\w*|lint\w*|clean\w*|style|sort\w*|remov\w+|delet\w+|drop\w*|unused|dead|"
    r"configur\w+|config|settings?|version|bump\w*|upgrad\w+|updat\w+|dependenc\w+|licen[cs]e|ci|pipeline|build)\b",
    re.IGNORECASE,
)
_OTHER_LANGUAGE = re.compile(
    r".*\.([cm]?[jt]s|[jt]sx|vue|svelte|go|rs|java|kt|scala|[ch]|cc|[ch]pp|cs|swift|rb|php|p[lm]|lua|exs?|erl|hs|ml|clj|"
    r"dart|r|jl|zig|nim|(ba)?sh|ps1|pyx|sql)",
    re.IGNORECASE,
)


def why_not_covered(seen: Observed, is_green: bool = True) -> tuple[str, ...]:
    """The reasons, each as a sentence; without a green run nothing is said about single tests."""
    return (*_about_changes(seen, is_green), *seen.disarmed, *_about_tasks(seen.plan))


def _about_changes(seen: Observed, is_green: bool) -> tuple[str, ...]:
    changes = seen.changes
    if changes.tests is None:  # an older session, judged by its test run alone
        return ()
    if not changes.code and not changes.tests:
        return (NO_CODE,)
    if not is_green:
        return ()
    if not changes.code:
        return (*_unasked(ONLY_TESTS, seen.plan, _FOR_TESTS), *_without_fresh(seen, ""))
    if seen.probes is None or not seen.probes.measured:
        return _without_fresh(seen, _not_measured(seen.probes))
    return _measured(seen, seen.probes)


def _not_measured(report: ProbeReport | None) -> str:
    return f"the changed code cannot be measured: {'; '.join(report.problems)}" if report else NOT_MEASURED


def _without_fresh(seen: Observed, why: str) -> tuple[str, ...]:
    """Require a new or newly passing test that can fail if nothing can be measured."""
    if any(not about_test(name, seen.hollow) for name in seen.fresh):
        return ()
    return seen.hollow if seen.fresh else (" and ".join(filter(None, (NO_FRESH, why))),)


def _measured(seen: Observed, report: ProbeReport) -> tuple[str, ...]:
    found = tuple(text for _, text in doubted_functions(report))
    if not report.functions and not seen.fresh:
        found = _unasked(NO_BEHAVIOUR, seen.plan, _FOR_NO_BEHAVIOUR)
    others = [path for path in seen.changes.code if is_of_other_language(path)]
    if others:
        found += _without_fresh(seen, f"{listed(others)} cannot be measured")
    return found


def doubted_functions(report: ProbeReport) -> tuple[tuple[ProbedFunction, str], ...]:
    """The changed functions that no test covers, each with the reason."""
    return tuple((function, text) for function in report.functions if (text := _doubt(function, report)))


def is_of_other_language(path: str) -> bool:
    """Whether a file is code that cannot be probed."""
    return _OTHER_LANGUAGE.fullmatch(path) is not None


def _doubt(function: ProbedFunction, report: ProbeReport) -> str:
    """Why no test covers a changed function; empty if one does, or if that is not known."""
    probes = _decisive(
        probe for probe in report.probes if (probe.file, probe.function) == (function.file, function.name)
    )
    is_noticed = any(probe.noticed_by for probe in probes) or _only_details_survive(probes)
    if not function.name:
        probes = [] if _is_noticed_in(function.file, report) else [p for p in probes if p.kind in VALUE_PROBES]
    elif not function.tests and not is_noticed:
        return "" if _runs_apart(report) else f"no test runs `{function.file}:{function.line}` {function.name}"
    survivors = [probe for probe in probes if probe.state is ProbeState.SURVIVING]
    if not function.can_be_probed or not survivors or is_noticed:
        return ""
    return _surviving(min(survivors, key=lambda probe: (probe.kind not in STUBS, probe.line)))


def _only_details_survive(probes: Sequence[Probe]) -> bool:
    """Whether something is noticed, be it by a crash, and no constant in the place of the function goes unnoticed."""
    unnoticed = {probe.kind in STUBS for probe in probes if probe.state is ProbeState.SURVIVING}
    return any(probe.state is ProbeState.KILLED for probe in probes) and True not in unnoticed


def _decisive(probes: Iterable[Probe]) -> list[Probe]:
    """The probes that tell whether values are looked at: those of values, or all but `raise` without a constant."""
    decided = [p for p in probes if p.state in _DECIDED and p.kind is not ProbeKind.RAISE_STUB]
    of_values = [probe for probe in decided if probe.kind in VALUE_PROBES]
    return of_values if any(probe.kind in STUBS for probe in of_values) else decided


def _is_noticed_in(file: str, report: ProbeReport) -> bool:
    return any(p.file == file and p.state is ProbeState.KILLED for p in report.probes if p.kind in VALUE_PROBES)


def _runs_apart(report: ProbeReport) -> bool:
    """Whether tests run changed code in another process, as their failure in a broken copy shows."""
    return any(each.state is ProbeState.KILLED for each in report.apart)


def _surviving(probe: Probe) -> str:
    place = f"{probe.file}:{probe.line}"
    if not probe.function:
        return f"every test also passes with {probe.text} in {place}"
    if probe.kind in STUBS:
        return f"every test also passes when `{probe.function}()` ({place}) {probe.text}"
    return f"every test also passes with {probe.text} in `{probe.function}()` ({place})"


def _unasked(what: str, plan: Plan | None, wanted: re.Pattern[str]) -> tuple[str, ...]:
    """The reason, unless every task that was ticked in this run asks for no more than that."""
    tasks = plan.finished if plan else ()
    more = [task for task in tasks if not wanted.search(task)]
    if tasks and not more:
        return ()
    return (f"{what}, and {listed(_quoted(more), 3)} {'asks' if len(more) == 1 else 'ask'} for more" if more else what,)


def _about_tasks(plan: Plan | None) -> tuple[str, ...]:
    lost = plan.lost if plan else ()
    return (
        (f"{counted(len(lost), 'task', 'tasks')} left the list without being ticked: {listed(lost)}",) if lost else ()
    )


def _quoted(texts: Iterable[str]) -> Iterator[str]:
    return (f'"{text}"' for text in texts)
