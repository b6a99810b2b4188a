"""Criterion -> the functions that its text asks for by a call, such as `fee(100)`: they must exist, and be run."""

import builtins
import re
from collections.abc import Collection, Iterable, Mapping

from dualgate.core.values.probes import ProbeReport
from dualgate.core.values.specification import Criterion

_CALL = re.compile(r"(?<![\w.)\]/-])(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\((?P<inside>[^()`]*)")
# file(s), class(es), entry(ies): endings, no calls
_ENDING = re.compile(r"s|es|ies")
# feat(parser): the scope of a commit in its subject, no call
_SCOPE = re.compile(r"\A(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)\([^()`]*\)!?:\s")
_ABSENT = re.compile(
    r"\b(remov|delet|drop|gone\b|no longer|not exist|renam|instead of|deprecat|AttributeError|ImportError)",
    re.IGNORECASE,
)


def asked_names(criterion: Criterion, library: Collection[str]) -> tuple[str, ...]:
    """Names of functions and classes that the text calls, if the standard library has none of them.

    There are no names if the text is about code that is to be removed. `library` holds the names of its modules.
    """
    if _ABSENT.search(criterion.text):
        return ()
    text = _SCOPE.sub("", criterion.text)
    found = (call["name"] for call in _CALL.finditer(text) if not _ENDING.fullmatch(call["inside"]))
    own = (name.split(".") for name in found)
    return tuple(dict.fromkeys(parts[-1] for parts in own if not _is_of_python(parts, library)))


def _is_of_python(parts: list[str], library: Collection[str]) -> bool:
    return parts[0] in library or hasattr(builtins, parts[-1])


def why_not_asked_for(
    asked: Mapping[str, Iterable[str]], absent: Iterable[str], report: ProbeReport | None
) -> Mapping[str, str]:
    """By criterion, the reason why its tests are about something else: what it asks for is missing, or never run."""
    missing, unrun = frozenset(absent), _unrun(report)
    reasons: dict[str, str] = {}
    for criterion, names in asked.items():
        for name in names:
            if name in missing:
                reasons.setdefault(criterion, f"it asks for `{name}()`, and no source of the project has that name")
            elif name in unrun:
                reasons.setdefault(criterion, f"it asks for `{name}()`, and no test runs it")
    return reasons


def _unrun(report: ProbeReport | None) -> frozenset[str]:
    """Names of changed functions that no test runs under any of its places."""
    functions = [(each.name.rpartition(".")[2], each.tests) for each in (report.functions if report else ())]
    run = {name for name, tests in functions if tests}
    return frozenset(name for name, _ in functions if name and name not in run)
