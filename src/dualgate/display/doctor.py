"""Checks -> lines for people, each with the command that fixes it, and a record for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dualgate.core.doctor.checkup import Check, Health, can_start
from dualgate.display.lines import Line, Tone

TONES = {Health.OK: Tone.GOOD, Health.WARN: Tone.PLAIN, Health.FAIL: Tone.BAD}


def doctor_lines(checks: Sequence[Check], every: bool = False) -> list[Line]:
    """The checks, then the answer. If one fails, only those to look at are shown, unless all are asked for."""
    if every or can_start(checks):
        return [*check_lines(checks), Line(text=""), _end(checks)]
    shown = [check for check in checks if check.health is not Health.OK]
    passed = list(dict.fromkeys(check.name for check in checks if check.health is Health.OK))
    others = f"{len(passed)} other checks are ok ('dualgate doctor --all' shows them)"
    return [*check_lines(shown), Line(text=""), Line(text=others, tone=Tone.QUIET), _end(checks)]


def check_lines(checks: Sequence[Check]) -> list[Line]:
    width = max(len(check.name) for check in checks)
    return [line for check in checks for line in _check_lines(check, width)]


def _check_lines(check: Check, width: int) -> list[Line]:
    head = f"{check.health:<4}  {check.name:<{width}}  "
    seen = [Line(text=f"{head}{check.seen}", tone=TONES[check.health], hang=len(head))]
    fix = f"{'':{len(head)}}fix: {check.fix}"
    return [*seen, Line(text=fix, tone=Tone.QUIET, hang=len(head))] if check.fix else seen


def doctor_record(checks: Sequence[Check]) -> dict[str, Any]:
    plain = [{**asdict(check), "health": check.health.value, "fix": check.fix or None} for check in checks]
    return {"can_start": can_start(checks), "checks": plain}


def _end(checks: Sequence[Check]) -> Line:
    failed = dict.fromkeys(check.name for check in checks if check.health is Health.FAIL)
    if failed:
        return Line(text=f"A run cannot start: {', '.join(failed)}", tone=Tone.BAD)
    warned = dict.fromkeys(check.name for check in checks if check.health is Health.WARN)
    warning = f"; worth a look: {', '.join(warned)}" if warned else ""
    return Line(text=f"A run can start{warning}", tone=Tone.GOOD)
