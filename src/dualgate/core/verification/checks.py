"""Measured -> findings on configured checks: lint, types, coverage. Worse than on the base is refused."""

import re
from collections import Counter
from collections.abc import Iterator

from dualgate.core.evidence.checks import why_unusable
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.verification import Finding, Rule, Weight
from dualgate.core.verification.measured import ComparedCheck, Measured

SHOWN = 3
_NUMBERS = re.compile(r"\d+")
_PLACE = re.compile(r"[\w./\\-]+\.\w+")


def worse_checks(seen: Measured) -> Iterator[Finding]:
    for each in seen.checks:
        if why := _why_worse(each):
            yield Finding(
                rule=Rule.CHECK,
                weight=Weight.REFUSED,
                text=f"{each.name}: `{each.head.command}` {why}",
                subject=each.name,
                details=tuple(each.head.output.splitlines()[-20:]),
            )
        elif unusable := why_unusable(each.base):
            text = f"{each.name}: `{each.base.command}` {unusable}"
            yield Finding(rule=Rule.CHECK, weight=Weight.NOTE, text=text, subject=each.name)


def _why_worse(check: ComparedCheck) -> str:
    """How a check is worse than on the base; empty if it is not, or could not be run there."""
    if why_unusable(check.base):
        return ""
    if unusable := why_unusable(check.head):
        return f"ran on the base; on the head it {unusable}"
    if not check.head.exit_code:
        with_base = check.with_base_settings
        is_loosened = with_base is not None and not why_unusable(with_base) and _is_worse(check.base, with_base)
        return "passes on the head only with its changed settings" if is_loosened else ""
    if not check.base.exit_code:
        return f"passes on the base, and on the head it exits with {check.head.exit_code}: {check.head.last_lines}"
    new = _new_faults(check.base, check.head)
    return (
        f"reports {counted(len(new), 'more fault', 'more faults')} than on the base: {listed(new, SHOWN)}"
        if new
        else ""
    )


def _is_worse(before: CheckRun, now: CheckRun) -> bool:
    return bool(now.exit_code) and (not before.exit_code or bool(_new_faults(before, now)))


def _new_faults(before: CheckRun, now: CheckRun) -> list[str]:
    """Lines that name a file, and that a run prints more often than the other one, whatever their numbers."""
    was = Counter(_NUMBERS.sub("N", line.strip()) for line in before.output.splitlines())
    found = []
    for line in map(str.strip, now.output.splitlines()):
        form = _NUMBERS.sub("N", line)
        if not _PLACE.search(line):
            continue
        if was[form]:
            was[form] -= 1
        else:
            found.append(line)
    return found
